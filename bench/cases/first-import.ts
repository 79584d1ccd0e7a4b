import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readLines } from '../../src/adapters/kit/jsonl.ts'
import { openHome } from '../../src/db/home.ts'
import { transcripts } from '../generate/claude-jsonl.ts'
import { syncOnce, writerFor } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { cpuMs, median } from '../lib/measure.ts'
import { tempDir } from '../lib/temp.ts'

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())

export const firstImport: Case = {
  name: 'first-import',
  title:
    'first import of generated Claude Code transcripts, archive, rows and journal, against reading, splitting and parsing them',
  floor: '20 % of its speed',
  async run() {
    const root = transcripts()
    const files = filesBelow(root)
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    const parse: number[] = []
    const imports: number[] = []
    for (let round = 0; round < 3; round++) {
      parse.push(
        await cpuMs(() => {
          for (const file of files) for (const { bytes: line } of readLines(file)) JSON.parse(line.toString('utf8'))
        }),
      )
      const writer = writerFor(openHome(tempDir()), { 'claude-code': [root] })
      imports.push(await cpuMs(() => syncOnce(writer)))
      await writer.close()
    }
    const share = median(parse) / median(imports)
    return {
      figure: `${(share * 100).toFixed(1)} % of its speed`,
      holds: share >= 0.2,
      details: { bytes, 'parse, CPU ms': Math.round(median(parse)), 'import, CPU ms': Math.round(median(imports)) },
    }
  },
}
