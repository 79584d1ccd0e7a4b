import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/weir.js', import.meta.url))

/** The built program serving a store, as a process of its own. */
export interface Served {
  readonly url: string
  /** From the start of the process to its first answer, ms. */
  readonly startMs: number
  /** Resident memory, bytes. */
  rss(): number
  ask(query: string, variables?: object): Promise<unknown>
  stop(): Promise<void>
}

export async function serve(home: string, args: readonly string[]): Promise<Served> {
  const began = performance.now()
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', ...args], {
    env: { PATH: process.env['PATH'], HOME: home, WEIR_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = await ready(child)
  const ask = async (query: string, variables: object = {}): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    return response.json()
  }
  await ask('{ sessions(first: 1) { nodes { id } } }')
  return {
    url,
    startMs: performance.now() - began,
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    ask,
    stop: async () => {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
    },
  }
}

function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    child.once('exit', (code) => reject(new Error(`weir serve ended with ${code}; run npm run build first.`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const url = /^Weir is ready at (\S+)$/m.exec(out)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
}
