/** Imports go one way: each folder may import itself and what stands in its list, and nothing else of ours. */
const MAY_IMPORT = {
  model: [],
  adapters: ['model'],
  db: ['model'],
  journal: ['model', 'db'],
  sync: ['model', 'adapters', 'db', 'journal'],
  writer: ['model', 'adapters', 'db', 'journal', 'sync'],
  resolvers: ['model', 'db', 'journal', 'writer'],
  schema: ['model', 'resolvers'],
  server: ['model', 'db', 'journal', 'writer', 'resolvers', 'schema'],
  cli: ['model', 'adapters', 'db', 'journal', 'sync', 'writer', 'resolvers', 'schema', 'server'],
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/' }, to: {} },
    {
      name: 'sql-only-in-db',
      comment:
        'A hub on another database must be able to take the place of src/db; adapters query foreign databases through kit/.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(db|adapters/kit)/' },
      to: { path: 'node_modules/(better-sqlite3|drizzle-orm)' },
    },
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
}
