import { defineConfig } from 'tsdown'

/**
 * Builds `dist/`: the command line and the writer's thread. Libraries of many small files are bundled, which halves the time to start; those
 * that find files beside themselves (a native addon, GraphiQL's assets) stay where npm put them.
 */
export default defineConfig({
  // Side by side: the command line finds the thread beside itself.
  entry: { weir: 'src/cli/main.ts', thread: 'src/writer/thread.ts' },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  sourcemap: true,
  dts: false,
  clean: true,
  deps: { alwaysBundle: [/^(?!better-sqlite3|@graphql-yoga\/render-graphiql|pino)/], onlyBundle: false },
})
