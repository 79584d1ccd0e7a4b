import type { StoredPart } from '../db/queries/parts.ts'
import { textLengthsOfMessages, textPartsOfMessages } from '../db/queries/parts.ts'
import { CodedError } from '../model/error.ts'
import { resultText } from '../model/rows.ts'
import { clip, codePointLength, repair, repairJson } from '../model/text.ts'
import { itself, Lookup } from './batch.ts'
import { readRecord } from './content.ts'
import type { Scope } from './scope.ts'

export type MaxChars = number | null | undefined

/** A preview shows where a text is cut only if it goes on this far behind the cut, so that no grapheme is halved. */
const CLIP_MARGIN = 64

/** Text of a TEXT, REASONING or TOOL_RESULT part, at most `maxChars` code points of it; null where the source keeps it unreadable. */
export function partText(scope: Scope, part: StoredPart, maxChars: MaxChars): string | null | Promise<string | null> {
  const { preview, isWhole } = part
  if (preview === null) return null
  checkMaxChars(maxChars)
  if (isWhole || isEnough(preview, maxChars)) return shown(scope, preview, maxChars)
  return readPartText(scope, part, maxChars)
}

function readPartText(scope: Scope, part: StoredPart, maxChars: MaxChars): Promise<string> {
  const { streamId, recordNo, place } = part
  if (streamId === null || recordNo === null) throw new Error(`Part ${part.id} is cut, but cites no record.`)
  return readRecord(scope, { streamId, no: recordNo }, { place }, (value) =>
    shown(scope, repair(readableText(part, value)).text, maxChars),
  )
}

function readableText({ kind, preview }: StoredPart, value: unknown): string {
  if (kind === 'TOOL_RESULT') return resultText(repairJson(value).value)
  // An adapter that finds no text any more where it once found one leaves us what the row kept.
  return typeof value === 'string' ? value : (preview ?? '')
}

const isEnough = (preview: string, maxChars: MaxChars): boolean =>
  typeof maxChars === 'number' && codePointLength(preview) >= maxChars + CLIP_MARGIN

/** Cuts a text and accounts for what is shown of it. */
export function shown(scope: Scope, text: string, maxChars: MaxChars): string {
  checkMaxChars(maxChars)
  const cut = typeof maxChars === 'number' ? clip(text, maxChars) : text
  scope.spend(cut.length)
  return cut
}

export function checkMaxChars(maxChars: MaxChars): void {
  if (typeof maxChars === 'number' && maxChars < 0) {
    throw new CodedError('BAD_USER_INPUT', '"maxChars" can\'t be negative.')
  }
}

const textParts = new Lookup<number, StoredPart[]>(
  ({ services }, ids) => textPartsOfMessages(services.store, ids),
  itself,
)
const textLengths = new Lookup<number, number>(
  ({ services }, ids) => textLengthsOfMessages(services.store, ids),
  itself,
)

const BLANK_LINE = '\n\n'

/** What the person or the model wrote in a message, its parts joined by blank lines. */
export async function messageText(scope: Scope, messageId: number, maxChars: MaxChars): Promise<string> {
  checkMaxChars(maxChars)
  const needed: StoredPart[] = []
  let length = 0
  for (const part of await textParts.load(scope, messageId)) {
    if (typeof maxChars === 'number' && length > maxChars + CLIP_MARGIN) break
    needed.push(part)
    length += (part.textLength ?? 0) + BLANK_LINE.length
  }
  const partChars = typeof maxChars === 'number' ? maxChars + CLIP_MARGIN : null
  const texts = await Promise.all(needed.map((part) => partText(scope, part, partChars)))
  const text = texts.join(BLANK_LINE)
  return typeof maxChars === 'number' ? clip(text, maxChars) : text
}

export const messageTextLength = (scope: Scope, messageId: number): Promise<number> =>
  textLengths.load(scope, messageId)
