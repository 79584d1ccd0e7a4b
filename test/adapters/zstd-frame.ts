import createXxhash from 'xxhash-wasm'

const { h64Raw } = await createXxhash()

/** A zstd frame that holds `data` as it is, in raw blocks, with its checksum: what every decoder must read, without an encoder. */
export function zstdFrame(data: Uint8Array): Buffer {
  const pieces = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa4]), u32(data.length)]
  const MOST = 64 * 1024
  for (let from = 0; from === 0 || from < data.length; from += MOST) {
    const block = data.subarray(from, from + MOST)
    const isLast = from + MOST >= data.length
    const head = (block.length << 3) | (isLast ? 1 : 0)
    pieces.push(Buffer.from([head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff]), Buffer.from(block))
  }
  pieces.push(u32(Number(BigInt.asUintN(32, h64Raw(data)))))
  return Buffer.concat(pieces)
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
