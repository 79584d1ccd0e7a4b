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
    progress.currentSource?.name ?? '',
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

/** A line a second, and none twice. */
const LINE_EVERY_MS = 1000

class LineView implements ProgressView {
  private readonly stream: NodeJS.WriteStream
  private shownAt = Number.NEGATIVE_INFINITY

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream
  }

  show(progress: ShownProgress): void {
    const now = performance.now()
    if (now - this.shownAt < LINE_EVERY_MS) return
    this.shownAt = now
    this.stream.write(`Syncing ${progress.sessionsDone}/${progress.sessionsTotal} sessions  ${describe(progress)}\n`)
  }

  end(): void {}
}
