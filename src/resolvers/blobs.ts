import { type Blob, readBlob } from '../db/queries/blobs.ts'
import type { Services } from './services.ts'

export type { Blob } from '../db/queries/blobs.ts'

/** Binary data by its SHA-256 in hexadecimal digits. */
export const blobOf = async ({ store }: Services, sha256: string): Promise<Blob | null> => readBlob(store, sha256)
