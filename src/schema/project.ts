import { baseName } from '../model/path.ts'
import {
  listProjects,
  projectByPath,
  projectGlobalId,
  projectSessionCount,
  type StoredProject,
} from '../resolvers/projects.ts'
import { listProjectSessions } from '../resolvers/sessions.ts'
import { originById } from '../resolvers/sources.ts'
import { projectUsage } from '../resolvers/usage.ts'
import { builder } from './builder.ts'
import { connectionType, pageArgs, pageCost } from './connection.ts'
import { Node } from './node.ts'
import { SessionConnection } from './session-connection.ts'
import { PATHS_COMPARED, SessionFilterInput, SessionOrderInput } from './session-filter.ts'
import { OriginType } from './source.ts'
import { UsageType } from './usage.ts'

export const ProjectType = builder.objectRef<StoredProject>('Project').implement({
  description: 'A directory that agents worked in, told by the working directory that sessions recorded.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: (project, _, { scope }) => projectGlobalId(scope, project) }),
    origin: t.field({
      type: OriginType,
      description: 'The machine that the directory is on.',
      resolve: (project, _, { scope }) => originById(scope, project.originId),
    }),
    path: t.exposeString('path', { description: 'The directory, as it was first recorded.' }),
    name: t.string({ description: 'Its last name, for people.', resolve: ({ path }) => baseName(path) }),
    repository: t.exposeString('repository', {
      nullable: true,
      description: 'Root of the repository that it belongs to, shared by all worktrees of it.',
    }),
    isWorktree: t.exposeBoolean('isWorktree', {
      description: 'Whether it lies in a linked worktree of that repository.',
    }),
    sessionCount: t.int({
      description: 'Sessions that a person started in it.',
      resolve: (project, _, { scope }) => projectSessionCount(scope, project),
    }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      description: 'When its sessions last had a new message.',
    }),
    usage: t.field({
      type: UsageType,
      description: 'What its sessions used, those that other sessions started included.',
      resolve: (project, _, { scope }) => projectUsage(scope, project.id),
    }),
    sessions: t.field({
      type: SessionConnection,
      description: 'Its sessions, the one with the newest message first unless ordered otherwise.',
      complexity: pageCost,
      args: {
        ...pageArgs,
        filter: t.arg({ type: SessionFilterInput, description: 'Which of them.' }),
        orderBy: t.arg({ type: SessionOrderInput, description: 'In which order.' }),
      },
      resolve: (project, args, { scope }) => listProjectSessions(scope, args, project),
    }),
  }),
})

const ProjectConnection = connectionType('Project', ProjectType, 'project')

builder.queryFields((t) => ({
  projects: t.field({
    type: ProjectConnection,
    description: 'All directories that agents worked in, the one last worked in first.',
    complexity: pageCost,
    args: pageArgs,
    resolve: (_, args, { scope }) => listProjects(scope, args),
  }),
  project: t.field({
    type: ProjectType,
    nullable: true,
    description: 'The project of a directory; null when no session ran in it.',
    args: {
      path: t.arg.string({
        required: true,
        description: `The directory. ${PATHS_COMPARED}`,
      }),
      origin: t.arg.id({ description: 'The machine; this one when left out.' }),
    },
    resolve: (_, { path, origin }, { scope }) => projectByPath(scope, path, origin),
  }),
}))
