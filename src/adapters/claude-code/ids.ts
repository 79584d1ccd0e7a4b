import { basename, dirname, sep } from 'node:path'

/** What a unit's key says of it: the key is the path of its file. */
export type UnitFile =
  | { readonly kind: 'main'; readonly path: string; readonly sessionId: string }
  /** `sessionId` is null where only the lines name the parent (2.0: `agent-<hash>.jsonl` beside the sessions). */
  | AgentFile
  | { readonly kind: 'meta'; readonly path: string; readonly agent: AgentFile }
  | { readonly kind: 'workflow'; readonly path: string; readonly sessionId: string }
  | { readonly kind: 'history'; readonly path: string }

export interface AgentFile {
  readonly kind: 'agent'
  readonly path: string
  readonly sessionId: string | null
  readonly parentId: string | null
  /** `agent-<hash>`, also where the transcript's own records leave out the prefix. */
  readonly agentId: string
  readonly runId: string | null
}

const AGENT_NAME = /^agent-[^/\\]+$/
export const TRANSCRIPT = '.jsonl'
export const META = '.meta.json'

/** What a path below a root is to us; null for what is none of ours. */
export function fileOfPath(path: string): UnitFile | null {
  const name = path.slice(path.lastIndexOf(sep) + 1)
  if (name === 'history.jsonl' && basename(dirname(path)) !== 'subagents' && !isBelowProjects(path))
    return { kind: 'history', path }
  if (name.endsWith(META)) {
    const agent = agentOfPath(`${path.slice(0, -META.length)}${TRANSCRIPT}`)
    return agent === null ? null : { kind: 'meta', path, agent }
  }
  if (name.endsWith(TRANSCRIPT)) {
    const agent = name.startsWith('agent-') ? agentOfPath(path) : null
    if (agent !== null) return agent
    return path.includes(`${sep}subagents${sep}`)
      ? null
      : { kind: 'main', path, sessionId: name.slice(0, -TRANSCRIPT.length) }
  }
  if (name.endsWith('.json') && basename(dirname(path)) === 'workflows')
    return { kind: 'workflow', path, sessionId: basename(dirname(dirname(path))) }
  return null
}

const isBelowProjects = (path: string): boolean => path.includes(`${sep}projects${sep}`)

function agentOfPath(path: string): AgentFile | null {
  const agentId = basename(path).slice(0, -TRANSCRIPT.length)
  if (!AGENT_NAME.test(agentId)) return null
  const inside = path.lastIndexOf(`${sep}subagents${sep}`)
  if (inside < 0) return { kind: 'agent', path, sessionId: null, parentId: null, agentId, runId: null }
  const below = path.slice(inside + `${sep}subagents${sep}`.length, -TRANSCRIPT.length).split(sep)
  const parentId = basename(path.slice(0, inside))
  const runId = below.length === 3 && below[0] === 'workflows' ? (below[1] ?? null) : null
  return { kind: 'agent', path, sessionId: agentSession(parentId, below.join('/')), parentId, agentId, runId }
}

export const agentSession = (parentId: string, below: string): string => `${parentId}/${below}`

/** The meta file that stands beside an agent's transcript. */
export const metaPath = (transcript: string): string => `${transcript.slice(0, -TRANSCRIPT.length)}${META}`
