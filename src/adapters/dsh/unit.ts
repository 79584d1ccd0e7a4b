import { isObject } from '../../model/json.ts'

/** What discovery knows of a log, for its reading. */
export interface LogMeta {
  readonly kind: 'log'
  readonly path: string
  readonly name: string
  readonly isCompressed: boolean
  readonly generation: number
  /** The name of the directory, which may be a file's name and so can always be an id. */
  readonly segment: string
  /** DSH_HOME, where attachments lie. */
  readonly home: string
  /** The log of another session of the root, by the id that its directory's name stands for. */
  others(id: string): { readonly path: string; readonly isCompressed: boolean } | null
}

export const isLogMeta = (meta: unknown): meta is LogMeta => isObject(meta) && meta['kind'] === 'log'
