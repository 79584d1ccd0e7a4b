import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type ValidationContext,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Limits } from '../resolvers/services.ts'
import { exceeded, parseWithinLimits } from './parse.ts'

/** Refuses documents and operations beyond the limits, before they run (design §8.5). */
export function useLimits(limits: Limits): Plugin {
  const { maxDepth, maxAliases, maxCost, maxDocumentBytes } = limits
  const rule = (what: string, most: number) => ({
    n: most,
    propagateOnRejection: false,
    onReject: [
      (context: ValidationContext | null) =>
        context?.reportError(exceeded(`The operation has more than ${most} ${what}.`)),
    ],
  })
  const depthRule = maxDepthRule({ ...rule('levels', maxDepth), flattenFragments: true, ignoreIntrospection: true })
  // The rule leaves out `__typename` unless told otherwise, but that is a field that answers like any other.
  const aliasesRule = maxAliasesRule({ ...rule('aliases', maxAliases), allowList: [] })
  const refuseDear = (args: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'>) => {
    const cost = costOf(args)
    if (cost <= maxCost) return null
    const message = `The answer could have ${cost} fields, more than ${maxCost}: ask for smaller pages or fewer fields.`
    return { errors: [exceeded(message)] }
  }
  return {
    onParse: ({ params, setParseFn }) => {
      if (Buffer.byteLength(String(params.source)) > maxDocumentBytes) {
        throw exceeded(`The document is larger than ${maxDocumentBytes} bytes.`)
      }
      setParseFn((source, options) => parseWithinLimits(source, options))
    },
    onValidate: ({ addValidationRule }) => {
      addValidationRule(depthRule)
      addValidationRule(aliasesRule)
    },
    onExecute: ({ args, setResultAndStopExecution }) => {
      const refusal = refuseDear(args)
      if (refusal !== null) setResultAndStopExecution(refusal)
    },
    onSubscribe: ({ args, setResultAndStopExecution }) => {
      const refusal = refuseDear(args)
      if (refusal !== null) setResultAndStopExecution(refusal)
    },
  }
}

/** Costs of documents without variables, which don't change. */
const fixedCosts = new WeakMap<DocumentNode, number>()

/** How many fields the answer could have, by its page sizes. */
function costOf({
  schema,
  document,
  operationName,
  variableValues,
}: {
  schema: GraphQLSchema
  document: DocumentNode
  operationName?: string | null | undefined
  variableValues?: { readonly [name: string]: unknown } | null | undefined
}): number {
  const operation = getOperationAST(document, operationName)
  if (operation === null || operation === undefined) return 0
  const isFixed = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1
  const hasVariables = (operation.variableDefinitions ?? []).length > 0
  const known = fixedCosts.get(document)
  if (known !== undefined) return known
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const cost = complexity({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }, schema, variableValues)
  if (isFixed && !hasVariables) fixedCosts.set(document, cost)
  return cost
}

function complexity(
  document: DocumentNode,
  schema: GraphQLSchema,
  variables: { readonly [name: string]: unknown } | null | undefined,
): number {
  try {
    return complexityFromQuery(document, { schema, ctx: {}, variables: { ...variables } }).complexity
  } catch (error) {
    // Variables that can't be coerced: the executor says so, with their places.
    if (error instanceof GraphQLError) return 0
    throw error
  }
}
