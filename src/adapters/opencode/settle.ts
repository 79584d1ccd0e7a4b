import { setTimeout as sleep } from 'node:timers/promises'
import { databaseStamp } from '../kit/sqlite-snapshot.ts'

/** Times of files advance with the system's clock tick: two writes closer together than this may show the same time. */
const TICK_MS = 15
/** File systems that keep whole seconds only: FAT keeps every second one. */
const COARSE_TICK_MS = 2000

/** How long to wait until a later write of a file with this time is sure to show; times are milliseconds with a fraction. */
export function unsettledMs(mtimeMs: number, nowMs = Date.now()): number {
  const tick = mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS
  const age = nowMs - mtimeMs
  return age < 0 || age >= tick ? 0 : Math.ceil(tick - age)
}

/** Waits until files with this newest time can be told from later states, if that is soon; false when it isn't. */
export async function settle(mtimeMs: number): Promise<boolean> {
  const wait = unsettledMs(mtimeMs)
  if (wait > TICK_MS) return false
  if (wait > 0) await sleep(wait)
  return true
}

/** The state of a database's files by which a later state can be told from it; empty when they change too fast for that. */
export async function settledStamp(path: string): Promise<string> {
  const { db, wal } = databaseStamp(path)
  const stamp = `${db}/${wal}`
  const newest = Math.max(mtimeMsOf(db), mtimeMsOf(wal))
  if (!(await settle(newest))) return ''
  const now = databaseStamp(path)
  return `${now.db}/${now.wal}` === stamp ? stamp : ''
}

/** The third field of a file's stamp is its time in nanoseconds, base 36. */
function mtimeMsOf(stamp: string): number {
  const digits = stamp.split('.')[2] ?? ''
  const ns = [...digits].reduce((value, digit) => value * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  return Number(ns / 1000n) / 1000
}
