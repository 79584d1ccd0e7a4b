import { isObject } from '../../model/json.ts'
import type { SourceRecord } from '../../model/record.ts'
import type { Adapter, Item, Mapper, Unit } from '../contract.ts'
import { jsonFault } from './json-fault.ts'

/** What an adapter's read step yields: records, and what it knows beside them. */
export type ReadItem =
  | {
      readonly kind: 'record'
      readonly sessionId: string
      readonly record: SourceRecord
      /** `path:line` or `path#table/id`. */
      readonly location: string
      /** The record parsed, where reading it needed that; else `parseWith` does it. */
      readonly json?: unknown
      /** `any`: it may be another value than an object, or none at all. Default `object`. */
      readonly expects?: 'object' | 'any'
    }
  | Extract<Item, { kind: 'present' | 'delete-session' | 'checkpoint' | 'progress' | 'skip' | 'problem' }>

export type ReadStep = (unit: Unit, cursor: string | null) => AsyncGenerator<ReadItem, string | null>

/**
 * Makes an adapter's `parse` of its read step and its `map`, so that rows are made by one code path whether a record was just
 * read or comes out of the archive. What can't be mapped is kept as a record, with a problem.
 */
export function parseWith(read: ReadStep, map: Adapter['map']): Adapter['parse'] {
  return async function* parse(unit, cursor) {
    const mappers = new Map<string, Mapper>()
    const reading = read(unit, cursor)
    try {
      for (;;) {
        const step = await reading.next()
        if (step.done === true) {
          yield* heldBack(mappers)
          return step.value
        }
        const item = step.value
        if (item.kind !== 'record') {
          // A checkpoint stands between messages: nothing that was read before it may be mapped after it.
          if (item.kind === 'checkpoint') yield* heldBack(mappers)
          yield item
          continue
        }
        const { record, sessionId } = item
        yield { kind: 'record', sessionId, record }
        const outcome = jsonOf(item)
        if ('problem' in outcome) {
          yield { kind: 'problem', problem: { ...outcome.problem, location: item.location, sessionId } }
          continue
        }
        let mapper = mappers.get(sessionId)
        if (mapper === undefined) {
          mapper = map(sessionId, unit.key)
          mappers.set(sessionId, mapper)
        }
        yield* mapper.push({ ref: record.ref, type: record.type, json: outcome.json })
      }
    } finally {
      await reading.return(null)
    }
  }
}

function* heldBack(mappers: ReadonlyMap<string, Mapper>): Generator<Item> {
  for (const mapper of mappers.values()) yield* mapper.end()
}

type Outcome =
  | { readonly json: unknown }
  | { readonly problem: { readonly kind: 'OVERSIZE' | 'PARSE' | 'SCHEMA'; readonly message: string } }

function jsonOf(item: Extract<ReadItem, { kind: 'record' }>): Outcome {
  const { record } = item
  if (record.cutFrom !== null)
    return {
      problem: {
        kind: 'OVERSIZE',
        message: `The record has ${record.cutFrom} bytes; the first ${record.bytes.length} are kept and nothing is shown of it.`,
      },
    }
  try {
    const json: unknown = item.json !== undefined ? item.json : JSON.parse(Buffer.from(record.bytes).toString('utf8'))
    if (item.expects === 'any' || isObject(json)) return { json }
    return { problem: { kind: 'SCHEMA', message: 'The record is JSON, but no object.' } }
  } catch (error) {
    if (item.expects === 'any') return { json: null }
    return { problem: { kind: 'PARSE', message: jsonFault(error) } }
  }
}
