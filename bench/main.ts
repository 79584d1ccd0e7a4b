/** `npm run bench -- --list` lists the benchmarks, `npm run bench -- NAME` runs one, without a name all but those that take very long. */
import { cases } from './cases/index.ts'
import type { Case } from './lib/case.ts'

const names = process.argv.slice(2)
if (names.includes('--list')) {
  for (const { name, title, floor } of cases) console.log(`${name.padEnd(20)} ${title} (floor: ${floor})`)
} else {
  const unknown = names.find((name) => !cases.some((each) => each.name === name))
  if (unknown !== undefined) {
    console.error(`There is no benchmark "${unknown}". See npm run bench -- --list`)
    process.exit(2)
  }
  const isMeant = ({ name, isOnlyByName }: Case) => (names.length === 0 ? isOnlyByName !== true : names.includes(name))
  for (const each of cases.filter(isMeant)) {
    const { figure, holds, details } = await each.run()
    for (const [what, value] of Object.entries(details)) console.log(`  ${what}: ${value}`)
    console.log(`${each.name}: ${figure} (floor ${each.floor}: ${holds ? 'holds' : 'DOES NOT HOLD'})`)
  }
}
