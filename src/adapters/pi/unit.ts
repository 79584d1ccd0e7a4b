import { isObject } from '../../model/json.ts'

/** What discovery knows of a file, for its reading. */
export interface UnitMeta {
  readonly size: number
  readonly mtimeMs: number
}

export const isUnitMeta = (meta: unknown): meta is UnitMeta =>
  isObject(meta) && typeof meta['size'] === 'number' && typeof meta['mtimeMs'] === 'number'
