import { asArray, asNumber, asObject, asString } from '../../model/json.ts'
import { parsed } from './cursor.ts'
import { decodeLadder, type Ladder, type LadderTable } from './ladder.ts'

/** What discovery itself learned about one database. */
export interface DatabaseMark {
  /** State of the file and its log; empty when they were too young to be told apart from a later state. */
  readonly stamp: string
  readonly ladders: Readonly<Record<LadderTable, Ladder>>
  /** Latest time at which a session of it was updated. */
  readonly updatedAt: number
  /**
   * Its sessions with the time of their last change. Only kept of a database at rest, which would have to be copied to be
   * looked into again.
   */
  readonly sessions: readonly (readonly [id: string, updatedAt: number])[] | null
}

/** What discovery learned about a root: stored when every unit of that discovery was read to its end. */
export interface Mark {
  readonly databases: ReadonlyMap<string, DatabaseMark>
  /** Sessions that stand in the tree and in a database, and the tree's copy is the newer one. */
  readonly treeWins: readonly string[]
  readonly superseded: number
  /** Of those, sessions whose copy in the tree holds messages that the winner lacks. */
  readonly richer: readonly string[]
  /** Sessions of the tree whose time of change had to be read: `[file stamp, time]`. */
  readonly treeTimes: Readonly<Record<string, readonly [stamp: string, updatedAt: number]>>
}

export const NO_MARK: Mark = { databases: new Map(), treeWins: [], superseded: 0, richer: [], treeTimes: {} }

export function encodeMark(mark: Mark): string {
  const { treeWins, superseded, richer, treeTimes } = mark
  return JSON.stringify({ databases: Object.fromEntries(mark.databases), treeWins, superseded, richer, treeTimes })
}

export function decodeMark(text: string | null): Mark {
  const fields = parsed(text)
  if (fields === null) return NO_MARK
  const databases = new Map<string, DatabaseMark>()
  for (const [path, value] of Object.entries(asObject(fields['databases']) ?? {})) {
    const mark = decodeDatabaseMark(value)
    if (mark !== null) databases.set(path, mark)
  }
  const texts = (value: unknown): string[] => asArray(value).filter((entry) => typeof entry === 'string')
  return {
    databases,
    treeWins: texts(fields['treeWins']),
    superseded: asNumber(fields['superseded']) ?? 0,
    richer: texts(fields['richer']),
    treeTimes: Object.fromEntries(
      Object.entries(asObject(fields['treeTimes']) ?? {}).flatMap(([id, value]) => {
        const entry = stampedTime(value)
        return entry === null ? [] : [[id, entry]]
      }),
    ),
  }
}

function decodeDatabaseMark(value: unknown): DatabaseMark | null {
  const fields = asObject(value)
  const stamp = asString(fields?.['stamp'])
  const ladders = asObject(fields?.['ladders'])
  const message = decodeLadder(ladders?.['message'])
  const part = decodeLadder(ladders?.['part'])
  const event = decodeLadder(ladders?.['event'])
  const updatedAt = asNumber(fields?.['updatedAt'])
  if (stamp === null || updatedAt === null || message === null || part === null || event === null) return null
  const listed = fields?.['sessions']
  const sessions = Array.isArray(listed) ? listed.map(stampedTime).filter((entry) => entry !== null) : null
  return { stamp, ladders: { message, part, event }, updatedAt, sessions }
}

function stampedTime(value: unknown): readonly [string, number] | null {
  const [text, time] = Array.isArray(value) ? value : []
  return typeof text === 'string' && typeof time === 'number' ? [text, time] : null
}
