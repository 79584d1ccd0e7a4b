import { asArray, asObject, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'

/** The message that an event's data holds, whichever generation wrote it. */
export const messageOf = (data: JsonObject): JsonObject => asObject(data['message']) ?? data

/** Blocks of a message; a text alone is one block. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const { content } = message
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return asArray(content).map((block) => (isObject(block) ? block : { type: 'unknown', value: block }))
}

/** A tool's result in the flat form of generation 4; before, it was a block of a user's message. */
export interface FlatResult {
  readonly callId: string | null
  readonly content: unknown
  readonly isError: boolean | null
}

export function flatResult(message: JsonObject): FlatResult {
  const block = asArray(message['content']).find((item) => isObject(item) && item['type'] === 'tool-result')
  const holder = asObject(block) ?? message
  const callId = stringAt(holder, 'toolCallId') ?? stringAt(message, 'source', 'callId')
  const isError = typeof holder['isError'] === 'boolean' ? holder['isError'] : null
  return { callId, content: holder['content'] ?? null, isError }
}

/** Who made a message, by the producer's name of generation 4; before, plugins stood behind one kind. */
export function sourceKind(message: JsonObject): string | null {
  const kind = stringAt(message, 'source', 'kind')
  return kind === 'plugin' ? (stringAt(message, 'source', 'plugin') ?? kind) : kind
}

const CHECKPOINTS: ReadonlySet<string> = new Set(['compact', 'compact-checkpoint', 'compact-basic'])
export const isCheckpoint = (message: JsonObject): boolean => CHECKPOINTS.has(sourceKind(message) ?? '')

/** The person, or the agent that delegated a task; what says nothing of its source is from before there were others. */
export const isConversational = (message: JsonObject): boolean => (sourceKind(message) ?? 'user') === 'user'

/** All text of a message. */
export const textOf = (message: JsonObject): string | null => {
  const texts = blocksOf(message).flatMap((block) => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
  return texts.length === 0 ? null : texts.join('\n')
}

/** What a call was given: JSON where the recorded text is some, else the text. */
export function paramsOf(block: JsonObject): unknown {
  const given = block['arguments'] ?? null
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
