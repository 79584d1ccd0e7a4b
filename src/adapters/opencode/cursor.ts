import { asCount, asObject, asString, type JsonObject } from '../../model/json.ts'

/** The highest rowids of a database's message, part and event tables at some moment. */
export interface Watermark {
  readonly message: number
  readonly part: number
  readonly event: number
}

/** What is known of a session that was read from a database: enough to tell what changed in it without reading it again. */
export interface DatabaseCursor {
  readonly kind: 'database'
  /** Of the session's row, and of its diff file. */
  readonly digest: string
  /** The whole database's, when this session was read. */
  readonly watermark: Watermark
  /** Messages that it had. */
  readonly messages: number
  /** Messages that may still change in place, each with a stamp of its and its parts' state. */
  readonly unfinished: readonly (readonly [id: string, stamp: string])[]
  /** The newest message of the person: its summary is filled in later. */
  readonly newestUser: readonly [id: string, stamp: string] | null
}

/** The same for a session of the tree. */
export interface TreeCursor {
  readonly kind: 'tree'
  /** Names, sizes and times of all its files. */
  readonly digest: string
  /** The same for each message; null where that would be long. */
  readonly messages: Readonly<Record<string, string>> | null
}

/** Says that the session was looked at and could not be read to its end: everything of it is to be read again. */
export const FAILED_CURSOR = '{"failed":true}'

export function encodeDatabaseCursor(cursor: DatabaseCursor): string {
  const { digest, watermark: w, messages, unfinished, newestUser } = cursor
  return JSON.stringify({ s: digest, w: [w.message, w.part, w.event], n: messages, u: unfinished, l: newestUser })
}

export const encodeTreeCursor = ({ digest, messages }: TreeCursor): string => JSON.stringify({ t: digest, m: messages })

/** Null when there is none, or it says nothing: then the session is read from the start. */
export function decodeDatabaseCursor(text: string | null): DatabaseCursor | null {
  const fields = parsed(text)
  const digest = asString(fields?.['s'])
  const watermark = decodeWatermark(fields?.['w'])
  const messages = asCount(fields?.['n'])
  if (fields === null || digest === null || watermark === null || messages === null) return null
  const unfinished = Array.isArray(fields['u']) ? fields['u'].map(stampedId).filter((entry) => entry !== null) : []
  return { kind: 'database', digest, watermark, messages, unfinished, newestUser: stampedId(fields['l']) }
}

export function decodeTreeCursor(text: string | null): TreeCursor | null {
  const fields = parsed(text)
  const digest = asString(fields?.['t'])
  if (fields === null || digest === null) return null
  const messages = asObject(fields['m'])
  return { kind: 'tree', digest, messages: messages === null ? null : textsOf(messages) }
}

export function decodeWatermark(value: unknown): Watermark | null {
  const [message, part, event] = Array.isArray(value) ? value.map(asCount) : []
  if (message === undefined || part === undefined || event === undefined) return null
  return message === null || part === null || event === null ? null : { message, part, event }
}

function stampedId(value: unknown): readonly [string, string] | null {
  const [id, stamp] = Array.isArray(value) ? value : []
  return typeof id === 'string' && typeof stamp === 'string' ? [id, stamp] : null
}

const textsOf = (object: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

export function parsed(text: string | null): JsonObject | null {
  if (text === null) return null
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}
