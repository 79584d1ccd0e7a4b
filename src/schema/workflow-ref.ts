import type { StoredWorkflow } from '../resolvers/workflows.ts'
import { builder } from './builder.ts'

/** Declared apart from its fields (workflow.ts), because runs and their agents point at each other. */
export const WorkflowType = builder.objectRef<StoredWorkflow>('Workflow')
