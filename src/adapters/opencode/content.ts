import { asObject, asString, at, type JsonObject } from '../../model/json.ts'
import { inputOf, resultOf } from './tool.ts'
import { touchedFiles } from './touched-files.ts'
import { unwrap } from './unwrap.ts'

/** Text of a message whose role is none that we know: it has no parts that say more. */
export const roleText = (message: JsonObject): string =>
  asString(message['text']) ?? asString(message['role']) ?? 'unknown role'

/** Text of a reasoning part; null where the provider keeps it encrypted, which its metadata holds by the provider's name. */
export function reasoningText(part: JsonObject): string | null {
  const text = asString(part['text'])
  const providers = Object.values(asObject(part['metadata']) ?? {})
  return text === '' && providers.some((provider) => at(provider, 'redactedData') !== undefined) ? null : text
}

/** The value at `place` of a record: what the mapping took from there, whole. */
export function content(record: unknown, type: string, place: string): unknown {
  const data = unwrap(record)
  if (data === null) return null
  if (place.startsWith('diff:')) return touchedFiles(data)[Number(place.slice('diff:'.length))]?.diff ?? null
  switch (place) {
    case 'text':
      if (type.startsWith('message/')) return roleText(data)
      return type === 'part/reasoning' ? reasoningText(data) : asString(data['text'])
    case 'input':
      return inputOf(data)
    case 'result':
      return resultOf(data)
    case 'data':
      return data
    case 'error':
      return data['error'] ?? null
    default:
      return null
  }
}
