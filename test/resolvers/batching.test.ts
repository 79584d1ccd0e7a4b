import { describe, expect, it } from 'vitest'
import { type SeededApi, seededApi } from '../support/seeded-api.ts'

function fill({ seed }: SeededApi, sessions: number, messages: number, parts: number): void {
  seed.store.sqlite.transaction(() => {
    const projects = [seed.project('/a'), seed.project('/b'), seed.project('/c')]
    for (let i = 0; i < sessions; i++) {
      const session = seed.session(`ses-${i}`, { projectId: projects[i % 3] ?? null })
      for (let j = 0; j < messages; j++) {
        const message = seed.message(session, `msg-${String(j).padStart(3, '0')}`)
        for (let k = 0; k < parts; k++) seed.text(session, message, `text ${k}`, k)
        seed.toolCall(session, message, { ordinal: parts, pair: `pair-${j}` })
        seed.part(session, message, {
          ordinal: parts + 1,
          kind: 'TOOL_RESULT',
          pair: `pair-${j}`,
          preview: 'ok',
          textLength: 2,
          jsonBytes: 4,
          detail: '{"isString":true}',
        })
      }
    }
  })()
}

const NESTED = `query ($s: Int!, $m: Int!, $p: Int!) {
  sessions(first: $s) { nodes { id title messages(first: $m) { nodes { id role parts(first: $p) { nodes { id kind ... on TextPart { text } } } } } } }
}`
const EVERYTHING = `query ($s: Int!, $m: Int!, $p: Int!) {
  sessions(first: $s) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor } nodes {
    id source { name sessionCount } origin { name } root { path } project { path sessionCount usage { totalTokens } } parent { id }
    children(first: 2) { totalCount nodes { id } } descendantCount lastPrompt usage { totalTokens } inheritedUsage { totalTokens } tags recordCount
    toolCalls(first: 3) { totalCount nodes { id message { id index } result { id text call { id } } files { path } child { id } } }
    summaries(first: 2) { nodes { id } }
    messages(first: $m) { totalCount nodes { id index text textLength partCounts { kind count } parent { id } compaction { id } usage { totalTokens } records { id }
      parts(first: $p) { totalCount nodes { id message { id session { id } } records { id } raw } } } } } }
}`

async function statementsFor(t: SeededApi, query: string, s: number, m: number, p: number): Promise<number> {
  await t.ask(query, { s, m, p })
  return t.statements.length
}

describe('statements', () => {
  it('are at most 6 for 20 sessions × 10 messages × 5 parts', async () => {
    const t = seededApi()
    fill(t, 20, 10, 5)
    expect(await statementsFor(t, NESTED, 20, 10, 5)).toBeLessThanOrEqual(6)
  })

  it.each([
    ['a nested page', NESTED],
    ['everything that a page can show', EVERYTHING],
  ])('don’t grow with the size of %s', async (_, query) => {
    const t = seededApi()
    fill(t, 30, 12, 6)
    const few = await statementsFor(t, query, 2, 2, 2)
    const many = await statementsFor(t, query, 30, 12, 6)
    expect(many).toBeLessThanOrEqual(few)
  })

  it('don’t count or look for neighbours unless that is selected', async () => {
    const t = seededApi()
    fill(t, 3, 1, 1)
    await t.ask('{ sessions(first: 2) { nodes { id } } }')
    expect(t.statements).toHaveLength(1)
    await t.ask('{ sessions(first: 2) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }')
    expect(t.statements).toHaveLength(1)
    await t.ask('{ sessions(first: 2) { totalCount } }')
    expect(t.statements).toHaveLength(2)
  })

  it('read the names of models and directories once', async () => {
    const t = seededApi()
    const session = t.seed.session('ses')
    for (let i = 0; i < 20; i++) t.seed.message(session, `msg-${i}`, { modelId: t.seed.name(`model-${i}`) })
    await t.ask('{ sessions { nodes { messages { nodes { model } } } } }')
    expect(t.statements).toHaveLength(3)
  })
})
