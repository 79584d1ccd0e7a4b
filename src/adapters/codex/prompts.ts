import type { Provenance } from '../../model/enums.ts'
import type { JsonObject } from '../../model/json.ts'
import type { MessageRow, PartRow } from '../../model/rows.ts'
import { clip } from '../../model/text.ts'
import type { Item } from '../contract.ts'
import { type Context, idOf, withParts } from './context.ts'
import { cwdIn, isInjected } from './injected.ts'
import type { Line } from './line.ts'
import {
  blockParts,
  blocksOf,
  eventImages,
  eventText,
  eventTexts,
  fileOfLink,
  imageOf,
  partBase,
  textOfBlock,
} from './message-parts.ts'
import { keepNewest, type OpenPrompt, shortHash } from './state.ts'

const OPEN_KEPT = 6
const TITLE_LENGTH = 2000

/**
 * What stands under the person's role. Codex writes its own context there too; the person wrote what an event of the same turn repeats.
 * Where no events are, the texts that Codex is known to write are told by their start.
 */
export class Prompts {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  *item(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const { payload } = line
    const blocks = blocksOf(payload)
    const texts = blocks.map(textOfBlock).filter((text) => text !== null)
    const cwd = state.hasProject ? null : texts.map(cwdIn).find((found) => found !== null)
    if (cwd !== null && cwd !== undefined) {
      state.hasProject = true
      state.cwd ??= cwd
      yield this.#context.session({ projectPath: cwd })
    }
    const heard = state.said.find(({ hash, message }) => message !== null && isSaidIn(hash, texts))
    if (heard?.message !== undefined && heard.message !== null) {
      const message = { ...heard.message, records: [...heard.message.records, at] }
      heard.message = null
      yield* this.#emit(message, payload, at, (text) =>
        text === null || !isInjected(text) ? 'CONVERSATIONAL' : 'INJECTED',
      )
      return
    }
    const base = this.#context.message('USER', at, line, idOf(payload))
    const isWritten = (text: string | null): boolean => text !== null && !isInjected(text)
    const isOwn = texts.some(isWritten) || (line.isBare && texts.length === 0)
    const message = { ...base, isMeta: !isOwn }
    const row = yield* this.#emit(message, payload, at, (text) =>
      isOwn && (text === null || isWritten(text)) ? 'CONVERSATIONAL' : 'INJECTED',
    )
    if (line.isBare) {
      if (isOwn) yield* this.#confirm(row, texts.find(isWritten) ?? null)
      return
    }
    state.prompts.push({ payload, message: row })
    keepNewest(state.prompts, OPEN_KEPT)
  }

  *event(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const { payload } = line
    if (typeof payload['kind'] === 'string' && payload['kind'] !== 'plain') return
    const texts = eventTexts(payload).filter((text) => text !== '')
    const images = eventImages(payload)
    const hash = shortHash(texts[0] ?? images.join(' '))
    const open = state.prompts.find((prompt) => isSameAs(prompt, texts, images.length > 0))
    if (open !== undefined) {
      state.prompts = state.prompts.filter((prompt) => prompt !== open)
      state.said.push({ hash, message: null })
      const [first = at] = open.message.records
      const message = { ...open.message, isMeta: false, records: [...open.message.records, at] }
      const isMine = new Set(texts)
      const row = yield* this.#emit(message, open.payload, Number(first), (text) =>
        text === null || isMine.has(text) || isWholeText(open, texts) ? 'CONVERSATIONAL' : 'INJECTED',
      )
      yield* this.#confirm(row, texts[0] ?? null)
      return
    }
    if (state.said.some((said) => said.hash === hash && said.message === null)) return
    const base = this.#context.message('USER', at, line, idOf(payloadItem(payload)))
    const place = { messageId: base.nativeId, record: at }
    const text = eventText(payload)
    const parts: PartRow[] = []
    if (text !== null && text !== '')
      parts.push({ ...partBase(place, 0, 'event'), kind: 'TEXT', provenance: 'CONVERSATIONAL', text })
    images.forEach((link, n) => {
      const file = partBase(place, parts.length, `image:${n}`)
      parts.push({ ...file, kind: 'FILE', provenance: 'CONVERSATIONAL', ...fileOfLink(link) })
    })
    const message = withParts(base, parts)
    state.said.push({ hash, message })
    keepNewest(state.said, OPEN_KEPT)
    yield* this.#context.emit(message, parts)
    yield* this.#confirm(message, text)
  }

  /** The turn goes on: no event comes any more for what is open. */
  *close(): Generator<Item> {
    const { state } = this.#context
    const { prompts } = state
    state.prompts = []
    for (const { payload, message } of prompts) {
      if (message.isMeta) continue
      const [at = 0] = message.records
      if (state.hasEvents) yield* this.#emit({ ...message, isMeta: true }, payload, Number(at), () => 'INJECTED')
      else {
        const text = blocksOf(payload)
          .map(textOfBlock)
          .find((found) => found !== null && !isInjected(found))
        yield* this.#confirm(message, text ?? null)
      }
    }
  }

  *#emit(
    message: MessageRow,
    payload: JsonObject,
    record: number,
    provenance: (text: string | null) => Provenance,
  ): Generator<Item, MessageRow> {
    const parts = blockParts(
      blocksOf(payload),
      { messageId: message.nativeId, record, prefix: 'block:' },
      0,
      provenance,
    )
    const row = withParts(message, parts)
    yield* this.#context.emit(row, parts)
    return row
  }

  /** The person said it: it starts a turn, and the first one names the session. */
  *#confirm(message: MessageRow, text: string | null): Generator<Item> {
    const { state, outline } = this.#context
    state.prompt = message
    state.isLastOfTurn = false
    state.promptHash = shortHash(text ?? '')
    const outlined = outline?.get(message.nativeId)
    if (outlined !== undefined) outlined.isPrompt = true
    if (state.hasPrompt || text === null || text.trim() === '') return
    state.hasPrompt = true
    yield this.#context.session({ title: { text: clip(text.trim(), TITLE_LENGTH), origin: 'DERIVED' } })
  }
}

const payloadItem = (payload: JsonObject): JsonObject => {
  const item = payload['item']
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? { ...item } : {}
}

const isSaidIn = (hash: string, texts: readonly string[]): boolean =>
  shortHash(texts.join('\n')) === hash || texts.some((text) => shortHash(text) === hash)

const textsOf = (prompt: OpenPrompt): readonly string[] =>
  blocksOf(prompt.payload)
    .map(textOfBlock)
    .filter((text) => text !== null)

const isWholeText = (prompt: OpenPrompt, texts: readonly string[]): boolean => texts[0] === textsOf(prompt).join('\n')

function isSameAs(prompt: OpenPrompt, texts: readonly string[], hasImages: boolean): boolean {
  const own = textsOf(prompt)
  if (texts.length > 0) return own.some((text) => texts.includes(text)) || isWholeText(prompt, texts)
  return hasImages && own.every(isInjected) && blocksOf(prompt.payload).some((block) => imageOf(block) !== null)
}
