import { runId } from '../resolvers/ids.ts'
import { listRunProblems } from '../resolvers/problems.ts'
import { sourceByName } from '../resolvers/sources.ts'
import {
  elapsedMs,
  etaMs,
  fraction,
  isStalled,
  listRuns,
  type PlanEntry,
  planSync,
  type StoredRun,
} from '../resolvers/sync.ts'
import { builder } from './builder.ts'
import { connectionType, pageArgs, pageCost } from './connection.ts'
import { SyncStatus, SyncTrigger } from './enums.ts'
import { Node } from './node.ts'
import { SyncProblemConnection } from './problem.ts'
import { SourceType } from './source.ts'

export const SyncRunType = builder.objectRef<StoredRun>('SyncRun')

const MAX_INT = 2 ** 31 - 1
const bounded = (ms: number): number => Math.min(ms, MAX_INT)

export const SyncProgressType = builder.objectRef<StoredRun>('SyncProgress').implement({
  description: 'How far a run is. Its counters only grow, and at the end they are the result.',
  fields: (t) => ({
    run: t.field({ type: SyncRunType, description: 'The run.', resolve: (run) => run }),
    status: t.expose('status', { type: SyncStatus, description: 'What became of it so far.' }),
    currentSource: t.field({
      type: SourceType,
      nullable: true,
      description: 'The source that it reads now.',
      resolve: ({ progress }, _, { scope }) =>
        progress.currentSource === null ? null : sourceByName(scope, progress.currentSource),
    }),
    sessionsTotal: t.int({
      description: 'Sessions that it has to look at.',
      resolve: (run) => run.progress.sessionsTotal,
    }),
    sessionsDone: t.int({
      description: 'Sessions that it is through with.',
      resolve: (run) => run.progress.sessionsDone,
    }),
    sessionsFresh: t.int({
      description: 'Sessions in which nothing was new.',
      resolve: (run) => run.progress.sessionsFresh,
    }),
    sessionsEmpty: t.int({ description: 'Files that hold no session.', resolve: (run) => run.progress.sessionsEmpty }),
    sessionsUnsupported: t.int({
      description: 'Sessions in a version that can’t be read yet.',
      resolve: (run) => run.progress.sessionsUnsupported,
    }),
    sessionsSuperseded: t.int({
      description: 'Copies of sessions that are read from elsewhere.',
      resolve: (run) => run.progress.sessionsSuperseded,
    }),
    messagesInserted: t.field({
      type: 'SafeInt',
      description: 'Messages that were new.',
      resolve: (run) => run.progress.messagesInserted,
    }),
    messagesUpdated: t.field({
      type: 'SafeInt',
      description: 'Messages that had changed.',
      resolve: (run) => run.progress.messagesUpdated,
    }),
    partsInserted: t.field({
      type: 'SafeInt',
      description: 'Parts that were new.',
      resolve: (run) => run.progress.partsInserted,
    }),
    partsUpdated: t.field({
      type: 'SafeInt',
      description: 'Parts that had changed.',
      resolve: (run) => run.progress.partsUpdated,
    }),
    bytesRead: t.field({
      type: 'SafeInt',
      description: 'Bytes read so far.',
      resolve: (run) => run.progress.bytesRead,
    }),
    bytesTotal: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Bytes to read in all; null while that is unknown.',
      resolve: (run) => run.progress.bytesTotal,
    }),
    problemCount: t.int({ description: 'Places that went wrong.', resolve: (run) => run.progress.problemCount }),
    lastAdvancedAt: t.field({
      type: 'DateTime',
      description: 'When a counter last grew.',
      resolve: (run) => run.progress.lastAdvancedAt,
    }),
    isStalled: t.boolean({
      description: 'Whether that is longer ago than it should be. Never so for watching.',
      resolve: (run) => isStalled(run, Date.now()),
    }),
    fraction: t.float({
      nullable: true,
      description: 'How much is done, from 0 to 1; null while the total is unknown, and for watching.',
      resolve: fraction,
    }),
    elapsedMs: t.int({
      description: 'How long it has run, in milliseconds.',
      resolve: (run) => bounded(elapsedMs(run, Date.now())),
    }),
    etaMs: t.int({
      nullable: true,
      description: 'How long it will go on at this pace, in milliseconds; null when that can’t be told.',
      resolve: (run) => {
        const left = etaMs(run, Date.now())
        return left === null ? null : bounded(left)
      },
    }),
  }),
})

SyncRunType.implement({
  description: 'One reading of sources. The last 1,000 are kept.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id, of this store only.', resolve: runId }),
    status: t.expose('status', { type: SyncStatus, description: 'What became of it so far.' }),
    trigger: t.expose('trigger', { type: SyncTrigger, description: 'Why it began.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began, or was put into the queue.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    progress: t.field({ type: SyncProgressType, description: 'How far it is.', resolve: (run) => run }),
    problems: t.field({
      type: SyncProblemConnection,
      description: 'The places that went wrong in it, by first sight.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (run, args, { scope }) => listRunProblems(scope, args, run),
    }),
  }),
})

const SyncRunConnection = connectionType('SyncRun', SyncRunType, 'sync run')

const SyncPlanType = builder.objectRef<PlanEntry>('SyncPlan').implement({
  description: 'What a sync would do for one source, told without reading sessions.',
  fields: (t) => ({
    source: t.field({ type: SourceType, description: 'The source.', resolve: ({ sourceRow }) => sourceRow }),
    sessions: t.exposeInt('sessions', { description: 'Sessions that it holds, without superseded copies.' }),
    fresh: t.exposeInt('fresh', { description: 'Those of them in which nothing is new.' }),
    pending: t.exposeInt('pending', { description: 'Those of them that would be read.' }),
  }),
})

builder.queryFields((t) => ({
  syncRuns: t.field({
    type: SyncRunConnection,
    description: 'The runs that are kept, newest first.',
    complexity: pageCost,
    args: pageArgs,
    resolve: (_, args, { scope }) => listRuns(scope, args),
  }),
  syncPlan: t.field({
    type: [SyncPlanType],
    description: 'What a sync would do now.',
    args: { sources: t.arg.stringList({ description: 'Names of sources; every enabled one when left out.' }) },
    resolve: (_, { sources }, { scope }) => planSync(scope, sources),
  }),
}))
