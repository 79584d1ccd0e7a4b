import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { claudeCode } from '../../src/adapters/claude-code/index.ts'
import type { Adapter, Item } from '../../src/adapters/contract.ts'
import { opencode } from '../../src/adapters/opencode/index.ts'
import { type Home, openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { dumpStore, integrityOf } from '../support/dump.ts'
import { engineOn } from '../support/engine.ts'
import { answer, OpencodeDatabase, prompt, text, tool } from '../support/opencode-database.ts'
import { tempDir } from '../support/temp.ts'

/** A data directory with one database of one session: a prompt, and an answer with a command that ran. */
function oneSession() {
  const root = tempDir()
  const db = new OpencodeDatabase(join(root, 'opencode.db'))
  onTestFinished(() => db.close())
  db.session('ses_1', { title: 'First title' })
  db.message('ses_1', 'msg_1', prompt(1_790_000_000_000))
  db.part('msg_1', 'prt_1', text('What does this do?'))
  db.message('ses_1', 'msg_2', answer(1_790_000_001_000, { parentID: 'msg_1' }))
  db.part('msg_2', 'prt_2', text('It adds numbers.'))
  db.part('msg_2', 'prt_3', tool('bash', { command: 'ls' }, 'a.txt'))
  return { root, db, home: openHome(tempDir()) }
}

const count = (home: Home, table: string): number => {
  const store = openReader(home.store)
  try {
    return store.sqlite.prepare(`select count(*) from ${table}`).pluck().get() as number
  } finally {
    store.close()
  }
}

const query = (home: Home, sql: string): unknown[] => {
  const store = openReader(home.store)
  try {
    return store.sqlite.prepare(sql).all()
  } finally {
    store.close()
  }
}

describe('a sync', () => {
  it('that finds nothing changed reads and writes nothing', async () => {
    const { root, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    // A file that changed a moment ago isn't trusted by its times alone: let the look at it settle.
    await delay(60)
    await engine.sync()
    const before = await dumpStore(home.store)
    const changes = engine.totalChanges()
    const progress = await engine.sync()
    expect(progress).toMatchObject({
      sessionsTotal: 1,
      sessionsFresh: 1,
      sessionsDone: 1,
      bytesRead: 0,
      messagesInserted: 0,
    })
    // The run's own row: queued, running, counters and end.
    expect(engine.totalChanges() - changes).toBeLessThan(10)
    expect(await dumpStore(home.store)).toEqual(before)
  })

  it('that verifies reads everything again, and changes nothing', async () => {
    const { root, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    const events = count(home, 'journal')
    const before = await dumpStore(home.store)
    const progress = await engine.sync({ verify: true })
    expect(progress).toMatchObject({ sessionsFresh: 0, messagesUpdated: 0, partsUpdated: 0 })
    expect(progress.bytesRead).toBeGreaterThan(0)
    expect(count(home, 'journal')).toBe(events)
    expect(await dumpStore(home.store)).toEqual(before)
  })

  it('agrees with the plan on what is fresh', async () => {
    const { root, db, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    expect(await engine.plan()).toEqual([{ source: 'opencode', sessions: 1, fresh: 0, pending: 1 }])
    await engine.sync()
    expect(await engine.plan()).toEqual([{ source: 'opencode', sessions: 1, fresh: 1, pending: 0 }])
    db.session('ses_2', {})
    expect(await engine.plan()).toEqual([{ source: 'opencode', sessions: 2, fresh: 1, pending: 1 }])
    expect(await engine.sync()).toMatchObject({ sessionsTotal: 2, sessionsFresh: 1 })
  })

  it('counts a session once, in however many files it stands', async () => {
    const root = join(import.meta.dirname, '../../fixtures/claude-code/v2.1')
    const engine = engineOn(openHome(tempDir()), { 'claude-code': root }, [claudeCode])
    const [plan] = await engine.plan()
    const { sessionsTotal, sessionsDone } = await engine.sync()
    expect([sessionsTotal, sessionsDone]).toEqual([plan?.sessions, plan?.sessions])
    expect(await engine.sync()).toMatchObject({ sessionsTotal, sessionsDone, sessionsFresh: sessionsTotal })
  })

  it('tells in the journal what is new and what changed, in order', async () => {
    const { root, db, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    const types = () =>
      query(home, 'select type from journal where seq >= 0 order by position').map(
        (row) => Object.values(Object(row))[0],
      )
    // user/message, assistant/message, tool/call, tool/result
    expect(types()).toEqual([0, 1, 3, 4])
    db.part('msg_2', 'prt_2', text('It adds two numbers.'))
    db.touch('ses_1')
    await engine.sync({ verify: true })
    expect(types()).toEqual([0, 1, 3, 4, 7])
    expect(query(home, 'select seq from journal where seq >= 0 order by position')).toEqual(
      [0, 1, 2, 3, 4].map((seq) => ({ seq })),
    )
  })

  it('keeps what its source deletes, and says that it is gone', async () => {
    const { root, db, home } = oneSession()
    db.session('ses_2', {})
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    db.deleteSession('ses_1')
    await engine.sync()
    expect(query(home, 'select native_id, is_source_missing, message_count from sessions order by 1')).toEqual([
      { native_id: 'ses_1', is_source_missing: 1, message_count: 3 },
      { native_id: 'ses_2', is_source_missing: 0, message_count: 0 },
    ])
  })

  it('never takes an empty, gone or unreadable root for deletion', async () => {
    const { root, db, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    db.close()
    renameSync(root, `${root}-away`)
    onTestFinished(() => rmSync(`${root}-away`, { recursive: true, force: true }))
    await engine.sync()
    expect(query(home, 'select status, warnings from roots')).toEqual([
      { status: 2, warnings: expect.stringContaining('SESSIONS_GONE') },
    ])
    expect(query(home, 'select is_source_missing from sessions')).toEqual([{ is_source_missing: 1 }])
    expect(count(home, 'messages')).toBe(3)
    mkdirSync(root)
    await engine.sync()
    expect(query(home, 'select status from roots')).toEqual([{ status: 1 }])
    rmSync(root, { recursive: true })
    renameSync(`${root}-away`, root)
    await engine.sync()
    expect(query(home, 'select is_source_missing from sessions')).toEqual([{ is_source_missing: 0 }])
    expect(query(home, 'select status, warnings from roots')).toEqual([{ status: 0, warnings: '[]' }])
  })

  it('shows a problem until its place is read again without it, and counts how often it was seen', async () => {
    const { root, db, home } = oneSession()
    db.raw('update part set data = ? where id = ?', '{"type":"text","text":', 'prt_2')
    const engine = engineOn(home, { opencode: root })
    expect(await engine.sync()).toMatchObject({ problemCount: 1 })
    const problems = () =>
      query(home, 'select kind, location, count, resolved_at is not null as is_resolved from problems')
    const location = `${join(root, 'opencode.db')}#part/prt_2`
    expect(problems()).toEqual([{ kind: 2, location, count: 1, is_resolved: 0 }])
    await engine.sync({ verify: true })
    expect(problems()).toEqual([{ kind: 2, location, count: 2, is_resolved: 0 }])
    db.part('msg_2', 'prt_2', text('Whole again.'))
    await engine.sync({ verify: true })
    expect(problems()).toEqual([{ kind: 2, location, count: 2, is_resolved: 1 }])
    expect(query(home, "select preview from parts where native_id = 'prt_2'")).toEqual([{ preview: 'Whole again.' }])
  })

  it('queues after the one that runs, answers an equal queued one with that, and can be cancelled', async () => {
    const { root, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    const [first, second, third] = [engine.start(), engine.start(), engine.start(['opencode'])]
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    engine.cancel(third)
    await engine.ended(first)
    expect(query(home, 'select id, status from sync_runs order by id')).toEqual([
      { id: first, status: 2 },
      { id: third, status: 3 },
    ])
    expect(engine.cancel(first)).toBe(true)
    expect(engine.cancel(9999)).toBe(false)
    expect(query(home, `select status from sync_runs where id = ${first}`)).toEqual([{ status: 2 }])
  })
})

describe('tool calls over time', () => {
  it('get their result when it comes, and are interrupted when the person goes on without it', async () => {
    const { root, db, home } = oneSession()
    db.part('msg_2', 'prt_4', tool('bash', { command: 'sleep 9' }, null))
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    const status = () => query(home, "select status from parts where native_id = 'prt_4'")
    expect(status()).toEqual([{ status: 0 }])
    db.message('ses_1', 'msg_3', prompt(1_790_000_009_000))
    db.part('msg_3', 'prt_5', text('Never mind.'))
    await engine.sync()
    expect(status()).toEqual([{ status: 3 }])
    db.part('msg_2', 'prt_4', tool('bash', { command: 'sleep 9' }, 'late but there'))
    db.touch('ses_1')
    await engine.sync({ verify: true })
    expect(status()).toEqual([{ status: 1 }])
    expect(query(home, "select preview from parts where native_id = 'prt_4/result'")).toEqual([
      { preview: 'late but there' },
    ])
  })
})

describe('re-projection', () => {
  /** An adapter whose improved mapping shouts. */
  const louder: Adapter = {
    ...opencode,
    revision: opencode.revision + 1,
    map: (sessionId, unitKey) => {
      const mapper = opencode.map(sessionId, unitKey)
      const shout = function* (items: Iterable<Item>) {
        for (const item of items) {
          if (item.kind === 'part' && item.part.kind === 'TEXT')
            yield { ...item, part: { ...item.part, text: item.part.text?.toUpperCase() ?? null } }
          else if (!(item.kind === 'part' && item.part.kind === 'TOOL_RESULT')) yield item
        }
      }
      return { push: (record) => shout(mapper.push(record)), end: () => shout(mapper.end()) }
    },
  }

  it('makes the rows of an older revision anew from the archive, without the source', async () => {
    const { root, db, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    await engine.close()
    db.close()
    rmSync(root, { recursive: true })
    const ids = query(home, 'select id, native_id from messages order by id')
    const next = engineOn(home, { opencode: root }, [louder])
    await next.settled()
    expect(query(home, 'select preview from parts where kind = 0 order by native_id')).toEqual([
      { preview: 'WHAT DOES THIS DO?' },
      { preview: 'IT ADDS NUMBERS.' },
    ])
    expect(query(home, 'select count(*) as n from parts where kind = 4')).toEqual([{ n: 0 }])
    expect(query(home, 'select id, native_id from messages order by id')).toEqual(ids)
    expect(query(home, 'select revision from sessions')).toEqual([{ revision: louder.revision }])
    await next.close()
    const back = engineOn(home, { opencode: root }, [{ ...opencode, revision: louder.revision + 1 }])
    await back.settled()
    expect(query(home, 'select preview from parts where kind = 0 order by native_id')[0]).toEqual({
      preview: 'What does this do?',
    })
    expect(query(home, 'select count(*) as n from parts where kind = 4')).toEqual([{ n: 1 }])
  })

  it('of the same mapping changes nothing', async () => {
    const { root, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    await engine.close()
    const before = await dumpStore(home.store)
    const events = count(home, 'journal')
    const next = engineOn(home, { opencode: root }, [{ ...opencode, revision: opencode.revision + 1 }])
    await next.settled()
    const after = await dumpStore(home.store)
    const revised = (dump: typeof after) => ({
      ...dump,
      sessions: dump['sessions']?.map((row) => ({ ...Object(row), revision: 0 })),
    })
    expect(revised(after)).toEqual(revised(before))
    expect(count(home, 'journal')).toBe(events)
  })
})

describe('watching', () => {
  it('takes in what the agent writes, in proportion to what it writes', async () => {
    const { root, db, home } = oneSession()
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    engine.watch()
    db.message('ses_1', 'msg_3', prompt(1_790_000_009_000))
    db.part('msg_3', 'prt_5', text('And now?'))
    await engine.until(() => count(home, 'messages') === 4)
    expect(query(home, "select preview from parts where native_id = 'prt_5'")).toEqual([{ preview: 'And now?' }])
    expect(query(home, 'select status, trigger from sync_runs where trigger = 1')).toEqual([{ status: 1, trigger: 1 }])
  })
})

describe('the order of import', () => {
  it('changes neither what is billed where nor who is whose parent', async () => {
    const dirs = ['a', 'b', 'c'].map((name) => join(tempDir(), name))
    const build = (dir: string, sessions: readonly ('origin' | 'fork' | 'fork2')[]) => {
      mkdirSync(dir)
      const db = new OpencodeDatabase(join(dir, 'opencode.db'))
      for (const name of sessions) {
        const born = { origin: 1_790_000_000_000, fork: 1_790_000_500_000, fork2: 1_790_000_900_000 }[name]
        db.session(`ses_${name}`, { title: name, created: born })
        db.message(`ses_${name}`, `msg_${name}1`, prompt(1_790_000_100_000))
        db.message(`ses_${name}`, `msg_${name}2`, answer(1_790_000_101_000, { parentID: `msg_${name}1`, cost: 0.5 }))
        db.message(`ses_${name}`, `msg_${name}3`, answer(born + 200_000, { parentID: `msg_${name}1`, cost: 0.25 }))
      }
      db.close()
    }
    const orders = [
      ['origin', 'fork', 'fork2'],
      ['fork2', 'fork', 'origin'],
      ['fork', 'origin', 'fork2'],
    ] as const
    const results = []
    for (const [i, order] of orders.entries()) {
      const dir = dirs[i] ?? ''
      const home = openHome(tempDir())
      for (const name of order) {
        build(`${dir}-${name}`, [name])
        onTestFinished(() => rmSync(`${dir}-${name}`, { recursive: true, force: true }))
        const engine = engineOn(home, { opencode: `${dir}-${name}` })
        await engine.sync()
        await engine.close()
      }
      results.push(
        query(
          home,
          `select s.native_id, s.cost_nanos, s.relation, s.inherited_message_count,
          (select native_id from sessions p where p.id = s.parent_id) as parent from sessions s order by 1`,
        ),
      )
    }
    expect(results[0]).toEqual([
      { native_id: 'ses_fork', cost_nanos: 250_000_000, relation: 1, inherited_message_count: 2, parent: 'ses_origin' },
      {
        native_id: 'ses_fork2',
        cost_nanos: 250_000_000,
        relation: 1,
        inherited_message_count: 2,
        parent: 'ses_origin',
      },
      { native_id: 'ses_origin', cost_nanos: 750_000_000, relation: null, inherited_message_count: 0, parent: null },
    ])
    expect(results[1]).toEqual(results[0])
    expect(results[2]).toEqual(results[0])
  })
})

describe('erasing', () => {
  it('leaves nothing of a session in any file, and never takes it in again', async () => {
    const { root, db, home } = oneSession()
    const secret = 'correct horse battery staple'
    db.part('msg_2', 'prt_2', text(`${secret} ${'x'.repeat(5000)} ${secret}`))
    db.session('ses_child', { parent: 'ses_1' })
    db.session('ses_other', {})
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    const result = await engine.erase('ses_1')
    expect(result.erasedUids).toHaveLength(2)
    expect(query(home, 'select native_id from sessions')).toEqual([{ native_id: 'ses_other' }])
    await engine.sync({ verify: true })
    expect(query(home, 'select native_id from sessions')).toEqual([{ native_id: 'ses_other' }])
    for (const name of readdirSync(home.path))
      expect(readFileSync(join(home.path, name)).includes(secret), name).toBe(false)
    expect(integrityOf(home.store)).toBe('ok')
  })
})

describe('a root', () => {
  it('that never was there is a mistake in the configuration', async () => {
    const home = openHome(tempDir())
    const engine = engineOn(home, { opencode: '/nowhere/at/all' })
    expect(await engine.sync()).toMatchObject({ problemCount: 1, sessionsTotal: 0 })
    expect(query(home, 'select kind, location from problems')).toEqual([{ kind: 8, location: '/nowhere/at/all' }])
  })
})
