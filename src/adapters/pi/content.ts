import { asObject, asString, type JsonObject } from '../../model/json.ts'
import { blocksOf, harnessText, reasoningOf } from './blocks.ts'
import { argumentsOf, diffIn } from './tool.ts'
import { spansOf } from './user-text.ts'

/** The value at `place` of a record: what the mapping took from there, whole. */
export function content(record: unknown, _type: string, place: string): unknown {
  const entry = asObject(record)
  if (entry === null) return null
  const message = (entry['type'] === 'message' ? asObject(entry['message']) : null) ?? entry
  const [name = '', n, i] = place.split(':')
  switch (name) {
    case 'command':
    case 'output':
      return asString(message[name])
    case 'harness':
      return harnessText(message)
    case 'result':
      return message['content'] ?? null
    case 'diff':
      return diffIn(message)
    case 'error':
      return message['errorMessage'] ?? null
    default: {
      const block = blocksOf(message)[Number(n)]
      return block === undefined ? null : inBlock(block, name, Number(i))
    }
  }
}

function inBlock(block: JsonObject, name: string, span: number): unknown {
  switch (name) {
    case 'text':
      return spansOf(asString(block['text']) ?? '')[span]?.text ?? null
    case 'block-text':
      return asString(block['text'])
    case 'thinking':
      return reasoningOf(block)
    case 'call':
      return argumentsOf(block)
    case 'block':
      return block
    default:
      return null
  }
}
