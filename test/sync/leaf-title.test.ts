import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../src/adapters/claude-code/index.ts'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { assistant, calls, lines, main, SESSION, says, user } from '../adapters/claude-code/home.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

/** A prompt, and a response of three lines. */
const TRANSCRIPT = lines(
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', 'msg_1', [says('I will look.')]),
  assistant('a2', 'a1', 'msg_1', [says('And count.'), says('Twice.')]),
  assistant('a3', 'a2', 'msg_1', [calls('toolu_1', 'Bash', { command: 'ls' })]),
)
const summary = (leafUuid: string, text: string): string => lines({ type: 'summary', summary: text, leafUuid })

/** Writes and reads files one after the other; returns the title of the transcript's session. */
async function titleAfter(...steps: readonly (readonly [name: string, content: string])[][]): Promise<unknown> {
  const root = join(tempDir(), '.claude')
  const directory = join(root, 'projects', '-home-ada-app')
  mkdirSync(directory, { recursive: true })
  const home = openHome(tempDir())
  for (const files of steps) {
    for (const [name, content] of files) writeFileSync(join(directory, name), content)
    const engine = engineOn(home, { 'claude-code': root }, [claudeCode])
    await engine.sync()
    await engine.close()
  }
  const store = openReader(home.store)
  const title: unknown = store.sqlite.prepare('select title from sessions where native_id = ?').pluck().get(SESSION)
  store.close()
  return title
}

describe('a summary of another file', () => {
  const other = 'summaries.jsonl'

  it.each(['u1', 'a1', 'a2', 'a3'])(
    'that names the line %s titles its session, whichever comes first',
    async (leaf) => {
      const [transcript, title] = [[main(), TRANSCRIPT] as const, [other, summary(leaf, 'Counting files')] as const]
      expect(await titleAfter([transcript], [title])).toBe('Counting files')
      expect(await titleAfter([title], [transcript])).toBe('Counting files')
      expect(await titleAfter([title, transcript])).toBe('Counting files')
    },
  )

  it('finds a line that is appended to a response after it', async () => {
    const cut = TRANSCRIPT.lastIndexOf('\n', TRANSCRIPT.length - 2) + 1
    const first = [main(), TRANSCRIPT.slice(0, cut)] as const
    expect(await titleAfter([first, [other, summary('a3', 'Later')]], [[main(), TRANSCRIPT]])).toBe('Later')
  })

  it('counts for the latest line of several, also within one response', async () => {
    const titles = summary('a3', 'Third line') + summary('a1', 'First line') + summary('u1', 'Prompt')
    expect(await titleAfter([[main(), TRANSCRIPT]], [[other, titles]])).toBe('Third line')
    expect(await titleAfter([[other, titles]], [[main(), TRANSCRIPT]])).toBe('Third line')
  })
})
