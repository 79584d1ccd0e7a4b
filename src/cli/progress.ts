import { SingleBar } from 'cli-progress'
import { formatBytes, formatCount, plural } from './format.ts'

/** The fields of SyncProgress that are shown. */
export interface ShownProgress {
  readonly status: string
  readonly currentSource: { readonly name: string } | null
  readonly sessionsTotal: number
  readonly sessionsDone: number
  readonly messagesInserted: number
  readonly messagesUpdated: number
  readonly bytesRead: number
  readonly problemCount: number
}

/** Shows a sync on stderr: a bar on a terminal, lines elsewhere, JSON lines when asked for. */
export interface ProgressView {
  show(progress: ShownProgress): void
  end(): void
}

export function progressView(stream: NodeJS.WriteStream, isJson: boolean): ProgressView {
  if (isJson) return { show: (progress) => void stream.write(`${JSON.stringify(progress)}\n`), end: () => {} }
  return stream.isTTY ? new BarView(stream) : new LineView(stream)
}

const describe = (progress: ShownProgress): string =>
  [
    ...(progress.currentSource === null ? [] : [progress.currentSource.name]),
    `${formatCount(progress.messagesInserted + progress.messagesUpdated)} messages`,
    formatBytes(progress.bytesRead),
    ...(progress.problemCount > 0 ? [plural(progress.problemCount, 'problem')] : []),
  ].join('  ')

class BarView implements ProgressView {
  private readonly bar: SingleBar

  constructor(stream: NodeJS.WriteStream) {
    const format = 'Syncing {bar} {value}/{total} sessions  {what}'
    this.bar = new SingleBar({ stream, format, hideCursor: true, barsize: 24, clearOnComplete: true, linewrap: false })
    this.bar.start(0, 0, { what: '' })
  }

  show(progress: ShownProgress): void {
    this.bar.setTotal(progress.sessionsTotal)
    this.bar.update(progress.sessionsDone, { what: describe(progress) })
  }

  end(): void {
    this.bar.stop()
  }
}

/** What a line begins with when the run is over. */
const WORD_AT_END = new Map([
  ['COMPLETED', 'Synced'],
  ['CANCELLED', 'Cancelled after'],
  ['FAILED', 'Failed after'],
])

/** A line a second, none twice, and one for the end. */
const LINE_EVERY_MS = 1000

class LineView implements ProgressView {
  private readonly stream: NodeJS.WriteStream
  private shownAt = Number.NEGATIVE_INFINITY
  /** What came too soon after the line before it. */
  private held: ShownProgress | null = null

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream
  }

  show(progress: ShownProgress): void {
    const now = performance.now()
    const isEnd = WORD_AT_END.has(progress.status)
    this.held = isEnd || now - this.shownAt >= LINE_EVERY_MS ? null : progress
    if (this.held !== null) return
    this.shownAt = now
    this.write(progress)
  }

  end(): void {
    if (this.held !== null) this.write(this.held)
    this.held = null
  }

  private write(progress: ShownProgress): void {
    const word = WORD_AT_END.get(progress.status) ?? 'Syncing'
    this.stream.write(`${word} ${progress.sessionsDone}/${progress.sessionsTotal} sessions  ${describe(progress)}\n`)
  }
}
