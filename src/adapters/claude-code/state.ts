import type { TitleOrigin } from '../../model/enums.ts'
import { stringAt } from '../../model/json.ts'
import type { ToolCallRow } from '../../model/rows.ts'
import { type Draft, decodeDraft, type EncodedDraft, encodeDraft } from './draft.ts'
import { type EncodedNode, Tree } from './tree.ts'

/** A line refers to something before what the cursor remembers: the file must be read whole (design §4.5). */
export class WholeReadingNeeded extends Error {}

/** Kept up to date in place: it is looked at for every line. */
export interface SessionFacts {
  /** Second of the file's first time, by which the files of one session are ordered (design §3.6); known from the first message on. */
  fileOrder: number | null
  createdMs: number | null
  cwd: string | null
  gitBranch: string | null
  version: string | null
  isAutomation: boolean
  title: { readonly text: string; readonly origin: TitleOrigin } | null
  /** Times of the agent's own transcript, for how long it took. */
  firstMs: number | null
  lastMs: number | null
  tokens: number
}

const NO_FACTS: SessionFacts = {
  fileOrder: null,
  createdMs: null,
  cwd: null,
  gitBranch: null,
  version: null,
  isAutomation: false,
  title: null,
  firstMs: null,
  lastMs: null,
  tokens: 0,
}

/** The same whether a file is read in one go or in many: what falls out is unknown in both. */
const KEPT_DRAFTS = 6
const KEPT_CALLS = 48
const KEPT_TITLES = 16

/** What mapping a line needs to know of the lines before it. A cursor keeps the recent part of it only. */
export class State {
  /** Whether it knows all lines from the first one. */
  readonly isWhole: boolean
  readonly tree: Tree
  /** Responses by the session-wide key of their lines. */
  readonly drafts: Recent<Draft>
  /** Calls without a result by their id. */
  readonly calls: Recent<ToolCallRow>
  /** Titles of `summary` lines by the line that they were made at. */
  readonly titles: Recent<string>
  readonly facts: SessionFacts
  /** Facts that were not told yet. */
  isDirty: boolean
  /** A branch was seen, and what it left behind was not told yet. */
  isBranched = false
  /** Whether the session itself was told. */
  isTold: boolean

  private constructor(from: Encoded | null) {
    this.isWhole = from === null
    this.tree = Tree.decode(from?.tree ?? [])
    this.drafts = new Recent(
      KEPT_DRAFTS,
      from?.drafts.map(([key, draft]) => [key, decodeDraft(draft)]),
    )
    this.calls = new Recent(KEPT_CALLS, from?.calls)
    this.titles = new Recent(KEPT_TITLES, from?.titles)
    this.facts = { ...NO_FACTS, ...from?.facts }
    this.isDirty = from?.isDirty ?? false
    this.isTold = from?.isTold ?? false
  }

  static open(text: string | null): State {
    if (text === null) return new State(null)
    const encoded: Encoded = JSON.parse(text)
    // Of an older form; or the tree of the lines before is gone, and with it what the branch left behind.
    if (encoded.v !== VERSION || encoded.isBranched) throw new WholeReadingNeeded()
    return new State(encoded)
  }

  encode(): string {
    const encoded: Encoded = {
      tree: this.tree.encode(),
      v: VERSION,
      drafts: this.drafts.entries.map(([key, draft]) => [key, encodeDraft(draft)]),
      calls: this.calls.entries,
      titles: this.titles.entries,
      facts: this.facts,
      isDirty: this.isDirty,
      isBranched: this.isBranched,
      isTold: this.isTold,
    }
    return JSON.stringify(encoded)
  }

  /** The open call that a result block answers. */
  callOf(result: unknown): ToolCallRow | null {
    return this.calls.get(stringAt(result, 'tool_use_id') ?? '') ?? null
  }

  /** Facts that changed; telling them waits for the end of the reading. */
  learn(news: Partial<SessionFacts>): void {
    Object.assign(this.facts, news)
    this.isDirty = true
  }
}

/** Form of the encoded state. */
const VERSION = 3

interface Encoded {
  readonly v: number
  readonly tree: readonly EncodedNode[]
  readonly drafts: readonly (readonly [string, EncodedDraft])[]
  readonly calls: readonly (readonly [string, ToolCallRow])[]
  readonly titles: readonly (readonly [string, string])[]
  readonly facts: SessionFacts
  readonly isDirty: boolean
  readonly isBranched: boolean
  readonly isTold: boolean
}

/** The entries that were set last. */
export class Recent<T> {
  readonly #most: number
  readonly #entries: Map<string, T>

  constructor(most: number, entries: readonly (readonly [string, T])[] = []) {
    this.#most = most
    this.#entries = new Map(entries)
  }

  get entries(): readonly (readonly [string, T])[] {
    return [...this.#entries]
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
