import { graphql } from '../generated/gql.ts'

/** Operations as a client of ours writes them; codegen makes their types. */
export const NewestSessions = graphql(/* GraphQL */ `
  query NewestSessions($first: Int!, $filter: SessionFilter) {
    sessions(first: $first, filter: $filter, orderBy: { field: UPDATED_AT, direction: DESC }) {
      totalCount
      nodes {
        id
        title
        kind
        updatedAt
        messages(first: 2) {
          nodes {
            role
            parts(first: 2) {
              nodes {
                kind
                ... on TextPart {
                  text(maxChars: 100)
                }
                ... on ToolCallPart {
                  status
                  params
                }
              }
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`)

export const FollowSync = graphql(/* GraphQL */ `
  subscription FollowSync {
    syncProgress {
      status
      fraction
      bytesRead
    }
  }
`)
