import { RECORD_CAP_BYTES, type SourceRecord } from '../../model/record.ts'
import type { NameWriter } from '../names.ts'
import type { Store } from '../open.ts'
import { cutBlobs, encodeSpans, sha256 } from './blob-spans.ts'
import type { BlobWriter } from './blobs.ts'
import { BLOCK_BYTES, encodeBlock } from './codec.ts'

/** A stream while records are put into it; its row is written by `flush`. */
export interface OpenStream {
  readonly id: number
  readonly sessionId: number
  readonly isKeyed: boolean
  recordCount: number
  sealedCount: number
  tailBytes: number
  /** Bodies put since the last flush, from number `recordCount - pending.length` on. */
  readonly pending: Buffer[]
  isDirty: boolean
}

/** What became of a record. */
export type PutResult = { readonly no: number; readonly change: 'new' | 'replaced' | 'same' }

interface KnownRecord {
  readonly no: number
  readonly digest: number | null
  readonly byteLength: number
  readonly isMapped: number
}

interface StreamRow {
  readonly id: number
  readonly recordCount: number
  readonly sealedCount: number
  readonly tailBytes: number
}

/** Puts records into the archive on the writing connection, inside the caller's transaction. */
export class ArchiveWriter {
  private readonly blobs: BlobWriter
  private readonly names: NameWriter
  private readonly statements

  constructor(store: Store, names: NameWriter, blobs: BlobWriter) {
    this.blobs = blobs
    this.names = names
    const { sqlite } = store
    this.statements = {
      findStream: sqlite.prepare<[number, number, number], StreamRow>(
        'select id, record_count as recordCount, sealed_count as sealedCount, tail_bytes as tailBytes from streams where session_id = ? and unit_id = ? and generation = ?',
      ),
      newest: sqlite.prepare<[number, number], { generation: number | null }>(
        'select max(generation) as generation from streams where session_id = ? and unit_id = ?',
      ),
      addStream: sqlite.prepare<[number, number, number, string, number]>(
        'insert into streams (session_id, unit_id, generation, path, is_keyed) values (?, ?, ?, ?, ?)',
      ),
      saveStream: sqlite.prepare<[number, number, number, number]>(
        'update streams set record_count = ?, sealed_count = ?, tail_bytes = ? where id = ?',
      ),
      byKey: sqlite.prepare<[number, string], KnownRecord>(
        'select no, digest, byte_length as byteLength, is_mapped as isMapped from records where stream_id = ? and key = ?',
      ),
      byNumber: sqlite.prepare<[number, number], { isMapped: number }>(
        'select is_mapped as isMapped from records where stream_id = ? and no = ?',
      ),
      addRecord: sqlite.prepare<
        [number, number, number | null, number, number | null, string | null, number | null, number, Buffer | null]
      >(
        'insert into records (stream_id, no, type_id, byte_length, line, key, digest, is_mapped, blobs) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ),
      replaceRecord: sqlite.prepare<[number | null, number, number | null, Buffer | null, number, number]>(
        'update records set type_id = ?, byte_length = ?, digest = ?, blobs = ? where stream_id = ? and no = ?',
      ),
      setMapped: sqlite.prepare<[number, number]>('update records set is_mapped = 1 where stream_id = ? and no = ?'),
      putTail: sqlite.prepare<[number, number, Buffer]>(
        'insert into tail (stream_id, no, data) values (?, ?, ?) on conflict do update set data = excluded.data',
      ),
      tailFrom: sqlite.prepare<[number, number], { data: Buffer }>(
        'select data from tail where stream_id = ? and no >= ? order by no',
      ),
      dropTailFrom: sqlite.prepare<[number, number]>('delete from tail where stream_id = ? and no >= ?'),
      addBlock: sqlite.prepare<[number, number, number, number, Buffer]>(
        'insert into blocks (stream_id, first_no, count, codec, data) values (?, ?, ?, ?, ?)',
      ),
    }
  }

  /** Generation of a unit's newest stream in a session; 0 before there is any. */
  generation(sessionId: number, unitId: number): number {
    return this.statements.newest.get(sessionId, unitId)?.generation ?? 0
  }

  /** The stream of a session's unit, made if it is missing. */
  stream(sessionId: number, unitId: number, generation: number, path: string, isKeyed: boolean): OpenStream {
    let row = this.statements.findStream.get(sessionId, unitId, generation)
    if (row === undefined) {
      this.statements.addStream.run(sessionId, unitId, generation, path, isKeyed ? 1 : 0)
      row = this.statements.findStream.get(sessionId, unitId, generation)
    }
    if (row === undefined) throw new Error('A stream that was just made is not there.')
    return { ...row, sessionId, isKeyed, pending: [], isDirty: false }
  }

  /** Keeps a record: the next of its stream, or a new version of the one with its key. An equal version writes nothing. */
  put(stream: OpenStream, record: SourceRecord, isMapped: boolean): PutResult {
    const key = typeof record.ref === 'string' ? record.ref : null
    const digest = key === null ? null : digestOf(record.bytes)
    const byteLength = record.cutFrom ?? record.bytes.length
    const known = this.known(stream, record, digest, byteLength)
    if (known?.isSame) return { no: known.no, change: 'same' }

    const { body, spans } = this.store(stream, record)
    const typeId = this.names.id(record.type)
    stream.isDirty = true
    if (known !== null) {
      this.statements.replaceRecord.run(typeId, byteLength, digest, spans, stream.id, known.no)
      this.override(stream, known.no, body)
      return { no: known.no, change: 'replaced' }
    }
    const no = stream.recordCount
    const line = record.line === null || record.line === no + 1 ? null : record.line
    this.statements.addRecord.run(stream.id, no, typeId, byteLength, line, key, digest, isMapped ? 1 : 0, spans)
    stream.recordCount += 1
    stream.pending.push(body)
    return { no, change: 'new' }
  }

  /** Number of a record that was put in an earlier commit and is cited now; null when there is none. */
  cite(stream: OpenStream, ref: string | number): number | null {
    const known =
      typeof ref === 'number'
        ? { no: ref, isMapped: this.statements.byNumber.get(stream.id, ref)?.isMapped }
        : this.statements.byKey.get(stream.id, ref)
    if (known?.isMapped === undefined) return null
    if (known.isMapped === 0) this.statements.setMapped.run(stream.id, known.no)
    return known.no
  }

  /** Writes what was put: sealed into blocks where it is much or the import is a bulk one, else to the open tail. */
  flush(stream: OpenStream, isBulk: boolean): void {
    if (!stream.isDirty) return
    const pendingBytes = stream.pending.reduce((sum, body) => sum + body.length, 0)
    if (isBulk || stream.tailBytes + pendingBytes >= BLOCK_BYTES) this.seal(stream)
    else {
      let no = stream.recordCount - stream.pending.length
      for (const body of stream.pending) this.statements.putTail.run(stream.id, no++, body)
      stream.tailBytes += pendingBytes
      stream.pending.length = 0
    }
    this.statements.saveStream.run(stream.recordCount, stream.sealedCount, stream.tailBytes, stream.id)
    stream.isDirty = false
  }

  private known(stream: OpenStream, record: SourceRecord, digest: number | null, byteLength: number) {
    if (typeof record.ref === 'number') return record.ref < stream.recordCount ? { no: record.ref, isSame: true } : null
    const row = this.statements.byKey.get(stream.id, record.ref)
    return row === undefined ? null : { no: row.no, isSame: row.digest === digest && row.byteLength === byteLength }
  }

  /** Takes binary data out into blobs, and marks what was cut at the cap. */
  private store(stream: OpenStream, record: SourceRecord): { body: Buffer; spans: Buffer | null } {
    const bytes = Buffer.from(record.bytes.buffer, record.bytes.byteOffset, record.bytes.byteLength)
    if (record.cutFrom !== null) {
      const mark = `\n[Weir kept ${RECORD_CAP_BYTES} of ${record.cutFrom} bytes of this record]\n`
      return { body: Buffer.concat([bytes, Buffer.from(mark)]), spans: null }
    }
    const cut = cutBlobs(bytes)
    if (cut === null) return { body: bytes, spans: null }
    for (const blob of cut.blobs) this.blobs.put(blob.sha256, blob.data, blob.mediaType, stream.sessionId)
    return { body: cut.body, spans: encodeSpans(cut.blobs) }
  }

  private override(stream: OpenStream, no: number, body: Buffer): void {
    const pendingFrom = stream.recordCount - stream.pending.length
    if (no >= pendingFrom) stream.pending[no - pendingFrom] = body
    else {
      this.statements.putTail.run(stream.id, no, body)
      stream.tailBytes += body.length
    }
  }

  private seal(stream: OpenStream): void {
    const open = this.statements.tailFrom.all(stream.id, stream.sealedCount).map(({ data }) => data)
    if (open.length > 0) this.statements.dropTailFrom.run(stream.id, stream.sealedCount)
    let group: Buffer[] = []
    let groupBytes = 0
    const close = () => {
      if (group.length === 0) return
      const { codec, data } = encodeBlock(group)
      this.statements.addBlock.run(stream.id, stream.sealedCount, group.length, codec, data)
      stream.sealedCount += group.length
      group = []
      groupBytes = 0
    }
    for (const body of [...open, ...stream.pending]) {
      group.push(body)
      groupBytes += body.length
      if (groupBytes >= BLOCK_BYTES) close()
    }
    close()
    stream.pending.length = 0
    // What is left in the tail are newer versions of sealed records; packing merges them.
    stream.tailBytes = Math.max(0, stream.tailBytes - open.reduce((sum, body) => sum + body.length, 0))
  }
}

/** 48 bits of a record's SHA-256: with its length, enough to tell whether a version differs from the one before it. */
function digestOf(bytes: Uint8Array): number {
  return sha256(bytes).readUIntBE(0, 6)
}
