import type { StoredPart } from '../resolvers/parts.ts'
import { partText } from '../resolvers/text.ts'
import { builder } from './builder.ts'
import { PART_INTERFACES } from './part.ts'

const MAX_CHARS = 'At most this many code points, never half a character.'

builder.objectRef<StoredPart>('TextPart').implement({
  description: 'Text.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    // Always there, but nullable like that of ReasoningPart: else documents could not ask for both under one name.
    text: t.string({
      nullable: true,
      description: 'The text; empty when the source wrote none.',
      args: { maxChars: t.arg.int({ description: MAX_CHARS }) },
      resolve: async (part, { maxChars }, { scope }) => (await partText(scope, part, maxChars)) ?? '',
    }),
    textLength: t.field({
      type: 'SafeInt',
      description: 'Code points of the whole text.',
      resolve: ({ textLength }) => textLength ?? 0,
    }),
  }),
})

builder.objectRef<StoredPart>('ReasoningPart').implement({
  description: 'What the model thought before it answered.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    text: t.string({
      nullable: true,
      description: 'The text; null where the source keeps it encrypted or took it out.',
      args: { maxChars: t.arg.int({ description: MAX_CHARS }) },
      resolve: (part, { maxChars }, { scope }) => partText(scope, part, maxChars),
    }),
    textLength: t.field({
      type: 'SafeInt',
      description: 'Code points of the whole text; 0 when it is unreadable.',
      resolve: ({ textLength }) => textLength ?? 0,
    }),
  }),
})
