import type { SubagentRow, WorkflowAgentRow, WorkflowRow } from '../../model/rows.ts'
import { repair, safeStringify } from '../../model/text.ts'
import type { Store } from '../open.ts'

/** Sub-agents, workflows and their agents: contributors are merged column by column, a null never overwrites (design §4.4). */
export class SideWriter {
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    const merge = (table: string, keys: string[], columns: string[]) => {
      const names = [...keys, ...columns]
      const news = columns.map((name) => `${name} = coalesce(excluded.${name}, ${name})`)
      return sqlite.prepare<(string | number | null)[]>(`
        insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})
        on conflict (${keys.join(', ')}) do update set ${news.join(', ')}`)
    }
    this.statements = {
      subagent: merge(
        'subagents',
        ['session_id', 'agent_id'],
        ['agent_type', 'description', 'duration_ms', 'total_tokens', 'pair', 'child_native_id'],
      ),
      workflow: merge(
        'workflows',
        ['session_id', 'run_id'],
        ['task_id', 'pair', 'name', 'status', 'time', 'duration_ms', 'total_tokens', 'script', 'result'],
      ),
      agent: merge(
        'workflow_agents',
        ['workflow_id', 'agent_id'],
        [
          'agent_type',
          'description',
          'phase',
          'label',
          'model',
          'state',
          'duration_ms',
          'tokens',
          'tool_calls',
          'child_native_id',
        ],
      ),
      workflowId: sqlite.prepare<[number, string], { id: number }>(
        'select id from workflows where session_id = ? and run_id = ?',
      ),
      addWorkflow: sqlite.prepare<[number, string]>(
        'insert into workflows (session_id, run_id) values (?, ?) on conflict do nothing',
      ),
    }
  }

  subagent(sessionId: number, row: SubagentRow): void {
    this.statements.subagent.run(
      ...[sessionId, row.agentId, row.agentType, clean(row.description), row.durationMs, row.totalTokens],
      ...[row.pair, row.childNativeId],
    )
  }

  workflow(sessionId: number, row: WorkflowRow): void {
    const result = row.result === undefined ? null : safeStringify(row.result)
    this.statements.workflow.run(
      ...[sessionId, row.runId, row.taskId, row.pair, clean(row.name), row.status, row.timeMs, row.durationMs],
      ...[row.totalTokens, clean(row.script), result],
    )
  }

  /** The agent of a run, which may not have come yet. */
  workflowAgent(sessionId: number, row: WorkflowAgentRow): void {
    this.statements.addWorkflow.run(sessionId, row.runId)
    const workflow = this.statements.workflowId.get(sessionId, row.runId)
    if (workflow === undefined) throw new Error('A workflow that was just stored is not there.')
    this.statements.agent.run(
      ...[workflow.id, row.agentId, row.agentType, clean(row.description), row.phase, clean(row.label), row.model],
      ...[row.state, row.durationMs, row.tokens, row.toolCalls, row.childNativeId],
    )
  }
}

const clean = (text: string | null): string | null => (text === null ? null : repair(text).text)
