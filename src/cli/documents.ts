/** The operations that the commands run; a test checks each against the schema. */
const PROGRESS_FIELDS = `
  status
  currentSource { name }
  sessionsTotal sessionsDone sessionsFresh sessionsEmpty sessionsUnsupported sessionsSuperseded
  messagesInserted messagesUpdated partsInserted partsUpdated
  bytesRead bytesTotal problemCount lastAdvancedAt isStalled fraction elapsedMs etaMs`

const SESSION_FIELDS = `
  id kind nativeId agent title createdAt updatedAt lastActivityAt archivedAt isSourceMissing isStarred tags note
  messageCount toolCallCount failedToolCallCount models gitBranch clientVersion shareUrl sourcePath
  source { name title }
  project { path repository }
  usage { inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens totalTokens cost { amount currency isComplete } }`

export const START_SYNC = `mutation ($sources: [String!], $verify: Boolean) {
  startSync(input: { sources: $sources, verify: $verify }) { run { id } }
}`

export const SYNC_PROGRESS = `subscription ($run: ID) { syncProgress(run: $run) { ${PROGRESS_FIELDS} } }`

export const SYNC_RUN = `query ($id: ID!, $after: String) {
  node(id: $id) {
    ... on SyncRun {
      id status trigger startedAt endedAt
      progress { ${PROGRESS_FIELDS} }
      problems(first: 100, after: $after) {
        nodes { id kind location message count }
        totalCount
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

export const LATEST_RUNS = `query { syncRuns(first: 10) { nodes { id trigger } } }`

export const SYNC_PLAN = `query ($sources: [String!]) {
  syncPlan(sources: $sources) { source { name title } sessions fresh pending }
}`

export const SESSIONS = `query ($first: Int, $after: String, $filter: SessionFilter, $orderBy: SessionOrder) {
  sessions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { ${SESSION_FIELDS} }
    totalCount
    pageInfo { hasNextPage endCursor }
  }
}`

export const SESSION_BY_ID = `query ($id: ID!) { node(id: $id) { ... on Session { ${SESSION_FIELDS} } } }`

export const SESSION_BY_KEY = `query ($source: String!, $nativeId: String!) {
  session(source: $source, nativeId: $nativeId) { ${SESSION_FIELDS} }
}`

export const SESSION_MESSAGES = `query ($id: ID!, $after: String) {
  node(id: $id) {
    ... on Session {
      messages(first: 50, after: $after) {
        nodes {
          id nativeId role timestamp model isInherited isOnActivePath
          compaction { kind }
          error { message }
          parts(first: 100) {
            pageInfo { hasNextPage }
            nodes {
              __typename id kind provenance
              ... on TextPart { text }
              ... on ReasoningPart { text }
              ... on FilePart { mediaType fileName url blobUrl byteLength }
              ... on ToolCallPart { name status summary callId files { path kind additions deletions } }
              ... on ToolResultPart { name isFailure exitCode resultText: text }
              ... on DataPart { dataType label }
            }
          }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

export const ERASE_SESSION = `mutation ($session: ID!) {
  eraseSession(input: { session: $session }) { erasedSessionIds inheritedCopies { id nativeId title } }
}`

export const DOCTOR = `query {
  server { version startedAt origin { name } }
  sources { name title isEnabled sessionCount messageCount lastSyncedAt warnings { code message }
    roots { path status generations sessionCount warnings { code message } } }
  problems(first: 20, filter: { open: true }) { totalCount nodes { kind location message count } }
}`
