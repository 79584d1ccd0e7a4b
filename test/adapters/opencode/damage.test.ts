import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../../src/adapters/contract.ts'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { RECORD_CAP_BYTES } from '../../../src/model/record.ts'
import { Reader, tempDir } from '../read-all.ts'
import { assistant, OpencodeDatabase, T0, textPart, toolPart, user } from './store.ts'
import { OpencodeTree } from './tree.ts'

function database() {
  const dir = tempDir()
  const db = new OpencodeDatabase(join(dir, 'opencode.db'))
  db.session('ses_a')
  db.message('ses_a', 'msg_1', user(T0 + 1)).part('ses_a', 'msg_1', 'prt_1', textPart('hello'))
  db.message('ses_a', 'msg_2', assistant(T0 + 2)).part('ses_a', 'msg_2', 'prt_2', toolPart('bash', { output: 'ok' }))
  return { dir, db, path: db.path, reader: new Reader(createOpencode(), dir) }
}

const kinds = (problems: readonly { kind: string; location: string }[]) =>
  problems.map(({ kind, location }) => [kind, location])

describe('a damaged row of a database', () => {
  it('costs a part only itself when its JSON is broken, and is kept', async () => {
    const { db, path, reader } = database()
    db.part('ses_a', 'msg_1', 'prt_bad', '{"type":"text","text":"cut o')
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['PARSE', `${path}#part/prt_bad`]])
    expect([...reader.session('ses_a').parts.keys()]).toEqual(['prt_1', 'prt_2', 'prt_2/result'])
    expect(String(Buffer.from(reader.session('ses_a').records.get('m/msg_1/prt_bad')?.bytes ?? []))).toContain('cut o')
  })

  it('costs a message its own fields but not its parts', async () => {
    const { db, path, reader } = database()
    db.update('message', 'msg_2', '{"role":"assist')
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['PARSE', `${path}#message/msg_2`]])
    const message = reader.session('ses_a').messages.get('msg_2')
    expect(message).toMatchObject({ role: 'ASSISTANT', time: { ms: T0, origin: 'SESSION_START' }, records: [] })
    expect(reader.session('ses_a').parts.get('prt_2/result')).toMatchObject({ result: 'ok' })
  })

  it('is a SCHEMA problem when its data is JSON but no object', async () => {
    const { db, path, reader } = database()
    db.part('ses_a', 'msg_1', 'prt_list', '[1,2]')
    expect(kinds((await reader.sync()).problems)).toEqual([['SCHEMA', `${path}#part/prt_list`]])
  })

  it('is a SCHEMA problem without an id', async () => {
    const { db, path, reader } = database()
    db.sql.exec(`insert into message values (null, 'ses_a', 1, 1, '{"role":"user"}');
      insert into part values (null, 'msg_1', 'ses_a', 1, 1, '{"type":"text"}');`)
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([
      ['SCHEMA', `${path}#message/rowid:3`],
      ['SCHEMA', `${path}#part/of:msg_1`],
    ])
    expect(reader.session('ses_a').messages.size).toBe(3)
  })

  it('is HOSTILE_ID when its id could name another file, and the rest comes in', async () => {
    const { db, path, reader } = database()
    db.session('../evil').message('../evil', 'msg_x', user(T0))
    db.message('ses_a', '../evil', user(T0)).part('ses_a', 'msg_1', 'prt/../evil', textPart('x'))
    const { problems, discovery } = await reader.sync()
    expect(kinds(problems).sort()).toEqual(
      [
        ['HOSTILE_ID', `${path}#message/../evil`],
        ['HOSTILE_ID', `${path}#part/prt/../evil`],
        ['HOSTILE_ID', `${path}#session/../evil`],
      ].sort(),
    )
    expect(discovery.units.map(({ sessionId }) => sessionId)).toEqual(['ses_a'])
    expect([...reader.session('ses_a').messages.keys()]).toEqual(['msg_1', 'msg_2', 'prt_2/result'])
    expect((await reader.sync()).pending).toEqual([])
  })

  it('is OVERSIZE above the cap, judged before it is read, and kept up to the cap', async () => {
    const { db, path, reader } = database()
    const size = RECORD_CAP_BYTES + 1024 * 1024
    db.part('ses_a', 'msg_1', 'prt_huge', textPart('x'.repeat(size)))
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['OVERSIZE', `${path}#part/prt_huge`]])
    const record = reader.session('ses_a').records.get('m/msg_1/prt_huge')
    expect(record?.bytes.length).toBe(RECORD_CAP_BYTES)
    expect(record?.cutFrom).toBeGreaterThan(size)
    expect(reader.session('ses_a').parts.has('prt_huge')).toBe(false)
    expect(reader.session('ses_a').parts.has('prt_1')).toBe(true)
  })

  it('is one problem when it vanishes between listing and reading', async () => {
    const { db, path, reader } = database()
    const [unit] = (await reader.discover()).units
    if (unit === undefined) throw new Error('no unit')
    const items: Item[] = []
    for await (const item of reader.adapter.parse(unit, null)) {
      // The list of messages was taken, the first of them is read.
      if (item.kind === 'record' && item.record.ref === 'm/msg_1') db.delete('message', 'msg_2')
      items.push(item)
    }
    const problems = items.flatMap((item) => (item.kind === 'problem' ? [item.problem] : []))
    expect(kinds(problems)).toEqual([['IO', `${path}#message/msg_2`]])
    expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(1)
    expect(items.find((item) => item.kind === 'present')).toMatchObject({ messageIds: new Set(['msg_1']) })
  })

  it('is a problem when its whole session vanishes', async () => {
    const { db, path, reader } = database()
    const [unit] = (await reader.discover()).units
    if (unit === undefined) throw new Error('no unit')
    db.delete('session', 'ses_a')
    expect(await reader.parse(unit)).toMatchObject([
      { kind: 'problem', problem: { kind: 'IO', location: `${path}#session/ses_a` } },
    ])
  })

  it('is said to be unread when it stands in the store that opencode prepares', async () => {
    const { db, path, reader } = database()
    db.session('ses_new')
    const fields = { id: 'x', session_id: 'ses_new', type: 'user', time_created: T0, time_updated: T0, data: '{}' }
    db.insert('session_message', fields)
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['UNSUPPORTED', `${path}#session_message/ses_new`]])
    expect(reader.sessions.has('ses_new')).toBe(true)
  })
})

describe('a database with other columns', () => {
  it('is read by the columns that it has', async () => {
    const { db, reader } = database()
    db.sql.exec('alter table session drop column share_url; alter table session drop column agent')
    db.sql.exec("alter table message add column origin text default 'here'")
    db.sql.exec(
      'drop index part_message_id_id_idx; drop index part_session_idx; alter table part drop column session_id',
    )
    const { problems } = await reader.sync()
    expect(problems).toEqual([])
    expect(reader.session('ses_a').messages.size).toBe(3)
    db.insert('part', {
      id: 'prt_n',
      message_id: 'msg_1',
      time_created: 1,
      time_updated: 1,
      data: JSON.stringify(textPart('n')),
    })
    await reader.sync()
    expect(reader.session('ses_a').parts.get('prt_n')).toMatchObject({ text: 'n' })
  })

  it('never gives account rows', async () => {
    const { db, reader } = database()
    db.insert('account', { id: 'acc', email: 'ann@example.com', access_token: 'secret-token' })
    const { items } = await reader.sync()
    expect(JSON.stringify(items)).not.toContain('secret-token')
  })
})

describe('a damaged file of a tree', () => {
  function tree() {
    const dir = tempDir()
    const tree = new OpencodeTree(join(dir, 'storage')).session('ses_a')
    tree.message('ses_a', 'msg_1', user(T0 + 1)).part('ses_a', 'msg_1', 'prt_1', textPart('hello'))
    return { tree, dir, reader: new Reader(createOpencode(), dir) }
  }

  it('costs only itself when its JSON is broken', async () => {
    const { tree: t, reader } = tree()
    t.file(['part', 'msg_1', 'prt_bad'], '{"id":"prt_bad","type":"te')
    t.file(['message', 'ses_a', 'msg_bad'], '{"id":"msg_bad"').part('ses_a', 'msg_bad', 'prt_kept', textPart('kept'))
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([
      ['PARSE', join(t.storage, 'part/msg_1/prt_bad.json')],
      ['PARSE', join(t.storage, 'message/ses_a/msg_bad.json')],
    ])
    expect(reader.session('ses_a').parts.get('prt_kept')).toMatchObject({ messageId: 'msg_bad', text: 'kept' })
  })

  it('costs only its own fields when it is the session', async () => {
    const { tree: t, reader } = tree()
    t.file(['session', 'prj', 'ses_a'], '{"id":"ses_a","ti')
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['PARSE', join(t.storage, 'session/prj/ses_a.json')]])
    expect(reader.session('ses_a').parts.get('prt_1')).toMatchObject({ text: 'hello' })
  })

  it('is a SCHEMA problem without an id, and HOSTILE_ID with one that could name another file', async () => {
    const { tree: t, reader } = tree()
    t.file(['message', 'ses_a', 'msg_none'], { role: 'user' })
    t.file(['part', 'msg_1', 'prt_evil'], { id: '../evil', type: 'text', text: 'x' })
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([
      ['HOSTILE_ID', join(t.storage, 'part/msg_1/prt_evil.json')],
      ['SCHEMA', join(t.storage, 'message/ses_a/msg_none.json')],
    ])
    expect([...reader.session('ses_a').messages.keys()]).toEqual(['msg_1'])
  })

  it('is OVERSIZE above the cap', async () => {
    const { tree: t, reader } = tree()
    t.file(['part', 'msg_1', 'prt_huge'], { id: 'prt_huge', type: 'text', text: 'x'.repeat(RECORD_CAP_BYTES) })
    const { problems } = await reader.sync()
    expect(kinds(problems)).toEqual([['OVERSIZE', join(t.storage, 'part/msg_1/prt_huge.json')]])
  })
})

describe('an output that opencode spilled', () => {
  it('is kept as a record while it lasts, wherever its home was', async () => {
    const { dir, db, reader } = database()
    mkdirSync(join(dir, 'tool-output'))
    writeFileSync(join(dir, 'tool-output', 'tool_abc'), 'the whole output')
    const metadata = { truncated: true, outputPath: '/home/someone/.local/share/opencode/tool-output/tool_abc' }
    db.part('ses_a', 'msg_2', 'prt_long', toolPart('bash', { output: 'the who…', metadata }))
    const { problems } = await reader.sync()
    expect(problems).toEqual([])
    const record = reader.session('ses_a').records.get('m/msg_2/prt_long/spill')
    expect([record?.type, String(Buffer.from(record?.bytes ?? []))]).toEqual(['tool-output', 'the whole output'])
  })

  it('is not looked for outside the data directory', async () => {
    const { dir, db, reader } = database()
    writeFileSync(join(dir, 'secret'), 'secret')
    mkdirSync(join(dir, 'tool-output'))
    for (const [n, outputPath] of [join(dir, 'secret'), '../secret', '..'].entries())
      db.part('ses_a', 'msg_2', `prt_${n + 10}`, toolPart('bash', { metadata: { outputPath } }))
    await reader.sync()
    expect([...reader.session('ses_a').records.values()].filter(({ type }) => type === 'tool-output')).toEqual([])
  })
})
