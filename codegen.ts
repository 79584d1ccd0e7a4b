import type { CodegenConfig } from '@graphql-codegen/cli'

/** Types for operations, from the committed schema: `npm run codegen`. Tests compile and run what comes out. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['test/server/operations.ts'],
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        importExtension: '.ts',
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'unknown', SafeInt: 'number' },
      },
    },
  },
}

export default config
