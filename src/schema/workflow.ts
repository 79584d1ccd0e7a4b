import { sessionOf } from '../resolvers/sessions.ts'
import {
  listWorkflowAgents,
  workflowAgentCount,
  workflowCall,
  workflowId,
  workflowResult,
  workflowScript,
} from '../resolvers/workflows.ts'
import { connectionType, pageArgs, pageCost } from './connection.ts'
import { Node } from './node.ts'
import { SessionType } from './session-connection.ts'
import { ToolCallType } from './tool-call.ts'
import { WorkflowAgentConnection } from './workflow-agent.ts'
import { WorkflowType } from './workflow-ref.ts'

WorkflowType.implement({
  description: 'One run of a workflow: a script that sets several agents to work.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: workflowId }),
    session: t.field({
      type: SessionType,
      description: 'The session that started it.',
      resolve: (workflow, _, { scope }) => sessionOf(scope, workflow),
    }),
    runId: t.exposeString('runId', { description: 'Its id in the session.' }),
    taskId: t.exposeString('taskId', { nullable: true, description: 'The background task that it is.' }),
    call: t.field({
      type: ToolCallType,
      nullable: true,
      description: 'The tool call that started it.',
      resolve: (workflow, _, { scope }) => workflowCall(scope, workflow),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the workflow.' }),
    status: t.exposeString('status', { nullable: true, description: 'What became of it, in the words of the source.' }),
    timestamp: t.expose('time', { type: 'DateTime', nullable: true, description: 'When it began.' }),
    durationMs: t.exposeInt('durationMs', { nullable: true, description: 'How long it took, in milliseconds.' }),
    totalTokens: t.expose('totalTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Tokens of all its agents, as its source sums them up.',
    }),
    script: t.string({
      nullable: true,
      description: 'What it ran.',
      resolve: (workflow, _, { scope }) => workflowScript(scope, workflow),
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it gave back.',
      resolve: (workflow, _, { scope }) => workflowResult(scope, workflow),
    }),
    agentCount: t.int({
      description: 'Number of its agents.',
      resolve: (workflow, _, { scope }) => workflowAgentCount(scope, workflow),
    }),
    agents: t.field({
      type: WorkflowAgentConnection,
      description: 'Its agents, by their ids.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (workflow, args, { scope }) => listWorkflowAgents(scope, args, workflow),
    }),
  }),
})

export const WorkflowConnection = connectionType('Workflow', WorkflowType, 'workflow run')
