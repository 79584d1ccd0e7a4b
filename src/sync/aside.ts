import type { Problem } from '../model/record.ts'
import type { RowItem } from './commit-context.ts'
import { Spool } from './spool.ts'

/** What was taken of a unit and is not committed yet. */
export interface Batch {
  readonly items: readonly RowItem[]
  readonly problems: readonly Problem[]
}

/**
 * What a rewritten file gives, kept aside until all of it was read, so that readers see the old state or the new one, never some of both
 * (design §4.5). It stands in no table: an attempt that dies leaves nothing behind, and the next run begins again from the old cursor.
 */
export class Aside {
  private readonly path: string
  /** What the unit told before it came to its rewritten file. */
  private readonly before: Batch
  private spool: Spool<Batch> | null = null

  constructor(path: string, before: Batch) {
    this.path = path
    this.before = before
  }

  put(batch: Batch): void {
    this.spool ??= new Spool(this.path)
    this.spool.put(batch)
  }

  /** The file was rewritten once more while it was read: what was put is of no file any more. */
  restart(): void {
    this.spool?.clear()
  }

  *batches(): Generator<Batch> {
    if (this.before.items.length + this.before.problems.length > 0) yield this.before
    if (this.spool !== null) yield* this.spool.values()
  }

  close(): void {
    this.spool?.close()
  }
}
