import { originId, sourceId } from '../resolvers/ids.ts'
import {
  allSources,
  type Origin,
  originById,
  rootGlobalId,
  rootSessionCount,
  rootsOfSource,
  type StoredRoot,
  type StoredSource,
  sourceById,
  sourceByName,
  sourceMessageCount,
  sourceSessionCount,
  type Warning,
  warningsOfSource,
} from '../resolvers/sources.ts'
import { builder } from './builder.ts'
import { RootStatus } from './enums.ts'
import { Node } from './node.ts'

export const WarningType = builder.objectRef<Warning>('Warning').implement({
  description: 'Something that is worth knowing and can be mended by a person.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'For programs; stays the same when the wording changes.' }),
    message: t.exposeString('message', { description: 'For people: what it is and what to do.' }),
  }),
})

export const OriginType = builder.objectRef<Origin>('Origin').implement({
  description: 'A machine, or a home inside one (WSL, a container), whose agents wrote sessions.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: originId }),
    name: t.exposeString('name', { description: 'Its host name.' }),
    isLocal: t.exposeBoolean('isLocal', { description: 'Whether it is the machine that this server runs on.' }),
  }),
})

export const SourceType = builder.objectRef<StoredSource>('Source')
export const SourceRootType = builder.objectRef<StoredRoot>('SourceRoot')

SourceType.implement({
  description: 'A kind of agent whose sessions can be read.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: sourceId }),
    name: t.exposeString('name', { description: 'Stable short name, e.g. `opencode` or `claude-code`.' }),
    title: t.exposeString('title', { description: 'The name of the product, for people.' }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether syncs read it.' }),
    roots: t.field({
      type: [SourceRootType],
      description: 'Where its data lies: as configured, else as found. Empty when nothing was found.',
      resolve: (source, _, { scope }) => rootsOfSource(scope, source),
    }),
    warnings: t.field({
      type: [WarningType],
      description: 'The warnings that stand on its roots, each once.',
      resolve: (source, _, { scope }) => warningsOfSource(scope, source),
    }),
    retentionDays: t.exposeInt('retentionDays', {
      nullable: true,
      description:
        'Days after which the agent deletes its own sessions, where its settings say so. What Weir read stays.',
    }),
    sessionCount: t.int({
      description: 'Its sessions of every kind.',
      resolve: (source, _, { scope }) => sourceSessionCount(scope, source),
    }),
    messageCount: t.int({
      description: 'The messages of its sessions.',
      resolve: (source, _, { scope }) => sourceMessageCount(scope, source),
    }),
    lastSyncedAt: t.expose('lastSyncedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a sync last read it to its end.',
    }),
  }),
})

SourceRootType.implement({
  description: 'A directory or database that one source is read from.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: (root, _, { scope }) => rootGlobalId(scope, root) }),
    source: t.field({
      type: SourceType,
      description: 'Whose data it holds.',
      resolve: (root, _, { scope }) => sourceById(scope, root.sourceId),
    }),
    origin: t.field({
      type: OriginType,
      description: 'The machine that it is on.',
      resolve: (root, _, { scope }) => originById(scope, root.originId),
    }),
    path: t.exposeString('path', { description: 'Where it is on that machine.' }),
    status: t.expose('status', { type: RootStatus, description: 'How it was found at the last look.' }),
    generations: t.exposeStringList('generations', {
      description: 'Forms of storage found in it, e.g. `sqlite` or `json-tree`.',
    }),
    warnings: t.field({
      type: [WarningType],
      description: 'What a person should know about it.',
      resolve: ({ warnings }) => warnings,
    }),
    sessionCount: t.int({
      description: 'Sessions that were read from it.',
      resolve: (root, _, { scope }) => rootSessionCount(scope, root),
    }),
  }),
})

builder.queryFields((t) => ({
  sources: t.field({
    type: [SourceType],
    description: 'Every source that can be read, whether anything of it was found or not.',
    resolve: (_, __, { scope }) => allSources(scope),
  }),
  source: t.field({
    type: SourceType,
    nullable: true,
    description: 'One source; null for an unknown name.',
    args: { name: t.arg.string({ required: true, description: 'Its stable name.' }) },
    resolve: (_, { name }, { scope }) => sourceByName(scope, name),
  }),
}))
