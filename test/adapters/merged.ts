import type { SessionRow } from '../../src/model/rows.ts'

const TITLES = ['DERIVED', 'SIDE_FILE', 'SOURCE', 'PERSON']

/** What two contributions know of a session together, as the store merges them (design §4.4). */
export function merged(old: SessionRow | null, row: SessionRow): SessionRow {
  if (old === null) return row
  const said = Object.entries(row).filter(([, value]) => value !== null)
  const isWeaker =
    old.title !== null && row.title !== null && TITLES.indexOf(row.title.origin) < TITLES.indexOf(old.title.origin)
  const project = old.projectPath === null ? {} : { projectPath: old.projectPath }
  return { ...old, ...Object.fromEntries(said), ...project, ...(isWeaker ? { title: old.title } : {}) }
}
