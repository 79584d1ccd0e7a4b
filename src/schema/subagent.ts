import { type StoredSubagent, subagentCall, subagentId, subagentSession } from '../resolvers/subagents.ts'
import { builder } from './builder.ts'
import { connectionType } from './connection.ts'
import { Node } from './node.ts'
import { SessionType } from './session-connection.ts'
import { ToolCallType } from './tool-call.ts'

const SubagentType = builder.objectRef<StoredSubagent>('Subagent')

SubagentType.implement({
  description: 'An agent that worked for a session.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: subagentId }),
    agentId: t.exposeString('agentId', { description: 'Its id in the session.' }),
    agentType: t.exposeString('agentType', { nullable: true, description: 'What kind of agent it is.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it was to do.' }),
    durationMs: t.exposeInt('durationMs', { nullable: true, description: 'How long it took, in milliseconds.' }),
    totalTokens: t.expose('totalTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Tokens that it used, as its source sums them up.',
    }),
    call: t.field({
      type: ToolCallType,
      nullable: true,
      description: 'The tool call that started it.',
      resolve: (subagent, _, { scope }) => subagentCall(scope, subagent),
    }),
    session: t.field({
      type: SessionType,
      nullable: true,
      description: 'Its own transcript, where the source keeps one.',
      resolve: (subagent, _, { scope }) => subagentSession(scope, subagent),
    }),
  }),
})

export const SubagentConnection = connectionType('Subagent', SubagentType, 'sub-agent')
