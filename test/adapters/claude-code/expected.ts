import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import { canonical } from '../canonical.ts'
import { Reader } from '../read-all.ts'
import { fold } from './fold.ts'

/** What comes out of a root: sessions with what several files say of them merged, whichever is read first. */
export async function expectedOf(root: string): Promise<unknown> {
  const reader = new Reader(claudeCode, root)
  const { items, problems } = await reader.sync()
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const folded = fold(items)
  for (const [id, read] of reader.sessions) {
    const session = folded.get(id)?.session
    if (session === undefined || session === null) reader.sessions.delete(id)
    else read.session = session
  }
  const beside = [...folded]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { subagents, workflows, workflowAgents, summaries, durations, offPath }]) => ({
      id,
      subagents: Object.fromEntries(subagents),
      workflows: Object.fromEntries(workflows),
      workflowAgents: Object.fromEntries(workflowAgents),
      summaries: Object.fromEntries(summaries),
      durations: Object.fromEntries(durations),
      offPath: [...offPath].sort(),
    }))
  const titles = Object.fromEntries(
    items.flatMap((item) => (item.kind === 'message-title' ? [[item.messageId, item.title]] : [])).sort(),
  )
  return { sessions: canonical(reader, root), beside, titles }
}
