import type { NativeEvent } from '../model/journal.ts'
import type { Problem, RecordRef, SourceRecord } from '../model/record.ts'
import type {
  MessageRow,
  PartRow,
  SessionRow,
  SubagentRow,
  SummaryRow,
  WorkflowAgentRow,
  WorkflowRow,
} from '../model/rows.ts'

/**
 * What an adapter is (design §4). It knows one format and nothing of the store: it finds roots, says which units of work a root
 * holds and which of them changed, reads records, and maps records to rows. Reading and mapping are kept apart, so that mapping
 * alone can be run again over archived records when the adapter improves.
 */
export interface Adapter {
  /** Stable name, as in `--source NAME=PATH`. */
  readonly name: string
  /** Product name for people. */
  readonly title: string
  /** Raised when mapping changes: sessions made by a lower one are projected anew (design §4.9). */
  readonly revision: number

  /** Default roots, whether they exist or not. */
  probe(env: ProbeEnv): readonly string[]
  /** Directories to watch without their subdirectories; `discover` is asked again when something in one changes. */
  watchPaths(root: string): readonly string[]
  /**
   * Which units the root holds, and which of them changed, without decoding bodies. Never throws for what is on disk: what went
   * wrong is in the discovery's problems.
   */
  discover(root: string, context: DiscoverContext): Promise<Discovery>
  /**
   * Reads one unit from `cursor` (null: from the start) and returns its new cursor (null leaves the stored one). A throw costs
   * what came after the last checkpoint.
   */
  parse(unit: Unit, cursor: string | null): Parsing
  /** Mapping alone (re-projection): the rows of the session's records, which come ordered by their refs. */
  map(sessionId: string, unitKey: string): Mapper
  /**
   * The value at `place` of a record, for a text or JSON that is too long for its row; at place `error`, what a message's record says of
   * its failure. `record` is its parsed JSON, with
   * `{"$blob": sha256}` in the place of binary data.
   */
  content(record: unknown, type: string, place: string): unknown
  /**
   * Where a record stands, for people: `path:line` is made from positions by the caller, so this is asked for keyed records only:
   * `path#table/id`, or the file's own path. `path` is the unit's.
   */
  locate(path: string, key: string): string
}

/** The environment that probing may look at. Nothing but the config reads `process.env`. */
export interface ProbeEnv {
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export interface DiscoverContext {
  /** Stored cursor of a unit key, or of a discovery's mark. */
  lastCursor(key: string): string | null
  /** Stamp that a unit had when it was last read to its end; much cheaper than its cursor. */
  lastStamp(key: string): string | null
  /** Only what these paths touch is of interest; null means everything, an empty list nothing. Foreign paths are ignored. */
  readonly changedPaths: readonly string[] | null
  /** Trust no cursor: look at everything (`--verify`). */
  readonly verify: boolean
}

/** One piece of work: what `parse` reads in one go. */
export interface Unit {
  /** Cursor key, stable between runs; contains the root. */
  readonly key: string
  /** The file, directory or database that its records' locations name. */
  readonly path: string
  /** Native id of its session, where known without reading. */
  readonly sessionId: string | null
  /** Newest change in it, ms since 1970, as far as known without reading: newer units are read first. */
  readonly changedAt: number
  /** How its files look (sizes, times), to be stored when it was read to its end; left out where the cursor tells. */
  readonly stamp?: string
  /** Nothing changed since it was last read to its end. */
  readonly isFresh: boolean
  /** Bytes that reading it will take, for progress; null when unknown. */
  readonly bytes: number | null
  /** The adapter's own, handed to `parse` as the very value that `discover` made. */
  readonly meta: unknown
}

export interface Discovery {
  readonly units: readonly Unit[]
  /** Whether `units` is everything that the root holds, so that what isn't among them is gone at its source. */
  readonly isComplete: boolean
  /** Key prefixes that could not be looked into: nothing under them counts as gone. */
  readonly unreadable: readonly string[]
  /** Storage generations found, e.g. `sqlite`, `json-tree`. */
  readonly generations: readonly string[]
  /** Copies of sessions that another unit supersedes. */
  readonly superseded: number
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
  readonly problems: readonly Problem[]
  /** What discovery itself learned, e.g. how far it looked; stored once every unit above has been read to its end. */
  readonly mark: { readonly key: string; readonly cursor: string } | null
  /** Days after which the agent deletes its own sessions, where its settings say so. */
  readonly retentionDays?: number | null
}

export type SkipReason = 'fresh' | 'empty' | 'unsupported' | 'superseded'

/** What `parse` yields (design §4.4). Rows cite records of their unit that were yielded before them, now or in an earlier run. */
export type Item =
  | { readonly kind: 'record'; readonly sessionId: string; readonly record: SourceRecord }
  | { readonly kind: 'session'; readonly sessionId: string; readonly session: SessionRow }
  | { readonly kind: 'message'; readonly sessionId: string; readonly message: MessageRow }
  | { readonly kind: 'part'; readonly sessionId: string; readonly part: PartRow }
  | { readonly kind: 'summary'; readonly sessionId: string; readonly summary: SummaryRow }
  /** All messages and records that the source holds now: what is stored beyond them was deleted there, and goes off the active path. */
  | { readonly kind: 'present'; readonly sessionId: string; readonly messageIds: ReadonlySet<string> }
  | { readonly kind: 'subagent'; readonly sessionId: string; readonly subagent: SubagentRow }
  | { readonly kind: 'workflow'; readonly sessionId: string; readonly workflow: WorkflowRow }
  | { readonly kind: 'workflow-agent'; readonly sessionId: string; readonly agent: WorkflowAgentRow }
  /**
   * Every message of the session that stands on a branch which the person left behind; all others are on the active path. Said at the end
   * of a whole reading, in formats that keep a tree.
   */
  | { readonly kind: 'off-path'; readonly sessionId: string; readonly messageIds: ReadonlySet<string> }
  /** How long the turn took that ended with this message; waits for the message, also across runs. */
  | {
      readonly kind: 'turn-duration'
      readonly sessionId: string
      readonly messageId: string
      readonly durationMs: number
    }
  /** An event of a journal that the source keeps itself; after its record, in order of seq. */
  | { readonly kind: 'event'; readonly sessionId: string; readonly event: NativeEvent }
  /** A side file's title for whichever session of the source has this message, or this part, now or later. */
  | {
      readonly kind: 'message-title'
      readonly sessionId: string
      readonly messageId: string
      /** Where a format joins several of its messages into one: the first part of the message that is meant. */
      readonly partId: string | null
      readonly title: string
    }
  /**
   * The unit's file became shorter or was rewritten: what follows is all of it, from the start, as a new generation. Messages that it no
   * longer has, by id, stay, off the active path (design §3.7, §4.5). Comes before any other item of its session. From it on nothing is
   * shown until the unit was read to its end; said again, the file was rewritten meanwhile, and what was said since the first is void.
   */
  | { readonly kind: 'new-generation'; readonly sessionId: string }
  | { readonly kind: 'delete-session'; readonly sessionId: string }
  /** Safe to commit here; with a cursor, that is what the commit stands for. A function makes it only when a commit is due. */
  | { readonly kind: 'checkpoint'; readonly cursor: string | null | (() => string) }
  /** `bytes` more of the source were read. */
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly count: number }
  | { readonly kind: 'problem'; readonly problem: Problem }

/**
 * What `parse` returns. Files are read without waiting, item by item, which is several times as fast as promising each; a source that
 * must be waited for (a database that is busy) is read by an asynchronous generator.
 */
export type Parsing = Generator<Item, string | null> | AsyncGenerator<Item, string | null>

/** Records in, rows out, with a small state for one session. */
export interface Mapper {
  push(record: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Iterable<Item>
  /** What was held back until it was known to be whole. */
  end(): Iterable<Item>
}
