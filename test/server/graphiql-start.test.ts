import { type ExecutionResult, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { START_QUERY } from '../../src/server/graphiql-start.ts'
import { FakeWriter } from '../support/fake-writer.ts'
import { seededApi } from '../support/seeded-api.ts'

const operations = parse(START_QUERY).definitions.filter(
  (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
)
const names = operations.map(({ name }) => name?.value ?? '')

/** An API with a session that has a part of every kind that the document asks for, and a run that has ended. */
function filled() {
  const writer = new FakeWriter({ startSync: () => ({ runId: 1 }) })
  const t = seededApi({ writer })
  t.seed.session('empty', { updatedAt: Date.now() })
  const session = t.seed.session('full', { title: 'The full one', messageCount: 2 })
  const message = t.seed.message(session, 'm1')
  t.seed.text(session, message, 'A question')
  t.seed.part(session, message, { ordinal: 1, preview: null })
  const answer = t.seed.message(session, 'm2', { role: 'ASSISTANT' })
  t.seed.part(session, answer, { kind: 'REASONING', preview: null })
  t.seed.toolCall(session, answer, { ordinal: 1 })
  t.seed.part(session, answer, { kind: 'TOOL_RESULT', ordinal: 2, preview: 'An output' })
  t.seed.run({ status: 'COMPLETED' })
  return t
}

/** The first answer of an operation of the document, which is sent whole, as GraphiQL does. */
async function first(t: ReturnType<typeof filled>, operationName: string): Promise<ExecutionResult> {
  for await (const result of t.api.subscribe({ query: START_QUERY, operationName })) return result
  throw new Error('There was no answer.')
}

describe('the document that GraphiQL starts with', () => {
  it.each(names.filter((name) => name !== 'SyncProgress'))('has %s, which runs', async (name) => {
    const { data, errors } = await first(filled(), name)
    expect(errors).toBeUndefined()
    expect(Object.keys(data ?? {}).length).toBeGreaterThan(0)
  })

  it('has SyncProgress, which follows the run that goes on', async () => {
    const t = filled()
    t.seed.run()
    const { data, errors } = await first(t, 'SyncProgress')
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({ syncProgress: { status: 'RUNNING' } })
  })

  it('shows a conversation, not an empty session', async () => {
    const { data } = await first(filled(), 'LongestConversation')
    expect(data).toMatchObject({
      sessions: {
        nodes: [
          {
            title: 'The full one',
            messages: {
              nodes: [
                { parts: { nodes: [{ text: 'A question' }, { text: '' }] } },
                { parts: { nodes: [{ text: null }, { name: 'bash' }, { output: 'An output' }] } },
              ],
            },
          },
        ],
      },
    })
  })
})
