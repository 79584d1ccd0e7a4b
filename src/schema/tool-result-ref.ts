import type { StoredPart } from '../resolvers/parts.ts'
import { builder } from './builder.ts'

/** Declared apart from its fields (tool-result.ts), because calls and results point at each other. */
export const ToolResultType = builder.objectRef<StoredPart>('ToolResultPart')
