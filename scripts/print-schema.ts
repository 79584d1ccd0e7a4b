/** Writes the API's schema to `schema.graphql`, where clients, codegen and reviews read it: `npm run schema`. */
import { writeFileSync } from 'node:fs'
import { schemaText } from '../src/schema/index.ts'

writeFileSync(new URL('../schema.graphql', import.meta.url), schemaText)
