import { asObject, asString } from '../../model/json.ts'

/** How far a session was read, and in which of its logs. */
export interface LogCursor {
  /** Another name is another generation, whose seqs are others. */
  readonly name: string
  readonly sessionId: string
  /** Cursor of the lines. */
  readonly lines: string
}

export const encodeCursor = ({ name, sessionId, lines }: LogCursor): string =>
  JSON.stringify({ g: name, i: sessionId, l: lines })

/** Null when the text is no cursor of ours. */
export function decodeCursor(text: string | null): LogCursor | null {
  if (text === null) return null
  try {
    const fields = asObject(JSON.parse(text))
    const name = asString(fields?.['g'])
    const sessionId = asString(fields?.['i'])
    const lines = asString(fields?.['l'])
    return name === null || sessionId === null || lines === null ? null : { name, sessionId, lines }
  } catch {
    return null
  }
}
