import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../../src/adapters/contract.ts'
import { parseJsonl, type ResumableMapper } from '../../../src/adapters/kit/jsonl-unit.ts'
import { tempDir } from '../read-all.ts'

/** Counts the objects that it saw, across runs. */
function counting(state: string | null): ResumableMapper {
  let seen = Number(state ?? 0)
  return {
    *push({ ref }): Iterable<Item> {
      seen += 1
      yield { kind: 'delete-session', sessionId: `${ref}:${seen}` }
    },
    *end() {},
    state: () => String(seen),
  }
}

class Growing {
  readonly path = join(tempDir(), 'x.jsonl')
  readonly records = new Map<string | number, string>()
  readonly rows = new Set<string>()
  cursor: string | null = null

  async read(): Promise<readonly Item[]> {
    const items: Item[] = []
    const unit = { path: this.path, sessionId: 's', cursor: this.cursor, typeOf: () => 'line', open: counting }
    const parsing = parseJsonl(unit)
    for (;;) {
      const step = await parsing.next()
      if (step.done === true) {
        this.cursor = step.value ?? this.cursor
        return items
      }
      items.push(step.value)
      this.take(step.value)
    }
  }

  private take(item: Item): void {
    if (item.kind === 'record') this.records.set(item.record.ref, Buffer.from(item.record.bytes).toString('latin1'))
    else if (item.kind === 'delete-session') this.rows.add(item.sessionId)
  }
}

/** Where the system tells. */
const openFiles = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

const LINES = Buffer.from('{"a":1}\n\n{"b":2}{"c":"é\u2028"}\r\nnot json\n\0\0\n[1]\n{"d":"😀"}\n{"e":5}')

describe('a file of JSON lines', () => {
  it('gives the same records and rows, wherever it is cut into appends', async () => {
    const whole = new Growing()
    writeFileSync(whole.path, LINES)
    await whole.read()
    expect([...whole.records.values()].join('')).toBe(LINES.toString('latin1'))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(LINES.length), { maxLength: 6 }), async (cuts) => {
        const grown = new Growing()
        for (const end of [...cuts, LINES.length].sort((a, b) => a - b)) {
          writeFileSync(grown.path, LINES.subarray(0, end))
          await grown.read()
        }
        expect([grown.records, grown.rows]).toEqual([whole.records, whole.rows])
      }),
    )
  })

  it('reads a whole last line without a line end at once, and again only when something came', async () => {
    const file = new Growing()
    writeFileSync(file.path, '{"a":1}\n{"b":2}')
    await file.read()
    expect([...file.records.values()]).toEqual(['{"a":1}\n', '{"b":2}'])
    expect(await file.read()).toEqual([])
    appendFileSync(file.path, '\n{"c":3}\n')
    await file.read()
    expect([...file.records.values()]).toEqual(['{"a":1}\n', '{"b":2}\n', '{"c":3}\n'])
    expect([...file.rows]).toEqual(['0:1', '1:2', '2:3'])
  })

  it('is a new generation when a last line without a line end was replaced', async () => {
    const file = new Growing()
    writeFileSync(file.path, '{"a":1}\n{"b":2}')
    await file.read()
    writeFileSync(file.path, '{"a":1}\n{"c":3}\n')
    expect((await file.read())[0]).toEqual({ kind: 'new-generation', sessionId: 's' })
  })

  it('begins anew when it is rewritten while it is read, and its cursors never vouch for what was not read', async () => {
    const path = join(tempDir(), 'x.jsonl')
    const write = (name: string) =>
      writeFileSync(path, Array.from({ length: 200 }, (_, n) => `{"${name}":${n}}\n`).join(''))
    write('old')
    const unit = { path, sessionId: 's', typeOf: () => 'line', open: counting }
    const items: Item[] = []
    const parsing = parseJsonl({ ...unit, cursor: null })
    let during = ''
    let step = await parsing.next()
    for (; step.done !== true; step = await parsing.next()) {
      const item = step.value
      items.push(item)
      if (item.kind !== 'checkpoint' || typeof item.cursor !== 'function' || during !== '') continue
      write('new')
      during = item.cursor()
    }
    const restart = items.findIndex(({ kind }) => kind === 'new-generation')
    const read = items.slice(restart).flatMap((item) => (item.kind === 'record' ? [item.record] : []))
    expect(Buffer.concat(read.map(({ bytes }) => bytes))).toEqual(readFileSync(path))
    expect((await parseJsonl({ ...unit, cursor: step.value }).next()).done).toBe(true)
    // Of a reader that was killed there.
    expect((await parseJsonl({ ...unit, cursor: during }).next()).value).toMatchObject({ kind: 'new-generation' })
  })

  it('tells what is wrong with each line, and where', async () => {
    const file = new Growing()
    writeFileSync(file.path, LINES)
    const problems = (await file.read()).flatMap((item) => (item.kind === 'problem' ? [item.problem] : []))
    expect(problems.map(({ kind, location }) => [kind, location.split(':').at(-1)])).toEqual([
      ['REPAIRED', '3'],
      ['PARSE', '4'],
      ['PARSE', '5'],
      ['SCHEMA', '6'],
    ])
  })

  it('closes its file when its reader stops early', async () => {
    const file = new Growing()
    writeFileSync(file.path, LINES)
    const unit = { path: file.path, sessionId: 's', cursor: null, typeOf: () => 'line', open: counting }
    const before = openFiles()
    for (let n = 0; n < 10; n++) {
      const parsing = parseJsonl(unit)
      await parsing.next()
      await parsing.return(null)
    }
    expect(openFiles() - before).toBeLessThan(10)
  })
})
