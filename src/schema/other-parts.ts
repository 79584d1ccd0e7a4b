import { asString } from '../model/json.ts'
import { partDetail, partJson, type StoredPart } from '../resolvers/parts.ts'
import { builder } from './builder.ts'
import { PART_INTERFACES } from './part.ts'

builder.objectRef<StoredPart>('ToolApprovalRequestPart').implement({
  description: 'The agent asks whether a tool call may run.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    approvalId: t.string({
      description: 'Ties it to its answer.',
      resolve: (part) => asString(partDetail(part)['approvalId']) ?? '',
    }),
    toolCallId: t.string({
      nullable: true,
      description: '`callId` of the call in question.',
      resolve: (part) => asString(partDetail(part)['toolCallId']),
    }),
  }),
})

builder.objectRef<StoredPart>('ToolApprovalResponsePart').implement({
  description: 'The answer to the question whether a tool call may run.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    approvalId: t.string({
      description: 'Ties it to its question.',
      resolve: (part) => asString(partDetail(part)['approvalId']) ?? '',
    }),
    isApproved: t.boolean({
      description: 'Whether the call may run.',
      resolve: (part) => partDetail(part)['isApproved'] === true,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why, where that was said.',
      resolve: (part) => asString(partDetail(part)['reason']),
    }),
  }),
})

builder.objectRef<StoredPart>('DataPart').implement({
  description: 'What has no kind of its own: marks of steps, patches, snapshots, parts of unknown type.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    dataType: t.string({
      description: 'Its type in the terms of its source, e.g. `step-start`.',
      resolve: (part) => asString(partDetail(part)['dataType']) ?? '',
    }),
    label: t.string({
      nullable: true,
      description: 'A word on it for people.',
      resolve: (part) => asString(partDetail(part)['label']),
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the source wrote.',
      resolve: (part, _, { scope }) => partJson(scope, part, null),
    }),
  }),
})
