/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query NewestSessions($first: Int!, $filter: SessionFilter) {\n    sessions(first: $first, filter: $filter, orderBy: { field: UPDATED_AT, direction: DESC }) {\n      totalCount\n      nodes {\n        id\n        title\n        kind\n        updatedAt\n        messages(first: 2) {\n          nodes {\n            role\n            parts(first: 2) {\n              nodes {\n                kind\n                ... on TextPart {\n                  text(maxChars: 100)\n                }\n                ... on ToolCallPart {\n                  status\n                  params\n                }\n              }\n            }\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.NewestSessionsDocument,
    "\n  subscription FollowSync {\n    syncProgress {\n      status\n      fraction\n      bytesRead\n    }\n  }\n": typeof types.FollowSyncDocument,
};
const documents: Documents = {
    "\n  query NewestSessions($first: Int!, $filter: SessionFilter) {\n    sessions(first: $first, filter: $filter, orderBy: { field: UPDATED_AT, direction: DESC }) {\n      totalCount\n      nodes {\n        id\n        title\n        kind\n        updatedAt\n        messages(first: 2) {\n          nodes {\n            role\n            parts(first: 2) {\n              nodes {\n                kind\n                ... on TextPart {\n                  text(maxChars: 100)\n                }\n                ... on ToolCallPart {\n                  status\n                  params\n                }\n              }\n            }\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.NewestSessionsDocument,
    "\n  subscription FollowSync {\n    syncProgress {\n      status\n      fraction\n      bytesRead\n    }\n  }\n": types.FollowSyncDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query NewestSessions($first: Int!, $filter: SessionFilter) {\n    sessions(first: $first, filter: $filter, orderBy: { field: UPDATED_AT, direction: DESC }) {\n      totalCount\n      nodes {\n        id\n        title\n        kind\n        updatedAt\n        messages(first: 2) {\n          nodes {\n            role\n            parts(first: 2) {\n              nodes {\n                kind\n                ... on TextPart {\n                  text(maxChars: 100)\n                }\n                ... on ToolCallPart {\n                  status\n                  params\n                }\n              }\n            }\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query NewestSessions($first: Int!, $filter: SessionFilter) {\n    sessions(first: $first, filter: $filter, orderBy: { field: UPDATED_AT, direction: DESC }) {\n      totalCount\n      nodes {\n        id\n        title\n        kind\n        updatedAt\n        messages(first: 2) {\n          nodes {\n            role\n            parts(first: 2) {\n              nodes {\n                kind\n                ... on TextPart {\n                  text(maxChars: 100)\n                }\n                ... on ToolCallPart {\n                  status\n                  params\n                }\n              }\n            }\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FollowSync {\n    syncProgress {\n      status\n      fraction\n      bytesRead\n    }\n  }\n"): (typeof documents)["\n  subscription FollowSync {\n    syncProgress {\n      status\n      fraction\n      bytesRead\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;