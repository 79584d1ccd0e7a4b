import { defineConfig } from 'tsdown'

/** Builds `dist/`: the command line and the writer's thread, with dependencies left where npm put them. */
export default defineConfig({
  entry: { 'cli/main': 'src/cli/main.ts', 'writer/thread': 'src/writer/thread.ts' },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  unbundle: true,
  sourcemap: true,
  dts: false,
  clean: true,
})
