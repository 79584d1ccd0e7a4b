import { asBoolean, asNumber, asString } from '../model/json.ts'
import { counterpart, partDetail, partJson } from '../resolvers/parts.ts'
import { partText } from '../resolvers/text.ts'
import { PART_INTERFACES } from './part.ts'
import { ToolCallType } from './tool-call.ts'
import { ToolResultType } from './tool-result-ref.ts'

ToolResultType.implement({
  description: 'What a tool gave back.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    callId: t.string({
      nullable: true,
      description: 'The id that ties it to its call, as recorded.',
      resolve: (part) => asString(partDetail(part)['callId']),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the tool, as its agent has it.' }),
    isFailure: t.boolean({
      nullable: true,
      description: 'Whether the source, an exit code or a wrapper says that it failed; null when nothing tells.',
      resolve: (part) => asBoolean(partDetail(part)['isFailure']),
    }),
    exitCode: t.int({
      nullable: true,
      description: 'Exit code of a command.',
      resolve: (part) => asNumber(partDetail(part)['exitCode']),
    }),
    filePath: t.string({
      nullable: true,
      description: 'The file that it is about.',
      resolve: (part) => asString(partDetail(part)['filePath']),
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The result, as recorded.',
      args: { maxBytes: t.arg.int({ description: 'Null instead when it has more bytes than this.' }) },
      resolve: (part, { maxBytes }, { scope }) => partJson(scope, part, maxBytes),
    }),
    resultByteLength: t.field({
      type: 'SafeInt',
      description: 'Bytes of the result as JSON.',
      resolve: ({ jsonBytes }) => jsonBytes ?? 0,
    }),
    text: t.string({
      description: 'The result for reading: its blocks of text joined, else its JSON.',
      args: { maxChars: t.arg.int({ description: 'At most this many code points, never half a character.' }) },
      resolve: async (part, { maxChars }, { scope }) => (await partText(scope, part, maxChars)) ?? '',
    }),
    textLength: t.field({
      type: 'SafeInt',
      description: 'Code points of the whole `text`.',
      resolve: ({ textLength }) => textLength ?? 0,
    }),
    call: t.field({
      type: ToolCallType,
      nullable: true,
      description: 'The call that it answers.',
      resolve: (part, _, { scope }) => counterpart(scope, part, 'TOOL_CALL'),
    }),
  }),
})
