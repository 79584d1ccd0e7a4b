import { stringAt } from '../../model/json.ts'
import { blockType, contentOf, type Line } from './line.ts'

/** Characters of a text that are looked at. */
const SAMPLES = 64

/**
 * A number that is the same for a line that stands in a file again, as resuming may leave it, and different for another one under the same
 * id. It looks at what the line says, not at its time or version, and at no more than a sample of it.
 */
export function printOf(line: Line): number {
  const content = contentOf(line.json)
  let hash = mixText(17, `${line.type}`)
  if (typeof content === 'string') return mixText(hash, content)
  for (const block of content) {
    hash = mixText(hash, blockType(block))
    for (const field of ['text', 'thinking', 'id', 'tool_use_id', 'content'])
      hash = mixText(hash, stringAt(block, field) ?? '')
  }
  return hash
}

function mixText(hash: number, text: string): number {
  let mixed = mix(hash, text.length)
  const step = Math.max(1, Math.floor(text.length / SAMPLES))
  for (let i = 0; i < text.length; i += step) mixed = mix(mixed, text.charCodeAt(i))
  return mixed
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) >>> 0
