import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type JsonlEnd,
  type JsonlLine,
  type JsonlOptions,
  lineText,
  readLines,
  valuesOn,
} from '../../../src/adapters/kit/jsonl.ts'
import { decodeFileCursor, detectChange, encodeFileCursor, fileCursor } from '../../../src/adapters/kit/jsonl-cursor.ts'
import { splitObjects } from '../../../src/adapters/kit/split-objects.ts'
import { tempDir } from '../read-all.ts'

function linesOf(path: string, options: JsonlOptions = {}): { lines: JsonlLine[]; end: JsonlEnd } {
  const lines: JsonlLine[] = []
  const reading = readLines(path, options)
  for (;;) {
    const step = reading.next()
    if (step.done === true) return { lines, end: step.value }
    lines.push(step.value)
  }
}

const texts = (lines: readonly JsonlLine[]): string[] => lines.map(({ bytes }) => bytes.toString())

function fileWith(content: string | Buffer): string {
  const path = join(tempDir(), 'file.jsonl')
  writeFileSync(path, content)
  return path
}

describe('lines of a file', () => {
  it('are exact bytes with their places', () => {
    const { lines, end } = linesOf(fileWith('{"a":1}\r\n\n{"b":2}\n'))
    expect(texts(lines)).toEqual(['{"a":1}\r\n', '\n', '{"b":2}\n'])
    expect(lines.map(({ offset, line }) => [offset, line])).toEqual([
      [0, 1],
      [9, 2],
      [10, 3],
    ])
    expect(end).toEqual({ offset: 18, line: 4 })
  })

  it('are the same whatever the size of a block', () => {
    const path = fileWith('')
    const piece = fc.constantFrom('\n', '\r\n', '{"a":"é"}', '{}', '\0\0\0', '"', 'x', '\u2028', '🙂')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (pieces, blockBytes) => {
        writeFileSync(path, pieces.join(''))
        const whole = linesOf(path)
        expect(linesOf(path, { blockBytes })).toEqual(whole)
        expect(Buffer.concat(whole.lines.map(({ bytes }) => bytes)).toString()).toBe(pieces.join(''))
      }),
      { numRuns: 60 },
    )
  })

  it('give the same objects however a file is cut into appends', () => {
    const path = fileWith('')
    const lines = fc.array(fc.constantFrom('{"a":1}', '{"b":"x\\"}{"}', '[1]', '12', '', '{"é":{"c":[]}}'), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(lines, fc.array(fc.nat(100), { maxLength: 6 }), (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''))
        writeFileSync(path, '')
        let at: JsonlEnd = { offset: 0, line: 1 }
        let read = ''
        for (const cut of [...cuts.map((c) => Math.min(c, bytes.length)).sort((a, b) => a - b), bytes.length]) {
          writeFileSync(path, bytes.subarray(0, cut))
          const { lines: more, end } = linesOf(path, at)
          read += texts(more.filter(({ isComplete }) => isComplete)).join('')
          at = end
        }
        expect(read).toBe(bytes.toString())
        expect(at).toEqual({ offset: bytes.length, line: wanted.length + 1 })
      }),
      { numRuns: 60 },
    )
  })

  it('are not consumed when the last is torn, but are when it is complete JSON', () => {
    const torn = linesOf(fileWith('{"a":1}\n{"b":'))
    expect(torn.lines.map(({ isComplete }) => isComplete)).toEqual([true, false])
    expect(torn.end).toEqual({ offset: 8, line: 2 })
    const whole = linesOf(fileWith('{"a":1}\n{"b":2}'))
    expect(whole.end).toEqual({ offset: 15, line: 2 })
    // A number may be the start of a longer one.
    expect(linesOf(fileWith('12')).end.offset).toBe(0)
  })

  it('keep the start of a line over the cap, its true size, and end exactly at its line end', () => {
    const { lines, end } = linesOf(fileWith(`${'x'.repeat(1000)}\n{"b":2}\n`), { capBytes: 10, blockBytes: 7 })
    expect(texts(lines)).toEqual(['x'.repeat(10), '{"b":2}\n'])
    expect(lines[0]).toMatchObject({ size: 1001, isComplete: true })
    expect(end.offset).toBe(1009)
  })

  it('go on in the middle of a file', () => {
    const path = fileWith('{"a":1}\n{"b":2}\n')
    expect(texts(linesOf(path, { offset: 8, line: 2 }).lines)).toEqual(['{"b":2}\n'])
  })

  it('are none in an empty file, and a directory is refused', () => {
    expect(linesOf(fileWith('')).lines).toEqual([])
    const directory = join(tempDir(), 'directory')
    mkdirSync(directory)
    expect(() => linesOf(directory)).toThrow('EISDIR')
  })

  it('are text without byte order mark, line end and the NULs of an interrupted write', () => {
    expect(lineText(Buffer.from('\uFEFF{"a":1}\r\n'))).toBe('{"a":1}')
    expect(lineText(Buffer.from('\0\0\0\0\n'))).toBe('')
  })
})

describe('several objects on one line', () => {
  it('are split outside of strings only', () => {
    expect(splitObjects('{"a":"}{"}{"b":[{}]}[1]')).toEqual(['{"a":"}{"}', '{"b":[{}]}', '[1]'])
    expect(splitObjects('{"a":"\\"}{"} {"torn":')).toEqual(['{"a":"\\"}{"}', ' {"torn":'])
    expect(splitObjects('')).toEqual([])
  })

  it('are found on a line as it stands in the file', () => {
    const on = (line: string) => valuesOn(Buffer.from(line))
    expect(on('{"a":1}{"b":2}\r\n')).toEqual(['{"a":1}', '{"b":2}'])
    expect([on('\n'), on('\0\0\n'), on('12\n'), on('{"a"\n')]).toEqual([[], [], ['12'], ['{"a"']])
  })

  it('come back as they were put together', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 }), (objects) => {
        const line = objects.map((object) => JSON.stringify(object)).join('')
        expect(splitObjects(line)).toEqual(objects.map((object) => JSON.stringify(object)))
      }),
    )
  })
})

describe('a cursor into a file', () => {
  it('tells appended, rewritten and unchanged files apart', () => {
    const path = fileWith('{"a":1}\n{"b":2}\n')
    const cursor = fileCursor(path, 16, 3)
    expect(detectChange(path, cursor)).toBe('same')
    appendFileSync(path, '{"c":3}\n')
    expect(detectChange(path, cursor)).toBe('appended')
    writeFileSync(path, '{"a":1}\n{"X":2}\n{"c":3}\n')
    expect(detectChange(path, cursor)).toBe('rewritten')
    writeFileSync(path, '{"a":1}\n')
    expect(detectChange(path, cursor)).toBe('rewritten')
  })

  it('survives its text, and anything else is none', () => {
    const cursor = fileCursor(fileWith('{"a":1}\n'), 8, 2)
    expect(decodeFileCursor(encodeFileCursor(cursor))).toEqual(cursor)
    for (const text of ['', 'null', '{}', '[1]', '["a",2,"b","c"]']) expect(decodeFileCursor(text)).toBeNull()
  })
})
