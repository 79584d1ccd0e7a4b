import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pi } from '../../src/adapters/pi/index.ts'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { createApi } from '../../src/server/api.ts'
import { engineOn } from '../support/engine.ts'
import type { Answer } from '../support/seeded-api.ts'
import { tempDir } from '../support/temp.ts'

const FIXTURE = join(import.meta.dirname, '../../fixtures/pi/agent')
const idOf = (n: number): string => `019c0000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** The fixture of pi in a store, asked about one session. */
async function synced(): Promise<(n: number, fields: string) => Promise<Answer>> {
  const root = join(tempDir(), 'agent')
  cpSync(FIXTURE, root, { recursive: true })
  const home = openHome(tempDir())
  const engine = engineOn(home, { pi: root }, [pi])
  await engine.sync()
  await engine.close()
  return async (n, fields) => {
    const store = openReader(home.store)
    const log = { error: (details: object) => expect(details).toBe(null) }
    const content = () => pi.content
    const locate = () => pi.locate
    const api = createApi({ store, origin: home.origin, content, locate, writer: null, version: 'test', log })
    const query = `{ session(source: "pi", nativeId: "${idOf(n)}") { ${fields} } }`
    const { data, errors } = (await api.execute({ query })) as Answer
    api.close()
    store.close()
    expect(errors).toBe(undefined)
    return data.session
  }
}

describe('sessions of pi in the API', () => {
  it('show the branch that is left as off the active path', async () => {
    const session = await synced()
    const { messages } = await session(1, 'messages(first: 100) { nodes { text isOnActivePath } }')
    const off = messages.nodes.filter(({ isOnActivePath }: Answer) => !isOnActivePath)
    expect(off.map(({ text }: Answer) => text)).toEqual(['', 'Branch that is left', 'Left.'])
  })

  it('show a diff that stands in the result of its call', async () => {
    const session = await synced()
    const { toolCalls } = await session(
      1,
      'toolCalls(first: 9) { nodes { name status files { path diff additions } } }',
    )
    expect(toolCalls.nodes[2]).toEqual({
      name: 'edit',
      status: 'SUCCEEDED',
      files: [{ path: 'a.txt', diff: '@@ -1,1 +1,1 @@\n-alpha\n+beta\n', additions: 1 }],
    })
  })

  it('keep images once, as bytes of their own', async () => {
    const session = await synced()
    const { toolCalls } = await session(1, 'toolCalls(first: 9) { nodes { name result { result } } }')
    const image = toolCalls.nodes[3].result.result[1]
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(JSON.stringify(image)).toContain('$blob')
  })

  it('count what a fork copied where it was first written', async () => {
    const session = await synced()
    const fields =
      'parent { nativeId } relation usage { totalTokens } inheritedUsage { totalTokens } inheritedMessageCount'
    expect(await session(2, fields)).toEqual({
      parent: { nativeId: idOf(1) },
      relation: 'FORK',
      usage: { totalTokens: 136 },
      inheritedUsage: { totalTokens: 272 },
      inheritedMessageCount: 5,
    })
  })

  it('have dividers where they were compacted, and everything before them', async () => {
    const session = await synced()
    const { messages, title } = await session(
      1,
      'title messages(first: 100) { nodes { role compaction { kind content } } }',
    )
    const dividers = messages.nodes.flatMap(({ compaction }: Answer) => compaction ?? [])
    expect(title).toBe('Äste 🌳')
    expect(dividers).toEqual([
      { kind: 'branch_summary', content: 'They went elsewhere first.' },
      { kind: 'compaction', content: 'They read and edited a.txt.' },
    ])
  })

  it('name the sub-agents that results tell of, with their calls', async () => {
    const session = await synced()
    const { subagents } = await session(
      1,
      'subagents { nodes { agentId agentType totalTokens call { name } session { id } } }',
    )
    expect(subagents.nodes).toEqual([
      { agentId: 'call_5/0', agentType: 'scout', totalTokens: 12, call: { name: 'subagent' }, session: null },
    ])
  })
})
