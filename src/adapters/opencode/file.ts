import { type JsonObject, stringAt } from '../../model/json.ts'
import type { FileRow } from '../../model/rows.ts'
import { parseDataUri } from '../kit/data-uri.ts'

/** What a `file` part or an attachment of a tool's result holds: a link, or the bytes themselves as a data URI. */
export function fileOf(file: JsonObject): Pick<FileRow, 'mediaType' | 'fileName' | 'data' | 'url'> {
  const url = stringAt(file, 'url')
  const inline = url === null ? null : parseDataUri(url)
  return {
    mediaType: stringAt(file, 'mime') ?? inline?.mediaType ?? null,
    fileName: stringAt(file, 'filename'),
    data: inline?.bytes ?? null,
    url: inline === null ? url : null,
  }
}
