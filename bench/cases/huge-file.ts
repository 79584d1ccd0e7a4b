import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { hugeTranscript } from '../generate/claude-jsonl.ts'
import type { Case } from '../lib/case.ts'
import { tempDir } from '../lib/temp.ts'

const MAIN = fileURLToPath(new URL('../../dist/weir.js', import.meta.url))
const MIB = 1024 * 1024
/** Smaller for a try: `WEIR_BENCH_HUGE_MIB=256 npm run bench -- huge-file`. */
const FILE_BYTES = Number(process.env['WEIR_BENCH_HUGE_MIB'] ?? 4096) * MIB
const HEAP_MIB = 128
const LOOK_EVERY_MS = 200

/** Peak of a process's resident memory, bytes; what the system says last before the process ends. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

async function sync(root: string, home: string): Promise<{ code: number | null; peak: number }> {
  const args = [`--max-old-space-size=${HEAP_MIB}`, MAIN, 'sync', '--source', `claude-code=${root}`]
  const env = { PATH: process.env['PATH'], HOME: home, WEIR_HOME: home }
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  let peak = 0
  const looking = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, LOOK_EVERY_MS)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearInterval(looking)
  return { code, peak }
}

export const hugeFile: Case = {
  name: 'huge-file',
  title: `first import of one Claude Code transcript of 4 GiB by a process with a heap of ${HEAP_MIB} MiB: its peak of resident memory`,
  floor: 'finishes; 400 MiB',
  isOnlyByName: true,
  async run() {
    const directory = tempDir()
    const root = join(directory, '.claude')
    const home = openHome(join(directory, 'home'))
    try {
      const bytes = hugeTranscript(root, FILE_BYTES)
      const began = performance.now()
      const { code, peak } = await sync(root, home.path)
      const seconds = (performance.now() - began) / 1000
      const store = openReader(home.store)
      const records: unknown = store.sqlite.prepare('select sum(byte_length) from records').pluck().get()
      const messages: unknown = store.sqlite.prepare('select message_count from sessions').pluck().get()
      store.close()
      const isWhole = code === 0 && records === bytes
      return {
        figure: `${isWhole ? 'finishes' : `ends with ${code}, ${records} bytes stored`}, ${(peak / MIB).toFixed(0)} MiB`,
        holds: isWhole && peak > 0 && peak < 400 * MIB,
        details: { bytes, messages: Number(messages), seconds: Math.round(seconds) },
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
}
