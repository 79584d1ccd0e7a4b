import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import type { Scope } from '../resolvers/scope.ts'

/** What GraphQL hands to every resolver. */
export interface ApiContext {
  readonly scope: Scope
}

/** Fields are non-null unless they say otherwise. */
export const builder = new SchemaBuilder<{
  Context: ApiContext
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: number; Output: number }
    JSON: { Input: unknown; Output: unknown }
    SafeInt: { Input: number; Output: number }
  }
}>({
  plugins: [ComplexityPlugin],
  defaultFieldNullability: false,
  // The cost of an operation is checked before it runs (server/limits.ts), not field by field.
  complexity: { disabled: true },
})

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({
  description: 'Everything that can be changed. Needs the process that holds the store for writing.',
})
builder.subscriptionType({ description: 'What can be watched, over WebSocket (graphql-transport-ws) or SSE.' })
