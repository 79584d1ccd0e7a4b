import { readSync } from 'node:fs'

/** One frame of a file of concatenated Zstandard frames, found by its structure: the magic number may stand inside a block, too. */
export type ZstdFrame =
  | { readonly kind: 'whole' | 'torn'; readonly offset: number; readonly end: number; readonly hasChecksum: boolean }
  /** For others than decoders: to be stepped over. */
  | { readonly kind: 'skippable'; readonly offset: number; readonly end: number }
  | { readonly kind: 'broken'; readonly offset: number; readonly fault: string }

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const CHECKSUM_BYTES = 4
const DICTIONARY_BYTES = [0, 1, 2, 4]
const CONTENT_BYTES = [0, 2, 4, 8]

/** The frame at `offset` of a file of `size` bytes; null at its end. A frame that the file ends in is torn. */
export function frameAt(file: number, offset: number, size: number): ZstdFrame | null {
  if (offset >= size) return null
  const torn: ZstdFrame = { kind: 'torn', offset, end: size, hasChecksum: false }
  const bytes = (from: number, length: number): Buffer => {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - from)))
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from))
  }
  const head = bytes(offset, 8)
  if (isSkippable(head)) {
    const end = head.length < 8 ? size + 1 : offset + 8 + head.readUInt32LE(4)
    return end > size ? torn : { kind: 'skippable', offset, end }
  }
  if (!head.subarray(0, 4).equals(MAGIC.subarray(0, Math.min(4, head.length))))
    return { kind: 'broken', offset, fault: 'No Zstandard frame starts here.' }
  const descriptor = head[4]
  if (descriptor === undefined) return torn
  if ((descriptor & 8) !== 0) return { kind: 'broken', offset, fault: 'The header of this frame sets a reserved bit.' }
  const isSingle = (descriptor & 32) !== 0
  const hasChecksum = (descriptor & 4) !== 0
  const content = (CONTENT_BYTES[descriptor >> 6] ?? 0) || (isSingle ? 1 : 0)
  let position = offset + 5 + (isSingle ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + content
  for (let isLast = false; !isLast; ) {
    const block = bytes(position, 3)
    if (block.length < 3) return torn
    const header = block.readUIntLE(0, 3)
    const type = (header >> 1) & 3
    if (type === 3) return { kind: 'broken', offset, fault: 'A block of this frame is of a reserved type.' }
    isLast = (header & 1) === 1
    // A block that repeats one byte holds that byte only.
    position += 3 + (type === 1 ? 1 : header >> 3)
    if (position > size) return torn
  }
  const end = position + (hasChecksum ? CHECKSUM_BYTES : 0)
  return end > size ? torn : { kind: 'whole', offset, end, hasChecksum }
}

/** Magic numbers 0x184D2A50 to 0x184D2A5F. */
const isSkippable = (head: Buffer): boolean =>
  head.length >= 4 && (head[0] ?? 0) >> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18
