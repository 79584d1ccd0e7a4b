import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { weir, weirKilledAfter } from '../support/cli.ts'
import { dumpStore, integrityOf } from '../support/dump.ts'
import { answer, OpencodeDatabase, prompt, text, tool } from '../support/opencode-database.ts'
import { tempDir } from '../support/temp.ts'

const SESSIONS = 30
const MESSAGES = 120
const KILLS = 20

function manySessions(file: string): void {
  const db = new OpencodeDatabase(file)
  db.raw('begin')
  for (let s = 0; s < SESSIONS; s++) {
    db.session(`ses_${s}`, { parent: s % 10 === 9 ? `ses_${s - 1}` : null })
    for (let m = 0; m < MESSAGES; m += 2) {
      const now = 1_790_000_000_000 + s * 1_000_000 + m * 1000
      db.message(`ses_${s}`, `msg_${s}_${m}`, prompt(now))
      db.part(`msg_${s}_${m}`, `prt_${s}_${m}_0`, text(`Question ${m} of session ${s}. ${'Really? '.repeat(30)}`))
      db.message(`ses_${s}`, `msg_${s}_${m + 1}`, answer(now + 500, { parentID: `msg_${s}_${m}` }))
      db.part(`msg_${s}_${m + 1}`, `prt_${s}_${m}_1`, text(`Answer ${m}. ${'Yes. '.repeat(200)}`))
      db.part(`msg_${s}_${m + 1}`, `prt_${s}_${m}_2`, tool('bash', { command: `echo ${m}` }, `${m}\n`.repeat(50)))
    }
  }
  db.raw('commit')
  db.close()
}

it('a sync that is killed twenty times at random points, and then let through, makes the same store as an undisturbed one', async () => {
  const root = tempDir()
  manySessions(join(root, 'opencode.db'))
  const args = ['sync', '--source', `opencode=${root}`]
  const envOf = (home: string) => ({ HOME: tempDir(), WEIR_HOME: home })

  const undisturbed = tempDir()
  const began = performance.now()
  expect((await weir(args, envOf(undisturbed))).code).toBe(0)
  const wholeMs = performance.now() - began

  const disturbed = tempDir()
  let killed = 0
  for (let tries = 0; killed < KILLS && tries < 5 * KILLS; tries++) {
    // From while the process starts to when it is nearly done.
    if (await weirKilledAfter(wholeMs * (0.2 + 0.7 * Math.random()), args, envOf(disturbed))) killed += 1
    // One that came through left nothing to disturb: begin again.
    else rmSync(join(disturbed, 'weir.db'), { force: true })
  }
  expect(killed).toBe(KILLS)
  expect((await weir(args, envOf(disturbed))).code).toBe(0)
  expect(integrityOf(join(disturbed, 'weir.db'))).toBe('ok')
  expect(await dumpStore(join(disturbed, 'weir.db'))).toEqual(await dumpStore(join(undisturbed, 'weir.db')))
}, 120_000)
