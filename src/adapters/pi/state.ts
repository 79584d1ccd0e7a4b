import { asObject } from '../../model/json.ts'
import type { CallState } from './calls.ts'
import { NO_FACTS, type SessionFacts } from './map-session.ts'
import type { Leaf } from './tree.ts'

/** What a mapper must know of the lines before. */
export interface MapperState {
  readonly leaf: Leaf | null
  readonly calls: CallState
  readonly facts: SessionFacts
  readonly last: number
  readonly isTold: boolean
  readonly lane: string | null
  /** False: a reading that starts here would miss what is off the path. */
  readonly isUsable: boolean
}

export const START: MapperState = {
  leaf: null,
  calls: [],
  facts: NO_FACTS,
  last: -1,
  isTold: false,
  lane: null,
  isUsable: true,
}

/** Raised with every change of the state's form or meaning: older ones then lead to a whole reading. */
const FORM = 1

export const encodeState = (state: MapperState): string => JSON.stringify([FORM, state])

/** Null when nothing can go on from it. What this very form wrote is trusted. */
export function decodeState(text: string): MapperState | null {
  let fields: unknown
  try {
    fields = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(fields) || fields[0] !== FORM) return null
  const state: unknown = fields[1]
  return isState(state) && state.isUsable ? state : null
}

const isState = (value: unknown): value is MapperState => {
  const state = asObject(value)
  return state !== null && Object.keys(START).every((key) => key in state)
}
