import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../../dist/weir.js', import.meta.url))

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Env = Readonly<Record<string, string>>

/** The real program, in an environment of its own: nothing of this machine's agents is found. */
function start(args: readonly string[], env: Env): ChildProcess {
  const { PATH } = process.env
  return spawn(process.execPath, [MAIN, ...args], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs `weir` to its end. */
export async function weir(args: readonly string[], env: Env): Promise<Outcome> {
  const child = start(args, env)
  const out = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, ...out }
}

/** Runs `weir` and kills it with SIGKILL after `ms`; says whether it was still running. */
export async function weirKilledAfter(ms: number, args: readonly string[], env: Env): Promise<boolean> {
  const child = start(args, env)
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const [, signal] = await once(child, 'exit')
  clearTimeout(timer)
  return signal === 'SIGKILL'
}

export interface ServedWeir {
  readonly url: string
  readonly stdout: () => string
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts `weir serve` and waits until it is ready; it is gone when the test is over. */
export async function weirServe(args: readonly string[], env: Env): Promise<ServedWeir> {
  const child = start(['serve', '--port', '0', ...args], env)
  let stdout = ''
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  onTestFinished(() => kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`weir serve ended with ${code}: ${stderr}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      const ready = /^Weir is ready at (\S+)$/m.exec(stdout)?.[1]
      if (ready !== undefined) resolve(ready)
    })
  })
  return { url, stdout: () => stdout, kill }
}

/** Data of an operation over HTTP. */
export async function post(url: string, query: string, variables: object = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}
