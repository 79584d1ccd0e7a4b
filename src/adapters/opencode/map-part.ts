import { asString } from '../../model/json.ts'
import type { PartRow } from '../../model/rows.ts'
import { reasoningText } from './content.ts'
import { fileOf } from './file.ts'
import { labelOf } from './label.ts'
import { mapToolCall } from './map-tool.ts'
import type { PartDraft } from './part-draft.ts'

export function mapPart(
  part: PartDraft,
  messageId: string,
  role: 'USER' | 'ASSISTANT' | 'SYSTEM',
  ordinal: number,
): PartRow {
  const { ref, id, type, data } = part
  const isInjected = role === 'SYSTEM' || data['synthetic'] === true
  const base = {
    nativeId: id,
    messageId,
    ordinal,
    provenance: isInjected ? ('INJECTED' as const) : ('CONVERSATIONAL' as const),
    isSplitOff: false,
  }
  const cited = (place: string) => ({ ...base, citation: { record: ref, place } })
  if (type === 'text') return { ...cited('text'), kind: 'TEXT', text: asString(data['text']) }
  if (type === 'reasoning') return { ...cited('text'), kind: 'REASONING', text: reasoningText(data) }
  if (type === 'file') return { ...cited('file'), kind: 'FILE', ...fileOf(data) }
  if (type === 'tool' && role === 'ASSISTANT') return mapToolCall(part, cited('input'))
  return {
    ...cited('data'),
    kind: 'DATA',
    provenance: 'INJECTED',
    dataType: type === '' ? 'unknown' : type,
    label: labelOf(type, data),
    data,
  }
}
