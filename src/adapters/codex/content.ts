import { asArray, asObject, at, isObject, type JsonObject } from '../../model/json.ts'
import { filesOf, paramsOf } from './call.ts'
import { lineOf } from './line.ts'
import { blocksOf, eventText, reasoningText, textOfBlock } from './message-parts.ts'
import { resultOf } from './result.ts'

/** The value at `place` of a line: what the mapping took from there, whole. */
export function content(record: unknown, _type: string, place: string): unknown {
  if (!isObject(record)) return null
  const { payload } = lineOf(record)
  const number = /^(block|result|diff):(\d+)$/.exec(place)
  if (number !== null) return numbered(payload, number[1] ?? '', Number(number[2]))
  switch (place) {
    case 'event':
      return eventText(payload)
    case 'data':
      return payload
    case 'reasoning':
      return reasoningText(payload)
    case 'compacted':
      return compactedText(payload)
    case 'params':
      return paramsOf(payload)
    case 'result':
      return resultOf(payload)
    case 'error':
      return payload['error'] ?? payload['reason'] ?? null
    default:
      return null
  }
}

function numbered(payload: JsonObject, kind: string, n: number): unknown {
  if (kind === 'diff') return filesOf(payload)[n]?.diff ?? null
  const block = kind === 'block' ? blocksOf(payload)[n] : asArray(payload['output'])[n]
  return textOfBlock(block) ?? block ?? null
}

/** What a compaction left to read; null when it is encrypted or empty. */
export function compactedText(payload: JsonObject): string | null {
  const message = payload['message']
  if (typeof message === 'string' && message !== '') return message
  const text = at(asObject(payload['summary']), 'text')
  return typeof text === 'string' && text !== '' ? text : null
}
