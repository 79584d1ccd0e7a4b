import { asArray, asCount, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { SubagentRow } from '../../model/rows.ts'
import { runsIn } from './tool.ts'

/** Sub-agents whose runs a tool's result tells; their transcripts are in no file of their own, so they are no sessions. */
export function subagentsIn(message: JsonObject, pair: string): readonly SubagentRow[] {
  return asArray(runsIn(message))
    .filter(isObject)
    .flatMap((run, n): SubagentRow[] => {
      const agentType = asString(run['agent'])
      if (agentType === null || !Array.isArray(run['messages'])) return []
      return [
        {
          agentId: `${stringAt(message, 'toolCallId') ?? pair}/${n}`,
          agentType,
          description: stringAt(run, 'task'),
          durationMs: null,
          totalTokens: totalOf(run['usage']),
          pair,
          childNativeId: null,
        },
      ]
    })
}

function totalOf(usage: unknown): number | null {
  if (!isObject(usage)) return null
  const counts = ['input', 'output', 'cacheRead', 'cacheWrite'].map((field) => asCount(usage[field]))
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}
