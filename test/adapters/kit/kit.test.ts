import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Adapter, Unit } from '../../../src/adapters/contract.ts'
import { attribute } from '../../../src/adapters/kit/compose.ts'
import { parseDataUri } from '../../../src/adapters/kit/data-uri.ts'
import { isSafeId } from '../../../src/adapters/kit/ids.ts'
import { parseWith, type ReadItem } from '../../../src/adapters/kit/parse-with.ts'
import { findRepository } from '../../../src/adapters/kit/project.ts'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { OpencodeDatabase } from '../opencode/store.ts'
import { parseUnit, Reader, tempDir } from '../read-all.ts'

describe('an id that may become a file name', () => {
  it.each(['ses_dd2d5253affeniF4THdPrJ4gY5', 'a', 'ünï-1', 'CONSOLE', 'com', 'a.b'])('may be %s', (id) => {
    expect(isSafeId(id)).toBe(true)
  })
  it.each([
    '',
    '.',
    '..',
    '../evil',
    '/etc',
    'a/b',
    'a\\b',
    'C:x',
    'a\0b',
    'a..b',
    'a.',
    'a ',
    'con',
    'NUL',
    'com1',
    'lpt9.txt',
  ])('may not be %j', (id) => {
    expect(isSafeId(id)).toBe(false)
  })
})

describe('a data URI', () => {
  it('gives its media type and bytes', () => {
    expect(parseDataUri('data:image/png;base64,aGk=')).toEqual({ mediaType: 'image/png', bytes: Buffer.from('hi') })
    expect(parseDataUri('data:text/plain;charset=utf-8,a%20b')).toEqual({
      mediaType: 'text/plain',
      bytes: Buffer.from('a b'),
    })
    expect(parseDataUri('data:,x')).toEqual({ mediaType: null, bytes: Buffer.from('x') })
  })
  it('is none without comma, scheme or decodable text', () => {
    for (const text of ['data:image/png;base64', 'https://example.com/a,b', 'data:,%E0%A4%A'])
      expect(parseDataUri(text)).toBeNull()
  })
})

describe('the repository of a working directory', () => {
  it('is the checkout above it', () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'repo', '.git'), { recursive: true })
    mkdirSync(join(dir, 'repo', 'src', 'deep'), { recursive: true })
    expect(findRepository(join(dir, 'repo', 'src', 'deep'))).toEqual({
      repository: join(dir, 'repo'),
      isWorktree: false,
    })
  })

  it('is the main checkout for a linked worktree, and the submodule for a submodule', () => {
    const dir = tempDir()
    const linked = join(dir, 'repo', '.git', 'worktrees', 'wt')
    const module = join(dir, 'repo', '.git', 'modules', 'sub')
    for (const path of [linked, module, join(dir, 'wt', 'src'), join(dir, 'repo', 'sub')])
      mkdirSync(path, { recursive: true })
    writeFileSync(join(linked, 'commondir'), '../..\n')
    writeFileSync(join(dir, 'wt', '.git'), `gitdir: ${linked}\n`)
    writeFileSync(join(dir, 'repo', 'sub', '.git'), 'gitdir: ../.git/modules/sub\n')
    expect(findRepository(join(dir, 'wt', 'src'))).toEqual({ repository: join(dir, 'repo'), isWorktree: true })
    expect(findRepository(join(dir, 'repo', 'sub'))).toEqual({
      repository: join(dir, 'repo', 'sub'),
      isWorktree: false,
    })
  })

  it('is none when the directory is gone or in none', () => {
    expect(findRepository('/nowhere/at/all')).toBeNull()
    expect(findRepository('relative')).toBeNull()
    expect(findRepository('/')).toBeNull()
  })
})

const UNIT: Unit = { key: 'u', path: 'u', sessionId: 's', changedAt: 0, isFresh: false, bytes: null, meta: null }

describe('parsing made of reading and mapping', () => {
  const record = (text: string, cutFrom: number | null = null): ReadItem => ({
    kind: 'record',
    sessionId: 's',
    location: `file:${text}`,
    record: { ref: 0, type: 't', bytes: Buffer.from(text), line: 1, cutFrom },
  })
  /** Maps nothing but tells what it was given. */
  function parsed(...items: readonly ReadItem[]) {
    const pushed: unknown[] = []
    const map: Adapter['map'] = () => ({
      *push({ json }) {
        pushed.push(json)
        yield { kind: 'skip', reason: 'empty', count: 1 }
      },
      end() {
        pushed.push('end')
        return []
      },
    })
    const parse = parseWith(async function* () {
      yield* items
      return 'the cursor'
    }, map)
    const adapter: Adapter = { ...createOpencode(), parse }
    return { pushed, result: parseUnit(adapter, UNIT, null) }
  }

  it('yields a record before what is mapped from it, and the cursor at the end', async () => {
    const { pushed, result } = parsed(record('{"a":1}'))
    const { items, cursor } = await result
    expect([items.map(({ kind }) => kind), cursor, pushed]).toEqual([
      ['record', 'skip'],
      'the cursor',
      [{ a: 1 }, 'end'],
    ])
  })

  it('keeps what it can not map, with a problem at its place', async () => {
    const { pushed, result } = parsed(record('{"a'), record('[1]'), record('{}', 99))
    const { items } = await result
    expect(
      items.map((item) => (item.kind === 'problem' ? `${item.problem.kind} ${item.problem.location}` : item.kind)),
    ).toEqual(['record', 'PARSE file:{"a', 'record', 'SCHEMA file:[1]', 'record', 'OVERSIZE file:{}'])
    expect(pushed).toEqual([])
  })

  it('holds nothing back over a checkpoint', async () => {
    const { pushed, result } = parsed(record('{}'), { kind: 'checkpoint', cursor: null }, record('{}'))
    await result
    expect(pushed).toEqual([{}, 'end', {}, 'end'])
  })

  it('reads deeply nested JSON without a crash', async () => {
    const { pushed, result } = parsed(record(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))
    await result
    expect(pushed).toHaveLength(2)
  })
})

describe('an adapter composed from another', () => {
  it('gives the same sessions with other attribution', async () => {
    const dir = tempDir()
    new OpencodeDatabase(join(dir, 'opencode.db'))
      .session('ses_a')
      .session('ses_c', { parent_id: 'ses_a', agent: 'explore' })
    const adapter = attribute(createOpencode(), {
      name: 'nano',
      title: 'Nano',
      project: () => '/elsewhere',
      revision: 1,
    })
    const reader = new Reader(adapter, dir)
    await reader.sync()
    expect([adapter.name, adapter.title, adapter.revision]).toEqual(['nano', 'Nano', createOpencode().revision + 1])
    expect(reader.session('ses_a').session).toMatchObject({ agent: 'nano', projectPath: '/elsewhere' })
    expect(reader.session('ses_c').session).toMatchObject({ agent: 'nano/explore' })
  })
})
