import type { Store } from '../open.ts'
import { addressKey, type RecordAddress } from './address.ts'
import { decodeSpans, fillBlobs } from './blob-spans.ts'
import { decodeBlock } from './codec.ts'

/** Decoded blocks are kept up to this many bytes. */
const CACHE_BYTES = 16 * 1024 * 1024

interface Found {
  readonly streamId: number
  readonly no: number
  readonly blobs: Buffer | null
  readonly tail: Buffer | null
  readonly blockId: number | null
  readonly firstNo: number | null
}

interface BlockRow {
  readonly id: number
  readonly count: number
  readonly codec: number
  readonly data: Buffer
}

/** Reads archived records, exact or parsed: a few statements for any number of them, through a cache of blocks bounded by bytes. */
export class ArchiveReader {
  private readonly cache = new Map<number, { readonly records: readonly Buffer[]; readonly bytes: number }>()
  private cachedBytes = 0
  private readonly cacheBytes: number
  private readonly find
  private readonly fetchBlocks
  private readonly fetchBlobs

  constructor(store: Store, options: { readonly cacheBytes?: number } = {}) {
    this.cacheBytes = options.cacheBytes ?? CACHE_BYTES
    this.find = store.sqlite.prepare<[string], Found>(`
      select r.stream_id as streamId, r.no, r.blobs, t.data as tail, b.id as blockId, b.first_no as firstNo
      from json_each(?) k
      join records r on r.stream_id = k.value ->> 0 and r.no = k.value ->> 1
      left join tail t on t.stream_id = r.stream_id and t.no = r.no
      left join blocks b on t.data is null and b.stream_id = r.stream_id and b.first_no =
        (select max(first_no) from blocks where stream_id = r.stream_id and first_no <= r.no)`)
    this.fetchBlocks = store.sqlite.prepare<[string], BlockRow>(`
      select b.id, b.count, b.codec, b.data from json_each(?) k join blocks b on b.id = k.value`)
    this.fetchBlobs = store.sqlite.prepare<[string], { hex: string; data: Buffer }>(`
      select k.value as hex, b.data from json_each(?) k join blobs b on b.sha256 = unhex(k.value)`)
  }

  /** The exact bytes that the source wrote, by `addressKey`. */
  async bytes(addresses: readonly RecordAddress[]): Promise<Map<string, Buffer>> {
    return this.bytesNow(addresses)
  }

  /** The records as JSON, by `addressKey`, with `{"$blob": sha256}` in the place of binary data; null for what is no JSON. */
  async parsed(addresses: readonly RecordAddress[]): Promise<Map<string, unknown>> {
    const parsed = new Map<string, unknown>()
    for (const { key, body, spans } of this.bodies(addresses)) {
      const text = spans.length === 0 ? body : fillBlobs(body, spans, ({ sha256 }) => Buffer.from(marker(sha256)))
      parsed.set(key, parseWithBlobs(text.toString('utf8'), spans.length > 0))
    }
    return parsed
  }

  /** `bytes` for callers on the writing thread, which is synchronous. */
  bytesNow(addresses: readonly RecordAddress[]): Map<string, Buffer> {
    const bodies = this.bodies(addresses)
    const hashes = new Set(bodies.flatMap(({ spans }) => spans.map(({ sha256 }) => sha256.toString('hex'))))
    const blobs = new Map<string, Buffer>()
    if (hashes.size > 0) {
      for (const { hex, data } of this.fetchBlobs.all(JSON.stringify([...hashes]))) blobs.set(hex, data)
    }
    const whole = new Map<string, Buffer>()
    for (const { key, body, spans } of bodies) {
      const filled = fillBlobs(body, spans, ({ sha256 }) => {
        const data = blobs.get(sha256.toString('hex'))
        if (data === undefined) throw new Error(`Blob ${sha256.toString('hex')} is missing from the store.`)
        return Buffer.from(data.toString('base64'))
      })
      whole.set(key, spans.length === 0 ? body : filled)
    }
    return whole
  }

  private bodies(addresses: readonly RecordAddress[]) {
    if (addresses.length === 0) return []
    const found = this.find.all(JSON.stringify(addresses.map(({ streamId, no }) => [streamId, no])))
    const blocks = this.blocks(found.flatMap(({ blockId }) => blockId ?? []))
    return found.flatMap(({ streamId, no, blobs, tail, blockId, firstNo }) => {
      const body = tail ?? (blockId === null ? undefined : blocks.get(blockId)?.[no - (firstNo ?? 0)])
      if (body === undefined) return []
      return [{ key: addressKey({ streamId, no }), body, spans: blobs === null ? [] : decodeSpans(blobs) }]
    })
  }

  private blocks(wanted: readonly number[]): Map<number, readonly Buffer[]> {
    const blocks = new Map<number, readonly Buffer[]>()
    const missing = new Set<number>()
    for (const id of wanted) {
      const cached = this.cache.get(id)
      if (cached === undefined) missing.add(id)
      else {
        // Reading moves it to the young end.
        this.cache.delete(id)
        this.cache.set(id, cached)
        blocks.set(id, cached.records)
      }
    }
    if (missing.size === 0) return blocks
    for (const row of this.fetchBlocks.iterate(JSON.stringify([...missing]))) {
      const records = decodeBlock(row, row.count)
      blocks.set(row.id, records)
      this.keep(row.id, records)
    }
    return blocks
  }

  private keep(id: number, records: readonly Buffer[]): void {
    const bytes = records.reduce((sum, record) => sum + record.length, 0)
    this.cache.set(id, { records, bytes })
    this.cachedBytes += bytes
    for (const [oldest, entry] of this.cache) {
      if (this.cachedBytes <= this.cacheBytes) break
      this.cache.delete(oldest)
      this.cachedBytes -= entry.bytes
    }
  }
}

const MARK = '\uE000weir-blob:'
const marker = (sha256: Buffer): string => `${MARK}${sha256.toString('hex')}\uE001`
const WHOLE_VALUE = /^(?:data:[^,]*,)?\uE000weir-blob:([0-9a-f]{64})\uE001$/
const INSIDE = /\uE000weir-blob:([0-9a-f]{64})\uE001/g

function parseWithBlobs(text: string, hasBlobs: boolean): unknown {
  try {
    return hasBlobs
      ? (JSON.parse(text, (_, value: unknown) => withReference(value)) as unknown)
      : (JSON.parse(text) as unknown)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function withReference(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes(MARK)) return value
  const whole = WHOLE_VALUE.exec(value)
  return whole?.[1] !== undefined ? { $blob: whole[1] } : value.replace(INSIDE, '$blob:$1')
}
