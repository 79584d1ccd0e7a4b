import { statSync } from 'node:fs'
import { asObject, asString } from '../../model/json.ts'

/** How far a unit was read, and how its file looked then, so that no change is seen by a look at the file alone. */
export interface UnitCursor {
  /** Size and time of the file when it was read to its end; empty before that. */
  readonly stamp: string
  /** Cursor of its lines; null: nothing of it is a session's, or it is read whole when it changes. */
  readonly lines: string | null
}

export const encodeCursor = ({ stamp, lines }: UnitCursor): string => JSON.stringify({ t: stamp, l: lines })

/** Null when the text is no cursor of ours: then the unit is read from the start. */
export function decodeCursor(text: string | null): UnitCursor | null {
  if (text === null) return null
  try {
    const fields = asObject(JSON.parse(text))
    const stamp = asString(fields?.['t'])
    return stamp === null ? null : { stamp, lines: asString(fields?.['l']) }
  } catch {
    return null
  }
}

export interface FileLook {
  readonly stamp: string
  readonly size: number
  readonly changedAt: number
}

/** Null when the file is gone or no file. */
export function lookAt(path: string): FileLook | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile()) return null
  return { stamp: `${found.size}.${found.mtimeMs}`, size: found.size, changedAt: Math.trunc(found.mtimeMs) }
}
