import { z } from 'zod'
import type { apiOn } from '../support/api.ts'

/** A walk over everything that the API has, as a client would page through it. */
const Usage = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  reasoningTokens: z.number().nullable(),
  cacheReadTokens: z.number().nullable(),
  cacheWriteTokens: z.number().nullable(),
})
const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() })
const Session = z.object({
  id: z.string(),
  nativeId: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  parentNativeId: z.string().nullable(),
  parent: z.object({ nativeId: z.string() }).nullable(),
  project: z.object({ path: z.string() }).nullable(),
  createdAt: z.string(),
  messageCount: z.number(),
  toolCallCount: z.number(),
  failedToolCallCount: z.number(),
  usage: Usage,
  inheritedUsage: Usage,
})
const Message = z.object({
  role: z.string(),
  isMeta: z.boolean(),
  isInherited: z.boolean(),
  compaction: z.object({ kind: z.string() }).nullable(),
  parts: z.object({
    nodes: z.array(
      z.object({ kind: z.string(), provenance: z.string(), isFailure: z.boolean().nullable().optional() }),
    ),
    pageInfo: z.object({ hasNextPage: z.literal(false) }),
  }),
})
export type WalkedSession = z.infer<typeof Session> & { readonly messages: z.infer<typeof Message>[] }

const USAGE = 'fragment u on Usage { inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens }'
const SESSIONS = `query ($after: String) {
  sessions(first: 100, after: $after, filter: { includeChildren: true }) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id nativeId kind title parentNativeId parent { nativeId } project { path } createdAt
      messageCount toolCallCount failedToolCallCount usage { ...u } inheritedUsage { ...u }
    }
  }
} ${USAGE}`
const MESSAGES = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on Session { messages(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      role isMeta isInherited compaction { kind }
      parts(first: 100) { pageInfo { hasNextPage } nodes { kind provenance ... on ToolResultPart { isFailure } } }
    }
  } } }
}`

/** Every session with every message and part. */
export async function walkApi(api: ReturnType<typeof apiOn>): Promise<WalkedSession[]> {
  const Sessions = z.object({ sessions: z.object({ nodes: z.array(Session), pageInfo: PageInfo }) })
  const Messages = z.object({ node: z.object({ messages: z.object({ nodes: z.array(Message), pageInfo: PageInfo }) }) })
  const sessions = await pages(async (after) => Sessions.parse(await api.ask(SESSIONS, { after })).sessions)
  const walked: WalkedSession[] = []
  for (const session of sessions) {
    const { id } = session
    const messages = await pages(async (after) => Messages.parse(await api.ask(MESSAGES, { id, after })).node.messages)
    walked.push({ ...session, messages })
  }
  return walked
}

async function pages<T>(fetch: (after: string | null) => Promise<{ nodes: T[]; pageInfo: z.infer<typeof PageInfo> }>) {
  const all: T[] = []
  for (let after: string | null = null; ; ) {
    const page = await fetch(after)
    all.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return all
    after = page.pageInfo.endCursor
  }
}

/** A session's own and inherited tokens of a bucket, unknown as none. */
export const tokensOf = (session: WalkedSession, bucket: keyof z.infer<typeof Usage>): number =>
  (session.usage[bucket] ?? 0) + (session.inheritedUsage[bucket] ?? 0)

export const partsOf = (session: WalkedSession, kind: string) =>
  session.messages.flatMap(({ parts }) => parts.nodes.filter((part) => part.kind === kind))
