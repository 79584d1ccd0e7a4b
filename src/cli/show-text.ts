import { formatTime, plural } from './format.ts'
import type { Message, Session } from './shapes.ts'
import { oneLine, printable } from './table.ts'

/** What stands above the messages of a session. */
export function heading(session: Session): string {
  const facts = [
    isSourceItself(session) ? session.source.title : `${session.source.title} · ${session.agent}`,
    ...(session.project === null ? [] : [session.project.path]),
    plural(session.messageCount, 'message'),
    `${formatTime(session.createdAt)} to ${formatTime(session.updatedAt)}`,
    ...(session.models.length === 0 ? [] : [session.models.join(', ')]),
  ]
  return `${oneLine(session.title ?? session.nativeId)}\n${facts.map(oneLine).join('\n')}\n${session.id}`
}

/** Whether no agent of a name of its own, as a sub-agent is, had the session. */
const isSourceItself = ({ agent, source }: Session): boolean => agent === source.name || agent === source.title

/** Lines of a tool result or of reasoning. */
const SHORT_LINES = 8
/** Characters of a line. */
const SHORT_LINE = 2000

/** A message for people; long lines and results are cut unless `isFull`. */
export function describe(message: Message, isFull: boolean): string {
  const marks = [
    ...(message.isInherited ? ['copied'] : []),
    ...(message.isOnActivePath ? [] : ['left behind']),
    ...(message.compaction === null ? [] : [message.compaction.kind]),
  ]
  const title = `── ${message.role.toLowerCase()} · ${formatTime(message.timestamp)}${message.model === null ? '' : ` · ${message.model}`}${marks.length === 0 ? '' : ` · ${marks.join(', ')}`}`
  const parts = message.parts.nodes.flatMap((part) => describePart(part, isFull))
  const error = message.error === null ? [] : [`! ${printable(message.error.message)}`]
  const body = [...parts, ...error]
  return ['', title, ...(body.length > 0 ? body : [`(${wordFor(message)})`])].join('\n')
}

/** Says of a message without anything to print what it is there for. */
function wordFor({ compaction, parts }: Message): string {
  if (compaction !== null) return 'compaction'
  const words = parts.nodes.flatMap(({ label, dataType }) => label ?? dataType ?? [])
  return words.length > 0 ? cutLine(oneLine([...new Set(words)].join(', '))) : 'empty'
}

type Part = Message['parts']['nodes'][number]

function describePart(part: Part, isFull: boolean): string[] {
  const whole = printable(part.text ?? '')
  const text = isFull ? whole : cutLines(whole)
  switch (part.__typename) {
    case 'TextPart':
      return part.provenance === 'INJECTED' ? [`(injected) ${shorten(text, isFull)}`] : [text]
    case 'ReasoningPart':
      return [`(thinking) ${text === '' ? 'not readable' : shorten(text, isFull)}`]
    case 'ToolCallPart': {
      const summary = oneLine(part.summary ?? '')
      const name = `▸ ${oneLine(part.name ?? 'tool')} ${isFull ? summary : cutLine(summary)}`
      return [`${name} [${(part.status ?? '').toLowerCase()}]`, ...changes(part)]
    }
    case 'ToolResultPart':
      return [describeResult(part, isFull)]
    case 'FilePart':
      return [`[file ${oneLine(part.fileName ?? part.mediaType ?? '')}]`]
    default:
      return []
  }
}

function describeResult({ isFailure, exitCode, resultText }: Part, isFull: boolean): string {
  const whole = printable(resultText ?? '')
  const exit = typeof exitCode === 'number' && exitCode !== 0 ? `exit code ${exitCode}: ` : ''
  return `${isFailure === true ? '✗' : '◂'} ${exit}${shorten(isFull ? whole : cutLines(whole), isFull)}`
}

/** A line for each file whose changed lines were counted. */
const changes = ({ files = [] }: Part): string[] =>
  files.flatMap(({ path, additions, deletions }) =>
    additions === null && deletions === null ? [] : [`    ${oneLine(path)} +${additions ?? '?'} −${deletions ?? '?'}`],
  )

const cutLines = (text: string): string => text.split('\n').map(cutLine).join('\n')

function cutLine(line: string): string {
  if (line.length <= SHORT_LINE) return line
  // Half of a character in two code units would be none.
  const end = /[\uD800-\uDBFF]/.test(line.charAt(SHORT_LINE - 1)) ? SHORT_LINE - 1 : SHORT_LINE
  return `${line.slice(0, end)}…`
}

function shorten(text: string, isFull: boolean): string {
  const lines = text.split('\n')
  if (isFull || lines.length <= SHORT_LINES) return text
  return [...lines.slice(0, SHORT_LINES), `… ${lines.length - SHORT_LINES} more lines (--full)`].join('\n')
}
