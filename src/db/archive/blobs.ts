import { imageSize } from 'image-size'
import type { Store } from '../open.ts'

/** Keeps binary data once, by SHA-256, and who cites it (design §3.13). */
export class BlobWriter {
  private readonly add
  private readonly use
  private readonly used

  constructor(store: Store) {
    this.add = store.sqlite.prepare<[Buffer, string, number, number | null, number | null, Buffer]>(
      'insert into blobs (sha256, media_type, byte_length, width, height, data) values (?, ?, ?, ?, ?, ?) on conflict do nothing',
    )
    this.use = store.sqlite.prepare<[Buffer, number]>(
      'insert into blob_uses (sha256, session_id) values (?, ?) on conflict do nothing',
    )
    this.used = store.sqlite.prepare<[Buffer, number]>('select 1 from blob_uses where sha256 = ? and session_id = ?')
  }

  put(hash: Buffer, data: Buffer, mediaType: string, sessionId: number): void {
    const size = mediaType.startsWith('image/') ? pixels(data) : null
    this.add.run(hash, mediaType, data.length, size?.width ?? null, size?.height ?? null, data)
    this.use.run(hash, sessionId)
  }

  /** Whether the session's data with this hash was kept before. */
  isUsed(hash: Buffer, sessionId: number): boolean {
    return this.used.get(hash, sessionId) !== undefined
  }
}

/** Pixels of an image, read from its header; null for what the header doesn't tell. */
function pixels(data: Buffer): { width: number; height: number } | null {
  try {
    const { width, height } = imageSize(data)
    return { width, height }
  } catch {
    // A type that the library doesn't know, or a damaged header: the image stays, without its size.
    return null
  }
}
