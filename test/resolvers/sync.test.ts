import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/writer/commands.ts'
import { FakeWriter } from '../support/fake-writer.ts'
import { NOON, PROGRESS } from '../support/seed.ts'
import { type Answer, type SeededApi, seededApi } from '../support/seeded-api.ts'

const progress = (t: SeededApi, id: number, status: number, done: number): void => {
  t.seed.store.sqlite
    .prepare('update sync_runs set status = ?, progress = ? where id = ?')
    .run(status, JSON.stringify({ ...PROGRESS, sessionsTotal: 10, sessionsDone: done, lastAdvancedAt: Date.now() }), id)
}
const [RUNNING, COMPLETED] = [1, 2]
const FOLLOW = 'subscription ($run: ID) { syncProgress(run: $run) { status sessionsDone fraction run { id } } }'

describe('syncProgress', () => {
  it('starts with where the run stands, follows it, and ends when it ends', async () => {
    const writer = new FakeWriter()
    const t = seededApi({ writer })
    const id = t.seed.run()
    progress(t, id, RUNNING, 1)
    const seen: Answer[] = []
    for await (const { data } of t.api.subscribe({ query: FOLLOW })) {
      seen.push((data as Answer).syncProgress)
      const done = seen.length * 5
      progress(t, id, done >= 10 ? COMPLETED : RUNNING, done)
      writer.wake()
    }
    expect(seen.map(({ status, sessionsDone, fraction }) => [status, sessionsDone, fraction])).toEqual([
      ['RUNNING', 1, 0.1],
      ['RUNNING', 5, 0.5],
      ['COMPLETED', 10, 1],
    ])
    expect(writer.listeners.size).toBe(0)
  })

  it('of a run that has ended answers once and ends', async () => {
    const t = seededApi({ writer: new FakeWriter() })
    const id = t.seed.run({ status: 'CANCELLED', endedAt: NOON + 5 })
    const run = (await t.ask('{ syncRuns { nodes { id } } }')).syncRuns.nodes[0].id
    const seen: unknown[] = []
    for await (const result of t.api.subscribe({ query: FOLLOW, variables: { run } })) seen.push(result.data)
    expect(seen).toMatchObject([{ syncProgress: { status: 'CANCELLED' } }])
    expect(id).toBe(1)
  })

  it('without a run waits for the next one that somebody waits for, never for watching', async () => {
    const writer = new FakeWriter()
    const t = seededApi({ writer })
    t.seed.run({ trigger: 'WATCH' })
    const events = t.api.subscribe({ query: FOLLOW })
    const first = events.next()
    await delay(20)
    const id = t.seed.run({ status: 'QUEUED' })
    writer.wake()
    expect((await first).value).toMatchObject({ data: { syncProgress: { status: 'QUEUED' } } })
    progress(t, id, COMPLETED, 10)
    writer.wake()
    expect((await events.next()).value).toMatchObject({ data: { syncProgress: { status: 'COMPLETED', fraction: 1 } } })
    expect((await events.next()).done).toBe(true)
  })

  it('follows what another process writes', async () => {
    const t = seededApi()
    const id = t.seed.run()
    const events = t.api.subscribe({ query: FOLLOW })
    await events.next()
    const next = events.next()
    await delay(20)
    progress(t, id, COMPLETED, 10)
    expect((await next).value).toMatchObject({ data: { syncProgress: { status: 'COMPLETED' } } })
    await events.return(undefined)
    expect(t.api.services.wakeups.size).toBe(0)
  })

  it('shows a slow reader the newest state only', async () => {
    const writer = new FakeWriter()
    const t = seededApi({ writer })
    const id = t.seed.run()
    const events = t.api.subscribe({ query: FOLLOW })
    await events.next()
    for (let done = 1; done <= 9; done++) {
      progress(t, id, RUNNING, done)
      writer.wake()
    }
    expect((await events.next()).value).toMatchObject({ data: { syncProgress: { sessionsDone: 9 } } })
    await events.return(undefined)
  })

  it('of an unknown run is NOT_FOUND, of no run at all BAD_USER_INPUT', async () => {
    const t = seededApi()
    expect(await t.codes(FOLLOW, { run: Buffer.from('Y99').toString('base64url') })).toEqual(['NOT_FOUND'])
    expect(await t.codes(FOLLOW, { run: Buffer.from('Cx').toString('base64url') })).toEqual(['BAD_USER_INPUT'])
  })

  it('is left at any time, also while it waits', async () => {
    const t = seededApi({ writer: new FakeWriter() })
    t.seed.run()
    const controller = t.api.yoga.getEnveloped({ params: {} })
    expect(controller).toBeDefined()
    const { followProgress } = await import('../../src/resolvers/sync-progress.ts')
    const { Scope } = await import('../../src/resolvers/scope.ts')
    const states = followProgress(new Scope(t.api.services), null)
    await states.next()
    const waiting = states.next()
    await states.return?.()
    expect((await waiting).done).toBe(true)
    expect(t.api.services.wakeups.size).toBe(0)
  })

  it('is completed when the server goes', async () => {
    const t = seededApi({ writer: new FakeWriter() })
    t.seed.run()
    const events = t.api.subscribe({ query: FOLLOW })
    await events.next()
    const last = events.next()
    t.api.close()
    expect((await last).done).toBe(true)
  })
})

describe('a run', () => {
  it('that shows no sign of life for long is stalled, but watching never is', async () => {
    const t = seededApi()
    t.seed.run({ startedAt: NOON })
    t.seed.run({ trigger: 'WATCH' })
    const { syncRuns } = await t.ask(
      '{ syncRuns { nodes { trigger progress { isStalled fraction etaMs elapsedMs } } } }',
    )
    expect(syncRuns.nodes).toMatchObject([
      { trigger: 'WATCH', progress: { isStalled: false, fraction: null, etaMs: null } },
      { trigger: 'MANUAL', progress: { isStalled: true, fraction: null } },
    ])
  })
})

describe('mutations', () => {
  it('need the writer', async () => {
    const t = seededApi()
    t.seed.session('a')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    expect(await t.codes('mutation { startSync(input: {}) { run { id } } }')).toEqual(['UNAVAILABLE'])
    expect(
      await t.codes(`mutation { eraseSession(input: { session: "${session.id}" }) { erasedSessionIds } }`),
    ).toEqual(['UNAVAILABLE'])
    expect(await t.codes('{ syncPlan { fresh } }')).toEqual(['UNAVAILABLE'])
  })

  it('hand on what was given and keep apart what was left out and what is null', async () => {
    const inputs: unknown[] = []
    const writer = new FakeWriter({
      annotate: (input) => {
        inputs.push(input)
        return { isFound: true }
      },
    })
    const t = seededApi({ writer })
    t.seed.session('a')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    const annotate = (fields: string) =>
      t.ask(`mutation { annotateSession(input: { session: "${session.id}"${fields} }) { session { id } } }`)
    expect(await annotate(', isStarred: true')).toEqual({ annotateSession: { session } })
    await annotate(', tags: ["x"], note: null')
    await annotate(', tags: null')
    const { uid } = inputs[0] as { uid: string }
    expect(inputs).toEqual([
      { uid, isStarred: true },
      { uid, tags: ['x'], note: null },
      { uid, tags: [] },
    ])
  })

  it('refuse tags that are blank, and to end watching', async () => {
    const cancelled: unknown[] = []
    const writer = new FakeWriter({
      annotate: () => ({ isFound: true }),
      cancelSync: (input) => {
        cancelled.push(input)
        return input
      },
    })
    const t = seededApi({ writer })
    t.seed.session('a')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    for (const tag of ['', ' ', '\\t']) {
      const query = `mutation { annotateSession(input: { session: "${session.id}", tags: ["x", "${tag}"] }) { session { id } } }`
      expect(await t.codes(query)).toEqual(['BAD_USER_INPUT'])
    }
    t.seed.run({ trigger: 'WATCH', status: 'CANCELLED' })
    t.seed.run({ trigger: 'WATCH' })
    const { syncRuns } = await t.ask('{ syncRuns { nodes { id } } }')
    const cancel = ({ id }: { id: string }) => t.run(`mutation { cancelSync(input: { run: "${id}" }) { run { id } } }`)
    const { errors } = await cancel(syncRuns.nodes[0])
    expect(errors).toMatchObject([
      { message: expect.stringContaining('watching ends with the server'), extensions: { code: 'BAD_USER_INPUT' } },
    ])
    expect(cancelled).toEqual([])
    expect((await cancel(syncRuns.nodes[1])).errors).toBeUndefined()
  })

  it('answer with the session as they left it, also when one operation holds several', async () => {
    const writer = new FakeWriter({
      annotate: ({ note }) => {
        t.seed.store.sqlite.prepare('update sessions set note = ?').run(note ?? null)
        return { isFound: true }
      },
    })
    const t = seededApi({ writer })
    t.seed.session('a')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    const one = (name: string) =>
      `${name}: annotateSession(input: { session: "${session.id}", note: "${name}" }) { session { note } }`
    expect(await t.ask(`mutation { ${one('first')} ${one('second')} }`)).toEqual({
      first: { session: { note: 'first' } },
      second: { session: { note: 'second' } },
    })
  })

  it('say NOT_FOUND of what the writer does not find, and pass on what it refuses', async () => {
    const writer = new FakeWriter({
      annotate: () => ({ isFound: false }),
      erase: () => ({ isFound: false, erasedUids: [], copyUids: [] }),
      startSync: () => {
        throw new CommandError('BAD_USER_INPUT', 'No such source.')
      },
    })
    const t = seededApi({ writer })
    const id = 'U_7jRUXUwWcNoULLIP9EuMA'
    expect(await t.codes(`mutation { annotateSession(input: { session: "${id}" }) { session { id } } }`)).toEqual([
      'NOT_FOUND',
    ])
    expect(await t.codes(`mutation { eraseSession(input: { session: "${id}" }) { erasedSessionIds } }`)).toEqual([
      'NOT_FOUND',
    ])
    expect(await t.codes('mutation { startSync(input: { sources: ["x"] }) { run { id } } }')).toEqual([
      'BAD_USER_INPUT',
    ])
    expect(await t.codes('mutation { cancelSync(input: { run: "WTk5" }) { run { id } } }')).toEqual(['NOT_FOUND'])
  })

  it('erase, and name the sessions that hold copies', async () => {
    const writer = new FakeWriter({
      erase: ({ uid }) => ({ isFound: true, erasedUids: [uid], copyUids: [uidOf('copy')] }),
    })
    const t = seededApi({ writer })
    const uidOf = (nativeId: string) =>
      t.seed.store.sqlite.prepare('select hex(uid) from sessions where native_id = ?').pluck().get(nativeId) as string
    t.seed.session('a')
    t.seed.session('copy')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    const data = await t.ask(
      `mutation { eraseSession(input: { session: "${session.id}" }) { erasedSessionIds inheritedCopies { nativeId } } }`,
    )
    expect(data.eraseSession).toEqual({ erasedSessionIds: [session.id], inheritedCopies: [{ nativeId: 'copy' }] })
  })
})
