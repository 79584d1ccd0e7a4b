import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Decompress } from 'fzstd'
import { breather } from './breathe.ts'

const CHUNK_BYTES = 256 * 1024

/** A private plain copy of a compressed file, removed by `remove`. */
export interface PlainCopy {
  readonly path: string
  /** Why not all of it could be read: a torn or damaged frame. Null when it was read to its end. */
  readonly fault: string | null
  remove(): void
}

/**
 * Decompresses a zstd file, of one frame or of many, into a temporary file, in bounded memory. A torn or damaged frame ends what is read;
 * everything before it is there.
 */
export async function decompressed(path: string): Promise<PlainCopy> {
  const directory = mkdtempSync(join(tmpdir(), 'weir-'))
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  const plain = join(directory, 'plain')
  let target: number | null = null
  try {
    const file = openSync(plain, 'wx', 0o600)
    target = file
    const fault = await decompressInto(path, (data) => {
      for (let from = 0; from < data.length; ) from += writeSync(file, data, from)
    })
    return { path: plain, fault, remove }
  } catch (error) {
    remove()
    throw error
  } finally {
    if (target !== null) closeSync(target)
  }
}

async function decompressInto(path: string, write: (data: Uint8Array) => void): Promise<string | null> {
  const source = openSync(path, 'r')
  const breathe = breather()
  try {
    // What writing throws is not the frame's fault.
    let failure: unknown = null
    const stream = new Decompress((data) => {
      try {
        write(data)
      } catch (error) {
        failure ??= error
      }
    })
    for (let isLast = false; !isLast; ) {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      const read = readSync(source, chunk, 0, chunk.length, null)
      isLast = read === 0
      try {
        stream.push(chunk.subarray(0, read), isLast)
      } catch (error) {
        if (failure === null) return error instanceof Error ? error.message : String(error)
      }
      if (failure !== null) throw failure
      await breathe()
    }
    return null
  } finally {
    closeSync(source)
  }
}
