import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite would take graphql's .mjs build for our files, while its packages get the other one from Node: one copy for all.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: a file a core, and nothing that runs beside the tests it measures.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: 'test/support/build.ts',
  },
})
