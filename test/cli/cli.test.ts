import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildSchema, parse, validate } from 'graphql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapters } from '../../src/adapters/registry.ts'
import * as documents from '../../src/cli/documents.ts'
import { openHome } from '../../src/db/home.ts'
import { acquireWriterLock, isLock } from '../../src/db/lock.ts'
import { at } from '../../src/model/json.ts'
import { post, weir, weirServe } from '../support/cli.ts'
import { answer, OpencodeDatabase, prompt, text, tool } from '../support/opencode-database.ts'
import { tempDir } from '../support/temp.ts'

/** A home directory with opencode's data where probing finds it, and an empty WEIR_HOME. */
function machine() {
  const home = tempDir()
  const data = join(home, '.local', 'share', 'opencode')
  mkdirSync(data, { recursive: true })
  const db = new OpencodeDatabase(join(data, 'opencode.db'))
  onTestFinished(() => db.close())
  db.session('ses_1', { title: 'Fix the adder' })
  db.message('ses_1', 'msg_1', prompt(1_790_000_000_000))
  db.part('msg_1', 'prt_1', text('Why is it wrong?'))
  db.message('ses_1', 'msg_2', answer(1_790_000_001_000, {}))
  db.part('msg_2', 'prt_2', text('The operator is a minus. \u001b[31mred\u001b[0m'))
  db.part('msg_2', 'prt_3', tool('bash', { command: 'node main.js' }, '5'))
  return { db, data, env: { HOME: home, WEIR_HOME: join(home, 'weir') } }
}

describe('the operations of the commands', () => {
  it.each(Object.entries(documents))('%s is valid against the schema', (_, document) => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
    expect(validate(schema, parse(document))).toEqual([])
  })
})

describe('weir sync', () => {
  it('reads what probing finds, prints one JSON document, and progress as JSON lines', async () => {
    const { env } = machine()
    const { code, stdout, stderr } = await weir(['sync', '--json'], env)
    expect(code).toBe(0)
    const run: unknown = JSON.parse(stdout)
    expect(run).toMatchObject({
      status: 'COMPLETED',
      progress: { sessionsTotal: 1, sessionsDone: 1, messagesInserted: 3 },
    })
    const lines = stderr
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(0)
    expect(at(lines.at(-1), 'status')).toBe('COMPLETED')
    expect(at(run, 'progress', 'sessionsDone')).toBe(at(lines.at(-1), 'sessionsDone'))
  })

  it('ends with 1 when there were problems, and lists them with their places', async () => {
    const { db, data, env } = machine()
    db.raw("update part set data = '{broken' where id = 'prt_2'")
    const { code, stdout } = await weir(['sync'], env)
    expect(code).toBe(1)
    expect(stdout).toContain(`PARSE  ${join(data, 'opencode.db')}#part/prt_2`)
  })

  it('refuses wrong use with 2 and says what is right', async () => {
    const { env } = machine()
    for (const [args, hint] of [
      [['sync', 'nonsense'], 'Known sources: '],
      [['sync', '--source', 'nonsense'], 'NAME=PATH'],
      [['sync', '--source', 'nonsense=/x'], 'Known: '],
      [['sync', '--nonsense'], '--help'],
      [['nonsense'], '--help'],
      [['serve', '--port', 'nonsense'], 'port from 0 to 65535'],
      [['show', 'nonsense'], 'weir sessions'],
      [['sessions', '--from', 'nonsense'], 'Known: '],
      [['serve', '--json'], 'takes no --json'],
      [['--json', 'serve'], 'takes no --json'],
    ] as const) {
      const { code, stderr } = await weir(args, env)
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toContain(hint)
    }
    const { code, stderr } = await weir(['plan'], { ...env, WEIR_LOG: 'nonsense' })
    expect([code, stderr]).toEqual([2, 'weir: WEIR_LOG is "nonsense"; it takes error, warn, info or debug.\n'])
  })

  it('says what is wrong with config.json', async () => {
    const { env } = machine()
    mkdirSync(env.WEIR_HOME, { recursive: true })
    writeFileSync(join(env.WEIR_HOME, 'config.json'), '{"sources":{"opencode":{"roots":["relative"]}}}')
    const { code, stderr } = await weir(['plan'], env)
    expect(code).toBe(2)
    expect(stderr).toContain('must be an absolute path')
  })

  it('keeps everything it writes for its owner alone', async () => {
    const { env } = machine()
    await weir(['sync'], env)
    expect(statSync(env.WEIR_HOME).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(env.WEIR_HOME))
      expect([name, statSync(join(env.WEIR_HOME, name)).mode & 0o077]).toEqual([name, 0])
  })
})

describe('weir plan, sessions and show', () => {
  it('list and print what was read, for people and for scripts', async () => {
    const { env } = machine()
    expect((await weir(['plan'], env)).stdout).toMatch(/opencode\s+1\s+0\s+1/)
    await weir(['sync'], env)
    const [first]: unknown[] = JSON.parse((await weir(['plan', '--json'], env)).stdout)
    expect(first).toEqual({
      source: { name: 'opencode', title: 'opencode' },
      sessions: 1,
      fresh: 1,
      pending: 0,
    })
    expect((await weir(['sessions'], env)).stdout).toContain('Fix the adder')
    const listed: unknown = JSON.parse((await weir(['sessions', '--json'], env)).stdout)
    expect(listed).toMatchObject({ totalCount: 1, nodes: [{ nativeId: 'ses_1', title: 'Fix the adder' }] })
    const shown = (await weir(['show', 'ses_1'], env)).stdout
    expect(shown).toContain('Why is it wrong?')
    expect(shown).toContain('bash node main.js [succeeded]')
    // What a transcript holds can't play with the terminal.
    expect(shown).not.toContain('\u001b')
    const id = z(listed)
    for (const name of ['opencode:ses_1', id])
      expect(JSON.parse((await weir(['show', name, '--json'], env)).stdout)).toMatchObject({ nativeId: 'ses_1' })
  })
})

describe('what the commands print', () => {
  it('show: exit codes, counts of changed lines, a word for a message without text, and no endless lines', async () => {
    const { db, env } = machine()
    db.part('msg_2', 'prt_4', text(`${'x'.repeat(3000)}\nshort`))
    db.message('ses_1', 'msg_3', answer(1_790_000_002_000, {}))
    await weir(['sync'], env)
    const cut = (await weir(['show', 'opencode:ses_1'], env)).stdout
    expect(cut).toContain(`\n${'x'.repeat(2000)}…\nshort`)
    expect(cut).toMatch(/^Fix the adder\nopencode\n/)
    expect(cut).toMatch(/\n\(empty\)\n/)
    expect((await weir(['show', 'ses_1', '--full'], env)).stdout).toContain('x'.repeat(3000))
    const fixture = { ...env, WEIR_HOME: join(env.HOME, 'other') }
    await weir(['sync', '--source', `opencode=${join(process.cwd(), 'fixtures/opencode/database')}`], fixture)
    const listed: unknown = JSON.parse((await weir(['sessions', '--text', 'rounding', '--json'], fixture)).stdout)
    const shown = (await weir(['show', z(listed)], fixture)).stdout
    expect(shown).toContain('✗ exit code 1: ')
    expect(shown).toMatch(/\/src\/total\.ts \+1 −1\n/)
  })

  it('sessions: whole values in a pipe, and a word where nothing matches', async () => {
    const { db, env } = machine()
    const title = 'A title that is far wider than any terminal '.repeat(5).trim()
    db.session('ses_2', { title })
    db.message('ses_2', 'msg_9', prompt(1_790_000_000_000))
    await weir(['sync'], env)
    expect((await weir(['sessions'], env)).stdout).toContain(title)
    expect((await weir(['sessions', '--text', 'nonsense'], env)).stdout).toBe('No sessions match.\n')
  })

  it('sync: a last line of progress off a terminal, and what a second reading found', async () => {
    const { env } = machine()
    expect((await weir(['sync'], env)).stderr).toMatch(/^Synced 1\/1 sessions {2}.*\n$/m)
    expect((await weir(['sync', '--verify'], env)).stdout).toMatch(/^Synced: 1 session read again, nothing changed, /)
  })

  it('plan and sync: what is missing or disabled', async () => {
    const { env } = machine()
    mkdirSync(env.WEIR_HOME)
    const file = join(env.WEIR_HOME, 'config.json')
    const off = { enabled: false }
    writeFileSync(file, JSON.stringify({ sources: { pi: { roots: ['/nonsense'] }, codex: off } }))
    expect((await weir(['plan'], env)).stdout).toMatch(/codex is disabled\npi: \/nonsense is missing\n$/)
    const all = Object.fromEntries(adapters.map(({ name }) => [name, off]))
    writeFileSync(file, JSON.stringify({ sources: all }))
    const none = await weir(['sync'], env)
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('No source is enabled')])
    expect((await weir(['sync', 'opencode'], env)).stdout).toContain('3 new')
  })
})

const z = (listed: unknown): string => String(at((at(listed, 'nodes') as unknown[])[0], 'id'))

describe('weir erase', () => {
  it('asks first where it can, refuses where it can not, and does it with --yes', async () => {
    const { env } = machine()
    await weir(['sync'], env)
    const refused = await weir(['erase', 'ses_1'], env)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect((await weir(['erase', 'ses_1', '--yes'], env)).stdout).toContain('Erased 1 session.')
    await weir(['sync', '--verify'], env)
    expect(JSON.parse((await weir(['sessions', '--json'], env)).stdout)).toMatchObject({ totalCount: 0 })
  })
})

describe('weir doctor', () => {
  it('says that all is well, or what is not', async () => {
    const { db, env } = machine()
    await weir(['sync'], env)
    const well = await weir(['doctor'], env)
    expect([well.code, well.stdout]).toEqual([0, expect.stringContaining(': ok')])
    db.raw("update part set data = '{broken' where id = 'prt_2'")
    await weir(['sync', '--verify'], env)
    const ill = await weir(['doctor'], env)
    expect([ill.code, ill.stdout]).toEqual([1, expect.stringContaining('1 open problem')])
  })

  it('looks at the roots of this machine as they are now', async () => {
    const { data, env } = machine()
    const unread = await weir(['doctor'], env)
    expect(unread.stdout).toContain(`${data}: there; not synced yet`)
    expect(unread.stdout).toMatch(/– pi: 0 sessions\n {4}nothing found on this machine/)
    const gone = join(env.HOME, 'gone')
    mkdirSync(gone)
    writeFileSync(
      join(env.WEIR_HOME, 'config.json'),
      JSON.stringify({ sources: { opencode: { roots: [data, gone] }, codex: { enabled: false } } }),
    )
    await weir(['sync'], env)
    rmSync(gone, { recursive: true })
    const { code, stdout } = await weir(['doctor'], env)
    expect(code).toBe(1)
    expect(stdout).toContain('✗ opencode: 1 session\n')
    expect(stdout).toContain(`${data}: there; OK at the last sync (sqlite), 1 from it`)
    expect(stdout).toContain(`${gone}: missing; EMPTY at the last sync, 0 from it`)
    expect(stdout).toContain('– Codex: 0 sessions, disabled\n')
  })
})

describe('a damaged store', () => {
  const spoil = {
    'is no database': (file: string) => writeFileSync(file, 'notadatabase'),
    'has pages that were overwritten': (file: string) => {
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0x5a, 2 * 8192))
    },
  }
  it.each(Object.entries(spoil))(
    '%s: each command says so in one sentence, and doctor reports it',
    async (_, damage) => {
      const { env } = machine()
      await weir(['sync'], env)
      const file = join(env.WEIR_HOME, 'weir.db')
      damage(file)
      for (const args of [['sessions'], ['sync'], ['plan'], ['show', 'ses_1'], ['serve', '--port', '0', '--no-sync']]) {
        // A server whose first page is sound answers what it can.
        if (args[0] === 'serve' && _ !== 'is no database') continue
        const { code, stderr } = await weir(args, env)
        expect([args, code, stderr]).toEqual([
          args,
          3,
          `weir: ${file} is damaged: restore a copy of it, or move it away and sync again.\n`,
        ])
      }
      const found = await weir(['doctor'], env)
      expect([found.code, found.stderr]).toEqual([1, ''])
      expect(found.stdout).toContain(`✗ store ${file}`)
    },
  )
})

describe('weir serve', () => {
  it('syncs, watches, and answers the commands that run beside it', async () => {
    const { db, env } = machine()
    const server = await weirServe([], env)
    const messages = async () => {
      const answered = await post(server.url, '{ session(source: "opencode", nativeId: "ses_1") { messageCount } }')
      return at(answered, 'data', 'session', 'messageCount')
    }
    await expect.poll(messages).toBe(3)
    db.message('ses_1', 'msg_3', prompt(1_790_000_009_000))
    await expect.poll(messages).toBe(4)
    const beside = await weir(['sync', '--json'], env)
    expect([beside.code, JSON.parse(beside.stdout)]).toEqual([0, expect.objectContaining({ status: 'COMPLETED' })])
    expect((await weir(['sessions'], env)).stdout).toContain('Fix the adder')
    const refused = await weir(['sync', '--source', `opencode=${env.HOME}`], env)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('holds the store')])
    const second = await weir(['serve', '--port', '0'], env)
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining(server.url)])
    await server.kill('SIGTERM')
    expect((await weir(['plan'], env)).code).toBe(0)
  })

  it('serves reads beside a process that holds the store without serving, and takes over when that ends', async () => {
    const { env } = machine()
    await weir(['sync'], env)
    const lock = acquireWriterLock(openHome(env.WEIR_HOME))
    if (!isLock(lock)) throw new Error('the lock is taken')
    const server = await weirServe([], env)
    expect(await post(server.url, '{ sessions { totalCount } }')).toEqual({ data: { sessions: { totalCount: 1 } } })
    const start = 'mutation { startSync(input: {}) { run { status } } }'
    expect(at(await post(server.url, start), 'errors')).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
    const held = await weir(['sync'], env)
    expect([held.code, held.stderr]).toEqual([3, expect.stringContaining(`process ${process.pid}`)])
    expect((await weir(['sessions'], env)).code).toBe(0)
    lock.release()
    await expect.poll(async () => at(await post(server.url, start), 'errors'), { timeout: 5000 }).toBeUndefined()
  })

  it('ends with 3 when the port is taken, and with 2 when others could reach it without a token', async () => {
    const { env } = machine()
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await delay(20)
    const port = String(at(taken.address(), 'port'))
    const busy = await weir(['serve', '--port', port], env)
    expect([busy.code, busy.stderr]).toEqual([3, expect.stringContaining(`Port ${port} is taken`)])
    const open = await weir(['serve', '--port', '0', '--host', '0.0.0.0'], env)
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('WEIR_TOKEN')])
  })

  it('with a token, tells commands beside it which variable to set', async () => {
    const { env } = machine()
    await weirServe([], { ...env, WEIR_TOKEN: 'secret' })
    const none = await weir(['sessions'], env)
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('set WEIR_TOKEN')])
    const wrong = await weir(['sessions'], { ...env, WEIR_TOKEN: 'other' })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('set WEIR_TOKEN')])
    expect((await weir(['sessions'], { ...env, WEIR_TOKEN: 'secret' })).code).toBe(0)
  })

  it('serves samples where no agent left anything, and says so', async () => {
    const home = tempDir()
    const env = { HOME: home, WEIR_HOME: join(home, 'weir') }
    const server = await weirServe(['--or-demo'], env)
    expect(server.stdout()).toContain('demo')
    const sessions = async () =>
      at(await post(server.url, '{ sessions { totalCount } }'), 'data', 'sessions', 'totalCount')
    await expect.poll(sessions).toBeGreaterThan(0)
    // The person's own store stays untouched.
    expect(readdirSync(home)).toEqual([])
  })
})
