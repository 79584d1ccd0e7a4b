import { asArray, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'

/** Blocks of a message's content; a text alone is one block. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const { content } = message
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return asArray(content).map((block) => (isObject(block) ? block : { type: 'unknown', value: block }))
}

/** Text of a reasoning block; null where the provider keeps it to itself. */
export const reasoningOf = (block: JsonObject): string | null =>
  block['redacted'] === true ? null : asString(block['thinking'])

/** Text of what the harness told the model: its content, else the sections that it is made of. */
export function harnessText(message: JsonObject): string | null {
  const texts = blocksOf(message).flatMap((block) => asString(block['text']) ?? [])
  const text = texts.join('\n')
  if (text !== '') return text
  const { sections } = message
  const all = isObject(sections) ? Object.values(sections).flatMap((section) => asString(section) ?? []) : []
  return all.length > 0 ? all.join('\n\n') : (stringAt(message, 'summary') ?? (texts.length > 0 ? text : null))
}

export const imageBytes = (block: JsonObject): Buffer | null => {
  const data = asString(block['data'])
  return data === null ? null : Buffer.from(data, 'base64')
}
