import { openHome } from '../../src/db/home.ts'
import { openWriter } from '../../src/db/open.ts'
import { generated, importInto, writerOn } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { cpuMs } from '../lib/measure.ts'
import { tempDir } from '../lib/temp.ts'

export const reprojection: Case = {
  name: 'reprojection',
  title: 're-projection of 100,000 parts after a new revision of the adapter, against their first import',
  floor: '0.7 x its CPU',
  async run() {
    const root = generated('100k')
    const home = openHome(tempDir())
    const first = await cpuMs(() => importInto(home, root))
    const store = openWriter(home.store)
    store.sqlite.exec('update sessions set revision = 0')
    const outdated = store.sqlite.prepare<[], { n: number }>('select count(*) as n from sessions where revision = 0')
    const again = await cpuMs(async () => {
      const writer = writerOn(home, root)
      while ((outdated.get()?.n ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      await writer.close()
    })
    store.close()
    const ratio = again / first
    return {
      figure: `${ratio.toFixed(2)} x its CPU`,
      holds: ratio <= 0.7,
      details: { 'import, CPU ms': Math.round(first), 're-projection, CPU ms': Math.round(again) },
    }
  },
}
