import { benchApi } from '../lib/api.ts'
import { generatedStore } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { medianCpuMs } from '../lib/measure.ts'

const PART_FIELDS = `id kind ordinal provenance ... on TextPart { text } ... on ToolCallPart { name status summary } ... on ToolResultPart { resultText: text isFailure }`

export const pageOfParts: Case = {
  name: 'page-50-parts',
  title: 'page of 50 parts by GraphQL, in process, against { __typename } through the same server',
  floor: '5 x its CPU',
  async run() {
    const api = benchApi(await generatedStore('100k'))
    const { sessions } = JSON.parse(await api.fetch('{ sessions(first: 1) { nodes { id } } }')).data
    const variables = { id: sessions.nodes[0].id }
    const fields = 'id kind ordinal provenance callId name category status summary command durationMs'
    const query = `query ($id: ID!) { node(id: $id) { ... on Session { toolCalls(first: 50) { nodes { ${fields} } } } } }`
    const count = (await api.fetch(query, variables)).split('"kind"').length - 1
    const base = await medianCpuMs(5, 300, () => api.fetch('{ __typename }'))
    const page = await medianCpuMs(5, 100, () => api.fetch(query, variables))
    api.close()
    const ratio = page / base
    return {
      figure: `${ratio.toFixed(1)} x its CPU`,
      holds: ratio <= 5,
      details: { parts: count, '__typename, CPU ms': base.toFixed(3), 'page, CPU ms': page.toFixed(3) },
    }
  },
}

const NESTED = `{ sessions(first: 20) { nodes { id title messages(first: 10) { nodes { id role timestamp parts(first: 5) { nodes { ${PART_FIELDS} } } } } } } }`

export const nested: Case = {
  name: 'nested-20x10x5',
  title: '20 sessions x 10 messages x 5 parts by GraphQL, against the same rows by prepared SQL and JSON.stringify',
  floor: '4 x its CPU, 6 statements',
  async run() {
    const home = await generatedStore('100k')
    const counted = benchApi(home, { countStatements: true })
    await counted.fetch(NESTED)
    const before = counted.statements()
    await counted.fetch(NESTED)
    const statements = counted.statements() - before
    counted.close()
    const api = benchApi(home)
    const { sqlite } = api.store
    const sessions = sqlite.prepare('select * from sessions order by updated_at desc limit 20')
    const messages = sqlite.prepare('select * from messages where session_id = ? order by order_key limit 10')
    const parts = sqlite.prepare('select * from parts where message_id = ? order by ordinal limit 5')
    const idOf = (row: unknown) => Reflect.get(Object(row), 'id')
    const plain = () =>
      JSON.stringify(
        sessions.all().map((session) => ({
          ...Object(session),
          messages: messages
            .all(idOf(session))
            .map((message) => ({ ...Object(message), parts: parts.all(idOf(message)) })),
        })),
      )
    plain()
    const base = await medianCpuMs(5, 40, plain)
    const graphql = await medianCpuMs(5, 40, () => api.fetch(NESTED))
    api.close()
    const ratio = graphql / base
    return {
      figure: `${ratio.toFixed(1)} x its CPU, ${statements} statements`,
      holds: ratio <= 4 && statements <= 6,
      details: { 'SQL, CPU ms': base.toFixed(2), 'GraphQL, CPU ms': graphql.toFixed(2) },
    }
  },
}

export const deepPage: Case = {
  name: 'deep-page',
  title: 'page after 90 % of the messages of a long list, in either direction, against the first page',
  floor: '1.2 x its CPU',
  async run() {
    const home = await generatedStore('long')
    const api = benchApi(home)
    const { sessions } = JSON.parse(await api.fetch('{ sessions(first: 1) { nodes { id messageCount } } }')).data
    const { id, messageCount } = sessions.nodes[0]
    const cursorAt = async (share: number) => {
      const around = `query ($id: ID!, $message: ID!) { node(id: $id) { ... on Session { messagesAround(message: $message, before: 0, after: 0) { edges { cursor } } } } }`
      const skip = Math.floor(messageCount * share)
      const row = api.store.sqlite
        .prepare(
          'select m.native_id as nativeId, s.uid from messages m join sessions s on s.id = m.session_id order by m.order_key limit 1 offset ?',
        )
        .get(skip)
      const message = Buffer.concat([
        Buffer.from('M'),
        Reflect.get(Object(row), 'uid'),
        Buffer.from(Reflect.get(Object(row), 'nativeId')),
      ]).toString('base64url')
      return JSON.parse(await api.fetch(around, { id, message })).data.node.messagesAround.edges[0].cursor
    }
    const fields = 'nodes { id role timestamp } pageInfo { hasNextPage hasPreviousPage }'
    const page = (args: string) =>
      `query ($id: ID!${args.includes('$') ? ', $cursor: String' : ''}) { node(id: $id) { ... on Session { messages(${args}) { ${fields} } } } }`
    const [late, early] = [await cursorAt(0.9), await cursorAt(0.1)]
    const measure = (args: string, cursor: string | null) =>
      medianCpuMs(5, 100, () => api.fetch(page(args), { id, cursor }))
    const first = await measure('first: 50', early)
    const deep = await measure('first: 50, after: $cursor', late)
    const back = await measure('last: 50, before: $cursor', early)
    api.close()
    const ratio = Math.max(deep, back) / first
    return {
      figure: `${ratio.toFixed(2)} x its CPU`,
      holds: ratio <= 1.2,
      details: {
        messages: messageCount,
        'first, CPU ms': first.toFixed(3),
        'deep, CPU ms': deep.toFixed(3),
        'deep backwards, CPU ms': back.toFixed(3),
      },
    }
  },
}
