import type { StoredSession } from '../resolvers/sessions.ts'
import { builder } from './builder.ts'
import { connectionType } from './connection.ts'

/** Declared apart from its fields (session.ts), because sessions, messages and projects point at each other. */
export const SessionType = builder.objectRef<StoredSession>('Session')
export const SessionConnection = connectionType('Session', SessionType, 'session')
