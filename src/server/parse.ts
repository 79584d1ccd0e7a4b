import { type DocumentNode, GraphQLError, Lexer, type ParseOptions, parse, Source, TokenKind } from 'graphql'
import { MAX_NESTING, MAX_TOKENS } from './limits.ts'

/** The error of whoever asks for more than the server gives. */
export const exceeded = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', http: { spec: true, status: 400 } } })

/** Parses a document unless it is made to be slow or to exhaust the stack, which the parser and all who walk its tree would do by themselves. */
export function parseWithinLimits(text: string | Source, options?: ParseOptions): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  refuseExtremes(source)
  return parse(source, options)
}

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L])
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R])

/** Looks at tokens only, one after another, so that no form of document can make it deep. */
function refuseExtremes(source: Source): void {
  const lexer = new Lexer(source)
  let nesting = 0
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens++) {
    if (tokens > MAX_TOKENS) throw exceeded(`The document has more than ${MAX_TOKENS} tokens.`)
    if (OPENING.has(lexer.token.kind)) nesting += 1
    if (CLOSING.has(lexer.token.kind)) nesting -= 1
    if (nesting > MAX_NESTING) throw exceeded(`The document has more than ${MAX_NESTING} brackets within each other.`)
  }
}
