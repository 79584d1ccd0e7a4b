import { PART_KINDS } from '../model/enums.ts'
import type { KindCount } from '../resolvers/messages.ts'
import { builder } from './builder.ts'
import { PartKind } from './enums.ts'

export const PartCountType = builder.objectRef<KindCount>('PartCount').implement({
  description: 'How many parts of one kind there are.',
  fields: (t) => ({
    kind: t.expose('kind', { type: PartKind, description: 'The kind.' }),
    count: t.exposeInt('count', { description: 'Their number, at least 1.' }),
  }),
})

/** Numbers in the order of the kinds, without those that are 0. */
export const countsOf = (counts: readonly number[]): KindCount[] =>
  PART_KINDS.map((kind, i) => ({ kind, count: counts[i] ?? 0 })).filter(({ count }) => count > 0)
