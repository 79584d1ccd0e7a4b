import { builder } from './builder.ts'
import { OrderDirection, SessionActivity, SessionKind, SessionOrderField } from './enums.ts'

/** What `normalPath` makes the same. */
export const PATHS_COMPARED =
  'Doubled and trailing slashes do not matter; in paths of Windows, which begin with a drive or two backslashes, neither does the kind of slash nor the case of the drive letter.'

export const SessionFilterInput = builder.inputType('SessionFilter', {
  description: 'Which sessions. Every field that is given must hold; a list holds when one of its entries does.',
  fields: (t) => ({
    sources: t.stringList({ description: 'Names of sources.' }),
    origins: t.idList({ description: 'Machines.' }),
    kinds: t.field({ type: [SessionKind], description: 'Kinds of sessions.' }),
    agents: t.stringList({
      description:
        'Agents, each with its kinds: `opencode` also takes `opencode/general`, but not `opencode-x`. Naming a kind, with a slash, takes in what no person started, unless `includeChildren` says otherwise.',
    }),
    projects: t.stringList({ description: `Directories of projects. ${PATHS_COMPARED}` }),
    repositories: t.stringList({ description: `Roots of repositories, with all their worktrees. ${PATHS_COMPARED}` }),
    models: t.stringList({ description: 'Models that answered in the session.' }),
    text: t.string({ description: 'Part of the title or of the native id, in any case.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Created at this time or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Created before this time.' }),
    updatedAfter: t.field({ type: 'DateTime', description: 'With its newest message at this time or later.' }),
    updatedBefore: t.field({ type: 'DateTime', description: 'With its newest message before this time.' }),
    hasFailedToolCall: t.boolean({ description: 'Whether a tool call in it failed.' }),
    activities: t.field({ type: [SessionActivity], description: 'What its agent is doing now.' }),
    isLive: t.boolean({ description: 'Whether its source changed within the last minute.' }),
    isStarred: t.boolean({ description: 'Whether a person starred it.' }),
    isArchived: t.boolean({ description: 'Whether its agent has it archived.' }),
    tags: t.stringList({ description: 'Tags that a person gave it.' }),
    includeChildren: t.boolean({
      description:
        'Whether sessions that no person started are taken in. When left out they are not, unless `kinds`, `parent` or a kind of agent is given.',
    }),
    parent: t.id({ description: 'Only what came from this session.' }),
  }),
})

export const SessionOrderInput = builder.inputType('SessionOrder', {
  description: 'How sessions are ordered.',
  fields: (t) => ({
    field: t.field({ type: SessionOrderField, required: true, defaultValue: 'UPDATED_AT', description: 'By what.' }),
    direction: t.field({ type: OrderDirection, required: true, defaultValue: 'DESC', description: 'Which end first.' }),
  }),
})
