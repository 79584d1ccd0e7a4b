/**
 * Makes a committable fixture of sessions that real agents wrote: ids, structure, numbers and short values stay, texts that may
 * be an agent's own prompts or schemas become markers.
 *
 *     npx tsx scripts/slim-corpus.ts FROM TO
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'

/** A longer text is replaced. */
const LONGEST_KEPT = 80
/** What stands under these names is an agent's own, however short. */
const OWN_TEXT =
  /^(system|systemPrompt|instructions|base_instructions|tools|schema|input_schema|parameters|developer_instructions)$/

const marker = (text: string): string => `[slimmed: ${text.length} characters]`

/** A JSON value with its long and its own texts replaced; what `synthetic` marks as the harness's is its own, too. */
export function slim(value: unknown, name = '', isSynthetic = false): unknown {
  if (typeof value === 'string') return slimText(value, OWN_TEXT.test(name) || (isSynthetic && name === 'text'))
  if (Array.isArray(value))
    return OWN_TEXT.test(name) ? [marker(JSON.stringify(value))] : value.map((item) => slim(item, name))
  if (typeof value !== 'object' || value === null) return value
  if (OWN_TEXT.test(name)) return { slimmed: marker(JSON.stringify(value)) }
  const synthetic = 'synthetic' in value && value.synthetic === true
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, slim(inner, key, synthetic)]))
}

function slimText(text: string, isOwn: boolean): string {
  if (!isOwn && text.length <= LONGEST_KEPT) return text
  const dataUri = /^data:[^,]{0,100},/.exec(text)?.[0]
  if (dataUri !== undefined) return `${dataUri}${Buffer.from(marker(text)).toString('base64')}`
  // JSON inside a string keeps its structure.
  if (/^\s*[[{]/.test(text)) {
    const inner = parsed(text)
    if (inner !== undefined) return JSON.stringify(slim(inner))
  }
  return marker(text)
}

/** The text of a file; lines of JSON each for themselves, so that a torn one stays torn. */
export function slimFile(text: string): string {
  const whole = parsed(text)
  if (whole !== undefined) return JSON.stringify(slim(whole), null, text.includes('\n  ') ? 2 : undefined)
  return text
    .split('\n')
    .map((line) => {
      const value = parsed(line)
      return value === undefined ? slimText(line, false) : JSON.stringify(slim(value))
    })
    .join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Tables of keys and accounts: nothing of them is anybody's business. */
const SECRET_TABLE = /account|credential|share/

/** Every text column of every table; what reads like JSON stays JSON. */
function slimDatabase(path: string): void {
  const db = new Database(path)
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
  const tables = db
    .prepare<[], { name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
  for (const { name: table } of tables) {
    if (SECRET_TABLE.test(table)) db.exec(`delete from ${quoted(table)}`)
    const columns = db.prepare<[], { name: string; type: string }>(`pragma table_info(${quoted(table)})`).all()
    for (const { name: column, type } of columns.filter((c) => /text|json/i.test(c.type))) {
      const rows = db
        .prepare<[], { rowid: number; value: unknown }>(
          `select rowid, ${quoted(column)} as value from ${quoted(table)}`,
        )
        .all()
      const update = db.prepare(`update ${quoted(table)} set ${quoted(column)} = ? where rowid = ?`)
      for (const { rowid, value } of rows) {
        if (typeof value !== 'string') continue
        const json = parsed(value)
        const slimmed = typeof json === 'object' && json !== null ? JSON.stringify(slim(json)) : slimText(value, false)
        if (slimmed !== value && type !== '') update.run(slimmed, rowid)
      }
    }
  }
  db.pragma('journal_mode = delete')
  db.exec('vacuum')
  db.close()
}

function slimDirectory(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (statSync(source).isDirectory()) slimDirectory(source, target)
    else if (extname(name) !== '.db' && !/\.db-(wal|shm)$/.test(name))
      writeFileSync(target, slimFile(readFileSync(source, 'utf8')))
    else copyFileSync(source, target)
  }
  // When all is copied: opening a database without its log would lose what stands in there.
  for (const name of readdirSync(to)) if (extname(name) === '.db') slimDatabase(join(to, name))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [from, to] = process.argv.slice(2)
  if (from === undefined || to === undefined) {
    console.error('usage: slim-corpus.ts FROM TO')
    process.exit(2)
  }
  slimDirectory(from, to)
}
