import { annotateSession, type Erased, eraseSession } from '../resolvers/annotate.ts'
import type { StoredSession } from '../resolvers/sessions.ts'
import { cancelSync, type StoredRun, startSync } from '../resolvers/sync.ts'
import { builder } from './builder.ts'
import { SessionType } from './session-connection.ts'
import { SyncRunType } from './sync-run.ts'

interface RunPayload {
  readonly run: StoredRun
}

const runPayload = (name: string, description: string) =>
  builder.objectRef<RunPayload>(name).implement({
    description,
    fields: (t) => ({ run: t.expose('run', { type: SyncRunType, description: 'The run.' }) }),
  })

const StartSyncInput = builder.inputType('StartSyncInput', {
  description: 'What to sync.',
  fields: (t) => ({
    sources: t.stringList({ description: 'Names of sources; every enabled one when left out.' }),
    verify: t.boolean({
      defaultValue: false,
      description: 'Read everything again, instead of only what is new by the marks of the last run.',
    }),
  }),
})
const CancelSyncInput = builder.inputType('CancelSyncInput', {
  description: 'Which run to end.',
  fields: (t) => ({ run: t.id({ required: true, description: 'The run.' }) }),
})
const AnnotateSessionInput = builder.inputType('AnnotateSessionInput', {
  description: 'What a person notes on a session. What is left out stays as it is; null clears it.',
  fields: (t) => ({
    session: t.id({ required: true, description: 'The session.' }),
    isStarred: t.boolean({ description: 'Whether it is starred.' }),
    tags: t.stringList({ description: 'All its tags, in place of those that it has. None may be blank.' }),
    note: t.string({ description: 'A note on it.' }),
  }),
})
const EraseSessionInput = builder.inputType('EraseSessionInput', {
  description: 'Which session to erase.',
  fields: (t) => ({ session: t.id({ required: true, description: 'The session.' }) }),
})

const AnnotateSessionPayload = builder
  .objectRef<{ readonly session: StoredSession }>('AnnotateSessionPayload')
  .implement({
    description: 'The session as it is now.',
    fields: (t) => ({ session: t.expose('session', { type: SessionType, description: 'The session.' }) }),
  })

const EraseSessionPayload = builder.objectRef<Erased>('EraseSessionPayload').implement({
  description: 'What was erased.',
  fields: (t) => ({
    erasedSessionIds: t.idList({
      description: 'Ids of the session and of all that it started, at any depth; all gone.',
      resolve: ({ erasedSessionIds }) => [...erasedSessionIds],
    }),
    inheritedCopies: t.field({
      type: [SessionType],
      description: 'Sessions that hold copies of its messages. They were not touched.',
      resolve: ({ inheritedCopies }) => inheritedCopies,
    }),
  }),
})

builder.mutationFields((t) => ({
  startSync: t.field({
    type: runPayload('StartSyncPayload', 'The run that was asked for.'),
    description:
      'Asks for a sync. It waits for the one that runs; the same request already waiting is answered with that run.',
    args: { input: t.arg({ type: StartSyncInput, required: true, description: 'What to sync.' }) },
    resolve: async (_, { input }, { scope }) => ({ run: await startSync(scope, input) }),
  }),
  cancelSync: t.field({
    type: runPayload('CancelSyncPayload', 'The run that was to be ended.'),
    description:
      'Ends a run; what it has read is kept. Without effect on a run that has ended. Watching ends with the server only.',
    args: { input: t.arg({ type: CancelSyncInput, required: true, description: 'Which run.' }) },
    resolve: async (_, { input }, { scope }) => ({ run: await cancelSync(scope, input.run) }),
  }),
  annotateSession: t.field({
    type: AnnotateSessionPayload,
    description: 'Stars, tags or notes a session.',
    args: { input: t.arg({ type: AnnotateSessionInput, required: true, description: 'What is noted.' }) },
    resolve: async (_, { input }, { scope }) => ({ session: await annotateSession(scope, input) }),
  }),
  eraseSession: t.field({
    type: EraseSessionPayload,
    description:
      'Erases a session for good, with the sessions that it started, at any depth; forks of it stay. What was erased is never taken in again. The source is not touched.',
    args: { input: t.arg({ type: EraseSessionInput, required: true, description: 'Which session.' }) },
    resolve: (_, { input }, { scope }) => eraseSession(scope, input.session),
  }),
}))
