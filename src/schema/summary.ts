import { idInSession } from '../resolvers/ids.ts'
import { summaryContent, summaryMessage } from '../resolvers/summaries.ts'
import { connectionType } from './connection.ts'
import { MessageType } from './message-ref.ts'
import { Node } from './node.ts'
import { SummaryType } from './summary-ref.ts'

SummaryType.implement({
  description: 'What a compaction, or the source on its own, left as a summary of a session.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: (summary) => idInSession('Summary', summary) }),
    timestamp: t.expose('time', { type: 'DateTime', nullable: true, description: 'When it was written.' }),
    kind: t.exposeString('kind', { description: 'What made it, e.g. `compaction`.' }),
    content: t.string({
      nullable: true,
      description: 'Its text; null where the source keeps it unreadable.',
      resolve: (summary, _, { scope }) => summaryContent(scope, summary),
    }),
    message: t.field({
      type: MessageType,
      nullable: true,
      description: 'The message that carries it, where one does.',
      resolve: (summary, _, { scope }) => summaryMessage(scope, summary),
    }),
  }),
})

export const SummaryConnection = connectionType('Summary', SummaryType, 'summary')
