import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { claudeCode } from '../../src/adapters/claude-code/index.ts'
import type { Adapter } from '../../src/adapters/contract.ts'
import { addressKey } from '../../src/db/archive/address.ts'
import { ArchiveReader } from '../../src/db/archive/read.ts'
import { type Home, openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { STORE_EVENT_TYPES } from '../../src/model/journal.ts'
import { assistant, lines, main, says, user } from '../adapters/claude-code/home.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

/** Questions and answers, `from` to `to`, worded by `wording`: three commits' worth at 1,500. */
function conversation(wording: string, from: number, to: number): string {
  const turn = (n: number) => [
    user(`q${n}`, n === 0 ? null : `a${n - 1}`, `${wording} question ${n}?`),
    assistant(`a${n}`, `q${n}`, `msg_${n}`, [says(`${wording} answer ${n}.`)]),
  ]
  return lines(...Array.from({ length: to - from }, (_, i) => turn(from + i)).flat())
}

/** The adapter, with a look at the world wherever it would be safe to commit; `records` counts what it reads. */
const watched = (look: (checkpoint: number) => unknown, records = { count: 0 }): Adapter => ({
  ...claudeCode,
  async *parse(unit, cursor) {
    const items = claudeCode.parse(unit, cursor)
    for (let checkpoint = 0; ; ) {
      const step = await items.next()
      if (step.done === true) return step.value
      yield step.value
      if (step.value.kind === 'record') records.count += 1
      if (step.value.kind === 'checkpoint') await look(checkpoint++)
    }
  },
})

/** What readers of every kind can tell of the one session. */
function seen(home: Home): Record<string, unknown> {
  const store = openReader(home.store)
  const all = (sql: string) => store.sqlite.prepare(sql).all()
  try {
    return {
      session: all('select epoch, message_count, prompt_count, next_seq, updated_at, total_tokens from sessions'),
      messages: all('select is_removed, count(*) as count from messages group by 1'),
      parts: all("select substr(preview, 1, instr(preview, ' ')) as wording, count(*) as count from parts group by 1"),
      records: all('select generation, record_count from streams order by 1'),
      stored: all('select count(*) as count from records'),
      journal: all('select type, count(*) as count, max(seq) as last from journal where seq >= 0 group by 1'),
      feed: all('select type, count(*) as count from journal where seq < 0 group by 1'),
      usage: all('select sum(responses) as responses, sum(output_tokens) as output from usage_quarters'),
      cursor: all('select hex(data) as data from cursors'),
      problems: all('select message from problems where resolved_at is null'),
    }
  } finally {
    store.close()
  }
}

describe('a rewritten file', () => {
  let home: Home
  let root: string
  let file: string

  beforeEach(() => {
    home = openHome(tempDir())
    root = join(tempDir(), '.claude')
    const directory = join(root, 'projects', '-home-ada-app')
    mkdirSync(directory, { recursive: true })
    file = join(directory, main())
    writeFileSync(file, conversation('Old', 0, 40))
  })

  const engineWith = (adapter: Adapter = claudeCode) => engineOn(home, { 'claude-code': root }, [adapter])
  async function sync(adapter?: Adapter) {
    const engine = engineWith(adapter)
    const progress = await engine.sync()
    await engine.close()
    return progress
  }

  it('is seen as it was until all of it was read, then as it is now, at once', async () => {
    await sync()
    const old = seen(home)
    writeFileSync(file, conversation('New', 20, 1500))
    const looks: unknown[] = []
    await sync(watched(() => looks.push(seen(home))))
    expect(looks.length).toBeGreaterThan(50)
    for (const look of looks) expect(look).toEqual(old)
    const now = seen(home)
    expect(now).toMatchObject({
      session: [{ message_count: 3000 }],
      messages: [
        { is_removed: 0, count: 2960 },
        { is_removed: 1, count: 40 },
      ],
      parts: [
        { wording: 'New ', count: 2960 },
        { wording: 'Old ', count: 40 },
      ],
      records: [
        { generation: 0, record_count: 80 },
        { generation: 1, record_count: 2960 },
      ],
      usage: [{ responses: 1500 }],
      problems: [],
    })
    expect(now['session']).not.toMatchObject([
      { epoch: Reflect.get(Object((old['session'] as unknown[])[0]), 'epoch') },
    ])
    expect(readdirSync(home.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('is told by the API as it was until all of it was read', async () => {
    await sync()
    const { ask } = apiOn(home)
    const counts = () =>
      ask('{ sessions { nodes { messageCount recordCount messages { totalCount } usage { outputTokens } } } }')
    const old = await counts()
    writeFileSync(file, conversation('New', 20, 1500))
    const told: unknown[] = []
    await sync(watched(async (checkpoint) => void (checkpoint % 10 === 0 && told.push(await counts()))))
    expect(told.length).toBeGreaterThan(5)
    for (const answer of told) expect(answer).toEqual(old)
    expect(await counts()).toMatchObject({
      sessions: { nodes: [{ messageCount: 3000, recordCount: 3040, messages: { totalCount: 3000 } }] },
    })
  })

  it('gets one new epoch, with the same journal as one that is read in one commit', async () => {
    await sync()
    writeFileSync(file, conversation('New', 20, 1500))
    await sync()
    const { journal, feed } = seen(home)
    expect(journal).toEqual([
      { type: STORE_EVENT_TYPES.indexOf('user/message'), count: 1480, last: 2998 },
      { type: STORE_EVENT_TYPES.indexOf('assistant/message'), count: 1480, last: 2999 },
      { type: STORE_EVENT_TYPES.indexOf('part/updated'), count: 40, last: 79 },
      { type: STORE_EVENT_TYPES.indexOf('message/removed'), count: 40, last: 3039 },
    ])
    expect(feed).toContainEqual({ type: STORE_EVENT_TYPES.indexOf('session/reset'), count: 1 })
  })

  it('is read on from its end when a line is appended, under the same epoch', async () => {
    await sync()
    writeFileSync(file, conversation('New', 0, 1500))
    await sync()
    const { session } = seen(home)
    appendFileSync(file, conversation('New', 1500, 1501))
    const records = { count: 0 }
    await sync(watched(() => undefined, records))
    expect(records.count).toBe(2)
    const after = seen(home)
    expect(after['records']).toEqual([
      { generation: 0, record_count: 80 },
      { generation: 1, record_count: 3002 },
    ])
    expect(Object(after['session'])[0].epoch).toBe(Object(session)[0].epoch)
  })

  it('that can not be read to its end leaves everything as it was, and is read again by the next sync', async () => {
    await sync()
    const { problems: _, ...old } = seen(home)
    writeFileSync(file, conversation('New', 20, 1500))
    const failing = watched((checkpoint) => {
      if (checkpoint === 60) throw new Error('The disk is gone.')
    })
    await sync(failing)
    expect(seen(home)).toEqual({ ...old, problems: [{ message: 'The disk is gone.' }] })
    await sync()
    expect(seen(home)).toMatchObject({ session: [{ message_count: 3000 }], problems: [] })
  })

  it('that is left in the middle by a cancelled run is read by the next', async () => {
    await sync()
    const old = seen(home)
    writeFileSync(file, conversation('New', 20, 1500))
    const run = { id: 0 }
    const engine = engineWith(
      watched((checkpoint) => {
        if (checkpoint === 40) engine.cancel(run.id)
      }),
    )
    run.id = engine.start()
    await engine.ended(run.id)
    expect(seen(home)).toEqual(old)
    await engine.close()
    await sync()
    expect(seen(home)).toMatchObject({ session: [{ message_count: 3000 }] })
  })

  it.each([
    ['once it was read before', true],
    ['when it is read for the first time', false],
  ])('that is rewritten while it is read is what it became, %s', async (_, isKnown) => {
    if (isKnown) await sync()
    writeFileSync(file, conversation('Torn', 20, 1500))
    await sync(
      watched((checkpoint) => {
        if (checkpoint === 40) writeFileSync(file, conversation('New', 20, 1400))
      }),
    )
    const store = openReader(home.store)
    const present = store.sqlite.prepare(`
      select substr(p.preview, 1, instr(p.preview, ' ')) as wording, count(*) as count
      from parts p join messages m on m.id = p.message_id where m.is_removed = 0 group by 1`)
    expect(present.all()).toEqual([{ wording: 'New ', count: 2760 }])
    store.close()
    appendFileSync(file, conversation('New', 1400, 1401))
    expect(await sync()).toMatchObject({ messagesInserted: 2, messagesUpdated: 0 })
  })

  it('is a new generation for a sync that verifies, too: what the old one held stays as it was', async () => {
    await sync()
    const newer = conversation('New', 0, 40)
    writeFileSync(file, newer)
    const engine = engineWith()
    await engine.sync({ verify: true })
    await engine.close()
    expect(seen(home)['records']).toEqual([
      { generation: 0, record_count: 80 },
      { generation: 1, record_count: 80 },
    ])
    const store = openReader(home.store)
    const archive = new ArchiveReader(store)
    const stream = store.sqlite.prepare('select id from streams where generation = 1').pluck().get() as number
    const addresses = Array.from({ length: 80 }, (_, no) => ({ streamId: stream, no }))
    const bytes = archive.bytesNow(addresses)
    expect(addresses.map((address) => bytes.get(addressKey(address))?.toString()).join('')).toBe(newer)
    store.close()
  })

  it('that became shorter has no problems left behind its end', async () => {
    appendFileSync(file, 'no JSON\n')
    await sync()
    expect(seen(home)['problems']).toHaveLength(1)
    writeFileSync(file, conversation('New', 0, 10))
    await sync()
    expect(seen(home)['problems']).toEqual([])
  })
})
