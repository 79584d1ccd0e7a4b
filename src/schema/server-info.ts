import type { Limits, ServerFacts } from '../resolvers/services.ts'
import { localOrigin } from '../resolvers/sources.ts'
import { builder } from './builder.ts'
import { OriginType } from './source.ts'

const ServerLimitsType = builder.objectRef<Limits>('ServerLimits').implement({
  description: 'What an operation may ask for at most. Beyond that it is answered with LIMIT_EXCEEDED.',
  fields: (t) => ({
    maxPageSize: t.exposeInt('maxPageSize', { description: 'Greatest `first` and `last` of a connection.' }),
    maxDepth: t.exposeInt('maxDepth', { description: 'Levels of nested selections.' }),
    maxAliases: t.exposeInt('maxAliases', { description: 'Aliases in an operation.' }),
    maxCost: t.exposeInt('maxCost', { description: 'Fields that an answer could have, by the sizes of its pages.' }),
    maxDocumentBytes: t.exposeInt('maxDocumentBytes', { description: 'Size of the document in bytes.' }),
    maxResponseBytes: t.expose('maxResponseBytes', { type: 'SafeInt', description: 'Size of the answer in bytes.' }),
  }),
})

const ServerType = builder.objectRef<ServerFacts>('Server').implement({
  description: 'The server that answers.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Its version.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
    schemaHash: t.exposeString('schemaHash', {
      description: 'Hash of its schema: another one means that the API is another one.',
    }),
    origin: t.field({
      type: OriginType,
      description: 'The machine that it runs on.',
      resolve: (_, __, { scope }) => localOrigin(scope),
    }),
    limits: t.expose('limits', { type: ServerLimitsType, description: 'What an operation may ask for at most.' }),
  }),
})

builder.queryFields((t) => ({
  server: t.field({
    type: ServerType,
    description: 'The server that answers.',
    resolve: (_, __, { scope }) => scope.services.server,
  }),
}))
