import { ArchiveReader } from '../db/archive/read.ts'
import { Names } from '../db/names.ts'
import type { Store } from '../db/open.ts'
import type { Writer } from '../writer/commands.ts'
import { Wakeups } from './wakeups.ts'

export type { Store } from '../db/open.ts'

/** The value at a place of a record, as the source's adapter reads it. */
export type ContentReader = (record: unknown, recordType: string, place: string) => unknown

/** Where a record that is no line stands, for people, by its stream's path and its own key. */
export type RecordLocator = (path: string, key: string) => string

/** What a server grants at most (design §8.5). */
export interface Limits {
  readonly maxPageSize: number
  /** Levels of fields below the operation. */
  readonly maxDepth: number
  /** Aliases in one document. */
  readonly maxAliases: number
  /** Fields that an operation can answer with at most, by its page sizes. */
  readonly maxCost: number
  readonly maxDocumentBytes: number
  readonly maxResponseBytes: number
}

/** What the server says of itself. */
export interface ServerFacts {
  readonly version: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly schemaHash: string
  readonly limits: Limits
}

/** Everything that resolvers reach beyond their arguments; made once for a server. */
export interface Services {
  readonly store: Store
  readonly names: Names
  readonly archive: ArchiveReader
  /** This machine. */
  readonly origin: { readonly uid: string; readonly name: string }
  /** By the source's name. */
  readonly content: (source: string) => ContentReader
  /** By the source's name. */
  readonly locate: (source: string) => RecordLocator
  readonly wakeups: Wakeups
  readonly server: ServerFacts
  /** Who writes; null while another process does. It can change while the server runs. */
  writer(): Writer | null
}

/** What a server is given to read and write with. */
export interface ServicesOptions {
  /** A reading connection; it stays the caller's to close. */
  readonly store: Store
  /** This machine. */
  readonly origin: Services['origin']
  readonly content: Services['content']
  /** `path#key` when left out. */
  readonly locate?: Services['locate']
  readonly server: ServerFacts
  /** Null while another process writes. */
  readonly writer: Writer | null
}

/** Services whose writer can be exchanged while they are used. */
export interface LiveServices extends Services {
  /** From now on, commands go to this writer, and its events wake subscriptions. */
  setWriter(writer: Writer | null): void
}

export function createServices({ store, origin, content, locate, server, writer }: ServicesOptions): LiveServices {
  const wakeups = new Wakeups(store)
  let current = writer
  wakeups.follow(current)
  return {
    store,
    names: new Names(store),
    archive: new ArchiveReader(store),
    origin,
    content,
    locate: locate ?? (() => (path, key) => `${path}#${key}`),
    wakeups,
    server,
    writer: () => current,
    setWriter: (next) => {
      current = next
      wakeups.follow(next)
    },
  }
}
