import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { OpencodeDatabase, T0, textPart, user } from './store.ts'

function database(journalMode: 'wal' | 'delete' = 'wal') {
  const dir = tempDir()
  const db = new OpencodeDatabase(join(dir, 'opencode.db'), '1.2', journalMode)
  db.session('ses_a').message('ses_a', 'msg_1', user(T0)).part('ses_a', 'msg_1', 'prt_1', textPart('hello'))
  return { dir, db, path: db.path }
}

describe('a database that opencode has closed', () => {
  it('is not even opened again while nothing changes, and nothing is left beside it', async () => {
    const { dir, db } = database()
    db.session('ses_b')
    db.close()
    let statements = 0
    const reader = new Reader(createOpencode({ onStatement: () => (statements += 1) }), dir)
    await reader.sync()
    expect(statements).toBeGreaterThan(0)
    statements = 0
    const { discovery } = await reader.sync()
    expect(discovery.units.map(({ sessionId, isFresh }) => [sessionId, isFresh])).toEqual([
      ['ses_a', true],
      ['ses_b', true],
    ])
    expect([statements, discovery.isComplete]).toEqual([0, true])
    expect(readdirSync(dir)).toEqual(['opencode.db'])
  })

  it('is opened when a session of it was never read to its end', async () => {
    const { dir, db, path } = database()
    db.close()
    const reader = new Reader(createOpencode(), dir)
    await reader.sync()
    reader.cursors.set(`${path}#ses_a`, '{"failed":true}')
    expect((await reader.sync()).pending).toHaveLength(1)
  })

  it('is read on when opencode starts again', async () => {
    const { dir, db, path } = database()
    db.close()
    const reader = new Reader(createOpencode(), dir)
    await reader.sync()
    const owner = new Database(path)
    owner.prepare("insert into part values ('prt_2', 'msg_1', 'ses_a', 1, 1, ?)").run(JSON.stringify(textPart('more')))
    const { pending } = await reader.sync()
    expect(pending.map(({ sessionId }) => sessionId)).toEqual(['ses_a'])
    expect(reader.session('ses_a').parts.get('prt_2')).toMatchObject({ text: 'more' })
    owner.close()
  })
})

describe('a database that someone keeps locked', () => {
  const hasty = { timeoutMs: 1, retryMs: [1] }

  it('is DEFERRED, hides nothing that was read before, and comes in later', async () => {
    const { dir, db, path } = database('delete')
    const reader = new Reader(createOpencode(hasty), dir)
    db.sql.exec('begin exclusive')
    const busy = await reader.sync()
    expect(busy.problems).toMatchObject([{ kind: 'DEFERRED', location: path }])
    expect(busy.discovery.unreadable).toEqual([`${path}#`])
    db.sql.exec('commit')
    expect((await reader.sync()).problems).toEqual([])
    expect(reader.session('ses_a').messages.size).toBe(1)
  })

  it('while a session is read costs that session only until the next sync', async () => {
    const { dir, db, path } = database('delete')
    const reader = new Reader(createOpencode(hasty), dir)
    const discovery = await reader.discover()
    db.sql.exec('begin exclusive')
    for (const unit of discovery.units) {
      const items = await reader.parse(unit)
      expect(items).toMatchObject([
        { kind: 'problem', problem: { kind: 'DEFERRED', location: `${path}#session/ses_a` } },
      ])
    }
    if (discovery.mark !== null) reader.cursors.set(discovery.mark.key, discovery.mark.cursor)
    db.sql.exec('commit')
    const later = await reader.sync()
    expect(later.problems).toEqual([])
    expect(reader.session('ses_a').parts.get('prt_1')).toMatchObject({ text: 'hello' })
  })
})
