import { imageSize } from 'image-size'
import type { Store } from '../open.ts'

/** Keeps binary data once, by SHA-256, and who cites it (design §3.13). */
export class BlobWriter {
  private readonly add
  private readonly use

  constructor(store: Store) {
    this.add = store.sqlite.prepare<[Buffer, string, number, number | null, number | null, Buffer]>(
      'insert into blobs (sha256, media_type, byte_length, width, height, data) values (?, ?, ?, ?, ?, ?) on conflict do nothing',
    )
    this.use = store.sqlite.prepare<[Buffer, number]>(
      'insert into blob_uses (sha256, session_id) values (?, ?) on conflict do nothing',
    )
  }

  put(hash: Buffer, data: Buffer, mediaType: string, sessionId: number): void {
    const size = mediaType.startsWith('image/') ? pixels(data) : null
    this.add.run(hash, mediaType, data.length, size?.width ?? null, size?.height ?? null, data)
    this.use.run(hash, sessionId)
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
