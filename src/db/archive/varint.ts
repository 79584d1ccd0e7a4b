/** Unsigned LEB128: seven bits a byte, the eighth says that more follow. */
export function writeVarint(out: number[], value: number): void {
  let rest = value
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  out.push(rest)
}

/** Reads varints one after the other. */
export class VarintReader {
  private readonly bytes: Uint8Array
  offset: number

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes
    this.offset = offset
  }

  get isAtEnd(): boolean {
    return this.offset >= this.bytes.length
  }

  next(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.bytes[this.offset++]
      if (byte === undefined) throw new RangeError('The archive holds a number that is cut short.')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 0x80
    }
  }
}
