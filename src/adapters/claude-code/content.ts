import { asArray, asObject, asString, at, type JsonObject, stringAt } from '../../model/json.ts'
import { diffIn } from './diff.ts'
import { withoutBytes } from './file-block.ts'
import { contentOf } from './line.ts'
import { parsePlace } from './place.ts'

/** The value at `place` of a line: what the mapping took from there, whole. */
export function content(record: unknown, _type: string, place: string): unknown {
  const json = asObject(record)
  if (json === null) return null
  if (place === 'error') return errorOf(json)
  if (place === 'diff') return diffIn(json['toolUseResult'])
  const found = parsePlace(place)
  if (found === null) return null
  const { what, from, to } = found
  const block = blockAt(json, found.block)
  switch (what) {
    case 'text': {
      const text = textOf(block)
      return text !== null && from !== null && to !== null ? text.slice(from, to) : text
    }
    case 'thinking':
      return stringAt(block, 'thinking')
    case 'input':
      return at(block, 'input') ?? null
    case 'result':
      return resultOf(json, block)
    case 'data':
      return block ?? null
    default:
      return null
  }
}

const blockAt = (json: JsonObject, block: number | null): unknown => {
  const content = contentOf(json)
  return block === null ? content : typeof content === 'string' ? content : content[block]
}

export const textOf = (block: unknown): string | null => asString(block) ?? asString(at(block, 'text'))

/** What a tool answered; where the block says nothing, the record's own account of it. */
export const resultOf = (json: JsonObject, block: unknown): unknown =>
  withoutBytes(at(block, 'content') ?? json['toolUseResult'] ?? null)

/** What a failed response's record says of its failure. */
export const errorOf = (json: JsonObject): unknown => {
  const texts = asArray(at(json, 'message', 'content')).map(textOf)
  return texts.filter((text) => text !== null).join('\n') || (json['error'] ?? null)
}
