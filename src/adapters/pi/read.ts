import type { Problem } from '../../model/record.ts'
import type { Item, Unit } from '../contract.ts'
import { parseJsonl } from '../kit/jsonl-unit.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { lookAt } from './file.ts'
import { isKnownVersion, typeOf } from './line.ts'
import { PiMapper } from './map.ts'
import { NeedsWholeReading } from './tree.ts'
import { isUnitMeta } from './unit.ts'

/** Reads a session's file: what was appended, or all of it when that refers to more than the cursor tells. */
export function* read({ path, meta }: Unit, cursor: string | null): Generator<Item, string | null> {
  if (!isUnitMeta(meta)) return null
  const { size, mtimeMs } = meta
  const look = lookAt(path)
  if (look.kind !== 'session') {
    const isForeign = look.kind === 'foreign'
    if (isForeign) yield problem('UNSUPPORTED', path, null, 'This is no session of pi: its first line is no header.')
    yield { kind: 'skip', reason: isForeign ? 'unsupported' : 'empty', count: 1 }
    return encodeCursor({ size, mtimeMs, sessionId: '', lines: null })
  }
  const { sessionId, header, isHostile } = look
  if (header !== null && !isKnownVersion(header.version)) {
    const message = `Files of version ${header.version} are unknown; versions 1 to 4 are read.`
    yield problem('UNSUPPORTED', path, sessionId, message)
    yield { kind: 'skip', reason: 'unsupported', count: 1 }
    return encodeCursor({ size, mtimeMs, sessionId, lines: null })
  }
  if (isHostile)
    yield problem(
      'HOSTILE_ID',
      path,
      sessionId,
      "The header's id could name a file elsewhere; the file's name stands in.",
    )

  const known = decodeCursor(cursor)
  const from = known !== null && known.sessionId === sessionId ? known.lines : null
  const open = (state: string | null) => new PiMapper(sessionId, path, state)
  const wrap = (lines: string) => encodeCursor({ size: -1, mtimeMs, sessionId, lines })
  const unit = { path, sessionId, typeOf, open }
  try {
    const lines = yield* wrapped(parseJsonl({ ...unit, cursor: from }), wrap)
    return encodeCursor({ size, mtimeMs, sessionId, lines: lines ?? from })
  } catch (error) {
    if (!(error instanceof NeedsWholeReading) || from === null) throw error
  }
  const lines = yield* wrapped(parseJsonl({ ...unit, cursor: null }), wrap)
  return encodeCursor({ size, mtimeMs, sessionId, lines })
}

/** Items of `lines`, with its cursors inside ours. */
function* wrapped(
  lines: Generator<Item, string | null>,
  wrap: (lines: string) => string,
): Generator<Item, string | null> {
  try {
    for (;;) {
      const step = lines.next()
      if (step.done === true) return step.value
      const item = step.value
      if (item.kind !== 'checkpoint') yield item
      else {
        const { cursor } = item
        if (cursor !== null)
          yield { kind: 'checkpoint', cursor: () => wrap(typeof cursor === 'function' ? cursor() : cursor) }
      }
    }
  } finally {
    lines.return(null)
  }
}

const problem = (kind: Problem['kind'], path: string, sessionId: string | null, message: string): Item => ({
  kind: 'problem',
  problem: { kind, location: `${path}:1`, message, sessionId },
})
