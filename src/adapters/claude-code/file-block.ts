import { createHash } from 'node:crypto'
import { at, isObject, stringAt } from '../../model/json.ts'
import type { FileRow } from '../../model/rows.ts'

type FileFields = Pick<FileRow, 'mediaType' | 'fileName' | 'data' | 'url'>

/** Whether a block is an image, a document or another file. */
export const isFileBlock = (block: unknown): boolean =>
  ['image', 'document', 'file'].includes(stringAt(block, 'type') ?? '') && isObject(at(block, 'source'))

export function fileOf(block: unknown): FileFields {
  const source = at(block, 'source')
  const data = at(source, 'data')
  const isText = at(source, 'type') === 'text'
  return {
    mediaType: stringAt(source, 'media_type') ?? (isText ? 'text/plain' : null),
    fileName: stringAt(block, 'title') ?? stringAt(block, 'file_name'),
    data: typeof data === 'string' ? Buffer.from(data, isText ? 'utf8' : 'base64') : null,
    url: stringAt(source, 'url'),
  }
}

/** A tool's result with the name of each file's bytes in the place of the bytes (design §3.13). */
export function withoutBytes(result: unknown): unknown {
  if (!Array.isArray(result) || !result.some(isFileBlock)) return result
  return result.map((block: unknown) => {
    const source = at(block, 'source')
    const { data } = fileOf(block)
    if (!isFileBlock(block) || !isObject(block) || !isObject(source) || data === null) return block
    return { ...block, source: { ...source, data: { $blob: createHash('sha256').update(data).digest('hex') } } }
  })
}

/** Places in a result's list at which files stand. */
export const filesIn = (result: unknown): readonly number[] =>
  Array.isArray(result) ? result.flatMap((block: unknown, n) => (isFileBlock(block) ? [n] : [])) : []
