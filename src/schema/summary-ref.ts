import type { StoredSummary } from '../resolvers/summaries.ts'
import { builder } from './builder.ts'

/** Declared apart from its fields (summary.ts), because messages and summaries point at each other. */
export const SummaryType = builder.objectRef<StoredSummary>('Summary')
