import type { Adapter, Item, Unit } from '../../src/adapters/contract.ts'
import type { MessageRow, PartRow, SessionRow } from '../../src/model/rows.ts'

/** An adapter whose units yield what a test says, the first unit first. */
export function scripted(
  units: readonly { readonly key: string; readonly items: readonly Item[] }[],
  name = 'scripted',
): Adapter {
  return {
    name,
    title: 'Scripted',
    revision: 1,
    probe: () => [],
    watchPaths: () => [],
    discover: async () => ({
      units: units.map(
        ({ key }, i): Unit => ({
          key,
          path: key,
          sessionId: null,
          changedAt: units.length - i,
          isFresh: false,
          bytes: null,
          meta: null,
        }),
      ),
      isComplete: true,
      unreadable: [],
      generations: [],
      superseded: 0,
      warnings: [],
      problems: [],
      mark: null,
    }),
    async *parse(unit) {
      for (const item of units.find(({ key }) => key === unit.key)?.items ?? []) yield item
      return `read ${unit.key}`
    },
    map: () => ({ push: () => [], end: () => [] }),
    content: () => null,
    locate: (path, key) => `${path}#${key}`,
  }
}

export const sessionItem = (sessionId: string, fields: Partial<SessionRow> = {}): Item => ({
  kind: 'session',
  sessionId,
  session: {
    kind: null,
    agent: null,
    title: null,
    projectPath: null,
    repository: null,
    gitBranch: null,
    clientVersion: null,
    shareUrl: null,
    parentNativeId: null,
    relation: null,
    parentPair: null,
    parentMessageNativeId: null,
    createdAt: { ms: 1_790_000_000_000, origin: 'RECORDED' },
    archivedAt: null,
    revertedFrom: null,
    sourcePath: null,
    record: null,
    ...fields,
  },
})

export const messageItem = (sessionId: string, nativeId: string, fields: Partial<MessageRow> = {}): Item => ({
  kind: 'message',
  sessionId,
  message: {
    nativeId,
    orderKey: nativeId,
    role: 'ASSISTANT',
    time: { ms: 1_790_000_000_000, origin: 'RECORDED' },
    parentNativeId: null,
    model: 'm',
    provider: null,
    isMeta: false,
    isSidechain: false,
    isOnActivePath: true,
    isInherited: false,
    copy: null,
    agentId: null,
    stopReason: null,
    error: null,
    usage: null,
    isResponse: false,
    turnDurationMs: null,
    cwd: null,
    skill: null,
    compaction: null,
    records: [],
    partIds: null,
    ...fields,
  },
})

export const recordItem = (sessionId: string, ref: number | string, text: string): Item => ({
  kind: 'record',
  sessionId,
  record: {
    ref,
    type: 'line',
    bytes: Buffer.from(text),
    line: typeof ref === 'number' ? ref + 1 : null,
    cutFrom: null,
  },
})

export const textPart = (sessionId: string, messageId: string, text: string, record: number | string = 0): Item => ({
  kind: 'part',
  sessionId,
  part: {
    kind: 'TEXT',
    nativeId: `${messageId}:0000`,
    messageId,
    ordinal: 0,
    provenance: 'CONVERSATIONAL',
    citation: { record, place: 'text' },
    isSplitOff: false,
    text,
  } satisfies PartRow,
})
