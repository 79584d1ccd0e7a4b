import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const START = Date.UTC(2026, 9, 1)

/** An opencode JSON tree of about `files` files: sessions of one prompt and one answer with three parts. */
export function opencodeTree(directory: string, files: number): void {
  if (existsSync(directory)) return
  const partial = `${directory}.partial`
  rmSync(partial, { recursive: true, force: true })
  const storage = join(partial, 'storage')
  const write = (path: string, value: object) => writeFileSync(join(storage, path), JSON.stringify(value, null, 2))
  mkdirSync(join(storage, 'session', 'p1'), { recursive: true })
  const sessions = Math.round(files / 7)
  for (let s = 0; s < sessions; s++) {
    const [id, user, answer] = [`ses_${s}`, `msg_${s}a`, `msg_${s}b`]
    const created = START + s * 60_000
    for (const path of [`message/${id}`, `part/${user}`, `part/${answer}`])
      mkdirSync(join(storage, path), { recursive: true })
    const session = {
      id,
      slug: 's',
      version: '1.1.65',
      projectID: 'p1',
      directory: '/home/dev/demo',
      title: `Session ${s}`,
    }
    write(`session/p1/${id}.json`, { ...session, time: { created, updated: created } })
    write(`message/${id}/${user}.json`, { id: user, sessionID: id, role: 'user', time: { created } })
    const model = {
      modelID: 'm',
      providerID: 'p',
      cost: 0.1,
      tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
    }
    const time = { created: created + 1000, completed: created + 2000 }
    write(`message/${id}/${answer}.json`, {
      id: answer,
      sessionID: id,
      role: 'assistant',
      parentID: user,
      ...model,
      time,
      finish: 'stop',
    })
    write(`part/${user}/prt_${s}1.json`, {
      id: `prt_${s}1`,
      sessionID: id,
      messageID: user,
      type: 'text',
      text: 'Hello?',
    })
    for (const n of [2, 3, 4])
      write(`part/${answer}/prt_${s}${n}.json`, {
        id: `prt_${s}${n}`,
        sessionID: id,
        messageID: answer,
        type: 'text',
        text: 'There.',
      })
  }
  renameSync(partial, directory)
}
