import { asNumber, asString } from '../model/json.ts'
import {
  counterpart,
  type FileTouch,
  filesOfCall,
  partDetail,
  partJson,
  type StoredPart,
  touchDiff,
} from '../resolvers/parts.ts'
import { childOfCall } from '../resolvers/sessions.ts'
import { builder } from './builder.ts'
import { connectionType, FEW } from './connection.ts'
import { FileChangeKind, ToolCallStatus, ToolCategory } from './enums.ts'
import { PART_INTERFACES } from './part.ts'
import { SessionType } from './session-connection.ts'
import { ToolResultType } from './tool-result-ref.ts'

export const ToolCallFilterInput = builder.inputType('ToolCallFilter', {
  description: 'Which tool calls of a session.',
  fields: (t) => ({
    names: t.stringList({ description: 'Names of tools.' }),
    categories: t.field({ type: [ToolCategory], description: 'What the tools are for.' }),
    statuses: t.field({ type: [ToolCallStatus], description: 'What became of the calls.' }),
    filePath: t.string({ description: 'A file that the call read or changed.' }),
  }),
})

const FileTouchType = builder.objectRef<FileTouch>('FileTouch').implement({
  description: 'What one call did to one file.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The file, as recorded.' }),
    kind: t.expose('kind', { type: FileChangeKind, description: 'What was done to it.' }),
    movedTo: t.exposeString('movedTo', { nullable: true, description: 'Where it was moved.' }),
    diff: t.string({
      nullable: true,
      description: 'The change as a unified diff, where the call or its result tells it.',
      args: { maxChars: t.arg.int({ description: 'At most this many code points, never half a character.' }) },
      resolve: (touch, { maxChars }, { scope }) => touchDiff(scope, touch, maxChars),
    }),
    additions: t.exposeInt('additions', { nullable: true, description: 'Lines added.' }),
    deletions: t.exposeInt('deletions', { nullable: true, description: 'Lines removed.' }),
  }),
})

const startedAt = (part: StoredPart): number | null => asNumber(partDetail(part)['startedAt'])
const endedAt = (part: StoredPart): number | null => asNumber(partDetail(part)['endedAt'])

export const ToolCallType = builder.objectRef<StoredPart>('ToolCallPart').implement({
  description: 'The model calls a tool.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    callId: t.string({
      nullable: true,
      description: 'The id that ties it to its result, as recorded.',
      resolve: (part) => asString(partDetail(part)['callId']),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the tool, as its agent has it.' }),
    category: t.field({
      type: ToolCategory,
      description: 'What the tool is for.',
      resolve: ({ category }) => category ?? 'OTHER',
    }),
    status: t.field({
      type: ToolCallStatus,
      description: 'What became of the call.',
      resolve: ({ status }) => status ?? 'UNKNOWN',
    }),
    summary: t.string({
      nullable: true,
      description: 'The call in one line, for people: its command, path, pattern or prompt.',
      resolve: (part) => asString(partDetail(part)['summary']),
    }),
    command: t.string({
      nullable: true,
      description: 'The command line, when it runs one.',
      resolve: (part) => asString(partDetail(part)['command']),
    }),
    mcpServer: t.string({
      nullable: true,
      description: 'The MCP server that has the tool.',
      resolve: (part) => asString(partDetail(part)['mcpServer']),
    }),
    files: t.field({
      type: [FileTouchType],
      complexity: FEW,
      description: 'The files that it read or changed.',
      resolve: (part, _, { scope }) => filesOfCall(scope, part),
    }),
    params: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the tool was called with, as recorded.',
      args: { maxBytes: t.arg.int({ description: 'Null instead when it has more bytes than this.' }) },
      resolve: (part, { maxBytes }, { scope }) => partJson(scope, part, maxBytes),
    }),
    paramsByteLength: t.field({
      type: 'SafeInt',
      description: 'Bytes of the params as JSON.',
      resolve: ({ jsonBytes }) => jsonBytes ?? 0,
    }),
    isProviderExecuted: t.boolean({
      description: 'Whether the provider of the model ran it, not the agent.',
      resolve: (part) => partDetail(part)['isProviderExecuted'] === true,
    }),
    startedAt: t.field({ type: 'DateTime', nullable: true, description: 'When it began.', resolve: startedAt }),
    endedAt: t.field({ type: 'DateTime', nullable: true, description: 'When it ended.', resolve: endedAt }),
    durationMs: t.int({
      nullable: true,
      description: 'How long it took, in milliseconds, where beginning and end are known.',
      resolve: (part) => {
        const [from, to] = [startedAt(part), endedAt(part)]
        return from === null || to === null || to < from ? null : to - from
      },
    }),
    result: t.field({
      type: ToolResultType,
      nullable: true,
      description: 'What it gave back; null while it runs, and when it was interrupted.',
      resolve: (part, _, { scope }) => counterpart(scope, part, 'TOOL_RESULT'),
    }),
    child: t.field({
      type: SessionType,
      nullable: true,
      description: 'The session that it started.',
      resolve: (part, _, { scope }) => childOfCall(scope, part, asString(partDetail(part)['childNativeId'])),
    }),
  }),
})

export const ToolCallConnection = connectionType('ToolCallPart', ToolCallType, 'tool call')
