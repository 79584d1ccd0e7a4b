import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Fields, T0 } from './store.ts'

/** A JSON tree as opencode 1.1 writes it, made for one test. */
export class OpencodeTree {
  readonly storage: string
  #clock = 0

  constructor(storage: string) {
    this.storage = storage
    this.file(['project', 'prj'], { id: 'prj', worktree: '/home/ann/shop', vcs: 'git', time: { created: T0 } })
  }

  session(id: string, fields: Fields = {}, project = 'prj'): this {
    const given = {
      id,
      slug: 'calm-fox',
      version: '1.1.65',
      projectID: project,
      directory: '/home/ann/shop',
      title: 'A session',
    }
    return this.file(['session', project, id], { ...given, time: { created: T0, updated: T0 }, ...fields })
  }

  message(sessionID: string, id: string, data: Fields): this {
    return this.file(['message', sessionID, id], { id, sessionID, ...data })
  }

  part(sessionID: string, messageID: string, id: string, data: Fields): this {
    return this.file(['part', messageID, id], { id, sessionID, messageID, ...data })
  }

  /** Writes a file of the tree, each a little later than the one before. */
  file(names: readonly string[], content: unknown): this {
    const path = `${join(this.storage, ...names)}.json`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    this.#clock += 1
    const time = new Date(T0 + this.#clock)
    utimesSync(path, time, time)
    return this
  }

  delete(...names: readonly string[]): this {
    rmSync(`${join(this.storage, ...names)}.json`)
    return this
  }
}
