import { activityAt, isLiveAt } from '../model/activity.ts'
import { sessionId } from '../resolvers/ids.ts'
import { listMessages, messageByNativeId, messagesAround } from '../resolvers/messages.ts'
import { listToolCalls } from '../resolvers/parts.ts'
import { projectById } from '../resolvers/projects.ts'
import { listRecords, rawOf, recordCount, recordsOfSessionItself } from '../resolvers/records.ts'
import {
  descendantCount,
  lastPrompt,
  listChildren,
  listSessions,
  sessionById,
  sessionByNativeId,
  sessionTags,
} from '../resolvers/sessions.ts'
import { originById, rootById, sourceById } from '../resolvers/sources.ts'
import { listSubagents } from '../resolvers/subagents.ts'
import { listSummaries } from '../resolvers/summaries.ts'
import { sessionUsage } from '../resolvers/usage.ts'
import { listWorkflows } from '../resolvers/workflows.ts'
import { builder } from './builder.ts'
import { pageArgs, pageCost } from './connection.ts'
import { SessionActivity, SessionKind, SessionRelation, TimeOrigin } from './enums.ts'
import { MessageFilterInput } from './message.ts'
import { MessageConnection, MessageType } from './message-ref.ts'
import { Node } from './node.ts'
import { countsOf, PartCountType } from './part-count.ts'
import { ProjectType } from './project.ts'
import { SourceRecordConnection } from './record.ts'
import { SessionConnection, SessionType } from './session-connection.ts'
import { SessionFilterInput, SessionOrderInput } from './session-filter.ts'
import { OriginType, SourceRootType, SourceType } from './source.ts'
import { SubagentConnection } from './subagent.ts'
import { SummaryConnection } from './summary.ts'
import { ToolCallConnection, ToolCallFilterInput } from './tool-call.ts'
import { UsageType } from './usage.ts'
import { WorkflowConnection } from './workflow.ts'

const AROUND_COST = 25

SessionType.implement({
  description: 'A conversation with an agent, or the work of an agent for another one.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: sessionId }),
    kind: t.expose('kind', { type: SessionKind, description: 'Who it is for.' }),
    source: t.field({
      type: SourceType,
      description: 'The kind of agent that wrote it.',
      resolve: (session, _, { scope }) => sourceById(scope, session.sourceId),
    }),
    origin: t.field({
      type: OriginType,
      description: 'The machine that it was written on.',
      resolve: (session, _, { scope }) => originById(scope, session.originId),
    }),
    root: t.field({
      type: SourceRootType,
      nullable: true,
      description: 'The root that it was read from.',
      resolve: ({ rootId }, _, { scope }) => (rootId === null ? null : rootById(scope, rootId)),
    }),
    sourcePath: t.exposeString('sourcePath', {
      nullable: true,
      description: 'The file, directory or database that it was read from.',
    }),
    nativeId: t.exposeString('nativeId', { description: 'The id that its source gave it.' }),
    agent: t.exposeString('agent', {
      description:
        'Who ran it: the name of the source, with the kind of agent behind a slash where it was a special one.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'Its title, whole.' }),
    project: t.field({
      type: ProjectType,
      nullable: true,
      description: 'The directory that it ran in; null where the source knows none.',
      resolve: ({ projectId }, _, { scope }) => (projectId === null ? null : projectById(scope, projectId)),
    }),
    gitBranch: t.exposeString('gitBranch', { nullable: true, description: 'The branch that was checked out.' }),
    clientVersion: t.exposeString('clientVersion', {
      nullable: true,
      description: 'Version of the agent that last wrote to it.',
    }),
    shareUrl: t.exposeString('shareUrl', { nullable: true, description: 'Where its agent has it published.' }),
    models: t.exposeStringList('models', { description: 'The models that answered in it, by first use.' }),
    parent: t.field({
      type: SessionType,
      nullable: true,
      description: 'The session that it came from; null when there is none or it is not stored.',
      resolve: ({ parentId }, _, { scope }) => (parentId === null ? null : sessionById(scope, parentId)),
    }),
    parentNativeId: t.exposeString('parentNativeId', {
      nullable: true,
      description:
        'Native id of the session that it came from, stored or not, as the record of its source names it. Null for a fork that was told by the messages it copied only: see `parent`.',
    }),
    relation: t.expose('relation', {
      type: SessionRelation,
      nullable: true,
      description: 'How it came from its parent.',
    }),
    parentMessage: t.field({
      type: MessageType,
      nullable: true,
      description: 'The message of the parent at which it was cut off, where that is known.',
      resolve: ({ parentId, parentMessageNativeId }, _, { scope }) =>
        parentId === null || parentMessageNativeId === null
          ? null
          : messageByNativeId(scope, parentId, parentMessageNativeId),
    }),
    children: t.field({
      type: SessionConnection,
      description:
        'What came from it, oldest first: sessions that it started, and those that go on from it, such as forks.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (session, args, { scope }) => listChildren(scope, args, session),
    }),
    descendantCount: t.int({
      description: 'Number of sessions below it, at any depth, those that go on from it included.',
      resolve: (session, _, { scope }) => descendantCount(scope, session),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    createdAtOrigin: t.expose('createdAtOrigin', {
      type: TimeOrigin,
      description: 'Where `createdAt` was taken from.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of its newest message, or its creation when it has none.',
    }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      description: 'The latest `updatedAt` in it and everything below it.',
    }),
    activity: t.field({
      type: SessionActivity,
      description: 'What its agent is doing now, told from the end of the session and the age of its last change.',
      resolve: (session) => activityAt(session, Date.now()).activity,
    }),
    activitySince: t.field({
      type: 'DateTime',
      description: 'Since when: for an agent that works, the prompt that it works on.',
      resolve: (session) => activityAt(session, Date.now()).since,
    }),
    isLive: t.boolean({
      description: 'Whether its source changed within the last minute. A `SessionChange` tells when that ends.',
      resolve: (session) => isLiveAt(session, Date.now()),
    }),
    lastPrompt: t.string({
      nullable: true,
      description: 'What the person last wrote in it.',
      args: { maxChars: t.arg.int({ defaultValue: 280, description: 'At most this many code points; null for all.' }) },
      resolve: (session, { maxChars }, { scope }) => lastPrompt(scope, session, maxChars),
    }),
    isSourceMissing: t.exposeBoolean('isSourceMissing', {
      description: 'Whether the last sync no longer found it at its source. What was read is kept.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its agent archived it.',
    }),
    messageCount: t.exposeInt('messageCount', { description: 'Number of its messages.' }),
    inheritedMessageCount: t.exposeInt('inheritedMessageCount', {
      description: 'Those of its messages that were copied from its parent.',
    }),
    turnCount: t.exposeInt('promptCount', { description: 'Number of prompts of the person.' }),
    toolCallCount: t.exposeInt('toolCallCount', { description: 'Number of tool calls.' }),
    failedToolCallCount: t.exposeInt('failedToolCallCount', { description: 'Number of tool calls that failed.' }),
    partCounts: t.field({
      type: [PartCountType],
      description: 'Number of parts of each kind that it has.',
      resolve: ({ partCounts }) => countsOf(partCounts),
    }),
    usage: t.field({
      type: UsageType,
      description: 'What it used itself, without what it inherited.',
      resolve: (session, _, { scope }) => sessionUsage(scope, session.id, 'OWN'),
    }),
    inheritedUsage: t.field({
      type: UsageType,
      description: 'What the messages stand for that were copied into it; counted where they were first written.',
      resolve: (session, _, { scope }) => sessionUsage(scope, session.id, 'INHERITED'),
    }),
    isStarred: t.exposeBoolean('isStarred', { description: 'Whether a person starred it.' }),
    tags: t.stringList({
      description: 'Tags that a person gave it, by alphabet.',
      resolve: (session, _, { scope }) => sessionTags(scope, session),
    }),
    note: t.exposeString('note', { nullable: true, description: 'What a person noted about it.' }),
    messages: t.field({
      type: MessageConnection,
      description: 'Its messages, oldest first.',
      complexity: pageCost,
      args: { ...pageArgs, filter: t.arg({ type: MessageFilterInput, description: 'Which of them.' }) },
      resolve: (session, args, { scope }) => listMessages(scope, args, session),
    }),
    messagesAround: t.field({
      type: MessageConnection,
      description: 'One message with its neighbours. The cursors go on in `messages` without a filter.',
      complexity: ({ before, after }) => ({
        field: 1,
        multiplier: 1 + (before ?? AROUND_COST) + (after ?? AROUND_COST),
      }),
      args: {
        message: t.arg.id({ required: true, description: 'A message of this session.' }),
        before: t.arg.int({ defaultValue: 25, description: 'How many before it, 0 to 100.' }),
        after: t.arg.int({ defaultValue: 25, description: 'How many behind it, 0 to 100.' }),
      },
      resolve: (session, args, { scope }) => messagesAround(scope, args, session),
    }),
    toolCalls: t.field({
      type: ToolCallConnection,
      description: 'Its tool calls, oldest first.',
      complexity: pageCost,
      args: { ...pageArgs, filter: t.arg({ type: ToolCallFilterInput, description: 'Which of them.' }) },
      resolve: (session, args, { scope }) => listToolCalls(scope, args, session),
    }),
    summaries: t.field({
      type: SummaryConnection,
      description: 'Summaries of it, oldest first; those without a time last.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (session, args, { scope }) => listSummaries(scope, args, session),
    }),
    subagents: t.field({
      type: SubagentConnection,
      description: 'Agents that worked for it, by their ids.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (session, args, { scope }) => listSubagents(scope, args, session),
    }),
    workflows: t.field({
      type: WorkflowConnection,
      description: 'Workflow runs that it started, oldest first; those without a time last.',
      complexity: pageCost,
      args: pageArgs,
      resolve: (session, args, { scope }) => listWorkflows(scope, args, session),
    }),
    recordCount: t.field({
      type: 'SafeInt',
      description: 'Number of records that its source wrote for it.',
      resolve: (session, _, { scope }) => recordCount(scope, session),
    }),
    records: t.field({
      type: SourceRecordConnection,
      description: 'Everything that its source wrote for it, in the source’s order.',
      complexity: pageCost,
      args: {
        ...pageArgs,
        types: t.arg.stringList({ description: 'Only records of these types.' }),
        unmapped: t.arg.boolean({
          description: 'True: only records that no message or part was read from. False: only the others.',
        }),
      },
      resolve: (session, args, { scope }) => listRecords(scope, args, session),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The record of the session itself, where its source has one.',
      resolve: (session, _, { scope }) => rawOf(scope, recordsOfSessionItself(session)),
    }),
  }),
})

builder.queryFields((t) => ({
  sessions: t.field({
    type: SessionConnection,
    description: 'Sessions, the one with the newest message first unless ordered otherwise.',
    complexity: pageCost,
    args: {
      ...pageArgs,
      filter: t.arg({ type: SessionFilterInput, description: 'Which of them.' }),
      orderBy: t.arg({ type: SessionOrderInput, description: 'In which order.' }),
    },
    resolve: (_, args, { scope }) => listSessions(scope, args),
  }),
  session: t.field({
    type: SessionType,
    nullable: true,
    description: 'The session that its source knows by this id; null when it is not stored.',
    args: {
      source: t.arg.string({ required: true, description: 'Name of the source.' }),
      nativeId: t.arg.string({ required: true, description: 'The id that the source gave it.' }),
      origin: t.arg.id({ description: 'The machine; this one when left out.' }),
    },
    resolve: (_, { source, nativeId, origin }, { scope }) => sessionByNativeId(scope, source, nativeId, origin),
  }),
}))
