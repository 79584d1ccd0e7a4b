import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addressKey } from '../../../src/db/archive/address.ts'
import { cutBlobs, decodeSpans, encodeSpans, fillBlobs } from '../../../src/db/archive/blob-spans.ts'
import { BlobWriter } from '../../../src/db/archive/blobs.ts'
import { BLOCK_BYTES, CODECS, decodeBlock, encodeBlock } from '../../../src/db/archive/codec.ts'
import { Packer } from '../../../src/db/archive/pack.ts'
import { ArchiveReader } from '../../../src/db/archive/read.ts'
import { ArchiveWriter } from '../../../src/db/archive/write.ts'
import { openHome } from '../../../src/db/home.ts'
import { NameWriter } from '../../../src/db/names.ts'
import { openWriter } from '../../../src/db/open.ts'
import type { SourceRecord } from '../../../src/model/record.ts'
import { tempDir } from '../../support/temp.ts'

const record = (ref: number | string, text: string | Buffer): SourceRecord => ({
  ref,
  type: 'line',
  bytes: Buffer.from(text),
  line: null,
  cutFrom: null,
})

/** An archive in an empty store, with one session and one unit to put records under. */
function openArchive() {
  const home = openHome(tempDir())
  const store = openWriter(home.store)
  onTestFinished(() => store.close())
  store.sqlite.exec(`
    insert into origins (id, uid, name, is_local) values (1, 'o', 'here', 1);
    insert into sources (id, name, title, is_enabled) values (1, 'test', 'Test', 1);
    insert into roots (id, source_id, origin_id, path, status, generations, warnings, is_configured) values (1, 1, 1, '/r', 0, '[]', '[]', 1);
    insert into units (id, root_id, key) values (1, 1, 'u');
    insert into sessions (id, uid, origin_id, source_id, native_id, kind, agent, created_at, created_at_origin, updated_at, last_activity_at,
      part_counts, models, revision, epoch) values (1, x'00', 1, 1, 's', 0, 'test', 1, 0, 1, 1, '[]', '[]', 1, 'e');`)
  const archive = new ArchiveWriter(store, new NameWriter(store), new BlobWriter(store))
  return {
    store,
    archive,
    reader: new ArchiveReader(store),
    open: (isKeyed: boolean) => archive.stream(1, 1, 0, '/r', isKeyed),
  }
}

const scalar = <T>(store: ReturnType<typeof openArchive>['store'], sql: string): T =>
  store.sqlite.prepare(sql).pluck().get() as T

describe('a block', () => {
  it('gives back the exact bytes of any records, by any codec', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        (records, dense) => {
          const block = encodeBlock(records, dense ? 'dense' : 'fast')
          expect(decodeBlock(block, records.length).map((body) => body.toString('hex'))).toEqual(
            records.map((body) => Buffer.from(body).toString('hex')),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of few small records is made smaller by the dictionary', () => {
    const line = Buffer.from(
      '{"id":"msg_1","session_id":"ses_1","data":{"role":"user","time":{"created":1},"agent":"build"}}',
    )
    const { codec, data } = encodeBlock([line])
    expect(codec).toBe(CODECS.deflateDictionary)
    expect(data.length).toBeLessThan(line.length / 2)
  })
})

describe('binary data in a record', () => {
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(2000)])

  it('is cut out of data URIs and typed data fields, and put back byte for byte', () => {
    const text = `{"a":"data:image/png;base64,${png.toString('base64')}","b":{"data":"${png.toString('base64')}"},"c":1}`
    const cut = cutBlobs(Buffer.from(text))
    if (cut === null) throw new Error('nothing was cut')
    expect(cut.blobs.map((blob) => blob.mediaType)).toEqual(['image/png', 'image/png'])
    expect(cut.body.length).toBeLessThan(100)
    const spans = decodeSpans(encodeSpans(cut.blobs))
    expect(fillBlobs(cut.body, spans, () => Buffer.from(png.toString('base64'))).toString()).toBe(text)
  })

  it('leaves signatures and encrypted text alone', () => {
    const secret = randomBytes(3000).toString('base64')
    expect(cutBlobs(Buffer.from(`{"type":"redacted_thinking","data":"${secret}"}`))).toBeNull()
    expect(cutBlobs(Buffer.from(`{"type":"thinking","signature":"${secret}"}`))).toBeNull()
  })

  it('is kept once, whatever number of records hold it', async () => {
    const { store, archive, reader, open } = openArchive()
    const stream = open(false)
    const texts = [1, 2, 3].map((n) => `{"n":${n},"url":"data:image/png;base64,${png.toString('base64')}"}`)
    for (const [no, text] of texts.entries()) archive.put(stream, record(no, text), true)
    archive.flush(stream, true)
    expect(scalar(store, 'select count(*) from blobs')).toBe(1)
    const read = await reader.bytes([0, 1, 2].map((no) => ({ streamId: stream.id, no })))
    expect([...read.values()].map((bytes) => bytes.toString())).toEqual(texts)
    const parsed = await reader.parsed([{ streamId: stream.id, no: 1 }])
    const sha256 = scalar<string>(store, 'select lower(hex(sha256)) from blobs')
    expect(parsed.get(addressKey({ streamId: stream.id, no: 1 }))).toEqual({ n: 2, url: { $blob: sha256 } })
  })
})

describe('a stream of records', () => {
  it('reads the same whether its records are in the tail, in blocks, or packed', async () => {
    const { store, archive, reader, open } = openArchive()
    const stream = open(false)
    const bodies = Array.from({ length: 300 }, (_, n) => `${JSON.stringify({ n, text: 'word '.repeat(n) })}\n`)
    for (const [no, body] of bodies.entries()) {
      archive.put(stream, record(no, body), true)
      if (no % 7 === 0) archive.flush(stream, false)
    }
    archive.flush(stream, false)
    const all = bodies.map((_, no) => ({ streamId: stream.id, no }))
    const readAll = async () => [...(await reader.bytes(all)).values()].map((bytes) => bytes.toString())
    expect(scalar(store, 'select count(*) from tail')).toBeGreaterThan(0)
    expect(scalar(store, 'select count(*) from blocks')).toBeGreaterThan(0)
    expect(await readAll()).toEqual(bodies)
    const packer = new Packer(store)
    let steps = 0
    while (packer.step(10)) steps += 1
    expect(steps).toBeGreaterThan(0)
    expect(scalar(store, 'select count(*) from tail')).toBe(0)
    expect(scalar(store, 'select count(*) from blocks where codec = 1')).toBe(0)
    expect(await readAll()).toEqual(bodies)
  })

  it('serves the newest version of a replaced record, before and after packing', async () => {
    const { store, archive, reader, open } = openArchive()
    const stream = open(true)
    for (const key of ['m/1', 'm/2', 'm/3']) archive.put(stream, record(key, `{"v":1,"key":"${key}"}`), true)
    archive.flush(stream, true)
    const read = async () => (await reader.bytes([{ streamId: stream.id, no: 1 }])).values().next().value?.toString()
    expect(await read()).toBe('{"v":1,"key":"m/2"}')
    expect(archive.put(stream, record('m/2', '{"v":1,"key":"m/2"}'), true).change).toBe('same')
    expect(archive.put(stream, record('m/2', '{"v":2}'), true)).toEqual({ no: 1, change: 'replaced' })
    archive.flush(stream, false)
    expect(await read()).toBe('{"v":2}')
    const packer = new Packer(store)
    while (packer.step(10));
    expect(scalar(store, 'select count(*) from tail')).toBe(0)
    expect(await read()).toBe('{"v":2}')
  })

  it('says of a record over the cap how large it was', async () => {
    const { archive, reader, open } = openArchive()
    const stream = open(true)
    archive.put(stream, { ...record('m/1', 'start'), cutFrom: 40_000_000 }, false)
    archive.flush(stream, true)
    const bytes = await reader.bytes([{ streamId: stream.id, no: 0 }])
    expect([...bytes.values()].join()).toContain('of 40000000 bytes')
  })

  it('is sealed at the block size while it grows live', () => {
    const { store, archive, open } = openArchive()
    const stream = open(false)
    for (let no = 0; no < 40; no++) {
      archive.put(stream, record(no, randomBytes(BLOCK_BYTES / 16)), true)
      archive.flush(stream, false)
    }
    expect(scalar(store, 'select count(*) from blocks')).toBe(2)
    expect(scalar<number>(store, 'select count(*) from tail')).toBeLessThan(16)
  })
})
