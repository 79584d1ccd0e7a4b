/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Who speaks in a message. */
export type MessageRole =
  /** The model. */
  | 'ASSISTANT'
  /** The harness or the instructions of the model. */
  | 'SYSTEM'
  /** Tools, with their results. */
  | 'TOOL'
  /** The person, or the harness on the person’s behalf. */
  | 'USER';

/** What a part is. */
export type PartKind =
  /** Anything else. */
  | 'DATA'
  /** A file, an image or a link. */
  | 'FILE'
  /** What the model thought. */
  | 'REASONING'
  /** Text. */
  | 'TEXT'
  /** The agent asks whether a call may run. */
  | 'TOOL_APPROVAL_REQUEST'
  /** The answer to that. */
  | 'TOOL_APPROVAL_RESPONSE'
  /** The model calls a tool. */
  | 'TOOL_CALL'
  /** What a tool gave back. */
  | 'TOOL_RESULT';

/** What an agent is doing, told from the end of its session and the age of the last change. No format records all of it. */
export type SessionActivity =
  /** It asks for leave to run a tool: the record says so, or a command or a change of a file has been without a result for two minutes. */
  | 'AWAITING_APPROVAL'
  /** It has answered, within the last day. */
  | 'AWAITING_INPUT'
  /** Its last turn ended with an error, within the last day. */
  | 'FAILED'
  /** None of these. */
  | 'IDLE'
  /** The model is to speak, or a tool runs; for as long as something changed within the last ten minutes, or an hour while a tool runs. */
  | 'WORKING';

/** Which sessions. Every field that is given must hold; a list holds when one of its entries does. */
export type SessionFilter = {
  /** What its agent is doing now. */
  activities?: Array<SessionActivity> | null | undefined;
  /** Agents, each with its kinds: `opencode` also takes `opencode/general`, but not `opencode-x`. Naming a kind, with a slash, takes in what no person started, unless `includeChildren` says otherwise. */
  agents?: Array<string> | null | undefined;
  /** Created at this time or later. */
  createdAfter?: string | null | undefined;
  /** Created before this time. */
  createdBefore?: string | null | undefined;
  /** Whether a tool call in it failed. */
  hasFailedToolCall?: boolean | null | undefined;
  /** Whether sessions that no person started are taken in. When left out they are not, unless `kinds`, `parent` or a kind of agent is given. */
  includeChildren?: boolean | null | undefined;
  /** Whether its agent has it archived. */
  isArchived?: boolean | null | undefined;
  /** Whether its source changed within the last minute. */
  isLive?: boolean | null | undefined;
  /** Whether a person starred it. */
  isStarred?: boolean | null | undefined;
  /** Kinds of sessions. */
  kinds?: Array<SessionKind> | null | undefined;
  /** Models that answered in the session. */
  models?: Array<string> | null | undefined;
  /** Machines. */
  origins?: Array<string | number> | null | undefined;
  /** Only what came from this session. */
  parent?: string | number | null | undefined;
  /** Directories of projects. Doubled and trailing slashes do not matter; in paths of Windows, which begin with a drive or two backslashes, neither does the kind of slash nor the case of the drive letter. */
  projects?: Array<string> | null | undefined;
  /** Roots of repositories, with all their worktrees. Doubled and trailing slashes do not matter; in paths of Windows, which begin with a drive or two backslashes, neither does the kind of slash nor the case of the drive letter. */
  repositories?: Array<string> | null | undefined;
  /** Names of sources. */
  sources?: Array<string> | null | undefined;
  /** Tags that a person gave it. */
  tags?: Array<string> | null | undefined;
  /** Part of the title or of the native id, in any case. */
  text?: string | null | undefined;
  /** With its newest message at this time or later. */
  updatedAfter?: string | null | undefined;
  /** With its newest message before this time. */
  updatedBefore?: string | null | undefined;
};

/** Who a session is for. */
export type SessionKind =
  /** A schedule, a bot or a gateway started it. */
  | 'AUTOMATION'
  /** A person started it. */
  | 'MAIN'
  /** Another session started it, to have part of its work done. */
  | 'SUBAGENT';

/** What became of a run so far. */
export type SyncStatus =
  /** Somebody ended it. What it had read is kept. */
  | 'CANCELLED'
  /** It came to its end; single places may have gone wrong, see its problems. */
  | 'COMPLETED'
  /** It could not go on, or its process died. */
  | 'FAILED'
  /** It waits for the run before it. */
  | 'QUEUED'
  /** It reads. */
  | 'RUNNING';

/** What became of a call. */
export type ToolCallStatus =
  /** It gave an error. */
  | 'FAILED'
  /** It ended without a result. */
  | 'INTERRUPTED'
  /** It has no result yet. */
  | 'RUNNING'
  /** It gave a result. */
  | 'SUCCEEDED'
  /** The source does not tell. */
  | 'UNKNOWN';

export type NewestSessionsQueryVariables = Exact<{
  first: number;
  filter?: SessionFilter | null | undefined;
}>;


export type NewestSessionsQuery = { sessions: { totalCount: number, nodes: Array<{ id: string, title: string | null, kind: SessionKind, updatedAt: string, messages: { nodes: Array<{ role: MessageRole, parts: { nodes: Array<
              | { kind: PartKind }
              | { kind: PartKind }
              | { kind: PartKind }
              | { text: string | null, kind: PartKind }
              | { kind: PartKind }
              | { kind: PartKind }
              | { status: ToolCallStatus, params: unknown, kind: PartKind }
              | { kind: PartKind }
            > } }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type FollowSyncSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type FollowSyncSubscription = { syncProgress: { status: SyncStatus, fraction: number | null, bytesRead: number } };


export const NewestSessionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"NewestSessions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SessionFilter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"UPDATED_AT"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"DESC"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"messages"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"2"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"parts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"2"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TextPart"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"maxChars"},"value":{"kind":"IntValue","value":"100"}}]}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ToolCallPart"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"params"}}]}}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<NewestSessionsQuery, NewestSessionsQueryVariables>;
export const FollowSyncDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"FollowSync"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"syncProgress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"fraction"}},{"kind":"Field","name":{"kind":"Name","value":"bytesRead"}}]}}]}}]} as unknown as DocumentNode<FollowSyncSubscription, FollowSyncSubscriptionVariables>;