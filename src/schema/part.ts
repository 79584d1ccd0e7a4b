import type { PartKind as Kind } from '../model/enums.ts'
import { idInSession } from '../resolvers/ids.ts'
import { messageOfPart, type StoredPart } from '../resolvers/parts.ts'
import { loadRecords, rawOf, recordsOfPart } from '../resolvers/records.ts'
import { builder } from './builder.ts'
import { connectionType, FEW } from './connection.ts'
import { PartKind, Provenance } from './enums.ts'
import { MessageType } from './message-ref.ts'
import { Node, namePartTypes } from './node.ts'
import { SourceRecordType } from './record.ts'

const TYPE_NAMES: { readonly [kind in Kind]: string } = {
  TEXT: 'TextPart',
  REASONING: 'ReasoningPart',
  FILE: 'FilePart',
  TOOL_CALL: 'ToolCallPart',
  TOOL_RESULT: 'ToolResultPart',
  TOOL_APPROVAL_REQUEST: 'ToolApprovalRequestPart',
  TOOL_APPROVAL_RESPONSE: 'ToolApprovalResponsePart',
  DATA: 'DataPart',
}

namePartTypes((value) => {
  const kind = 'kind' in value ? value.kind : null
  return Object.entries(TYPE_NAMES).find(([name]) => name === kind)?.[1] ?? TYPE_NAMES.DATA
})

export const PartInterface = builder.interfaceRef<StoredPart>('Part')

PartInterface.implement({
  description: 'A piece of a message.',
  interfaces: [Node],
  resolveType: ({ kind }) => TYPE_NAMES[kind],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: (part) => idInSession('Part', part) }),
    kind: t.expose('kind', { type: PartKind, description: 'What it is.' }),
    message: t.field({
      type: MessageType,
      description: 'The message that it is a piece of.',
      resolve: (part, _, { scope }) => messageOfPart(scope, part),
    }),
    nativeId: t.exposeString('nativeId', {
      description: 'The id that its source gave it; unique in its session only.',
    }),
    ordinal: t.exposeInt('ordinal', { description: 'Its place in the message, from 0, without gaps.' }),
    provenance: t.expose('provenance', { type: Provenance, description: 'Who wrote it.' }),
    records: t.field({
      type: [SourceRecordType],
      complexity: FEW,
      description: 'The records that it was read from; none when it was split off another part.',
      resolve: (part, _, { scope }) => loadRecords(scope, recordsOfPart(part)),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The first of `records`, parsed.',
      resolve: (part, _, { scope }) => rawOf(scope, recordsOfPart(part)),
    }),
  }),
})

/** What every kind of part implements. */
export const PART_INTERFACES = [Node, PartInterface]

export const PartConnection = connectionType('Part', PartInterface, 'part')
