import type { SessionRow } from '../../model/rows.ts'
import type { Adapter, Item, Mapper } from '../contract.ts'

export interface Attribution {
  readonly name: string
  readonly title: string
  /** Raised when the attribution changes; added to the revision of the adapter below. Default 0. */
  readonly revision?: number
  /** What a session's agent is called. Default: the name below is replaced by `name` at its start. */
  readonly agent?: (agent: string | null, session: SessionRow) => string | null
  /** The project that a session belongs to. Default: as recorded. */
  readonly project?: (path: string | null, session: SessionRow) => string | null
  /** Default roots. Default: those of the adapter below. */
  readonly probe?: Adapter['probe']
}

/** An adapter that reads as `adapter` does and says of its sessions that they are another product's (design §4.1). */
export function attribute(adapter: Adapter, attribution: Attribution): Adapter {
  const { name, title, revision = 0, probe = adapter.probe } = attribution
  const agentOf = attribution.agent ?? ((agent) => renamed(agent, adapter.name, name))
  const session = (row: SessionRow): SessionRow => ({
    ...row,
    agent: agentOf(row.agent, row),
    projectPath: attribution.project === undefined ? row.projectPath : attribution.project(row.projectPath, row),
  })
  const item = (from: Item): Item => (from.kind === 'session' ? { ...from, session: session(from.session) } : from)
  return {
    ...adapter,
    name,
    title,
    revision: adapter.revision + revision,
    probe,
    map: (sessionId, unitKey) => attributedMapper(adapter.map(sessionId, unitKey), item),
    async *parse(unit, cursor) {
      const below = adapter.parse(unit, cursor)
      try {
        for (;;) {
          const step = await below.next()
          if (step.done === true) return step.value
          yield item(step.value)
        }
      } finally {
        await below.return(null)
      }
    },
  }
}

function attributedMapper(mapper: Mapper, item: (from: Item) => Item): Mapper {
  return {
    *push(record) {
      for (const from of mapper.push(record)) yield item(from)
    },
    *end() {
      for (const from of mapper.end()) yield item(from)
    },
  }
}

function renamed(agent: string | null, from: string, to: string): string | null {
  if (agent === from) return to
  return agent?.startsWith(`${from}/`) === true ? `${to}${agent.slice(from.length)}` : agent
}
