import { asNumber, asObject, asString } from '../../model/json.ts'

/** How far a file was read, and how it looked then. */
export interface UnitCursor {
  /** As the file was when its reading began; -1 while a reading is under way, so that nobody takes it for done. */
  readonly size: number
  readonly mtimeMs: number
  readonly sessionId: string
  /** Cursor of the lines; null when there is none to go on from. */
  readonly lines: string | null
}

export const encodeCursor = ({ size, mtimeMs, sessionId, lines }: UnitCursor): string =>
  JSON.stringify({ z: size, t: mtimeMs, i: sessionId, l: lines })

export function decodeCursor(text: string | null): UnitCursor | null {
  if (text === null) return null
  try {
    const fields = asObject(JSON.parse(text))
    const size = asNumber(fields?.['z'])
    const mtimeMs = asNumber(fields?.['t'])
    const sessionId = asString(fields?.['i'])
    if (size === null || mtimeMs === null || sessionId === null) return null
    return { size, mtimeMs, sessionId, lines: asString(fields?.['l']) }
  } catch {
    return null
  }
}
