import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { opencode } from '../../src/adapters/opencode/index.ts'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { createApi } from '../../src/server/api.ts'
import { engineOn } from '../support/engine.ts'
import { answer, OpencodeDatabase, prompt, text, tool } from '../support/opencode-database.ts'
import type { Answer } from '../support/seeded-api.ts'
import { tempDir } from '../support/temp.ts'

const LONG = `${'A long text with an emoji 👩‍🚀 in it. '.repeat(200)}The end.`

async function synced(fill: (db: OpencodeDatabase) => void, maxResponseBytes = 64 * 1024 * 1024) {
  const root = tempDir()
  const db = new OpencodeDatabase(join(root, 'opencode.db'))
  onTestFinished(() => db.close())
  db.session('ses_1', { title: 'A session' })
  fill(db)
  const home = openHome(tempDir())
  await engineOn(home, { opencode: root }).sync()
  const logged: object[] = []
  const store = openReader(home.store)
  const api = createApi({
    store,
    origin: home.origin,
    content: () => opencode.content,
    locate: () => opencode.locate,
    writer: null,
    version: 'test',
    log: { error: (details) => logged.push(details) },
    limits: { maxResponseBytes },
  })
  onTestFinished(() => {
    api.close()
    store.close()
  })
  const run = (query: string): Promise<Answer> => api.execute({ query })
  const session = async (fields: string): Promise<Answer> => {
    const { data, errors } = await run(`{ session(source: "opencode", nativeId: "ses_1") { ${fields} } }`)
    if (errors) throw new Error(JSON.stringify(errors))
    return data.session
  }
  return { run, session, logged }
}

function conversation(db: OpencodeDatabase): void {
  db.message('ses_1', 'msg_1', prompt(1_790_000_000_000))
  db.part('msg_1', 'prt_1', text(LONG))
  db.part('msg_1', 'prt_2', text('Short.'))
  db.message('ses_1', 'msg_2', answer(1_790_000_001_000, { parentID: 'msg_1' }))
  db.part('msg_2', 'prt_3', tool('bash', { command: 'ls', long: 'x'.repeat(5000) }, LONG))
}

describe('a long text', () => {
  it('is read whole from the archive, or cut where it is asked to be', async () => {
    const { session } = await synced(conversation)
    const { messages } = await session(
      'messages(first: 1) { nodes { text textLength short: text(maxChars: 30) parts { nodes { ... on TextPart { text textLength cut: text(maxChars: 27) long: text(maxChars: 3000) none: text(maxChars: 0) } } } } }',
    )
    const [message] = messages.nodes
    expect(message.text).toBe(`${LONG}\n\nShort.`)
    expect(message.textLength).toBe([...message.text].length)
    expect(message.short).toBe(LONG.slice(0, 'A long text with an emoji 👩‍🚀 i'.length - 1))
    const [part] = message.parts.nodes
    expect(part.text).toBe(LONG)
    expect(part.textLength).toBe([...LONG].length)
    expect(part.cut).toBe('A long text with an emoji ')
    expect(part.none).toBe('')
    expect(LONG.startsWith(part.long)).toBe(true)
    expect([...part.long].length).toBeGreaterThan(2990)
  })

  it('of a tool comes with what it was called with, unless that is larger than wanted', async () => {
    const { session } = await synced(conversation)
    const { toolCalls } = await session(
      'toolCalls { nodes { name category command params paramsByteLength few: params(maxBytes: 100) answer: result { result resultByteLength text textLength few: result(maxBytes: 10) call { nativeId } records { id } raw } records { location type } raw } }',
    )
    const [call] = toolCalls.nodes
    expect(call).toMatchObject({ name: 'bash', category: 'SHELL', command: 'ls', few: null })
    expect(call.params).toEqual({ command: 'ls', long: 'x'.repeat(5000) })
    expect(call.paramsByteLength).toBe(JSON.stringify(call.params).length)
    expect(call.answer.text).toBe(LONG)
    expect(call.answer.textLength).toBe([...LONG].length)
    expect(call.answer.few).toBeNull()
    expect(call.answer.call.nativeId).toBe('prt_3')
    // The result was split off the call, so it cites nothing.
    expect(call.answer).toMatchObject({ records: [], raw: null })
    expect(call.records).toHaveLength(1)
    expect(JSON.stringify(call.raw)).toContain('xxxxx')
  })

  it('counts towards the size of the answer, which is refused before it piles up', async () => {
    const { run } = await synced(conversation, 4000)
    const { errors } = await run('{ sessions { nodes { messages { nodes { text } } } } }')
    expect(errors[0].extensions.code).toBe('LIMIT_EXCEEDED')
    expect((await run('{ sessions { nodes { messages { nodes { text(maxChars: 100) } } } } }')).errors).toBeUndefined()
  })
})

describe('a record', () => {
  it('is shown exactly as its source wrote it, and found again by its id', async () => {
    const { session, run } = await synced(conversation)
    const { records, recordCount } = await session(
      'recordCount records { totalCount nodes { id position location type text raw byteLength } }',
    )
    expect(records.totalCount).toBe(recordCount)
    for (const record of records.nodes) {
      expect(Buffer.byteLength(record.text)).toBe(record.byteLength)
      expect(JSON.parse(record.text)).toEqual(record.raw)
      const { data } = await run(`{ node(id: "${record.id}") { ... on SourceRecord { location } } }`)
      expect(data.node.location).toBe(record.location)
    }
    expect(records.nodes.map(({ location }: Answer) => location)).toContainEqual(
      expect.stringMatching(/opencode\.db#part\/prt_1$/),
    )
    const positions = records.nodes.map(({ position }: { position: number }) => position)
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  })

  it('that no part was read from is among the unmapped', async () => {
    const { session } = await synced(conversation)
    const { all, unmapped, mapped } = await session(
      'all: records { totalCount } unmapped: records(unmapped: true) { totalCount } mapped: records(unmapped: false) { totalCount }',
    )
    expect(unmapped.totalCount + mapped.totalCount).toBe(all.totalCount)
    expect(mapped.totalCount).toBeGreaterThan(0)
  })

  it('nested too deep for JSON to be written is null, and breaks nothing beside it', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const { session, logged } = await synced((db) => {
      conversation(db)
      db.part('msg_2', 'prt_4', { type: 'mystery', payload: 'PLACEHOLDER' })
      db.raw(`update part set data = replace(data, '"PLACEHOLDER"', ?) where id = 'prt_4'`, deep)
    })
    const { messages } = await session(
      'messages { nodes { parts(kinds: [DATA]) { nodes { raw ... on DataPart { dataType data } } } } }',
    )
    const parts = messages.nodes.flatMap((node: Answer) => node.parts.nodes)
    expect(parts).toContainEqual({ raw: null, dataType: 'mystery', data: null })
    expect(logged).toEqual([])
  })
})
