/** What the id of a session says: a sub-agent's is `<parent>/agent-<hash>` or `<parent>/workflows/<run>/agent-<hash>`. */
export interface SessionName {
  readonly sessionId: string
  readonly parentId: string | null
  readonly agentId: string | null
  readonly runId: string | null
}

export function nameOf(sessionId: string): SessionName {
  const [parentId = '', ...below] = sessionId.split('/')
  const agentId = below.at(-1)
  if (agentId === undefined) return { sessionId, parentId: null, agentId: null, runId: null }
  const runId = below.length === 3 && below[0] === 'workflows' ? (below[1] ?? null) : null
  return { sessionId, parentId, agentId, runId }
}
