import type { StoredMessage } from '../resolvers/messages.ts'
import { builder } from './builder.ts'
import { connectionType } from './connection.ts'

/** Declared apart from its fields (message.ts), because messages, parts and summaries point at each other. */
export const MessageType = builder.objectRef<StoredMessage>('Message')
export const MessageConnection = connectionType('Message', MessageType, 'message')
