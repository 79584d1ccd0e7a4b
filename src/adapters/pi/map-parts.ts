import { asString, type JsonObject, stringAt } from '../../model/json.ts'
import type { RecordRef } from '../../model/record.ts'
import type { PartRow, ToolCallRow, ToolResultRow } from '../../model/rows.ts'
import { blocksOf, harnessText, imageBytes, reasoningOf } from './blocks.ts'
import { callOf, exitCodeOf, isFailure } from './tool.ts'
import { spansOf } from './user-text.ts'

type Base = Pick<PartRow, 'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff'>

/** Makes the parts of one message, numbered as they come. */
export class PartList {
  readonly rows: PartRow[] = []
  readonly #messageId: string
  readonly #ref: RecordRef

  constructor(messageId: string, ref: RecordRef) {
    this.#messageId = messageId
    this.#ref = ref
  }

  /** What every part says of itself; `place` is what `content` understands. */
  base(place: string, isInjected = false, isSplitOff = false): Base {
    const ordinal = this.rows.length
    return {
      nativeId: `${this.#messageId}:${String(ordinal).padStart(4, '0')}`,
      messageId: this.#messageId,
      ordinal,
      provenance: isInjected ? 'INJECTED' : 'CONVERSATIONAL',
      citation: { record: this.#ref, place },
      isSplitOff,
    }
  }

  text(place: string, text: string | null, isInjected: boolean, isSplitOff = false): void {
    this.rows.push({ ...this.base(place, isInjected, isSplitOff), kind: 'TEXT', text })
  }

  image(block: JsonObject, n: number, isInjected: boolean): void {
    this.rows.push({
      ...this.base(`image:${n}`, isInjected),
      kind: 'FILE',
      mediaType: stringAt(block, 'mimeType'),
      fileName: null,
      data: imageBytes(block),
      url: null,
    })
  }

  /** What no other kind fits. */
  data(block: JsonObject, n: number): void {
    this.rows.push({
      ...this.base(`block:${n}`, true),
      kind: 'DATA',
      dataType: asString(block['type']) ?? 'unknown',
      label: null,
      data: block,
    })
  }
}

export function userParts(list: PartList, message: JsonObject): void {
  blocksOf(message).forEach((block, n) => {
    const text = block['type'] === 'text' ? asString(block['text']) : null
    if (text !== null)
      spansOf(text).forEach((span, i) => {
        list.text(`text:${n}:${i}`, span.text, span.isInjected, i > 0)
      })
    else if (block['type'] === 'image') list.image(block, n, false)
    else list.data(block, n)
  })
}

export function assistantParts(list: PartList, message: JsonObject, pairOf: (callId: string | null) => string): void {
  blocksOf(message).forEach((block, n) => {
    const { type } = block
    if (type === 'text') list.text(`block-text:${n}`, asString(block['text']), false)
    else if (type === 'thinking')
      list.rows.push({ ...list.base(`thinking:${n}`), kind: 'REASONING', text: reasoningOf(block) })
    else if (type === 'image') list.image(block, n, false)
    else if (type === 'toolCall') {
      const details = callOf(block)
      const call: ToolCallRow = {
        ...list.base(`call:${n}`),
        kind: 'TOOL_CALL',
        ...details,
        pair: pairOf(details.callId),
      }
      list.rows.push(call)
    } else list.data(block, n)
  })
}

/** The result, and behind it the images that came with it. */
export function resultParts(list: PartList, message: JsonObject, pair: string, filePath: string | null): void {
  const result: ToolResultRow = {
    ...list.base('result'),
    kind: 'TOOL_RESULT',
    callId: stringAt(message, 'toolCallId'),
    pair,
    name: asString(message['toolName']),
    isFailure: isFailure(message),
    exitCode: exitCodeOf(message),
    filePath,
    result: message['content'] ?? null,
  }
  list.rows.push(result)
  blocksOf(message).forEach((block, n) => {
    if (block['type'] === 'image') list.image(block, n, false)
  })
}

/** A command that the person ran in the client, and what came out. */
export function commandParts(list: PartList, message: JsonObject): void {
  const command = asString(message['command'])
  const output = asString(message['output'])
  if (command !== null) list.text('command', command, false)
  if (output !== null) list.text('output', output, true)
}

export function harnessParts(list: PartList, message: JsonObject): void {
  const text = harnessText(message)
  if (text !== null) list.text('harness', text, true)
  blocksOf(message).forEach((block, n) => {
    if (block['type'] === 'image') list.image(block, n, true)
  })
}
