import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { claudeTranscripts } from '../generate/claude-jsonl.ts'
import { cached, syncOnce, writerFor } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { cpuMs, median } from '../lib/measure.ts'
import { tempDir } from '../lib/temp.ts'

const MESSAGES_A_TURN = 4
const ROUNDS = 7
/** Lines that one round appends, each with a sync of its own: enough to even out when SQLite moves its log. */
const LINES = 30

/** A store that has read one transcript of so many messages, which grows line by line. */
async function grown(messages: number) {
  const name = `claude-one-${messages}`
  const turns = messages / MESSAGES_A_TURN
  claudeTranscripts(cached(name), { sessions: 1, projects: 1, turns, textChars: 100, hasTelemetry: false })
  const root = join(tempDir(), '.claude')
  cpSync(cached(name), root, { recursive: true })
  const file = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.jsonl'))
  if (file === undefined) throw new Error('The generated transcript is missing.')
  const path = join(root, file)
  const home = openHome(tempDir())
  const writer = writerFor(home, { 'claude-code': [root] })
  await syncOnce(writer)
  const leaf = /"leafUuid":"([^"]+)"/.exec(readFileSync(path, 'utf8').slice(-4000))?.[1]
  if (leaf === undefined) throw new Error('The generated transcript ends in another way than it did.')
  const sessionId = file.slice(file.lastIndexOf('/') + 1, -'.jsonl'.length)
  let parentUuid = leaf
  let appended = 0
  return {
    writer,
    async append() {
      appended += 1
      const uuid = `ffffffff-0000-4000-8000-${appended.toString(16).padStart(12, '0')}`
      const message = {
        id: `msg_more_${appended}`,
        role: 'assistant',
        model: 'claude-opus-4-5',
        content: [{ type: 'text', text: `One more line, the ${appended}th.` }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 4, output_tokens: 9, cache_read_input_tokens: 70, cache_creation_input_tokens: 0 },
      }
      const timestamp = new Date(Date.UTC(2026, 10, 1) + appended * 1000).toISOString()
      const envelope = { parentUuid, isSidechain: false, cwd: '/home/dev/project0', sessionId, version: '2.1.332' }
      appendFileSync(path, `${JSON.stringify({ ...envelope, type: 'assistant', message, uuid, timestamp })}\n`)
      parentUuid = uuid
      await syncOnce(writer)
    },
    /** That every line was seen, and nothing else. */
    check() {
      const store = openReader(home.store)
      const stored: unknown = store.sqlite.prepare('select message_count from sessions').pluck().get()
      store.close()
      if (stored !== messages + appended) throw new Error(`${messages + appended} messages, but ${stored} are stored.`)
    },
  }
}

/** Bytes that this process has handed to the system to write; null where the system doesn't tell. */
const written = (): number | null =>
  existsSync('/proc/self/io') ? Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) : null

export const oneLine: Case = {
  name: 'one-line',
  title: 'one line appended to a session of 100,000 messages, against one of 100: CPU and bytes written',
  floor: '1.5 x each',
  async run() {
    const [small, large] = [await grown(100), await grown(100_000)]
    const cpu = { small: [] as number[], large: [] as number[] }
    const bytes = { small: 0, large: 0 }
    const rounds = async (session: typeof small, size: 'small' | 'large') => {
      const before = written()
      const ms = await cpuMs(async () => {
        for (let line = 0; line < LINES; line++) await session.append()
      })
      cpu[size].push(ms / LINES)
      bytes[size] += (written() ?? 0) - (before ?? 0)
    }
    for (let round = 0; round < ROUNDS; round++) {
      await rounds(small, 'small')
      await rounds(large, 'large')
    }
    for (const session of [small, large]) {
      session.check()
      await session.writer.close()
    }
    const cpuRatio = median(cpu.large) / median(cpu.small)
    const bytesRatio = bytes.small === 0 ? Number.NaN : bytes.large / bytes.small
    const perLine = (total: number) => Math.round(total / ROUNDS / LINES)
    return {
      figure: `${cpuRatio.toFixed(2)} x CPU, ${bytesRatio.toFixed(2)} x bytes`,
      holds: cpuRatio <= 1.5 && !(bytesRatio > 1.5),
      details: {
        '100 messages, CPU ms a line': median(cpu.small).toFixed(2),
        '100,000 messages, CPU ms a line': median(cpu.large).toFixed(2),
        '100 messages, bytes a line': perLine(bytes.small),
        '100,000 messages, bytes a line': perLine(bytes.large),
      },
    }
  },
}
