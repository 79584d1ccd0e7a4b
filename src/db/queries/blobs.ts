import { oneByKey } from '../by-key.ts'
import type { Store } from '../open.ts'
import { selectAll } from '../statement.ts'

/** What is known of binary data without reading it. */
export interface BlobFacts {
  readonly byteLength: number
  readonly width: number | null
  readonly height: number | null
}

/** By SHA-256 in hexadecimal digits. */
export const blobFacts = (store: Store, hashes: readonly string[]) =>
  oneByKey(
    store,
    'select k.key, b.byte_length, b.width, b.height from json_each(?) k join blobs b on b.sha256 = unhex(k.value)',
    hashes,
    (row): BlobFacts => ({
      byteLength: Number(row[1]),
      width: row[2] === null ? null : Number(row[2]),
      height: row[3] === null ? null : Number(row[3]),
    }),
  )

export interface Blob {
  readonly mediaType: string
  readonly data: Buffer
}

export const readBlob = (store: Store, sha256: string): Blob | null =>
  selectAll<Blob>(store, 'select media_type as mediaType, data from blobs where sha256 = unhex(?)', sha256)[0] ?? null
