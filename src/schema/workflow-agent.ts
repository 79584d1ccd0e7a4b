import { type StoredWorkflowAgent, workflowAgentId, workflowAgentSession } from '../resolvers/workflows.ts'
import { builder } from './builder.ts'
import { connectionType } from './connection.ts'
import { Node } from './node.ts'
import { SessionType } from './session-connection.ts'
import { WorkflowType } from './workflow-ref.ts'

const WorkflowAgentType = builder.objectRef<StoredWorkflowAgent>('WorkflowAgent')

WorkflowAgentType.implement({
  description: 'An agent of a workflow run.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: workflowAgentId }),
    workflow: t.field({
      type: WorkflowType,
      description: 'The run that it took part in.',
      resolve: ({ workflow }) => workflow,
    }),
    agentId: t.exposeString('agentId', { description: 'Its id in the run.' }),
    agentType: t.exposeString('agentType', { nullable: true, description: 'What kind of agent it is.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it was to do.' }),
    phase: t.exposeString('phase', { nullable: true, description: 'Phase of the run that it belongs to.' }),
    label: t.exposeString('label', { nullable: true, description: 'What the run calls it.' }),
    model: t.exposeString('model', { nullable: true, description: 'The model that it ran on.' }),
    state: t.exposeString('state', { nullable: true, description: 'What became of it, in the words of the source.' }),
    durationMs: t.exposeInt('durationMs', { nullable: true, description: 'How long it took, in milliseconds.' }),
    tokens: t.expose('tokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Tokens that it used, as its source sums them up.',
    }),
    toolCalls: t.exposeInt('toolCalls', { nullable: true, description: 'How many tools it called.' }),
    session: t.field({
      type: SessionType,
      nullable: true,
      description: 'Its own transcript, where the source keeps one.',
      resolve: (agent, _, { scope }) => workflowAgentSession(scope, agent),
    }),
  }),
})

export const WorkflowAgentConnection = connectionType('WorkflowAgent', WorkflowAgentType, 'workflow agent')
