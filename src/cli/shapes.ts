import { z } from 'zod'

/** What the answers to documents.ts look like, as far as the commands read them. */
const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() })

export const Progress = z.object({
  status: z.string(),
  currentSource: z.object({ name: z.string() }).nullable(),
  sessionsTotal: z.number(),
  sessionsDone: z.number(),
  sessionsFresh: z.number(),
  sessionsEmpty: z.number(),
  sessionsUnsupported: z.number(),
  sessionsSuperseded: z.number(),
  messagesInserted: z.number(),
  messagesUpdated: z.number(),
  partsInserted: z.number(),
  partsUpdated: z.number(),
  bytesRead: z.number(),
  bytesTotal: z.number().nullable(),
  problemCount: z.number(),
  lastAdvancedAt: z.string(),
  isStalled: z.boolean(),
  fraction: z.number().nullable(),
  elapsedMs: z.number(),
  etaMs: z.number().nullable(),
})

export const Problem = z.object({
  id: z.string(),
  kind: z.string(),
  location: z.string(),
  message: z.string(),
  count: z.number(),
})

export const SyncRun = z.object({
  id: z.string(),
  status: z.string(),
  trigger: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  progress: Progress,
  problems: z.object({ nodes: z.array(Problem), totalCount: z.number(), pageInfo: PageInfo }),
})

export const LatestRuns = z.object({
  syncRuns: z.object({ nodes: z.array(z.object({ id: z.string(), trigger: z.string() })) }),
})

export const Plan = z.object({
  source: z.object({ name: z.string(), title: z.string() }),
  sessions: z.number(),
  fresh: z.number(),
  pending: z.number(),
})

export const Session = z.looseObject({
  id: z.string(),
  kind: z.string(),
  nativeId: z.string(),
  agent: z.string(),
  title: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messageCount: z.number(),
  toolCallCount: z.number(),
  isSourceMissing: z.boolean(),
  models: z.array(z.string()),
  sourcePath: z.string().nullable(),
  source: z.object({ name: z.string(), title: z.string() }),
  project: z.object({ path: z.string(), repository: z.string().nullable() }).nullable(),
  usage: z.looseObject({
    totalTokens: z.number().nullable(),
    cost: z.object({ amount: z.number(), currency: z.string(), isComplete: z.boolean() }).nullable(),
  }),
})
export type Session = z.infer<typeof Session>

export const SessionPage = z.object({
  nodes: z.array(Session),
  totalCount: z.number(),
  pageInfo: PageInfo,
})

const Part = z.looseObject({
  __typename: z.string(),
  text: z.string().nullable().optional(),
  resultText: z.string().optional(),
  name: z.string().nullable().optional(),
  status: z.string().optional(),
  summary: z.string().nullable().optional(),
  isFailure: z.boolean().nullable().optional(),
  exitCode: z.number().nullable().optional(),
  files: z
    .array(
      z.looseObject({
        path: z.string(),
        additions: z.number().nullable(),
        deletions: z.number().nullable(),
      }),
    )
    .optional(),
  dataType: z.string().optional(),
  label: z.string().nullable().optional(),
  fileName: z.string().nullable().optional(),
  mediaType: z.string().nullable().optional(),
  provenance: z.string(),
})

export const Message = z.looseObject({
  role: z.string(),
  timestamp: z.string(),
  model: z.string().nullable(),
  isOnActivePath: z.boolean(),
  isInherited: z.boolean(),
  compaction: z.looseObject({ kind: z.string() }).nullable(),
  error: z.object({ message: z.string() }).nullable(),
  parts: z.object({ nodes: z.array(Part), pageInfo: z.object({ hasNextPage: z.boolean() }) }),
})
export type Message = z.infer<typeof Message>

export const MessagePage = z.object({ nodes: z.array(Message), pageInfo: PageInfo })

export const Erased = z.object({
  erasedSessionIds: z.array(z.string()),
  inheritedCopies: z.array(z.object({ id: z.string(), nativeId: z.string(), title: z.string().nullable() })),
})

export const Doctor = z.object({
  server: z.object({ version: z.string(), startedAt: z.string(), origin: z.object({ name: z.string() }) }),
  sources: z.array(
    z.looseObject({
      name: z.string(),
      title: z.string(),
      isEnabled: z.boolean(),
      sessionCount: z.number(),
      roots: z.array(
        z.object({
          path: z.string(),
          status: z.string(),
          generations: z.array(z.string()),
          sessionCount: z.number(),
          warnings: z.array(z.object({ code: z.string(), message: z.string() })),
        }),
      ),
    }),
  ),
  problems: z.object({ totalCount: z.number(), nodes: z.array(Problem.omit({ id: true })) }),
})
