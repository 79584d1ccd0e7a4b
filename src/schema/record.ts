import { recordId } from '../resolvers/record-id.ts'
import { recordJson, recordLocation, recordPosition, recordText, type StoredRecord } from '../resolvers/records.ts'
import { builder } from './builder.ts'
import { connectionType } from './connection.ts'
import { Node } from './node.ts'

export const SourceRecordType = builder.objectRef<StoredRecord>('SourceRecord').implement({
  description:
    'What the source itself wrote: a line, a row or a file, kept as it was. Messages and parts are read from records; what belongs to no message is found here only.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: recordId }),
    position: t.field({
      type: 'SafeInt',
      description: 'Orders the records of its session as the source has them. Not dense.',
      resolve: recordPosition,
    }),
    location: t.string({
      description: 'Where it stands: `path:line`, or `path#table/id` for what is no line.',
      resolve: (record, _, { scope }) => recordLocation(scope, record),
    }),
    type: t.exposeString('type', { description: 'Its type in the terms of its format, e.g. `event_msg/token_count`.' }),
    text: t.string({
      nullable: true,
      description: 'Its exact text; null when it is not text.',
      args: { maxChars: t.arg.int({ description: 'At most this many code points, never half a character.' }) },
      resolve: (record, { maxChars }, { scope }) => recordText(scope, record, maxChars),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description: 'It as JSON; null when it is none.',
      resolve: (record, _, { scope }) => recordJson(scope, record),
    }),
    byteLength: t.expose('byteLength', { type: 'SafeInt', description: 'Its size in bytes.' }),
  }),
})

export const SourceRecordConnection = connectionType('SourceRecord', SourceRecordType, 'record')
