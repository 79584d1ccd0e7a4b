import type { Provenance } from '../../model/enums.ts'
import { at, type JsonObject, stringAt } from '../../model/json.ts'

/** What the client itself writes into the person's turn, by how it starts. */
const INJECTED_START =
  /^\s*(<(task-notification|command-name|command-message|command-args|local-command-[a-z]+|bash-input|bash-stdout|bash-stderr|session-start-hook|user-prompt-submit-hook)>|\[Request interrupted by user)/
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g

export interface Span {
  readonly from: number
  readonly to: number
  readonly provenance: Provenance
}

/** Whether a whole user record is the harness's, whatever its texts say. */
export const isHarness = (json: JsonObject): boolean =>
  json['isMeta'] === true ||
  json['isCompactSummary'] === true ||
  stringAt(json, 'origin', 'kind') === 'task-notification' ||
  // Some versions flag the message in the record instead.
  at(json, 'message', 'isMeta') === true

/** A text of the person's turn in spans of one provenance each, without a gap (design §3.5). */
export function spansOf(text: string, isInjected: boolean): readonly Span[] {
  if (isInjected || INJECTED_START.test(text)) return [{ from: 0, to: text.length, provenance: 'INJECTED' }]
  const spans: Span[] = []
  let from = 0
  const push = (to: number, provenance: Provenance): void => {
    if (to > from) spans.push({ from, to, provenance })
    from = Math.max(from, to)
  }
  for (const found of text.matchAll(REMINDER)) {
    push(found.index, 'CONVERSATIONAL')
    push(found.index + found[0].length, 'INJECTED')
  }
  push(text.length, 'CONVERSATIONAL')
  return spans.length > 0 ? spans : [{ from: 0, to: 0, provenance: 'CONVERSATIONAL' }]
}
