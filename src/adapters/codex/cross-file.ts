import { asCount, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import { lineText, readLines } from '../kit/jsonl.ts'
import { decompressed } from '../kit/zstd.ts'
import type { Outlined } from './context.ts'
import { lineOf } from './line.ts'
import { RolloutMapper } from './map.ts'
import { fileNumber, isCompressed, parseName } from './rollout-name.ts'

/** A rollout read for what another one refers to. */
export interface OtherRollout {
  readonly rolloutId: string | null
  readonly order: number
  readonly base: HistoryBase | null
  readonly outline: readonly Outlined[]
}

/** Where the history of a thread that was forked or reverted goes on from. */
export interface HistoryBase {
  readonly rolloutId: string
  readonly end: number
}

export function historyBase(meta: JsonObject): HistoryBase | null {
  const rolloutId = stringAt(meta, 'history_base', 'thread_id')
  const base = meta['history_base']
  const end = isObject(base) ? asCount(base['end_ordinal_exclusive']) : null
  return rolloutId === null || end === null ? null : { rolloutId, end }
}

export async function readOther(path: string, sessionId: string): Promise<OtherRollout> {
  const fileName = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const name = parseName(fileName)
  const copy = isCompressed(fileName) ? await decompressed(path) : null
  try {
    const mapper = new RolloutMapper(sessionId, `#${name.stem}`)
    let base: HistoryBase | null = null
    let at = 0
    for (const { bytes, isComplete } of readLines(copy?.path ?? path)) {
      if (!isComplete) continue
      const json = parsed(lineText(bytes))
      if (isObject(json)) {
        const { kind, payload } = lineOf(json)
        if (at === 0 && kind === 'session_meta') base = historyBase(payload)
        // Rows are not of interest here, only which messages they are.
        Array.from(mapper.push({ ref: at, json }))
      }
      at += 1
    }
    return { rolloutId: name.rolloutId, order: fileNumber(name), base, outline: mapper.outline }
  } finally {
    copy?.remove()
  }
}

/**
 * The messages of a thread that its newest rollout left behind: each rollout counts up to where the one that follows it goes on. Null
 * when nothing was reverted.
 */
export function leftBehind(rollouts: readonly OtherRollout[]): ReadonlySet<string> | null {
  const inOrder = [...rollouts].sort((a, b) => a.order - b.order)
  const newest = inOrder.at(-1)
  if (newest?.base === undefined || newest.base === null) return null
  const ends = new Map<OtherRollout, number>([[newest, Number.POSITIVE_INFINITY]])
  for (let here = newest; here.base !== null; ) {
    const { rolloutId, end } = here.base
    const below = inOrder.find((rollout) => rollout.rolloutId === rolloutId)
    if (below === undefined || ends.has(below)) break
    ends.set(below, end)
    here = below
  }
  const left = inOrder.flatMap((rollout) =>
    rollout.outline
      .filter(({ ordinal }) => ordinal !== null && ordinal >= (ends.get(rollout) ?? 0))
      .map(({ id }) => id),
  )
  return new Set(left)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
