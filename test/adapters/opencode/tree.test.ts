import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { assistant, T0, textPart, toolPart, user } from './store.ts'
import { OpencodeTree } from './tree.ts'

function seed() {
  const dir = tempDir()
  const tree = new OpencodeTree(join(dir, 'storage'))
  for (const id of ['ses_a', 'ses_b']) {
    tree.session(id)
    tree.message(id, `msg_${id}_1`, user(T0 + 1)).part(id, `msg_${id}_1`, `prt_${id}_1`, textPart('hello'))
    tree.message(id, `msg_${id}_2`, assistant(T0 + 2)).part(id, `msg_${id}_2`, `prt_${id}_2`, toolPart('bash', {}))
  }
  return { dir, tree, reader: new Reader(createOpencode(), dir) }
}

const refs = (items: readonly { kind: string }[]): unknown[] =>
  items.flatMap((item) => ('record' in item && isRecord(item.record) ? [item.record.ref] : []))
const isRecord = (value: unknown): value is { ref: string } =>
  typeof value === 'object' && value !== null && 'ref' in value

describe('a JSON tree', () => {
  it('keeps every file as its exact bytes', async () => {
    const { reader } = seed()
    await reader.sync()
    const bytes = reader.session('ses_a').records.get('m/msg_ses_a_1')?.bytes ?? new Uint8Array()
    const expected = JSON.stringify({ id: 'msg_ses_a_1', sessionID: 'ses_a', ...user(T0 + 1) }, null, 2)
    expect(Buffer.from(bytes).toString()).toBe(expected)
  })

  it('is fresh throughout when nothing changed', async () => {
    const { reader } = seed()
    await reader.sync()
    const { discovery, items } = await reader.sync()
    expect(discovery.units.map(({ isFresh }) => isFresh)).toEqual([true, true])
    expect(items).toEqual([])
  })

  it('reads only the message that changed', async () => {
    const { tree, reader } = seed()
    await reader.sync()
    tree.part('ses_a', 'msg_ses_a_2', 'prt_more', textPart('more'))
    const { items } = await reader.sync()
    expect(refs(items)).toEqual([
      'a/project/prj',
      'a/session/ses_a',
      'm/msg_ses_a_2',
      'm/msg_ses_a_2/prt_more',
      'm/msg_ses_a_2/prt_ses_a_2',
    ])
  })

  it('names what is left when a message is gone', async () => {
    const { tree, reader } = seed()
    await reader.sync()
    tree.delete('message', 'ses_a', 'msg_ses_a_1')
    await reader.sync()
    expect(reader.session('ses_a').present).toEqual(new Set(['msg_ses_a_2']))
  })

  it('leaves parts behind whose message is gone', async () => {
    const { tree, reader } = seed()
    tree.part('ses_a', 'msg_gone', 'prt_orphan', textPart('orphan'))
    const { problems } = await reader.sync()
    expect(problems).toEqual([])
    expect(reader.session('ses_a').parts.has('prt_orphan')).toBe(false)
  })

  it('holds a session without messages', async () => {
    const { tree, reader } = seed()
    tree.session('ses_empty', { title: 'Nothing said' })
    await reader.sync()
    expect(reader.session('ses_empty').session?.title?.text).toBe('Nothing said')
  })

  it('has nothing yet where its directories are missing', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'storage'))
    const { discovery } = await new Reader(createOpencode(), dir).sync()
    expect([discovery.units, discovery.problems, discovery.isComplete]).toEqual([[], [], true])
  })

  it('keeps todos and the diff of a session as records', async () => {
    const { tree, reader } = seed()
    tree.file(['todo', 'ses_a'], [{ id: '1', content: 'Fix', status: 'pending', priority: 'high' }])
    tree.file(['session_diff', 'ses_a'], [{ file: 'a.ts', before: '', after: 'x' }])
    const { problems } = await reader.sync()
    expect(problems).toEqual([])
    expect([...reader.session('ses_a').records.keys()].filter((ref) => String(ref).startsWith('s/'))).toEqual([
      's/todo/ses_a',
      's/diff/ses_a',
    ])
  })

  it('says that it does not follow a link deep inside it', async () => {
    const { tree, dir, reader } = seed()
    const other = new OpencodeTree(join(tempDir(), 'storage')).session('ses_linked')
    symlinkSync(join(other.storage, 'session', 'prj'), join(tree.storage, 'session', 'linked'))
    const { problems } = await reader.sync()
    expect(problems).toMatchObject([{ kind: 'UNSUPPORTED', location: join(dir, 'storage', 'session', 'linked') }])
    expect(reader.sessions.has('ses_linked')).toBe(false)
  })

  it('counts the older file of a session that was filed under another project since', async () => {
    const { tree, reader } = seed()
    tree.session('ses_a', { title: 'Moved', directory: '/home/ann/other' }, 'prj2')
    const { discovery } = await reader.sync()
    expect(discovery.superseded).toBe(1)
    expect(reader.session('ses_a').session?.title?.text).toBe('Moved')
  })

  it('looks only at the session that the changed paths touch', async () => {
    const { tree, reader } = seed()
    await reader.sync()
    tree.message('ses_b', 'msg_new', user(T0 + 9))
    for (const path of [
      join(tree.storage, 'message', 'ses_b'),
      join(tree.storage, 'session', 'prj', 'ses_b.json'),
      join(tree.storage, 'part', 'msg_ses_b_1'),
    ]) {
      const discovery = await reader.discover({ changedPaths: [path, '/somewhere/else'] })
      expect([discovery.units.map(({ sessionId }) => sessionId), discovery.isComplete]).toEqual([['ses_b'], false])
      expect(discovery.units[0]?.isFresh).toBe(false)
    }
    const none = await reader.discover({ changedPaths: ['/somewhere/else'] })
    expect([none.units, none.isComplete]).toEqual([[], false])
    expect((await reader.discover({ changedPaths: [] })).units).toEqual([])
  })
})
