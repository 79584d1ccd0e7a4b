import { lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './scalars.ts'
import './enums.ts'
import './node.ts'
import './source.ts'
import './project.ts'
import './session.ts'
import './message.ts'
import './summary.ts'
import './subagent.ts'
import './workflow.ts'
import './record.ts'
import './part.ts'
import './text-part.ts'
import './file-part.ts'
import './tool-call.ts'
import './tool-result.ts'
import './other-parts.ts'
import './problem.ts'
import './sync-run.ts'
import './server-info.ts'
import './mutations.ts'
import './subscriptions.ts'

export type { ApiContext } from './builder.ts'

/** The API. Each concern adds its types and fields in a file of its own. */
export const schema = builder.toSchema()

/** The API as text, as it is committed in `schema.graphql`. */
export const schemaText = `${printSchema(lexicographicSortSchema(schema))}\n`
