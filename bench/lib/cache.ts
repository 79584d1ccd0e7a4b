import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Packer } from '../../src/db/archive/pack.ts'
import { type Home, openHome } from '../../src/db/home.ts'
import { openWriter } from '../../src/db/open.ts'
import { LocalWriter } from '../../src/writer/writer.ts'
import { type DatabaseShape, opencodeDatabase } from '../generate/opencode-database.ts'

/** Generated data is kept here between runs, outside of the repository. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weir-bench')

export const cached = (...names: string[]): string => join(CACHE, ...names)

/** Shapes by the number of parts that they have in all. */
export const SHAPES = {
  '100k': { sessions: 100, messagesPerSession: 250, partsPerAnswer: 7, textChars: 300 },
  '1m': { sessions: 1000, messagesPerSession: 250, partsPerAnswer: 7, textChars: 300 },
  /** One session of very many messages. */
  long: { sessions: 1, messagesPerSession: 400_000, partsPerAnswer: 1, textChars: 20 },
} as const satisfies Record<string, DatabaseShape>
export type ShapeName = keyof typeof SHAPES

/** The generated opencode database of a shape. */
export function generated(name: ShapeName): string {
  const file = cached(`opencode-${name}`, 'opencode.db')
  opencodeDatabase(file, SHAPES[name])
  return file
}

/** A store into which the generated database of a shape was read; kept for the version of the schema that it was made with. */
export async function generatedStore(name: ShapeName): Promise<Home> {
  const file = generated(name)
  const path = cached(`store-${name}`)
  const isThere = existsSync(join(path, 'complete'))
  if (!isThere) {
    rmSync(path, { recursive: true, force: true })
    await importInto(openHome(path), file)
    pack(openHome(path))
    writeFileSync(join(path, 'complete'), '')
  }
  return openHome(path)
}

/** Tidies the archive as an idle server does after a while. */
function pack(home: Home): void {
  const store = openWriter(home.store)
  const packer = new Packer(store)
  while (packer.step(Date.now() + 1));
  store.close()
}

/** Reads a root into a store, from beginning to end. */
export async function importInto(home: Home, root: string, verify = false): Promise<void> {
  const writer = writerOn(home, root)
  await syncOnce(writer, verify)
  await writer.close()
}

export const writerOn = (home: Home, root: string): LocalWriter => writerOnRoots(home, [root])

export const writerOnRoots = (home: Home, roots: readonly string[]): LocalWriter => writerFor(home, { opencode: roots })

/** A writer in this thread, for roots by source. */
export function writerFor(home: Home, roots: Readonly<Record<string, readonly string[]>>): LocalWriter {
  const sources = Object.fromEntries(
    Object.entries(roots).map(([name, paths]) => [name, { roots: paths, isEnabled: true }]),
  )
  return new LocalWriter({ home, sources, watch: false, syncAtStart: false }, (error) => {
    throw error
  })
}

/** One sync, waited for. */
export async function syncOnce(writer: LocalWriter, verify = false): Promise<void> {
  const ended = new Set<number>()
  const next = { wake: () => {} }
  const stop = writer.listen((event) => {
    if (event.type === 'run' && event.isEnded) ended.add(event.runId)
    next.wake()
  })
  const { runId } = await writer.call('startSync', { sources: null, verify })
  while (!ended.has(runId)) {
    await new Promise<void>((resolve) => {
      next.wake = resolve
    })
  }
  stop()
}
