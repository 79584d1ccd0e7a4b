/** What GraphiQL shows to somebody who opens it for the first time. */
export const START_QUERY = `# Weir: every session you ever had with a coding agent.
# Run an operation with the button above; Ctrl-Space completes what you type.

query NewestSessions {
  sessions(first: 10) {
    totalCount
    nodes {
      id
      title
      agent
      updatedAt
      messageCount
      project { path }
      lastPrompt
      usage { totalTokens cost { amount currency } }
    }
    pageInfo { hasNextPage endCursor }
  }
}

# The end of the longest session.
query LongestConversation {
  sessions(first: 1, orderBy: { field: MESSAGE_COUNT, direction: DESC }) {
    nodes {
      title
      messageCount
      messages(last: 20) {
        nodes {
          role
          timestamp
          parts(first: 20) {
            nodes {
              kind
              ... on TextPart { text(maxChars: 500) }
              ... on ReasoningPart { text(maxChars: 200) }
              ... on ToolCallPart { name status summary }
              # This text is never null, so it needs a name of its own beside the others.
              ... on ToolResultPart { output: text(maxChars: 200) }
            }
          }
        }
      }
    }
  }
}

mutation Sync {
  startSync(input: {}) { run { id status } }
}

# Follows the sync that runs now, live, and ends with it. While none runs, it waits for the next one:
# start that with the mutation above, in another tab.
subscription SyncProgress {
  syncProgress { status sessionsDone sessionsTotal fraction etaMs currentSource { title } }
}
`
