import { asString, type JsonObject, stringAt } from '../../model/json.ts'
import type { FileRow, PartRow } from '../../model/rows.ts'
import { callDetails } from './call.ts'
import { blocksOf, flatResult } from './message.ts'

type Base = Pick<PartRow, 'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff'>

/** Makes the parts of one message, numbered as they come. */
export class PartList {
  readonly rows: PartRow[] = []
  readonly #messageId: string
  readonly #record: number
  readonly #isInjected: boolean

  constructor(messageId: string, record: number, isInjected: boolean) {
    this.#messageId = messageId
    this.#record = record
    this.#isInjected = isInjected
  }

  /** What every part says of itself; `place` is what `content` understands. */
  base(place: string): Base {
    const ordinal = this.rows.length
    return {
      nativeId: `${this.#messageId}:${String(ordinal).padStart(4, '0')}`,
      messageId: this.#messageId,
      ordinal,
      provenance: this.#isInjected ? 'INJECTED' : 'CONVERSATIONAL',
      citation: { record: this.#record, place },
      isSplitOff: false,
    }
  }

  text(place: string, text: string | null): void {
    this.rows.push({ ...this.base(place), kind: 'TEXT', text })
  }

  /** One part a block. `pairOf` makes calls of those that are; without it they are data. */
  blocks(message: JsonObject, pairOf?: (callId: string | null) => string): void {
    blocksOf(message).forEach((block, n) => {
      const { type } = block
      const base = this.base(`content:${n}`)
      if (type === 'text') this.rows.push({ ...base, kind: 'TEXT', text: asString(block['text']) })
      else if (type === 'reasoning') this.rows.push({ ...base, kind: 'REASONING', text: asString(block['text']) })
      else if (isFile(block)) this.rows.push(fileRow(block, base))
      else if (type === 'tool-call' && pairOf !== undefined) {
        const details = callDetails(block)
        this.rows.push({ ...this.base(`call:${n}`), kind: 'TOOL_CALL', ...details, pair: pairOf(details.callId) })
      } else this.data(block, base)
    })
  }

  /** The result, and behind it the images and files that came with it. */
  result(message: JsonObject, details: ResultDetails): void {
    const { callId, content } = flatResult(message)
    this.rows.push({ ...this.base('result'), kind: 'TOOL_RESULT', callId, result: content, ...details })
    blocksOf({ content }).forEach((block, n) => {
      if (isFile(block)) this.rows.push(fileRow(block, this.base(`result:${n}`)))
    })
  }

  /** What no other kind fits. */
  data(block: JsonObject, base: Base): void {
    this.rows.push({ ...base, kind: 'DATA', dataType: asString(block['type']) ?? 'unknown', label: null, data: block })
  }
}

export type ResultDetails = Pick<
  Extract<PartRow, { kind: 'TOOL_RESULT' }>,
  'pair' | 'name' | 'isFailure' | 'exitCode' | 'filePath'
>

const isFile = (block: JsonObject): boolean => block['type'] === 'image' || block['type'] === 'file'

/** Bytes lie beside the sessions, by their SHA-256; whoever reads the files puts them in. */
function fileRow(block: JsonObject, base: Base): FileRow {
  const url = stringAt(block, 'attachment', 'attachmentId')
  const sha256 = /^sha256:([0-9a-f]{64})$/.exec(url ?? '')?.[1]
  return {
    ...base,
    kind: 'FILE',
    mediaType: stringAt(block, 'attachment', 'mediaType'),
    fileName: stringAt(block, 'attachment', 'name'),
    data: null,
    url,
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}
