import type { NativeEvent, SurfaceOp } from '../../model/journal.ts'
import { asCount, asString, isObject, type JsonObject } from '../../model/json.ts'
import { parseTime } from '../../model/time.ts'
import { isPacked, MEMBER_TYPE, memberTimes } from './packed.ts'

/** What a row of a log is: one event, a packed run of them, or damage, which ends what can be read. */
export type Row =
  | { readonly events: readonly NativeEvent[]; readonly oddFields: readonly string[] }
  | { readonly fault: string }

/** What the rows before tell of the next one. */
export interface RowPlace {
  readonly record: number
  /** Seq that comes next. */
  readonly seq: number
  readonly version: number
  /** Time of the event before; stands in for one that is none. */
  readonly lastTime: number
}

/** Reads a row's envelope: seqs have no gaps, so a row that doesn't go on where the last one ended is damage. */
export function rowOf(json: JsonObject, place: RowPlace): Row {
  const type = asString(json['type'])
  if (type === null || type === '') return { fault: 'It has no type.' }
  if (isPacked(type)) {
    if (place.version < 2) return packedRow(json, type, place)
    return { fault: 'Packed rows of chunks have no place in a log of this generation.' }
  }
  if (asCount(json['seq']) !== place.seq) return { fault: `Its seq is not ${place.seq}, which comes next.` }
  if (json['data'] === undefined) return { fault: 'It has no data.' }
  const oddFields: string[] = []
  const isIgnorable = json['ignorable'] === true
  const time = parseTime(json['time'])
  if (time === null) oddFields.push('time')
  const surfaceOp = surfaceOpOf(json['surfaceOp'], place.seq)
  if (surfaceOp === null && json['surfaceOp'] !== undefined && !isIgnorable) oddFields.push('surfaceOp')
  const sources = sourcesOf(json['sourceEventSeqs'], place.seq)
  if (sources === null && !isIgnorable) oddFields.push('sourceEventSeqs')
  const event: NativeEvent = {
    seq: place.seq,
    type,
    time: time ?? place.lastTime,
    isIgnorable,
    surfaceOp,
    sources: sources ?? [],
    citation: { record: place.record, place: 'data' },
  }
  return { events: [event], oddFields }
}

function packedRow(json: JsonObject, type: string, { record, seq, lastTime }: RowPlace): Row {
  if (asCount(json['seq0']) !== seq) return { fault: `Its first seq is not ${seq}, which comes next.` }
  const time0 = parseTime(json['time0'])
  const times = memberTimes(json, time0 ?? lastTime)
  if (times === null) return { fault: `Its run of ${type} is damaged.` }
  const events = times.map((time, k) => ({
    seq: seq + k,
    type: MEMBER_TYPE,
    time,
    isIgnorable: false,
    surfaceOp: null,
    sources: [],
    citation: { record, place: `member:${k}` },
  }))
  return { events, oddFields: time0 === null ? ['time0'] : [] }
}

/** `{op, start, end}` up to generation 2, `{op, startSeq, endSeq}` from 3 on. */
function surfaceOpOf(value: unknown, seq: number): SurfaceOp | null {
  if (value === 'append') return { kind: 'APPEND' }
  if (!isObject(value) || value['op'] !== 'replace') return null
  const startSeq = asCount(value['startSeq'] ?? value['start'])
  const endSeq = asCount(value['endSeq'] ?? value['end'])
  if (startSeq === null || endSeq === null || startSeq >= seq || endSeq >= seq) return null
  return { kind: 'REPLACE', startSeq, endSeq }
}

/** Earlier seqs, in the order of their writer; `[a, b]` is the run from a to b. Null when it is no list of them. */
function sourcesOf(value: unknown, seq: number): readonly number[] | null {
  if (value === undefined) return []
  if (!Array.isArray(value)) return null
  const sources = new Set<number>()
  for (const item of value) {
    const [from, to] = Array.isArray(item) ? [asCount(item[0]), asCount(item[1])] : [asCount(item), asCount(item)]
    if (from === null || to === null || from > to || to >= seq) return null
    // None stands there twice, so all of them together are fewer than the events before.
    for (let source = from; source <= to; source++) {
      if (sources.has(source)) return null
      sources.add(source)
    }
  }
  return [...sources]
}
