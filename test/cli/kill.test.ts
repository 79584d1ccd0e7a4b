import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { assistant, lines, main, says, user } from '../adapters/claude-code/home.ts'
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

/** A transcript of many turns, whose texts begin with `wording`. */
function transcript(root: string, wording: string): void {
  const directory = join(root, 'projects', '-home-ada-app')
  mkdirSync(directory, { recursive: true })
  const turn = (n: number) => [
    user(`q${n}`, n === 0 ? null : `a${n - 1}`, `${wording} question ${n}? ${'Really? '.repeat(20)}`),
    assistant(`a${n}`, `q${n}`, `msg_${n}`, [says(`${wording} answer ${n}. ${'Yes. '.repeat(100)}`)]),
  ]
  writeFileSync(join(directory, main()), lines(...Array.from({ length: 2500 }, (_, n) => turn(n)).flat()))
}

it('a sync of a rewritten file that is killed at random points leaves the old state or the new one, and nothing beside the store', async () => {
  const root = tempDir()
  const home = tempDir()
  const args = ['sync', '--source', `claude-code=${root}`]
  const env = { HOME: tempDir(), WEIR_HOME: home }
  const wordings = async () => {
    const { parts } = await dumpStore(join(home, 'weir.db'))
    return new Set(parts?.map((part) => String(Reflect.get(Object(part), 'preview')).split(' ')[0]))
  }
  transcript(root, 'Old')
  const began = performance.now()
  expect((await weir(args, env)).code).toBe(0)
  const wholeMs = performance.now() - began
  const names = readdirSync(home).sort()
  transcript(root, 'New')
  for (let kills = 0; kills < 5; kills++) {
    await weirKilledAfter(wholeMs * (0.4 + 0.6 * Math.random()), args, env)
    expect((await wordings()).size).toBe(1)
  }
  expect((await weir(args, env)).code).toBe(0)
  expect([...(await wordings())]).toEqual(['New'])
  expect(integrityOf(join(home, 'weir.db'))).toBe('ok')
  expect((await dumpStore(join(home, 'weir.db')))['messages']).toHaveLength(5000)
  expect(readdirSync(home).sort()).toEqual(names)
}, 120_000)
