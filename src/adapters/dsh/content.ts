import { asObject, asString, at, type JsonObject } from '../../model/json.ts'
import { blocksOf, flatResult, messageOf, paramsOf, textOf } from './message.ts'
import { memberData } from './packed.ts'

/** The value at `place` of a row: data of an event that it holds, or what the mapping took from there, whole. */
export function content(record: unknown, _type: string, place: string): unknown {
  const row = asObject(record)
  if (row === null) return null
  const [name = '', n] = place.split(':')
  if (name === 'data') return row['data'] ?? null
  if (name === 'member') return memberData(row, Number(n))
  // What a turn ended with.
  if (name === 'error') return at(row, 'data', 'reason', 'error', 'message') ?? null
  const message = messageOf(asObject(row['data']) ?? {})
  if (name === 'text') return textOf(message)
  if (name === 'result') return flatResult(message).content
  const block = blocksOf(message)[Number(n)]
  if (block === undefined) return null
  if (name === 'call') return paramsOf(block)
  return name === 'content' ? inBlock(block) : null
}

const inBlock = (block: JsonObject): unknown =>
  block['type'] === 'text' || block['type'] === 'reasoning' ? asString(block['text']) : block
