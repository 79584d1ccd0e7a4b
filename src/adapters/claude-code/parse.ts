import { asString } from '../../model/json.ts'
import type { Item, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { readLines, valuesOn } from '../kit/jsonl.ts'
import { parseJsonl } from '../kit/jsonl-unit.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { parseHistory } from './history-file.ts'
import { type AgentFile, agentSession } from './ids.ts'
import { parseJsonFile } from './json-file.ts'
import { typeOf } from './line.ts'
import { TranscriptMapper } from './map.ts'
import { orSkip } from './or-skip.ts'
import { WholeReadingNeeded } from './state.ts'
import { isUnitMeta, type UnitMeta } from './unit.ts'

export function* parse({ path, meta, sessionId }: Unit, cursor: string | null): Generator<Item, string | null> {
  if (!isUnitMeta(meta)) return null
  const { file, stamp } = meta
  if (file.kind === 'history') return yield* parseHistory(path, stamp, meta.sessions, cursor)
  if (file.kind === 'meta' || file.kind === 'workflow') return yield* parseJsonFile(file, sessionId, stamp, cursor)
  const id = sessionId ?? (file.kind === 'agent' ? sessionBeside(file) : null)
  if (id === null || !id.split('/').every(isSafeId)) {
    if (id !== null)
      yield {
        kind: 'problem',
        problem: {
          kind: 'HOSTILE_ID',
          location: path,
          message: 'It names a parent that can be no id.',
          sessionId: null,
        },
      }
    yield { kind: 'skip', reason: id === null ? 'empty' : 'unsupported', count: 1 }
    return encodeCursor({ stamp, lines: null })
  }
  return yield* parseTranscript(id, path, meta, cursor)
}

/** Reads what was appended; all of it when that refers to something which isn't remembered. */
function* parseTranscript(
  sessionId: string,
  path: string,
  { stamp, hasMeta }: UnitMeta,
  cursor: string | null,
): Generator<Item, string | null> {
  const before = decodeCursor(cursor)
  if (before?.stamp === stamp) return null
  const known = before?.lines ?? null
  const read = (lines: string | null, isKnown: boolean): Generator<Item, string | null> =>
    parseJsonl({
      path,
      sessionId,
      cursor: lines,
      typeOf,
      open: (state) => new TranscriptMapper({ sessionId, path, state, isKnown: isKnown || hasMeta }),
    })
  let lines: string | null
  try {
    lines = yield* wrapped(known === null ? orSkip(read(null, false)) : read(known, true))
  } catch (error) {
    if (!(error instanceof WholeReadingNeeded)) throw error
    lines = yield* wrapped(read(null, true))
  }
  // Read to its end: as long as the file looks the same there is nothing to do.
  return encodeCursor({ stamp, lines: lines ?? known })
}

/** Cursors of lines as cursors of the unit. */
function* wrapped(items: Generator<Item, string | null>): Generator<Item, string | null> {
  for (;;) {
    const step = items.next()
    if (step.done === true) return step.value
    const item = step.value
    if (item.kind !== 'checkpoint' || item.cursor === null) yield item
    else {
      const { cursor } = item
      yield {
        kind: 'checkpoint',
        cursor: () => encodeCursor({ stamp: '', lines: typeof cursor === 'string' ? cursor : cursor() }),
      }
    }
  }
}

/** Lines that are looked at for the name of the parent. */
const HEAD_LINES = 64

/** The session of a sub-agent's transcript that stands beside its parent's (2.0): its lines name the parent. */
function sessionBeside(file: AgentFile): string | null {
  const lines = readLines(file.path)
  for (let n = 0; n < HEAD_LINES; n++) {
    const step = lines.next()
    if (step.done === true) return null
    for (const text of valuesOn(step.value.bytes)) {
      const parentId = parentIn(text)
      if (parentId === null) continue
      lines.return({ offset: 0, line: 0 })
      return agentSession(parentId, file.agentId)
    }
  }
  return null
}

function parentIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'sessionId' in value ? asString(value.sessionId) : null
  } catch {
    return null
  }
}
