import { isObject, stringAt } from '../../model/json.ts'
import { UNKNOWN_SESSION } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import { readLines, valuesOn } from '../kit/jsonl.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/**
 * The history of prompts. Its lines are no session's; those that carry a title give it to a session that has a transcript. (Not seen in
 * real data: the lines of real versions carry none.)
 */
export function* parseHistory(
  path: string,
  stamp: string,
  sessions: ReadonlySet<string>,
  cursor: string | null,
): Generator<Item, string | null> {
  if (decodeCursor(cursor)?.stamp === stamp) return null
  const titles = new Map<string, string>()
  for (const { bytes } of readLines(path)) {
    for (const text of valuesOn(bytes)) {
      const json = parsed(text)
      const sessionId = stringAt(json, 'sessionId')
      const title = stringAt(json, 'title')
      if (sessionId !== null && title !== null && sessions.has(sessionId)) titles.set(sessionId, title)
    }
  }
  for (const [sessionId, text] of titles)
    yield { kind: 'session', sessionId, session: { ...UNKNOWN_SESSION, title: { text, origin: 'SIDE_FILE' } } }
  return encodeCursor({ stamp, lines: null })
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
