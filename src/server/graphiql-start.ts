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

# Everything in the session with the newest message.
query NewestConversation {
  sessions(first: 1) {
    nodes {
      title
      messages(last: 20) {
        nodes {
          role
          timestamp
          parts(first: 20) {
            nodes {
              kind
              ... on TextPart { text(maxChars: 500) }
              ... on ToolCallPart { name status summary }
              ... on ToolResultPart { text(maxChars: 200) }
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

# Watches the sync that runs now or next, live.
subscription SyncProgress {
  syncProgress { status sessionsDone sessionsTotal fraction etaMs currentSource { title } }
}
`
