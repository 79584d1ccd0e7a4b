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
  /** Logs of other sessions of the root, by the ids that their directories' names stand for. */
  readonly others: ReadonlyMap<string, { readonly path: string; readonly isCompressed: boolean }>
}

export const isLogMeta = (meta: unknown): meta is LogMeta => isObject(meta) && meta['kind'] === 'log'
