import { idInSession } from '../resolvers/ids.ts'
import { type MessageError, messageErrorRaw } from '../resolvers/message-error.ts'
import { isOnActivePath, messageByNativeId, messageIndex, messagePartCounts } from '../resolvers/messages.ts'
import { listParts } from '../resolvers/parts.ts'
import { loadRecords, rawOf, recordsOfMessage } from '../resolvers/records.ts'
import { sessionOf } from '../resolvers/sessions.ts'
import { compactionOf } from '../resolvers/summaries.ts'
import { messageText, messageTextLength } from '../resolvers/text.ts'
import { messageUsage } from '../resolvers/usage.ts'
import { builder } from './builder.ts'
import { FEW, pageArgs, pageCost } from './connection.ts'
import { MessageRole, PartKind, TimeOrigin } from './enums.ts'
import { MessageType } from './message-ref.ts'
import { Node } from './node.ts'
import { PartConnection } from './part.ts'
import { PartCountType } from './part-count.ts'
import { SourceRecordType } from './record.ts'
import { SessionType } from './session-connection.ts'
import { SummaryType } from './summary-ref.ts'
import { UsageType } from './usage.ts'

export const MessageFilterInput = builder.inputType('MessageFilter', {
  description: 'Which messages of a session.',
  fields: (t) => ({
    roles: t.field({ type: [MessageRole], description: 'Only of these roles.' }),
    conversationalOnly: t.boolean({
      defaultValue: false,
      description: 'Leave out messages in which everything was put there by the harness.',
    }),
    activePathOnly: t.boolean({
      defaultValue: false,
      description: 'Leave out what was left behind: other branches, what was reverted, what the source deleted.',
    }),
  }),
})

const MessageErrorType = builder.objectRef<MessageError>('MessageError').implement({
  description: 'Why a response ended in an error.',
  fields: (t) => ({
    code: t.exposeString('code', { nullable: true, description: 'The source’s own name of the error.' }),
    message: t.exposeString('message', { description: 'What the source says of it.' }),
    isRetryable: t.exposeBoolean('isRetryable', {
      nullable: true,
      description: 'Whether trying again could help, where the source tells.',
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The error as the source wrote it.',
      resolve: (error, _, { scope }) => messageErrorRaw(scope, error),
    }),
  }),
})

MessageType.implement({
  description: 'What one side said at one point of a session.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: (message) => idInSession('Message', message) }),
    session: t.field({
      type: SessionType,
      description: 'The session that it stands in.',
      resolve: (message, _, { scope }) => sessionOf(scope, message),
    }),
    nativeId: t.exposeString('nativeId', {
      description: 'The id that its source gave it; unique in its session only.',
    }),
    orderKey: t.exposeString('orderKey', {
      description: 'Sorts messages of a session by bytes into their order; serves to place messages that arrive live.',
    }),
    index: t.int({
      description: 'How many messages stand before it now. It moves when an earlier message arrives late.',
      resolve: (message, _, { scope }) => messageIndex(scope, message),
    }),
    role: t.expose('role', { type: MessageRole, description: 'Who speaks.' }),
    timestamp: t.expose('time', { type: 'DateTime', description: 'When it was written.' }),
    timestampOrigin: t.expose('timeOrigin', { type: TimeOrigin, description: 'Where `timestamp` was taken from.' }),
    parent: t.field({
      type: MessageType,
      nullable: true,
      description: 'The message that it answers or branches off from, where the source records that.',
      resolve: ({ session, parentNativeId }, _, { scope }) =>
        parentNativeId === null ? null : messageByNativeId(scope, session.id, parentNativeId),
    }),
    parentNativeId: t.exposeString('parentNativeId', {
      nullable: true,
      description: 'Native id of that message, stored or not.',
    }),
    model: t.string({
      nullable: true,
      description: 'The model that wrote it.',
      resolve: ({ modelId }, _, { scope }) => scope.services.names.get(modelId),
    }),
    provider: t.string({
      nullable: true,
      description: 'Who served the model.',
      resolve: ({ providerId }, _, { scope }) => scope.services.names.get(providerId),
    }),
    text: t.string({
      description:
        'What the person or the model wrote in it: the texts of its conversational text parts, joined by blank lines.',
      args: { maxChars: t.arg.int({ description: 'At most this many code points, never half a character.' }) },
      resolve: ({ id }, { maxChars }, { scope }) => messageText(scope, id, maxChars),
    }),
    textLength: t.field({
      type: 'SafeInt',
      description: 'Code points of the whole `text`.',
      resolve: ({ id }, _, { scope }) => messageTextLength(scope, id),
    }),
    partCounts: t.field({
      type: [PartCountType],
      description: 'Number of parts of each kind that it has.',
      resolve: (message, _, { scope }) => messagePartCounts(scope, message),
    }),
    isMeta: t.exposeBoolean('isMeta', { description: 'Whether its record says that it is not for the person.' }),
    isSidechain: t.exposeBoolean('isSidechain', {
      description: 'Whether it belongs to the work of a sub-agent that is recorded inside this session.',
    }),
    isInherited: t.exposeBoolean('isInherited', { description: 'Whether it was copied from the parent session.' }),
    isOnActivePath: t.boolean({
      description:
        'False for what was left behind: other branches, what was reverted, what the source deleted or rewrote.',
      resolve: isOnActivePath,
    }),
    compaction: t.field({
      type: SummaryType,
      nullable: true,
      description: 'Set where the history was compacted: the summary that stands for what is before it.',
      resolve: (message, _, { scope }) => compactionOf(scope, message),
    }),
    agentId: t.exposeString('agentId', {
      nullable: true,
      description: 'The sub-agent that wrote it, where the source names one.',
    }),
    stopReason: t.exposeString('stopReason', { nullable: true, description: 'Why the model stopped.' }),
    error: t.field({
      type: MessageErrorType,
      nullable: true,
      description: 'Set when the response ended in an error.',
      resolve: (message): MessageError | null => (message.error === null ? null : { ...message.error, of: message }),
    }),
    usage: t.field({
      type: UsageType,
      nullable: true,
      description: 'What this response used; null where the source recorded nothing.',
      resolve: (message, _, { scope }) => messageUsage(scope, message),
    }),
    turnDurationMs: t.exposeInt('turnDurationMs', {
      nullable: true,
      description: 'How long the turn took that ended with it, in milliseconds.',
    }),
    cwd: t.string({
      nullable: true,
      description: 'Working directory at that time.',
      resolve: ({ cwdId }, _, { scope }) => scope.services.names.get(cwdId),
    }),
    skill: t.exposeString('skill', { nullable: true, description: 'The skill or command that it was written by.' }),
    parts: t.field({
      type: PartConnection,
      description: 'Its parts, in order.',
      complexity: pageCost,
      args: { ...pageArgs, kinds: t.arg({ type: [PartKind], description: 'Only of these kinds.' }) },
      resolve: (message, args, { scope }) => listParts(scope, args, message),
    }),
    records: t.field({
      type: [SourceRecordType],
      complexity: FEW,
      description: 'The records that it was read from; none when it was split off another message.',
      resolve: (message, _, { scope }) => loadRecords(scope, recordsOfMessage(message)),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The first of `records`, parsed.',
      resolve: (message, _, { scope }) => rawOf(scope, recordsOfMessage(message)),
    }),
  }),
})
