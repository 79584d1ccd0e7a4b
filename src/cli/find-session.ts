import { z } from 'zod'
import { ask, type Connection } from './connection.ts'
import { SESSION_BY_ID, SESSION_BY_KEY, SESSIONS } from './documents.ts'
import { CliError, EXIT } from './exit-code.ts'
import { Session, SessionPage } from './shapes.ts'

/**
 * The session that a person named: by GraphQL id, `source:nativeId`, or a native id that only one session has; with `takesStart` by the
 * start of one, too, which is too little to erase by.
 */
export async function findSession(connection: Connection, name: string, takesStart = false): Promise<Session> {
  const colon = name.indexOf(':')
  if (colon > 0) {
    const variables = { source: name.slice(0, colon), nativeId: name.slice(colon + 1) }
    const { session } = await ask(connection, z.object({ session: Session.nullable() }), SESSION_BY_KEY, variables)
    if (session !== null) return session
  }
  // `weir sessions` cuts ids on a narrow terminal: what it shows of one is a name, too.
  const start = takesStart ? name.replace(/…$/, '') : name
  const like = await withNativeId(connection, start)
  const exact = like.filter(({ nativeId }) => nativeId === name)
  const byNativeId = exact.length > 0 || !takesStart || start.length < MIN_START ? exact : like
  const [first, second] = byNativeId
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) {
    const names = byNativeId.map(({ source, nativeId }) => `${source.name}:${nativeId}`).join(', ')
    throw new CliError(EXIT.usage, `Several sessions have the id ${name}. Name one: ${names}`)
  }
  const found = await byGlobalId(connection, name)
  if (found !== null) return found
  throw new CliError(EXIT.usage, `There is no session "${name}". \`weir sessions\` lists them.`)
}

/** Fewer characters of an id name nothing. */
const MIN_START = 6

async function withNativeId(connection: Connection, start: string): Promise<Session[]> {
  const variables = { first: 100, filter: { text: start, includeChildren: true } }
  const { sessions } = await ask(connection, z.object({ sessions: SessionPage }), SESSIONS, variables)
  return sessions.nodes.filter((session) => session.nativeId.startsWith(start))
}

async function byGlobalId(connection: Connection, id: string): Promise<Session | null> {
  const { data } = await connection.execute(SESSION_BY_ID, { id })
  const parsed = z.object({ node: Session }).safeParse(data)
  return parsed.success ? parsed.data.node : null
}
