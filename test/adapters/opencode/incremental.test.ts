import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { assistant, type Generation, idAt, OpencodeDatabase, T0, textPart, toolPart, user } from './store.ts'

interface Statement {
  readonly sql: string
  readonly rows: number
}

/** A database with a session `ses_a` of three messages and a quiet session `ses_b`, read once. */
async function seen(generation: Generation) {
  const dir = tempDir()
  const db = new OpencodeDatabase(join(dir, 'opencode.db'), generation)
  for (const id of ['ses_a', 'ses_b']) {
    db.session(id)
    for (const n of [1, 2, 3]) {
      const message = `msg_${id}_${n}`
      db.message(id, message, n === 1 ? user(T0 + n) : assistant(T0 + n))
      db.part(id, message, `prt_${id}_${n}`, textPart(`text ${n}`))
    }
  }
  const statements: Statement[] = []
  const adapter = createOpencode({ onStatement: (sql, rows) => statements.push({ sql, rows }) })
  const reader = new Reader(adapter, dir)
  await reader.sync()
  statements.length = 0
  return { db, reader, statements }
}

const bodiesRead = (statements: readonly Statement[]): readonly Statement[] =>
  statements.filter(({ sql, rows }) => rows > 0 && / as data|cast\(data/.test(sql))
const pendingIds = ({ pending }: { pending: readonly { sessionId: string | null }[] }) =>
  pending.map(({ sessionId }) => sessionId)

describe.each(['1.2', '1.18'] as const)('a database of generation %s that was read before', (generation) => {
  it('is fresh throughout, and nothing is decoded, when nothing changed', async () => {
    const { reader, statements } = await seen(generation)
    const { discovery } = await reader.sync()
    expect(discovery.units.map(({ isFresh }) => isFresh)).toEqual([true, true])
    expect(bodiesRead(statements)).toEqual([])
  })

  it('keeps its mark as it is when nothing changed, so that nothing is written', async () => {
    const { reader } = await seen(generation)
    const before = new Map(reader.cursors)
    await reader.sync()
    expect(reader.cursors).toEqual(before)
  })

  it('gives one message again, whole, when a part is added to it', async () => {
    const { db, reader, statements } = await seen(generation)
    db.part('ses_a', 'msg_ses_a_2', 'prt_new', textPart('news'))
    const sync = await reader.sync()
    expect(pendingIds(sync)).toEqual(['ses_a'])
    expect(sync.items.flatMap((item) => (item.kind === 'record' ? [item.record.ref] : []))).toEqual([
      'a/project/prj',
      'a/session/ses_a',
      'm/msg_ses_a_2',
      'm/msg_ses_a_2/prt_new',
      'm/msg_ses_a_2/prt_ses_a_2',
    ])
    expect(reader.session('ses_a').messages.get('msg_ses_a_2')?.partIds).toContain('prt_new')
    expect(bodiesRead(statements)).toHaveLength(2)
  })

  it('sees a tool that ends after a newer message began', async () => {
    const { db, reader } = await seen(generation)
    const running = { status: 'running', time: { start: T0 + 10 } }
    db.message('ses_a', 'msg_tool', assistant(T0 + 10, { finish: 'tool-calls' }))
    db.part('ses_a', 'msg_tool', 'prt_tool', toolPart('bash', running))
    await reader.sync()
    expect(reader.session('ses_a').parts.get('prt_tool')).toMatchObject({ status: 'RUNNING' })
    expect(reader.session('ses_a').messages.has('prt_tool/result')).toBe(false)

    db.message('ses_a', 'msg_later', user(T0 + 20)).part('ses_a', 'msg_later', 'prt_later', textPart('meanwhile'))
    await reader.sync()
    db.update('part', 'prt_tool', toolPart('bash', { output: 'done', time: { start: T0 + 10, end: T0 + 30 } }))
    expect(pendingIds(await reader.sync())).toEqual(['ses_a'])
    expect(reader.session('ses_a').parts.get('prt_tool/result')).toMatchObject({ result: 'done' })
  })

  it('sees an answer grow and end in place', async () => {
    const { db, reader } = await seen(generation)
    const open = assistant(T0 + 10, { finish: undefined, time: { created: T0 + 10 } })
    db.message('ses_b', 'msg_open', open).part('ses_b', 'msg_open', 'prt_open', textPart('', { time: { start: T0 } }))
    await reader.sync()
    db.update('part', 'prt_open', textPart('grown'))
    expect(pendingIds(await reader.sync())).toEqual(['ses_b'])
    expect(reader.session('ses_b').parts.get('prt_open')).toMatchObject({ text: 'grown' })
    db.update('message', 'msg_open', assistant(T0 + 10))
    await reader.sync()
    expect(reader.session('ses_b').messages.get('msg_open')?.stopReason).toBe('stop')
    expect((await reader.sync()).pending).toEqual([])
  })

  it('sees the summary of the newest prompt, which is filled in when its session moves on', async () => {
    const { db, reader } = await seen(generation)
    db.update('message', 'msg_ses_a_1', user(T0 + 1, { summary: { title: 'Filled', diffs: [] } }))
    db.set('session', 'ses_a', { time_updated: T0 + 5000 })
    await reader.sync()
    const record = reader.session('ses_a').records.get('m/msg_ses_a_1')
    expect(Buffer.from(record?.bytes ?? []).toString()).toContain('Filled')
  })

  it('reads the session row again when only that changed', async () => {
    const { db, reader, statements } = await seen(generation)
    db.set('session', 'ses_b', { title: 'Renamed', time_archived: T0 + 9 })
    const sync = await reader.sync()
    expect(pendingIds(sync)).toEqual(['ses_b'])
    expect(reader.session('ses_b').session).toMatchObject({ title: { text: 'Renamed' }, archivedAt: T0 + 9 })
    expect(bodiesRead(statements)).toEqual([])
  })

  it('names what is still there when a message was deleted', async () => {
    const { db, reader } = await seen(generation)
    db.delete('message', 'msg_ses_a_3')
      .delete('part', 'prt_ses_a_3')
      .set('session', 'ses_a', { time_updated: T0 + 99 })
    if (generation !== '1.2') db.event('ses_a', 'message.removed.1', { sessionID: 'ses_a', messageID: 'msg_ses_a_3' })
    const sync = await reader.sync()
    expect(sync.problems).toEqual([])
    expect(reader.session('ses_a').present).toEqual(new Set(['msg_ses_a_1', 'msg_ses_a_2']))
  })

  it('misses nothing when rowids of deleted rows are given out again', async () => {
    const { db, reader } = await seen(generation)
    // The highest rows of both tables belong to ses_b: a revert takes them away, and a new prompt gets their rowids.
    db.delete('message', 'msg_ses_b_3').delete('part', 'prt_ses_b_3')
    db.message('ses_b', 'msg_again', user(T0 + 50)).part('ses_b', 'msg_again', 'prt_again', textPart('again'))
    const sync = await reader.sync()
    expect(pendingIds(sync)).toEqual(['ses_b'])
    expect(reader.session('ses_b').parts.get('prt_again')).toMatchObject({ text: 'again' })
    expect(reader.session('ses_b').present).toEqual(new Set(['msg_ses_b_1', 'msg_ses_b_2', 'msg_again']))
  })

  it('reads everything again with verify, and finds what changed behind its back', async () => {
    const { db, reader } = await seen(generation)
    db.sql.prepare('update part set data = ? where id = ?').run(JSON.stringify(textPart('altered')), 'prt_ses_a_2')
    expect((await reader.sync()).pending).toEqual([])
    const sync = await reader.sync({ verify: true })
    expect(pendingIds(sync)).toEqual(['ses_a', 'ses_b'])
    expect(reader.session('ses_a').parts.get('prt_ses_a_2')).toMatchObject({ text: 'altered' })
  })

  it('drops a session that opencode deleted from its units', async () => {
    const { db, reader } = await seen(generation)
    db.delete('session', 'ses_b')
    const { discovery } = await reader.sync()
    expect([discovery.units.map(({ sessionId }) => sessionId), discovery.isComplete]).toEqual([['ses_a'], true])
  })

  it('reads on from what was read when the first sync was cut off', async () => {
    const { db, reader, statements } = await seen(generation)
    for (const key of reader.cursors.keys()) if (key.endsWith('#mark')) reader.cursors.delete(key)
    db.part('ses_a', 'msg_ses_a_2', 'prt_new', textPart('news'))
    expect(pendingIds(await reader.sync())).toEqual(['ses_a'])
    expect(bodiesRead(statements)).toHaveLength(2)
  })

  it('is read from the start when its cursor says that reading failed', async () => {
    const { reader } = await seen(generation)
    for (const key of reader.cursors.keys()) if (key.endsWith('#ses_a')) reader.cursors.set(key, '{"failed":true}')
    const sync = await reader.sync()
    expect(pendingIds(sync)).toEqual(['ses_a'])
    expect(sync.items.filter(({ kind }) => kind === 'message')).toHaveLength(3)
  })
})

describe('a database with an event log', () => {
  it('finds a message that changed in place although it was over', async () => {
    const { db, reader } = await seen('1.18')
    db.update('part', 'prt_ses_a_2', textPart('rewritten'))
    const part = { id: 'prt_ses_a_2', messageID: 'msg_ses_a_2', sessionID: 'ses_a' }
    db.event('ses_a', 'message.part.updated.1', { sessionID: 'ses_a', part })
    expect(pendingIds(await reader.sync())).toEqual(['ses_a'])
    expect(reader.session('ses_a').parts.get('prt_ses_a_2')).toMatchObject({ text: 'rewritten' })
  })

  it('finds a message that lost a part', async () => {
    const { db, reader } = await seen('1.18')
    db.delete('part', 'prt_ses_a_2')
    const removed = { sessionID: 'ses_a', messageID: 'msg_ses_a_2', partID: 'prt_ses_a_2' }
    db.event('ses_a', 'message.part.removed.1', removed)
    await reader.sync()
    expect(reader.session('ses_a').messages.get('msg_ses_a_2')?.partIds).toEqual([])
  })
})

describe('a big database', () => {
  const PARTS = 100_000
  const PER_MESSAGE = 10

  it('costs a new part no more than 50 message and part rows, and no scan of part', async () => {
    const dir = tempDir()
    const db = new OpencodeDatabase(join(dir, 'opencode.db'), '1.18')
    db.sql.transaction(() => {
      for (let n = 0; n < PARTS / PER_MESSAGE; n++) {
        const session = `ses_${Math.floor(n / 1000)}`
        const time = T0 + n * 1000
        if (n % 1000 === 0) db.session(session)
        db.message(session, idAt('msg', time), n % 2 === 0 ? user(time) : assistant(time))
        for (let m = 1; m <= PER_MESSAGE; m++) db.part(session, idAt('msg', time), idAt('prt', time, m), textPart('x'))
      }
    })()
    const statements: Statement[] = []
    const adapter = createOpencode({ onStatement: (sql, rows) => statements.push({ sql, rows }) })
    const reader = new Reader(adapter, dir)
    // What a first sync leaves behind, without its bodies.
    const first = await reader.discover()
    for (const unit of first.units) await reader.parse(unit)
    if (first.mark !== null) reader.cursors.set(first.mark.key, first.mark.cursor)
    reader.sessions.clear()
    statements.length = 0

    const message = idAt('msg', T0 + 5_000_000)
    db.part('ses_5', message, idAt('prt', T0 + 5_000_000, 11), textPart('the new one'))
    const sync = await reader.sync()
    expect(pendingIds(sync)).toEqual(['ses_5'])
    expect(reader.session('ses_5').parts.size).toBe(PER_MESSAGE + 1)
    const ofBodies = statements.filter(({ sql }) => /\b(from|join) (message|part)\b/.test(sql))
    expect(ofBodies.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(50)
    for (const { sql } of ofBodies) {
      const values = sql
        .split('?')
        .slice(1)
        .map(() => '[]')
      const plan = db.sql.prepare(`explain query plan ${sql}`).all(...values)
      expect(JSON.stringify(plan)).not.toMatch(/SCAN (part|message|m|p)\b/)
    }
    db.close()
  })
})
