import { readFileSync } from 'node:fs'
import { isObject } from '../../model/json.ts'
import { type Problem, RECORD_CAP_BYTES } from '../../model/record.ts'
import type { Item } from '../contract.ts'
import { jsonFault } from '../kit/json-fault.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { agentSession, type UnitFile } from './ids.ts'
import { SideFileMapper } from './map-side-file.ts'

type JsonFile = Extract<UnitFile, { kind: 'meta' | 'workflow' }>

/** Ref of the one record that a side file is. */
export const FILE_REF = 'file'

/** Reads a side file, which is one record that is replaced when it changes: what an agent is, or a workflow run. */
export function* parseJsonFile(
  file: JsonFile,
  sessionId: string | null,
  stamp: string,
  cursor: string | null,
): Generator<Item, string | null> {
  const id = sessionId ?? (file.kind === 'meta' ? agentSession('', file.agent.agentId) : '')
  if (decodeCursor(cursor)?.stamp === stamp) return null
  const whole = readFileSync(file.path)
  const isCut = whole.length > RECORD_CAP_BYTES
  const bytes = isCut ? whole.subarray(0, RECORD_CAP_BYTES) : whole
  const type = file.kind === 'meta' ? 'agent-meta' : 'workflow-run'
  const record = { ref: FILE_REF, type, bytes, line: null, cutFrom: isCut ? whole.length : null }
  yield { kind: 'record', sessionId: id, record }
  const problem = (kind: Problem['kind'], message: string): Item => ({
    kind: 'problem',
    problem: { kind, location: file.path, message, sessionId: id },
  })
  if (isCut) yield problem('OVERSIZE', `The file has ${whole.length} bytes; the first ${bytes.length} are kept.`)
  else {
    try {
      const json: unknown = JSON.parse(bytes.toString('utf8'))
      if (isObject(json)) yield* new SideFileMapper(id, file.path).push({ ref: FILE_REF, type, json })
      else yield problem('SCHEMA', 'The file is JSON, but no object.')
    } catch (error) {
      yield problem('PARSE', jsonFault(error))
    }
  }
  return encodeCursor({ stamp, lines: null })
}
