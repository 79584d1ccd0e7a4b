import { asArray, at, type JsonObject, stringAt } from '../../model/json.ts'

/** What a person reads where a part is no conversation. Null for types that we don't know: their name must do. */
export function labelOf(type: string, part: JsonObject): string | null {
  const labelled = (name: string, detail: string | null): string => (detail === null ? name : `${name}: ${detail}`)
  switch (type) {
    case 'step-start':
      return 'Step started'
    case 'step-finish':
      return labelled('Step finished', stringAt(part, 'reason'))
    case 'patch':
      return labelled(
        'Files changed',
        asArray(part['files'])
          .filter((file) => typeof file === 'string')
          .join(', ') || null,
      )
    case 'snapshot':
      return 'Snapshot of the working tree'
    case 'agent':
      return labelled('Agent', stringAt(part, 'name'))
    case 'subtask':
      return labelled('Subtask', stringAt(part, 'description') ?? stringAt(part, 'agent'))
    case 'retry':
      return labelled('Retry', stringAt(part, 'error', 'data', 'message') ?? stringAt(part, 'error', 'name'))
    case 'compaction':
      return at(part, 'auto') === true ? 'Compaction, automatic' : 'Compaction'
    default:
      return null
  }
}
