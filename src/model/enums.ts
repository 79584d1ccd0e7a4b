/**
 * The closed vocabularies of the canonical model. The names are those of the GraphQL schema. The store keeps a value as its
 * index in these lists, so a list may only grow at its end.
 */
export const SESSION_KINDS = ['MAIN', 'SUBAGENT', 'AUTOMATION'] as const
export const SESSION_RELATIONS = ['SPAWN', 'FORK', 'RESUME', 'CONTINUE', 'RESTORE'] as const
export const TIME_ORIGINS = ['RECORDED', 'SESSION_START', 'FILE'] as const
export const MESSAGE_ROLES = ['SYSTEM', 'USER', 'ASSISTANT', 'TOOL'] as const
export const PART_KINDS = [
  'TEXT',
  'REASONING',
  'FILE',
  'TOOL_CALL',
  'TOOL_RESULT',
  'TOOL_APPROVAL_REQUEST',
  'TOOL_APPROVAL_RESPONSE',
  'DATA',
] as const
export const PROVENANCES = ['CONVERSATIONAL', 'INJECTED'] as const
export const TOOL_CATEGORIES = [
  'READ',
  'EDIT',
  'WRITE',
  'SEARCH',
  'SHELL',
  'WEB',
  'AGENT',
  'PLAN',
  'MCP',
  'OTHER',
] as const
export const TOOL_CALL_STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNKNOWN'] as const
export const FILE_CHANGE_KINDS = ['READ', 'ADD', 'UPDATE', 'DELETE', 'MOVE'] as const
export const ROOT_STATUSES = ['OK', 'EMPTY', 'MISSING', 'UNREADABLE', 'POLLING'] as const
export const SYNC_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const
export const SYNC_TRIGGERS = ['MANUAL', 'WATCH', 'STARTUP'] as const
export const PROBLEM_KINDS = [
  'IO',
  'DEFERRED',
  'PARSE',
  'SCHEMA',
  'OVERSIZE',
  'REPAIRED',
  'HOSTILE_ID',
  'UNSUPPORTED',
  'CONFIG',
] as const
/** Who gave a session its title; a later entry wins over an earlier one, whatever the order of arrival (design §4.4). */
export const TITLE_ORIGINS = ['DERIVED', 'SIDE_FILE', 'SOURCE', 'PERSON'] as const

export type SessionKind = (typeof SESSION_KINDS)[number]
export type SessionRelation = (typeof SESSION_RELATIONS)[number]
export type TimeOrigin = (typeof TIME_ORIGINS)[number]
export type MessageRole = (typeof MESSAGE_ROLES)[number]
export type PartKind = (typeof PART_KINDS)[number]
export type Provenance = (typeof PROVENANCES)[number]
export type ToolCategory = (typeof TOOL_CATEGORIES)[number]
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number]
export type FileChangeKind = (typeof FILE_CHANGE_KINDS)[number]
export type RootStatus = (typeof ROOT_STATUSES)[number]
export type SyncStatus = (typeof SYNC_STATUSES)[number]
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number]
export type ProblemKind = (typeof PROBLEM_KINDS)[number]
export type TitleOrigin = (typeof TITLE_ORIGINS)[number]
