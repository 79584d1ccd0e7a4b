import { problemId } from '../resolvers/ids.ts'
import { listProblems, type StoredProblem } from '../resolvers/problems.ts'
import { sessionById } from '../resolvers/sessions.ts'
import { sourceById } from '../resolvers/sources.ts'
import { builder } from './builder.ts'
import { connectionType, pageArgs, pageCost } from './connection.ts'
import { SyncProblemKind } from './enums.ts'
import { Node } from './node.ts'
import { SessionType } from './session-connection.ts'
import { SourceType } from './source.ts'

const SyncProblemType = builder.objectRef<StoredProblem>('SyncProblem').implement({
  description: 'A place that could not be read as it is. It stays open until it is read again without going wrong.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id, of this store only.', resolve: problemId }),
    kind: t.expose('kind', { type: SyncProblemKind, description: 'What kept it from being read.' }),
    source: t.field({
      type: SourceType,
      description: 'Whose data it is.',
      resolve: (problem, _, { scope }) => sourceById(scope, problem.sourceId),
    }),
    location: t.exposeString('location', { description: 'Where it is: the path, and the line, row or record in it.' }),
    message: t.exposeString('message', { description: 'What went wrong and what can be done, for people.' }),
    session: t.field({
      type: SessionType,
      nullable: true,
      description: 'The session that it belongs to, where that is known and stored.',
      resolve: ({ sessionId }, _, { scope }) => (sessionId === null ? null : sessionById(scope, sessionId)),
    }),
    count: t.exposeInt('count', { description: 'How often it was seen.' }),
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime', description: 'When it was first seen.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'When it was last seen.' }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the place was read without it; null while it is open.',
    }),
  }),
})

export const SyncProblemConnection = connectionType('SyncProblem', SyncProblemType, 'problem')

const ProblemFilterInput = builder.inputType('ProblemFilter', {
  description: 'Which problems.',
  fields: (t) => ({
    sources: t.stringList({ description: 'Names of sources.' }),
    kinds: t.field({ type: [SyncProblemKind], description: 'Kinds of problems.' }),
    open: t.boolean({
      defaultValue: true,
      description: 'True: only open ones. False: only resolved ones. Null: both.',
    }),
  }),
})

builder.queryFields((t) => ({
  problems: t.field({
    type: SyncProblemConnection,
    description:
      'Places that could not be read as they are, the one seen last first. Only open ones, unless the filter says otherwise.',
    complexity: pageCost,
    args: { ...pageArgs, filter: t.arg({ type: ProblemFilterInput, description: 'Which of them.' }) },
    resolve: (_, args, { scope }) => listProblems(scope, args),
  }),
}))
