import { hash } from 'node:crypto'
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import { isSafeId } from '../kit/ids.ts'
import { diffFileOf, fileStamp, stampOf } from './file-stamp.ts'

/** A session's file in the tree. */
export interface TreeSession {
  readonly sessionId: string
  readonly file: string
  readonly size: number
  readonly mtimeMs: number
  /** Size and time of the file. */
  readonly stamp: string
}

export interface TreeFile {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

export interface TreeMessage extends TreeFile {
  readonly parts: readonly TreeFile[]
  /** Of its and its parts' names, sizes and times. */
  readonly digest: string
}

/** What a session consists of, by names, sizes and times alone. */
export interface TreeWalk {
  readonly messages: readonly TreeMessage[]
  readonly digest: string
  readonly bytes: number
  readonly changedAt: number
  readonly problems: readonly Problem[]
}

/** All sessions of a tree, newest copy of each; a tree that isn't there yet has none. */
export function listSessions(storage: string): {
  readonly sessions: ReadonlyMap<string, TreeSession>
  /** Older files of a session that was filed under another project since. */
  readonly superseded: number
  readonly problems: readonly Problem[]
} {
  const sessions = new Map<string, TreeSession>()
  const problems: Problem[] = []
  let superseded = 0
  const root = join(storage, 'session')
  for (const project of entriesOf(root, problems)) {
    const directory = join(root, project.name)
    if (project.isSymbolicLink()) problems.push(linkProblem(directory))
    if (!project.isDirectory()) continue
    for (const entry of entriesOf(directory, problems)) {
      const session = sessionAt(join(directory, entry.name), problems)
      if (session === null) continue
      const other = sessions.get(session.sessionId)
      if (other !== undefined) superseded += 1
      if (other === undefined || other.mtimeMs < session.mtimeMs) sessions.set(session.sessionId, session)
    }
  }
  return { sessions, superseded, problems }
}

export function sessionAt(file: string, problems: Problem[]): TreeSession | null {
  if (!file.endsWith('.json')) return null
  const sessionId = basename(file, '.json')
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return null
  if (!isSafeId(sessionId)) {
    problems.push({
      kind: 'HOSTILE_ID',
      location: file,
      message: 'This id could name a file elsewhere.',
      sessionId: null,
    })
    return null
  }
  return { sessionId, file, size: stats.size, mtimeMs: stats.mtimeMs, stamp: stampOf(stats) }
}

/** Walks session → message → part: part folders whose message is gone are left behind by opencode and belong to nothing. */
export function walkSession(storage: string, session: TreeSession): TreeWalk {
  const problems: Problem[] = []
  const { sessionId } = session
  const messages = filesOf(join(storage, 'message', sessionId), problems).map((file): TreeMessage => {
    const parts = filesOf(join(storage, 'part', file.id), problems)
    return { ...file, parts, digest: digestOf([file, ...parts].map(described)) }
  })
  const beside = [join(storage, 'todo', `${sessionId}.json`), join(storage, 'session_diff', `${sessionId}.json`)]
  const all = messages.flatMap((message) => [message, ...message.parts])
  return {
    messages,
    digest: digestOf([
      session.file,
      session.stamp,
      ...beside.map(fileStamp),
      ...messages.map(({ id, digest }) => id + digest),
    ]),
    bytes: all.reduce((sum, { size }) => sum + size, session.size),
    changedAt: all.reduce((newest, { mtimeMs }) => Math.max(newest, mtimeMs), session.mtimeMs),
    problems,
  }
}

export const todoFileOf = (storage: string, sessionId: string): string => join(storage, 'todo', `${sessionId}.json`)
export const treeDiffFileOf = (storage: string, dataDir: string, sessionId: string): string =>
  basename(storage) === 'storage' ? diffFileOf(dataDir, sessionId) : join(storage, 'session_diff', `${sessionId}.json`)

const described = ({ id, size, mtimeMs }: TreeFile): string => `${id}.${size.toString(36)}.${mtimeMs.toString(36)}`
const digestOf = (texts: readonly string[]): string => hash('sha1', texts.join('\n'), 'base64url').slice(0, 10)

/** The JSON files of a directory with size and time, by name; none when the directory isn't there. */
export function filesOf(directory: string, problems: Problem[]): readonly TreeFile[] {
  const files: TreeFile[] = []
  for (const name of listed(directory, problems, (path) => readdirSync(path).sort())) {
    if (!name.endsWith('.json')) continue
    // `join` would cost as much as looking at the file does.
    const path = directory + sep + name
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() === true)
      files.push({ id: name.slice(0, -'.json'.length), path, size: stats.size, mtimeMs: stats.mtimeMs })
  }
  return files
}

const entriesOf = (directory: string, problems: Problem[]): readonly Dirent[] =>
  listed(directory, problems, (path) =>
    readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)),
  )

/** What `list` finds in a directory; nothing when it isn't there. */
function listed<T>(directory: string, problems: Problem[], list: (path: string) => readonly T[]): readonly T[] {
  try {
    return list(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    const message = error instanceof Error ? error.message : String(error)
    problems.push({ kind: 'IO', location: directory, message, sessionId: null })
    return []
  }
}

const linkProblem = (path: string): Problem => ({
  kind: 'UNSUPPORTED',
  location: path,
  message: 'A link this deep in the tree is not followed.',
  sessionId: null,
})
