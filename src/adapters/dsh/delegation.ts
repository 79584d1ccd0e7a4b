import { asCount, asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import { lineText } from '../kit/jsonl.ts'
import type { LineSource } from '../kit/line-source.ts'
import { isDelegation } from './open-calls.ts'

/** `pair` of the call in a parent's log that made a child. Up to generation 2 no row names the child: it is told by its label, and by when it began. */
export async function delegatingCall(
  parent: LineSource,
  child: { readonly label: string | null; readonly createdAt: number },
): Promise<string | null> {
  let pair: string | null = null
  for (const { bytes } of parent.lines(null)) {
    // Most lines are others: they aren't parsed.
    if (!bytes.includes('"tool/call"')) continue
    const row = parsed(bytes)
    const data = asObject(row?.['data'])
    if (row?.['type'] !== 'tool/call' || data === null || !isDelegation(asString(data['name']))) continue
    const time = asCount(row['time'])
    if (time === null || time > child.createdAt) continue
    const callId = stringAt(data, 'callId')
    // A later call of the same label is nearer.
    if (callId !== null && labelIn(data) === child.label) pair = `${asCount(data['turn']) ?? ''}/${callId}`
  }
  return pair
}

function labelIn(data: JsonObject): string | null {
  try {
    return stringAt(JSON.parse(asString(data['arguments']) ?? ''), 'description')
  } catch {
    return null
  }
}

function parsed(bytes: Buffer): JsonObject | null {
  try {
    return asObject(JSON.parse(lineText(bytes)))
  } catch {
    return null
  }
}
