import { GraphQLError, valueFromASTUntyped } from 'graphql'
import { builder } from './builder.ts'

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970 inside, text outside. */
builder.scalarType('DateTime', {
  description: 'A point in time as RFC 3339 text. Answers are in UTC with milliseconds: `2026-05-05T12:13:14.000Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (ms) => new Date(ms).toISOString(),
  parseValue: (value) => {
    const ms = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
    if (Number.isFinite(ms)) return ms
    throw new GraphQLError('A DateTime is RFC 3339 text with a zone, e.g. "2026-05-05T12:13:14.000Z".')
  },
})

builder.scalarType('JSON', {
  description:
    'Any JSON value, as the source wrote it. Binary data is replaced by `{"$blob": "<sha256>"}`, served at `/blobs/<sha256>`; unpaired surrogates and NUL are replaced by U+FFFD.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
})

builder.scalarType('SafeInt', {
  description: 'A whole number that JavaScript holds exactly: from −(2^53 − 1) to 2^53 − 1.',
  serialize: (value) => {
    if (Number.isSafeInteger(value)) return value
    throw new GraphQLError(`${String(value)} is no safe integer.`)
  },
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    throw new GraphQLError('A SafeInt is a whole number within ±(2^53 − 1).')
  },
})
