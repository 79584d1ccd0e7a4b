import {
  type BrotliOptions,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  inflateRawSync,
} from 'node:zlib'
import { DICTIONARY } from './dictionary.ts'
import { VarintReader, writeVarint } from './varint.ts'

/**
 * A block: lengths of its records, then their exact bytes, compressed as one (design §7.3). The codec's number is stored with the
 * block and never changes its meaning.
 */
export const CODECS = {
  stored: 0,
  /** Fast, for what is written while someone waits. */
  brotliFast: 1,
  /** For blocks too small to find repetitions in themselves: deflate with a dictionary that ships with the code. */
  deflateDictionary: 2,
  /** Dense, for cold blocks. */
  brotliDense: 3,
} as const

/** Blocks are sealed at this many bytes before compression. */
export const BLOCK_BYTES = 128 * 1024
/** Cold blocks are joined up to this many. */
export const DENSE_BLOCK_BYTES = 256 * 1024
const DICTIONARY_BELOW_BYTES = 16 * 1024
const WINDOW_BITS = 18
/** Output that is taken at once: one piece for nearly every block, where the default of 16 KiB makes and joins many. */
const PLAIN_CHUNK_BYTES = BLOCK_BYTES + 32 * 1024
const PACKED_CHUNK_BYTES = 64 * 1024

export interface Block {
  readonly codec: number
  readonly data: Buffer
}

export function encodeBlock(records: readonly Uint8Array[], density: 'fast' | 'dense' = 'fast'): Block {
  const lengths: number[] = []
  for (const record of records) writeVarint(lengths, record.length)
  const plain = Buffer.concat([Buffer.from(lengths), ...records])
  const best =
    plain.length < DICTIONARY_BELOW_BYTES
      ? { codec: CODECS.deflateDictionary, data: deflateRawSync(plain, { dictionary: DICTIONARY }) }
      : density === 'dense'
        ? { codec: CODECS.brotliDense, data: brotliCompressSync(plain, brotli(5)) }
        : { codec: CODECS.brotliFast, data: brotliCompressSync(plain, brotli(1)) }
  return best.data.length < plain.length ? best : { codec: CODECS.stored, data: plain }
}

/** The records of a block of `count`; each is a view into the block's plain bytes. */
export function decodeBlock(block: { codec: number; data: Uint8Array }, count: number): Buffer[] {
  const plain = decompress(block.codec, block.data)
  const lengths = new VarintReader(plain)
  const sizes = Array.from({ length: count }, () => lengths.next())
  let offset = lengths.offset
  return sizes.map((size) => {
    const start = offset
    offset += size
    return plain.subarray(start, offset)
  })
}

function decompress(codec: number, data: Uint8Array): Buffer {
  switch (codec) {
    case CODECS.stored:
      return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    case CODECS.deflateDictionary:
      return inflateRawSync(data, { dictionary: DICTIONARY, chunkSize: DICTIONARY_BELOW_BYTES })
    case CODECS.brotliFast:
    case CODECS.brotliDense:
      return brotliDecompressSync(data, { chunkSize: PLAIN_CHUNK_BYTES })
    default:
      throw new RangeError(`The archive holds a block of codec ${codec}: the store is newer than this program.`)
  }
}

const brotli = (quality: number): BrotliOptions => ({
  chunkSize: PACKED_CHUNK_BYTES,
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS },
})
