import { statSync } from 'node:fs'
import { isObject, stringAt } from '../../model/json.ts'
import { UNKNOWN_SESSION } from '../../model/rows.ts'
import type { Item, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { lineText, readLines } from '../kit/jsonl.ts'
import { parseJsonl } from '../kit/jsonl-unit.ts'
import { decompressed } from '../kit/zstd.ts'
import { historyBase, leftBehind, readOther } from './cross-file.ts'
import { decodeCursor, encodeCursor, type RolloutCursor, stampOf } from './cursor.ts'
import { lineOf, typeOf } from './line.ts'
import { NeedsWholeReading, RolloutMapper } from './map.ts'
import { isCompressed, parseName } from './rollout-name.ts'
import { isGuardian } from './session-row.ts'
import { factsOf, isRolloutMeta, type RolloutMeta } from './unit.ts'

/** Reads one rollout: what was appended since the cursor, and what other files say of it now. */
export async function* parse(unit: Unit, cursor: string | null): AsyncGenerator<Item, string | null> {
  const { meta } = unit
  if (!isRolloutMeta(meta)) return null
  const known = decodeCursor(cursor)
  const stamp = stampOf(statSync(meta.path))
  const facts = factsOf(meta)
  if (known !== null && known.stamp === stamp && known.facts === facts) return null
  if (known?.isRetracted === true) return encodeCursor({ ...known, stamp, facts })
  const copy = isCompressed(meta.name) ? await decompressed(meta.path) : null
  try {
    const reading = new Reading(unit.key, meta, copy?.path ?? meta.path, known, { stamp, facts })
    if (copy?.fault !== null && copy?.fault !== undefined)
      yield reading.problem('PARSE', `The compressed file is torn or damaged: ${copy.fault}`)
    return yield* reading.run()
  } finally {
    copy?.remove()
  }
}

class Reading {
  readonly #key: string
  readonly #meta: RolloutMeta
  readonly #path: string
  readonly #known: RolloutCursor | null
  readonly #now: Pick<RolloutCursor, 'stamp' | 'facts'>
  #mapper: RolloutMapper | null = null
  #isWhole = false

  constructor(
    key: string,
    meta: RolloutMeta,
    path: string,
    known: RolloutCursor | null,
    now: Pick<RolloutCursor, 'stamp' | 'facts'>,
  ) {
    this.#key = key
    this.#meta = meta
    this.#path = path
    this.#known = known
    this.#now = now
  }

  async *run(): AsyncGenerator<Item, string | null> {
    const first = firstMeta(this.#path)
    if (first === null) {
      yield { kind: 'skip', reason: 'empty', count: 1 }
      return this.#cursor(null, null)
    }
    const { threadId, stem } = parseName(this.#meta.name)
    if (first.id !== null && !isSafeId(first.id))
      yield this.problem(
        'HOSTILE_ID',
        'The id of this thread is none that may name a file; the one in the file name is used.',
      )
    const named = first.id !== null && isSafeId(first.id) ? first.id : (threadId ?? stem)
    const sessionId = this.#known?.sessionId ?? named
    if (!isObject(first.json) || !isGuardian(first.json)) yield* this.#told(sessionId)
    let inner: string | null
    try {
      inner = yield* this.#lines(sessionId, this.#known?.inner ?? null)
    } catch (error) {
      if (!(error instanceof NeedsWholeReading)) throw error
      inner = yield* this.#lines(sessionId, null)
    }
    if (this.#mapper?.isRetracted === true) {
      yield { kind: 'skip', reason: 'unsupported', count: 1 }
      return encodeCursor({ sessionId, ...this.#now, inner: null, isRetracted: true })
    }
    const { firstPrompt } = this.#meta
    if (this.#mapper?.hasPrompt === false && firstPrompt !== null && this.#isWhole)
      yield {
        kind: 'session',
        sessionId,
        session: { ...UNKNOWN_SESSION, title: { text: firstPrompt, origin: 'DERIVED' } },
      }
    if (this.#isWhole) yield* this.#across(sessionId, first.json)
    return this.#cursor(sessionId, inner ?? this.#known?.inner ?? null)
  }

  *#lines(sessionId: string, cursor: string | null): Generator<Item, string | null> {
    const reading = parseJsonl({
      path: this.#path,
      sessionId,
      cursor,
      typeOf,
      open: (state) => {
        this.#mapper = new RolloutMapper(sessionId, this.#key, state, this.#path)
        this.#isWhole = state === null
        return this.#mapper
      },
    })
    try {
      for (;;) {
        const step = reading.next()
        if (step.done === true) return step.value === null ? null : this.#steady(step.value)
        yield this.#item(sessionId, step.value)
        if (step.value.kind === 'delete-session') return null
      }
    } finally {
      reading.return(null)
    }
  }

  /** A plain copy is another file each time; what was read of it is told by its hash. */
  #steady(inner: string): string {
    if (this.#path === this.#meta.path) return inner
    const { dev, ino } = statSync(this.#path)
    return inner.replace(`${dev}:${ino}`, 'copy')
  }

  #item(sessionId: string, item: Item): Item {
    if (item.kind === 'problem') {
      const location = item.problem.location.replace(this.#path, this.#meta.path)
      return { kind: 'problem', problem: { ...item.problem, location } }
    }
    if (item.kind !== 'checkpoint' || item.cursor === null) return item
    const inner = item.cursor
    // Not yet at its end: the stamp must not say that nothing changed.
    const at = (text: string) =>
      encodeCursor({ sessionId, stamp: '', facts: '', inner: this.#steady(text), isRetracted: false })
    return { kind: 'checkpoint', cursor: typeof inner === 'string' ? at(inner) : () => at(inner()) }
  }

  /** Where the rollout lies, and what the files beside it say. */
  *#told(sessionId: string): Generator<Item> {
    const { path, isArchived, archivedAt, title } = this.#meta
    if (this.#known !== null && this.#known.inner !== null && this.#known.facts === this.#now.facts) return
    yield {
      kind: 'session',
      sessionId,
      session: {
        ...UNKNOWN_SESSION,
        sourcePath: path,
        archivedAt: isArchived ? archivedAt : false,
        title: title === null ? null : { text: title, origin: 'SIDE_FILE' },
      },
    }
  }

  /** What only several rollouts together tell: what a revert left behind, and where a fork was cut off. */
  async *#across(sessionId: string, meta: unknown): AsyncGenerator<Item> {
    const { threadId } = parseName(this.#meta.name)
    const paths = threadId === null ? [] : this.#meta.others.ofThread(threadId)
    if (paths.length > 1) {
      const rollouts = await Promise.all(paths.map((path) => readOther(path, sessionId)))
      const left = leftBehind(rollouts)
      if (left !== null) yield { kind: 'off-path', sessionId, messageIds: left }
    }
    if (!isObject(meta) || stringAt(meta, 'forked_from_id') === null) return
    const base = historyBase(meta)
    const path = base === null ? null : this.#meta.others.ofRollout(base.rolloutId)
    if (base === null || path === null) return
    const { outline } = await readOther(path, stringAt(meta, 'forked_from_id') ?? '')
    const cut = outline.findLast(({ ordinal }) => ordinal !== null && ordinal < base.end)
    if (cut === undefined) return
    yield { kind: 'session', sessionId, session: { ...UNKNOWN_SESSION, parentMessageNativeId: cut.id } }
  }

  #cursor(sessionId: string | null, inner: string | null): string {
    return encodeCursor({ sessionId, ...this.#now, inner, isRetracted: false })
  }

  problem(kind: 'PARSE' | 'HOSTILE_ID', message: string): Item {
    return { kind: 'problem', problem: { kind, location: this.#meta.path, message, sessionId: null } }
  }
}

const PEEK_BYTES = 64 * 1024

/** The first line, when it is whole: a thread's own meta data stand there, and nowhere else. */
function firstMeta(path: string): { readonly id: string | null; readonly json: unknown } | null {
  for (const { bytes, isComplete } of readLines(path, { blockBytes: PEEK_BYTES })) {
    if (!isComplete) return null
    if (lineText(bytes) === '') continue
    try {
      const json: unknown = JSON.parse(lineText(bytes))
      if (!isObject(json)) return { id: null, json: null }
      const { kind, payload } = lineOf(json)
      return kind === 'session_meta' ? { id: stringAt(payload, 'id'), json: payload } : { id: null, json: null }
    } catch {
      return { id: null, json: null }
    }
  }
  return null
}
