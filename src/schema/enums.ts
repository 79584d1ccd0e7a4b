import { SESSION_ACTIVITIES } from '../model/activity.ts'
import {
  FILE_CHANGE_KINDS,
  MESSAGE_ROLES,
  PART_KINDS,
  PROBLEM_KINDS,
  PROVENANCES,
  ROOT_STATUSES,
  SESSION_KINDS,
  SESSION_RELATIONS,
  SYNC_STATUSES,
  SYNC_TRIGGERS,
  TIME_ORIGINS,
  TOOL_CALL_STATUSES,
  TOOL_CATEGORIES,
} from '../model/enums.ts'
import { SESSION_ORDER_FIELDS } from '../resolvers/sessions.ts'
import { builder } from './builder.ts'

type Meanings<T extends readonly string[]> = { readonly [value in T[number]]: string }

/** An enum over a vocabulary of the model, with the meaning of each value. */
function vocabulary<const T extends readonly string[]>(
  name: string,
  description: string,
  values: T,
  meanings: Meanings<T>,
) {
  const described: ReadonlyMap<string, string> = new Map(Object.entries<string>(meanings))
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(
      values.map((value: T[number]) => [value, { value, description: described.get(value) ?? '' }] as const),
    ) as { readonly [value in T[number]]: { readonly value: value; readonly description: string } },
  })
}

export const SessionActivity = vocabulary(
  'SessionActivity',
  'What an agent is doing, told from the end of its session and the age of the last change. No format records all of it.',
  SESSION_ACTIVITIES,
  {
    WORKING:
      'The model is to speak, or a tool runs; for as long as something changed within the last ten minutes, or an hour while a tool runs.',
    AWAITING_APPROVAL:
      'It asks for leave to run a tool: the record says so, or a command or a change of a file has been without a result for two minutes.',
    AWAITING_INPUT: 'It has answered, within the last day.',
    FAILED: 'Its last turn ended with an error, within the last day.',
    IDLE: 'None of these.',
  },
)

export const OrderDirection = vocabulary('OrderDirection', 'Which end of an order comes first.', ['ASC', 'DESC'], {
  ASC: 'Smallest, oldest or first in the alphabet.',
  DESC: 'Largest, newest or last in the alphabet.',
})

export const RootStatus = vocabulary('RootStatus', 'How a root was found at its last look.', ROOT_STATUSES, {
  OK: 'It can be read and is watched.',
  EMPTY: 'It is there, but holds nothing that can be read as a session.',
  MISSING: 'It is not there. What was read from it before is kept.',
  UNREADABLE: 'It is there, but can’t be read.',
  POLLING: 'It can be read, but is looked at from time to time only, because the system gives no more watches.',
})

export const SyncStatus = vocabulary('SyncStatus', 'What became of a run so far.', SYNC_STATUSES, {
  QUEUED: 'It waits for the run before it.',
  RUNNING: 'It reads.',
  COMPLETED: 'It came to its end; single places may have gone wrong, see its problems.',
  CANCELLED: 'Somebody ended it. What it had read is kept.',
  FAILED: 'It could not go on, or its process died.',
})

export const SyncTrigger = vocabulary('SyncTrigger', 'Why a run began.', SYNC_TRIGGERS, {
  MANUAL: 'Somebody asked for it.',
  WATCH: 'The server watches; this one run lasts as long as it does.',
  STARTUP: 'The server started.',
})

export const SyncProblemKind = vocabulary(
  'SyncProblemKind',
  'What kept something from being read as it is.',
  PROBLEM_KINDS,
  {
    IO: 'A file, row or database could not be read.',
    DEFERRED: 'It was in use for too long; the next sync tries again.',
    PARSE: 'It is not valid in its syntax, e.g. no JSON.',
    SCHEMA: 'Its syntax is valid, its shape is not what the format promises.',
    OVERSIZE: 'A record is larger than what is kept of one; its beginning is kept.',
    REPAIRED: 'A text held what can’t be kept (unpaired surrogates, NUL); that was replaced visibly.',
    HOSTILE_ID: 'An id would lead out of its directory or hide a file.',
    UNSUPPORTED: 'A file or database of a known kind, in a version that can’t be read yet.',
    CONFIG: 'A root or an option is set wrongly.',
  },
)

export const SessionKind = vocabulary('SessionKind', 'Who a session is for.', SESSION_KINDS, {
  MAIN: 'A person started it.',
  SUBAGENT: 'Another session started it, to have part of its work done.',
  AUTOMATION: 'A schedule, a bot or a gateway started it.',
})

export const SessionRelation = vocabulary(
  'SessionRelation',
  'How a session came from its parent. All but SPAWN can begin with a copy of the history of their parent.',
  SESSION_RELATIONS,
  {
    SPAWN: 'The parent started it for part of its work.',
    FORK: 'It branched off the parent.',
    RESUME: 'It took up the parent again.',
    CONTINUE: 'It goes on where a compaction ended the parent.',
    RESTORE: 'Weir wrote it out of the parent.',
  },
)

export const TimeOrigin = vocabulary('TimeOrigin', 'Where a time was taken from.', TIME_ORIGINS, {
  RECORDED: 'The record says it.',
  SESSION_START: 'The record says none; the start of its session stands in.',
  FILE: 'Nothing in it says one; the time of the file stands in.',
})

export const MessageRole = vocabulary('MessageRole', 'Who speaks in a message.', MESSAGE_ROLES, {
  SYSTEM: 'The harness or the instructions of the model.',
  USER: 'The person, or the harness on the person’s behalf.',
  ASSISTANT: 'The model.',
  TOOL: 'Tools, with their results.',
})

export const PartKind = vocabulary('PartKind', 'What a part is.', PART_KINDS, {
  TEXT: 'Text.',
  REASONING: 'What the model thought.',
  FILE: 'A file, an image or a link.',
  TOOL_CALL: 'The model calls a tool.',
  TOOL_RESULT: 'What a tool gave back.',
  TOOL_APPROVAL_REQUEST: 'The agent asks whether a call may run.',
  TOOL_APPROVAL_RESPONSE: 'The answer to that.',
  DATA: 'Anything else.',
})

export const Provenance = vocabulary('Provenance', 'Who wrote a part.', PROVENANCES, {
  CONVERSATIONAL: 'The person or the model.',
  INJECTED: 'The harness, unseen or for its own purposes.',
})

export const ToolCategory = vocabulary(
  'ToolCategory',
  'What a tool is for, whatever its agent calls it.',
  TOOL_CATEGORIES,
  {
    READ: 'Reads files.',
    EDIT: 'Changes files.',
    WRITE: 'Writes whole files.',
    SEARCH: 'Finds files or text in them.',
    SHELL: 'Runs commands.',
    WEB: 'Fetches or searches the web.',
    AGENT: 'Hands work to another agent.',
    PLAN: 'Keeps a plan or a list of tasks.',
    MCP: 'A tool of an MCP server.',
    OTHER: 'None of these.',
  },
)

export const ToolCallStatus = vocabulary('ToolCallStatus', 'What became of a call.', TOOL_CALL_STATUSES, {
  RUNNING: 'It has no result yet.',
  SUCCEEDED: 'It gave a result.',
  FAILED: 'It gave an error.',
  INTERRUPTED: 'It ended without a result.',
  UNKNOWN: 'The source does not tell.',
})

export const FileChangeKind = vocabulary('FileChangeKind', 'What a call did to a file.', FILE_CHANGE_KINDS, {
  READ: 'It read it.',
  ADD: 'It made it.',
  UPDATE: 'It changed it.',
  DELETE: 'It removed it.',
  MOVE: 'It moved it.',
})

export const CostOrigin = vocabulary(
  'CostOrigin',
  'Where an amount of money was taken from.',
  ['RECORDED', 'PRICED', 'MIXED'],
  {
    RECORDED: 'The source recorded it.',
    PRICED: 'It was worked out from tokens and a table of prices.',
    MIXED: 'Some of it is recorded, some worked out.',
  },
)

export const SessionOrderField = vocabulary(
  'SessionOrderField',
  'What sessions can be ordered by. Sessions without a value come last in either direction.',
  SESSION_ORDER_FIELDS,
  {
    UPDATED_AT: 'Time of the newest message.',
    CREATED_AT: 'Time of creation.',
    LAST_ACTIVITY_AT: 'Time of the newest message in it or anything below it.',
    MESSAGE_COUNT: 'Number of messages.',
    TOTAL_TOKENS: 'Tokens of its own.',
    COST: 'Cost of its own.',
    TITLE: 'Title, by code points.',
  },
)
