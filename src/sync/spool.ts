import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

const LENGTH_BYTES = 4

/** Values in a file, read back in the order in which they were put. The file has lost its name already, so that it ends with its process. */
export class Spool<T> {
  private readonly file: number
  private end = 0

  constructor(path: string) {
    this.file = openSync(path, 'w+', 0o600)
    rmSync(path, { force: true })
  }

  put(value: T): void {
    const body = serialize(value)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32LE(body.length)
    for (const bytes of [length, body]) {
      for (let from = 0; from < bytes.length; )
        from += writeSync(this.file, bytes, from, bytes.length - from, this.end + from)
      this.end += bytes.length
    }
  }

  /** One value in memory at a time. */
  *values(): Generator<T> {
    for (let at = 0; at < this.end; ) {
      const length = this.bytes(at, LENGTH_BYTES).readUInt32LE()
      const value: T = deserialize(this.bytes(at + LENGTH_BYTES, length))
      at += LENGTH_BYTES + length
      yield value
    }
  }

  clear(): void {
    ftruncateSync(this.file)
    this.end = 0
  }

  close(): void {
    closeSync(this.file)
  }

  private bytes(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let read = 0; read < length; ) {
      const more = readSync(this.file, bytes, read, length - read, from + read)
      if (more === 0) throw new Error('What was put aside of a rewritten file is no longer whole; sync again.')
      read += more
    }
    return bytes
  }
}
