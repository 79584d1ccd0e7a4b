import type { Store } from '../open.ts'
import { BLOCK_BYTES, CODECS, DENSE_BLOCK_BYTES, decodeBlock, encodeBlock } from './codec.ts'

interface BlockRow {
  readonly id: number
  readonly firstNo: number
  readonly count: number
  readonly codec: number
  readonly data: Buffer
}

/**
 * Tidies the archive while nothing else is to do (design §7.3), in steps of a few milliseconds, each a transaction of its own: tails of
 * idle sessions go into blocks, and blocks that were compressed fast are joined and compressed densely.
 */
export class Packer {
  private readonly store: Store
  private readonly statements

  constructor(store: Store) {
    this.store = store
    const { sqlite } = store
    const block = 'select id, first_no as firstNo, count, codec, data from blocks'
    this.statements = {
      idleTail: sqlite.prepare<[number], { id: number; sealedCount: number }>(`
        select st.id, st.sealed_count as sealedCount from streams st join sessions s on s.id = st.session_id
        where st.tail_bytes > 0 and s.updated_at < ? limit 1`),
      tail: sqlite.prepare<[number], { no: number; data: Buffer }>(
        'select no, data from tail where stream_id = ? order by no',
      ),
      dropTail: sqlite.prepare<[number]>('delete from tail where stream_id = ?'),
      saveStream: sqlite.prepare<[number, number]>('update streams set sealed_count = ?, tail_bytes = 0 where id = ?'),
      holding: sqlite.prepare<[number, number], BlockRow>(
        `${block} where stream_id = ? and first_no <= ? order by first_no desc limit 1`,
      ),
      at: sqlite.prepare<[number, number], BlockRow>(`${block} where stream_id = ? and first_no = ?`),
      fast: sqlite.prepare<[], { streamId: number; firstNo: number }>(`
        select b.stream_id as streamId, b.first_no as firstNo from blocks b indexed by blocks_fast
        where b.codec = 1 order by b.stream_id, b.first_no limit 1`),
      dropBlock: sqlite.prepare<[number]>('delete from blocks where id = ?'),
      addBlock: sqlite.prepare<[number, number, number, number, Buffer]>(
        'insert into blocks (stream_id, first_no, count, codec, data) values (?, ?, ?, ?, ?)',
      ),
    }
  }

  /** One step; false when there is nothing to tidy among sessions that were quiet since `quietSince`. */
  step(quietSince: number): boolean {
    return this.store.sqlite.transaction(() => this.mergeTail(quietSince) || this.densify()).immediate()
  }

  private mergeTail(quietSince: number): boolean {
    const stream = this.statements.idleTail.get(quietSince)
    if (stream === undefined) return false
    const rows = this.statements.tail.all(stream.id)
    const newer = new Map(rows.filter(({ no }) => no < stream.sealedCount).map(({ no, data }) => [no, data]))
    for (const no of newer.keys()) {
      const block = this.statements.holding.get(stream.id, no)
      if (block === undefined) throw new Error(`Record ${no} of stream ${stream.id} is in no block.`)
      const bodies = decodeBlock(block, block.count).map((body, i) => newer.get(block.firstNo + i) ?? body)
      for (const merged of [...newer.keys()].filter((key) => key < block.firstNo + block.count && key >= block.firstNo))
        newer.delete(merged)
      this.statements.dropBlock.run(block.id)
      this.write(stream.id, block.firstNo, bodies, 'fast')
    }
    const sealed = this.sealRest(
      stream,
      rows.filter(({ no }) => no >= stream.sealedCount).map(({ data }) => data),
    )
    this.statements.dropTail.run(stream.id)
    this.statements.saveStream.run(sealed, stream.id)
    return true
  }

  /** Seals the open tail, together with the last block where that is small. */
  private sealRest(stream: { id: number; sealedCount: number }, bodies: Buffer[]): number {
    if (bodies.length === 0) return stream.sealedCount
    const last = this.statements.holding.get(stream.id, stream.sealedCount)
    const isSmall = last !== undefined && last.data.length < BLOCK_BYTES / 8
    if (isSmall) this.statements.dropBlock.run(last.id)
    const firstNo = isSmall ? last.firstNo : stream.sealedCount
    this.write(stream.id, firstNo, isSmall ? [...decodeBlock(last, last.count), ...bodies] : bodies, 'fast')
    return stream.sealedCount + bodies.length
  }

  private densify(): boolean {
    const fast = this.statements.fast.get()
    if (fast === undefined) return false
    const bodies: Buffer[] = []
    let bytes = 0
    while (bytes < DENSE_BLOCK_BYTES) {
      const block = this.statements.at.get(fast.streamId, fast.firstNo + bodies.length)
      if (block === undefined || block.codec === CODECS.brotliDense) break
      for (const body of decodeBlock(block, block.count)) {
        bodies.push(body)
        bytes += body.length
      }
      this.statements.dropBlock.run(block.id)
    }
    this.write(fast.streamId, fast.firstNo, bodies, 'dense')
    return true
  }

  private write(streamId: number, firstNo: number, bodies: readonly Buffer[], density: 'fast' | 'dense'): void {
    const { codec, data } = encodeBlock(bodies, density)
    this.statements.addBlock.run(streamId, firstNo, bodies.length, codec, data)
  }
}
