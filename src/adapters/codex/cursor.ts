import { asBoolean, asNumber, asObject, asString } from '../../model/json.ts'

/** How far a rollout was read, and what else of it was told. */
export interface RolloutCursor {
  readonly sessionId: string | null
  /** Size and time of the file. */
  readonly stamp: string
  /** Where the file lay, and what other files say of it: when these change, only they are told. */
  readonly facts: string
  /** Cursor in the plain file. */
  readonly inner: string | null
  /** The thread is nobody's session. */
  readonly isRetracted: boolean
}

export const encodeCursor = ({ sessionId, stamp, facts, inner, isRetracted }: RolloutCursor): string =>
  JSON.stringify({ v: 1, id: sessionId, s: stamp, f: facts, c: inner, r: isRetracted })

/** Null when the text is no cursor of ours. */
export function decodeCursor(text: string | null): RolloutCursor | null {
  if (text === null) return null
  try {
    const fields = asObject(JSON.parse(text))
    const stamp = asString(fields?.['s'])
    const facts = asString(fields?.['f'])
    if (asNumber(fields?.['v']) !== 1 || stamp === null || facts === null) return null
    const inner = asString(fields?.['c'])
    return { sessionId: asString(fields?.['id']), stamp, facts, inner, isRetracted: asBoolean(fields?.['r']) === true }
  } catch {
    return null
  }
}

export const stampOf = (stats: { readonly size: number; readonly mtimeMs: number }): string =>
  `${stats.size}:${stats.mtimeMs}`
