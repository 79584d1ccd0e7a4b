import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../src/adapters/contract.ts'
import { adapters } from '../../src/adapters/registry.ts'
import { type Home, openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { dumpStore } from '../support/dump.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

/** What the store must hold of every adapter, on every fixture that it has: an adapter joins by being registered. */
const samples = adapters.flatMap((adapter) => {
  const directory = join('fixtures', adapter.name)
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).filter((name) => statSync(join(directory, name)).isDirectory())
  return names.map((name) => ({ title: `${adapter.name}/${name}`, adapter, fixture: join(directory, name) }))
})

/** A fixture where it may be changed. */
function copyOf(fixture: string): string {
  const root = join(tempDir(), 'root')
  cpSync(fixture, root, { recursive: true, preserveTimestamps: true })
  return root
}

const events = (home: Home): unknown => {
  const store = openReader(home.store)
  try {
    return store.sqlite.prepare('select count(*) from journal').pluck().get()
  } finally {
    store.close()
  }
}

const withoutRevision = (dump: Awaited<ReturnType<typeof dumpStore>>) => ({
  ...dump,
  sessions: dump['sessions']?.map((row) => ({ ...Object(row), revision: 0 })),
})

describe.each(samples)('the store, from $title', ({ adapter, fixture }) => {
  it('takes something in, and finds nothing to do the next time', async () => {
    const home = openHome(tempDir())
    const engine = engineOn(home, { [adapter.name]: copyOf(fixture) }, [adapter])
    const first = await engine.sync()
    expect(first.messagesInserted).toBeGreaterThan(0)
    const second = await engine.sync()
    expect(second).toMatchObject({
      sessionsFresh: first.sessionsTotal,
      messagesInserted: 0,
      messagesUpdated: 0,
      bytesRead: 0,
    })
    expect(await engine.plan()).toMatchObject([{ pending: 0 }])
  })

  it('is the same after everything was read again, and nothing is told twice', async () => {
    const home = openHome(tempDir())
    const engine = engineOn(home, { [adapter.name]: copyOf(fixture) }, [adapter])
    await engine.sync()
    await engine.sync()
    const [before, told] = [await dumpStore(home.store), events(home)]
    await engine.sync({ verify: true })
    expect(await dumpStore(home.store)).toEqual(before)
    expect(events(home)).toBe(told)
  })

  it('is the same after it was mapped anew from the archive, with the source gone', async () => {
    const home = openHome(tempDir())
    const root = copyOf(fixture)
    const engine = engineOn(home, { [adapter.name]: root }, [adapter])
    await engine.sync()
    await engine.close()
    rmSync(root, { recursive: true })
    const [before, told] = [await dumpStore(home.store), events(home)]
    const next = engineOn(home, { [adapter.name]: root }, [{ ...adapter, revision: adapter.revision + 1 }])
    await next.settled()
    expect(withoutRevision(await dumpStore(home.store))).toEqual(withoutRevision(before))
    expect(events(home)).toBe(told)
  })

  it('is the same in whichever order the sessions come', async () => {
    const root = copyOf(fixture)
    const reversed: Adapter = {
      ...adapter,
      discover: async (path, context) => {
        const discovery = await adapter.discover(path, context)
        return { ...discovery, units: discovery.units.map((unit) => ({ ...unit, changedAt: -unit.changedAt })) }
      },
    }
    const dumps = []
    for (const variant of [adapter, reversed]) {
      const home = openHome(tempDir())
      const engine = engineOn(home, { [adapter.name]: root }, [variant])
      await engine.sync()
      dumps.push(await dumpStore(home.store))
    }
    expect(dumps[1]).toEqual(dumps[0])
  })

  it('shows of files that lost their second half what they would give by themselves, and keeps the rest', async () => {
    const imported = async (root: string, home = openHome(tempDir())) => {
      const engine = engineOn(home, { [adapter.name]: root }, [adapter])
      await engine.sync()
      await engine.close()
      return home
    }
    const root = copyOf(fixture)
    const home = await imported(root)
    const before = messages(home)
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.jsonl')) continue
      const lines = readFileSync(join(root, file), 'utf8').split(/(?<=\n)/)
      writeFileSync(join(root, file), lines.slice(0, Math.ceil(lines.length / 2)).join(''))
    }
    await imported(root, home)
    expect(messages(home, 'm.is_removed = 0')).toEqual(messages(await imported(root)))
    expect(messages(home)).toEqual(before)
  })
})

function messages(home: Home, where = 'true'): unknown[] {
  const store = openReader(home.store)
  try {
    return store.sqlite
      .prepare(`
        select s.native_id as session, m.native_id as message, m.role, m.time, m.order_key from messages m
        join sessions s on s.id = m.session_id where ${where} order by 1, m.order_key, 2`)
      .all()
  } finally {
    store.close()
  }
}
