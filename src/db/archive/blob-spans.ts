import { hash } from 'node:crypto'
import { VarintReader, writeVarint } from './varint.ts'

/**
 * Binary data inside records (design §3.13). Base64 of data URIs, and of `"data":"…"` fields that hold a known media type, is cut out of the
 * archived bytes and kept once as a blob; putting it back gives the record byte for byte.
 */
export interface BlobSpan {
  /** Where in the remaining bytes the base64 text belongs. */
  readonly offset: number
  readonly sha256: Buffer
}

export interface FoundBlob extends BlobSpan {
  readonly data: Buffer
  readonly mediaType: string
}

/** Shorter base64 isn't worth a blob of its own in the archive. */
const MIN_BASE64_CHARS = 512
const OPENER = /;base64,|"data": ?"/g

/** What `bytes` holds of binary data, and the bytes that remain without it; null when it holds none. */
export function cutBlobs(bytes: Buffer): { readonly body: Buffer; readonly blobs: readonly FoundBlob[] } | null {
  if (bytes.length < MIN_BASE64_CHARS) return null
  // One byte a character: a single pass, at a place that is the same in the bytes.
  const starts = [...bytes.toString('latin1').matchAll(OPENER)].map(({ index, 0: opener }) => ({
    start: index + opener.length,
    isUri: opener.startsWith(';'),
  }))
  if (starts.length === 0) return null
  const kept: Buffer[] = []
  const blobs: FoundBlob[] = []
  let copiedTo = 0
  let bodyLength = 0
  for (const { start, isUri } of starts) {
    if (start < copiedTo) continue
    const end = base64End(bytes, start)
    if (end - start < MIN_BASE64_CHARS) continue
    const text = bytes.toString('latin1', start, end)
    const data = Buffer.from(text, 'base64')
    // Only what encodes back to the very same text can be put back exactly.
    if (data.toString('base64') !== text) continue
    const mediaType = isUri ? declaredType(bytes, start) : sniffMediaType(data)
    if (mediaType === null) continue
    kept.push(bytes.subarray(copiedTo, start))
    bodyLength += start - copiedTo
    copiedTo = end
    blobs.push({ offset: bodyLength, sha256: sha256(data), data, mediaType })
  }
  if (blobs.length === 0) return null
  kept.push(bytes.subarray(copiedTo))
  return { body: Buffer.concat(kept), blobs }
}

/** `body` with `insert(span)` put back at each span. */
export function fillBlobs(body: Buffer, spans: readonly BlobSpan[], insert: (span: BlobSpan) => Buffer): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (const span of spans) {
    pieces.push(body.subarray(from, span.offset), insert(span))
    from = span.offset
  }
  return Buffer.concat([...pieces, body.subarray(from)])
}

export function encodeSpans(spans: readonly BlobSpan[]): Buffer {
  return Buffer.concat(
    spans.flatMap(({ offset, sha256: hash }) => {
      const prefix: number[] = []
      writeVarint(prefix, offset)
      return [Buffer.from(prefix), hash]
    }),
  )
}

export function decodeSpans(bytes: Buffer): BlobSpan[] {
  const reader = new VarintReader(bytes)
  const spans: BlobSpan[] = []
  while (!reader.isAtEnd) {
    const offset = reader.next()
    spans.push({ offset, sha256: bytes.subarray(reader.offset, reader.offset + 32) })
    reader.offset += 32
  }
  return spans
}

export const sha256 = (data: Uint8Array): Buffer => hash('sha256', data, 'buffer')

const isBase64 = Uint8Array.from({ length: 256 }, (_, code) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(code)) ? 1 : 0,
)

function base64End(bytes: Buffer, start: number): number {
  let end = start
  while (isBase64[bytes[end] ?? 0] === 1) end += 1
  while (bytes[end] === 0x3d && end - start < bytes.length) end += 1
  return end
}

/** Media type of the data URI whose base64 starts at `start`. */
function declaredType(bytes: Buffer, start: number): string | null {
  const before = bytes.toString('latin1', Math.max(0, start - 160), start)
  return /data:([^,;"\\]*)(?:;[^,"\\]*)?;base64,$/.exec(before)?.[1] || null
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['OggS', 'audio/ogg'],
  ['ID3', 'audio/mpeg'],
]

/** Media type that the first bytes show, for the few types that agents attach; null for anything else. */
export function sniffMediaType(data: Buffer): string | null {
  const head = data.toString('latin1', 0, 12)
  if (head.startsWith('RIFF')) return head.endsWith('WEBP') ? 'image/webp' : head.endsWith('WAVE') ? 'audio/wav' : null
  return MAGIC.find(([magic]) => head.startsWith(magic))?.[1] ?? null
}
