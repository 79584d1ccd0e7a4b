import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zstdLines } from '../../../src/adapters/kit/zstd-lines.ts'
import { tempDir } from '../read-all.ts'
import { zstdFrame } from '../zstd-frame.ts'

/** Frames as the zstd command writes them, with compressed and repeating blocks and checksums: of two lines, and of one. */
const TWO_LINES = Buffer.from('KLUv/WRyASUBAOh7Im4iOjEsInRleHQiOiJhYmMifQp7Im4iOjJ9CgEApFi5MOS3ijY=', 'base64')
const ONE_LINE = Buffer.from('KLUv/WQGAdUAAJh7Im4iOjMsInRleHQiOiJ4In0KAQDgVbAEkXucFA==', 'base64')

async function linesIn(path: string, mark: string | null = null) {
  const source = await zstdLines(path)
  const found = []
  const lines = source.lines(mark)
  for (;;) {
    const step = lines.next()
    if (step.done === true) return { found, mark: source.guard(null).mark(step.value), end: step.value }
    const { bytes, fault } = step.value
    found.push(fault ?? JSON.parse(bytes.toString()).n)
  }
}

const file = (...frames: readonly Uint8Array[]): string => {
  const path = join(tempDir(), 'log.zstd')
  writeFileSync(path, Buffer.concat(frames))
  return path
}

describe('lines of concatenated frames', () => {
  it('come out of every frame, with their place in the text', async () => {
    const { found, end } = await linesIn(file(TWO_LINES, ONE_LINE))
    expect(found).toEqual([1, 2, 3])
    expect(end.line).toBe(4)
  })

  it('are read on behind a mark, and none before it', async () => {
    const path = file(TWO_LINES)
    const { mark } = await linesIn(path)
    const source = await zstdLines(path)
    expect(source.changeSince(mark)).toBe('same')
    appendFileSync(path, ONE_LINE)
    expect(source.changeSince(mark)).toBe('appended')
    expect((await linesIn(path, mark)).found).toEqual([3])
  })

  it('go on behind a line inside of a frame', async () => {
    const path = file(TWO_LINES, ONE_LINE)
    const source = await zstdLines(path)
    const lines = source.lines(null)
    const first = lines.next()
    if (first.done === true) throw new Error('no line')
    const mark = source.guard(null).mark({ offset: first.value.size, line: 2 })
    lines.return({ offset: 0, line: 1 })
    expect(source.start(mark)).toEqual({ offset: first.value.size, line: 2 })
    expect((await linesIn(path, mark)).found).toEqual([2, 3])
  })

  it('of other frames in the same place are a rewritten file', async () => {
    const path = file(TWO_LINES, ONE_LINE.subarray(0, -2))
    const { found, mark } = await linesIn(path)
    expect(found).toEqual([1, 2, 3])
    writeFileSync(path, Buffer.concat([TWO_LINES, zstdFrame(Buffer.from('{"n":4}\n'))]))
    expect((await zstdLines(path)).changeSince(mark)).toBe('rewritten')
    writeFileSync(path, TWO_LINES)
    expect((await zstdLines(path)).changeSince(mark)).toBe('rewritten')
  })

  it('of a frame too large to be held are read all the same', async () => {
    const line = Buffer.from(`{"n":7,"text":"${'y'.repeat(1024 * 1024)}"}\n`)
    const { found } = await linesIn(file(zstdFrame(Buffer.concat(Array.from({ length: 6 }, () => line))), ONE_LINE))
    expect(found).toEqual([7, 7, 7, 7, 7, 7, 3])
  })

  it('end at every byte without a fault, as a file that is being written does', async () => {
    const bytes = Buffer.concat([TWO_LINES, ONE_LINE])
    for (let end = 0; end <= bytes.length; end++) {
      const { found } = await linesIn(file(bytes.subarray(0, end)))
      expect([1, 2, 3].slice(0, found.length)).toEqual(found)
      if (end >= TWO_LINES.length) expect(found.length).toBeGreaterThanOrEqual(2)
    }
  })
})
