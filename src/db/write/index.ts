import { dirname } from 'node:path'
import { eq } from 'drizzle-orm'
import { BlobWriter } from '../archive/blobs.ts'
import { ArchiveWriter } from '../archive/write.ts'
import { NameWriter } from '../names.ts'
import type { Store } from '../open.ts'
import { messages, sessions } from '../schema.ts'
import { CopyWriter } from './copy-writer.ts'
import { EndReader } from './end-reader.ts'
import { Eraser } from './eraser.ts'
import { MessageWriter, type StoredMessage } from './message-writer.ts'
import { PartWriter } from './part-writer.ts'
import { ProblemWriter } from './problem-writer.ts'
import { ProjectWriter, type Repository } from './project-writer.ts'
import { Projection } from './projection.ts'
import { RootWriter } from './root-writer.ts'
import { RunWriter } from './run-writer.ts'
import { SessionWriter } from './session-writer.ts'
import { SideWriter } from './side-writer.ts'
import { SummaryWriter } from './summary-writer.ts'
import { UnitWriter } from './unit-writer.ts'
import { UsageWriter } from './usage-writer.ts'
import { WaitingWriter } from './waiting-writer.ts'

/** All that writes to the store, on its one writing connection. */
export class StoreWriter {
  readonly store: Store
  readonly names: NameWriter
  readonly archive: ArchiveWriter
  readonly sessions: SessionWriter
  readonly ends: EndReader
  readonly messages: MessageWriter
  readonly parts: PartWriter
  readonly summaries: SummaryWriter
  readonly side: SideWriter
  readonly waiting: WaitingWriter
  readonly usage: UsageWriter
  readonly copies: CopyWriter
  readonly projects: ProjectWriter
  readonly roots: RootWriter
  readonly units: UnitWriter
  readonly problems: ProblemWriter
  readonly runs: RunWriter
  readonly eraser: Eraser
  readonly projection: Projection

  /** `locate` finds the repository of a directory on disk. */
  constructor(store: Store, locate: (path: string) => Repository | null) {
    const blobs = new BlobWriter(store)
    this.store = store
    this.names = new NameWriter(store)
    this.archive = new ArchiveWriter(store, this.names, blobs)
    this.sessions = new SessionWriter(store)
    this.ends = new EndReader(store)
    this.messages = new MessageWriter(store, this.names)
    this.parts = new PartWriter(store, blobs)
    this.summaries = new SummaryWriter(store)
    this.side = new SideWriter(store)
    this.waiting = new WaitingWriter(store)
    this.usage = new UsageWriter(store)
    this.copies = new CopyWriter(store)
    this.projects = new ProjectWriter(store, locate)
    this.roots = new RootWriter(store)
    this.units = new UnitWriter(store)
    this.problems = new ProblemWriter(store)
    this.runs = new RunWriter(store)
    this.eraser = new Eraser(store)
    this.projection = new Projection(store)
  }

  /** Where the store lies: for its owner's eyes only, on a disk that has room for it. */
  get directory(): string {
    return dirname(this.store.sqlite.name)
  }

  /** Runs `work` in one transaction: all of it or nothing. */
  transaction<T>(work: () => T): T {
    try {
      return this.store.sqlite
        .transaction(() => {
          const result = work()
          this.usage.flush()
          return result
        })
        .immediate()
    } catch (error) {
      this.names.forget()
      this.usage.forget()
      throw error
    }
  }

  /** Moves what the write-ahead log holds into the store's file, as far as readers let it. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.store.sqlite.pragma(`wal_checkpoint(${mode})`)
  }

  message(id: number): StoredMessage | undefined {
    return this.store.orm.select().from(messages).where(eq(messages.id, id)).get()
  }

  /** Stores the sums by which sessions are ordered. */
  saveTotals(sessionId: number): void {
    this.usage.flush()
    this.store.orm.update(sessions).set(this.sessions.totals(sessionId)).where(eq(sessions.id, sessionId)).run()
  }
}
