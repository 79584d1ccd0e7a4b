import type { Provenance } from '../../model/enums.ts'
import { asArray, asObject, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { PartRow } from '../../model/rows.ts'
import { parseDataUri } from '../kit/data-uri.ts'

/** Where parts belong, and in which record they stand. */
export interface PartPlace {
  readonly messageId: string
  readonly record: number
  /** Before the place in the record, e.g. `result:`. */
  readonly prefix?: string
  readonly isSplitOff?: boolean
}

export function partBase({ messageId, record, isSplitOff = false }: PartPlace, ordinal: number, place: string) {
  return {
    nativeId: `${messageId}:${String(ordinal).padStart(4, '0')}`,
    messageId,
    ordinal,
    citation: { record, place },
    isSplitOff,
  }
}

/** The blocks of a message: text as string, or the blocks as recorded. */
export function blocksOf(payload: JsonObject): readonly unknown[] {
  const content = payload['content']
  return typeof content === 'string' ? [content] : asArray(content)
}

/** Text of a block; null where it is none. */
export function textOfBlock(block: unknown): string | null {
  if (typeof block === 'string') return block
  if (!isObject(block)) return null
  return asString(block['text']) ?? (block['type'] === 'refusal' ? asString(block['refusal']) : null)
}

/** One part a block: `provenance` says of each whose it is. */
export function blockParts(
  blocks: readonly unknown[],
  place: PartPlace,
  from: number,
  provenance: (text: string | null) => Provenance,
): readonly PartRow[] {
  return blocks.map((block, n) => {
    const base = {
      ...partBase(place, from + n, `${place.prefix ?? ''}${n}`),
      provenance: provenance(textOfBlock(block)),
    }
    const text = textOfBlock(block)
    if (text !== null) return { ...base, kind: 'TEXT', text }
    const image = imageOf(block)
    if (image !== null) return { ...base, kind: 'FILE', ...image }
    return { ...base, kind: 'DATA', dataType: stringAt(block, 'type') ?? typeof block, label: null, data: block }
  })
}

/** A picture: its bytes when they are inline, else its link. */
export function imageOf(block: unknown) {
  const object = asObject(block)
  if (object === null || (object['type'] !== 'input_image' && object['type'] !== 'image')) return null
  const link = asString(object['image_url']) ?? stringAt(object['image_url'], 'url')
  if (link !== null) return fileOfLink(link)
  const base64 = asString(object['data'])
  const mediaType = asString(object['mimeType']) ?? asString(object['media_type'])
  return base64 === null ? null : { mediaType, fileName: null, data: Buffer.from(base64, 'base64'), url: null }
}

export function fileOfLink(link: string) {
  const inline = parseDataUri(link)
  return inline === null
    ? { mediaType: null, fileName: null, data: null, url: link }
    : { mediaType: inline.mediaType, fileName: null, data: inline.bytes, url: null }
}

/** All that the model thought, as far as it can be read; null when only its encrypted form is there. */
export function reasoningText(payload: JsonObject): string | null {
  const blocks = [...asArray(payload['summary']), ...asArray(payload['content'])]
  const texts = blocks.map(textOfBlock).filter((text) => text !== null && text !== '')
  return texts.length === 0 ? null : texts.join('\n\n')
}

/** The text of an event that repeats a message. */
export function eventText(payload: JsonObject): string | null {
  const item = asObject(payload['item'])
  if (item === null) return asString(payload['message']) ?? asString(payload['text'])
  const texts = [...asArray(item['content']), ...asArray(item['summary_text'])]
    .map(textOfBlock)
    .filter((text) => text !== null)
  return texts.length === 0 ? asString(item['text']) : texts.join('\n')
}

/** Every text that a user event says the person wrote. */
export function eventTexts(payload: JsonObject): readonly string[] {
  const whole = eventText(payload)
  const item = asObject(payload['item'])
  const each = asArray(item?.['content'])
    .map(textOfBlock)
    .filter((text) => text !== null)
  return [...new Set(whole === null ? each : [whole, ...each])]
}

/** Links of the pictures that came with a user event. */
export function eventImages(payload: JsonObject): readonly string[] {
  const links = asArray(payload['images']).filter((link) => typeof link === 'string')
  const inItem = asArray(asObject(payload['item'])?.['content']).flatMap((block) => {
    const object = asObject(block)
    const link = stringAt(object, 'image_url') ?? stringAt(object, 'url')
    return link === null ? [] : [link]
  })
  return [...links, ...inItem]
}
