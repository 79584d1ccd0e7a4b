import type { Command } from 'commander'
import { z } from 'zod'
import { contextOf, withConnection } from './command.ts'
import { ask, type Connection } from './connection.ts'
import { SESSION_MESSAGES } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { findSession } from './find-session.ts'
import { formatTime, plural } from './format.ts'
import { type Message, MessagePage, type Session } from './shapes.ts'
import { oneLine, printable } from './table.ts'

export function addShow(program: Command): void {
  program
    .command('show')
    .description('print one session, from its first message to its last')
    .argument('<session>', 'GraphQL id, source:nativeId, or a native id (or its start) that only one session has')
    .option('--full', 'whole tool results and reasoning, not only their first lines', false)
    .action(async (name: string, options: { full: boolean }, command: Command) => {
      const context = contextOf(command)
      await withConnection(context, true, async (connection) => {
        const session = await findSession(connection, name, true)
        if (context.isJson) {
          const nodes: Message[] = []
          for await (const message of messagesOf(connection, session.id)) nodes.push(message)
          context.print(JSON.stringify({ ...session, messages: { nodes } }))
        } else {
          context.print(heading(session))
          for await (const message of messagesOf(connection, session.id)) context.print(describe(message, options.full))
        }
        return EXIT.done
      })
    })
}

async function* messagesOf(connection: Connection, id: string): AsyncGenerator<Message> {
  const Node = z.object({ node: z.object({ messages: MessagePage }) })
  for (let after: string | null = null; ; ) {
    const { node }: z.infer<typeof Node> = await ask(connection, Node, SESSION_MESSAGES, { id, after })
    yield* node.messages.nodes
    if (!node.messages.pageInfo.hasNextPage) return
    after = node.messages.pageInfo.endCursor
  }
}

function heading(session: Session): string {
  const facts = [
    `${session.source.title} · ${session.agent}`,
    ...(session.project === null ? [] : [session.project.path]),
    plural(session.messageCount, 'message'),
    `${formatTime(session.createdAt)} to ${formatTime(session.updatedAt)}`,
    ...(session.models.length === 0 ? [] : [session.models.join(', ')]),
  ]
  return `${oneLine(session.title ?? session.nativeId)}\n${facts.map(oneLine).join('\n')}\n${session.id}`
}

const SHORT_LINES = 8

function describe(message: Message, isFull: boolean): string {
  const marks = [
    ...(message.isInherited ? ['copied'] : []),
    ...(message.isOnActivePath ? [] : ['left behind']),
    ...(message.compaction === null ? [] : [message.compaction.kind]),
  ]
  const title = `── ${message.role.toLowerCase()} · ${formatTime(message.timestamp)}${message.model === null ? '' : ` · ${message.model}`}${marks.length === 0 ? '' : ` · ${marks.join(', ')}`}`
  const parts = message.parts.nodes.flatMap((part) => describePart(part, isFull))
  const error = message.error === null ? [] : [`! ${printable(message.error.message)}`]
  return ['', title, ...parts, ...error].join('\n')
}

function describePart(part: Message['parts']['nodes'][number], isFull: boolean): string[] {
  const text = printable(part.text ?? '')
  switch (part.__typename) {
    case 'TextPart':
      return part.provenance === 'INJECTED' ? [`(injected) ${shorten(text, isFull)}`] : [text]
    case 'ReasoningPart':
      return [`(thinking) ${text === '' ? 'not readable' : shorten(text, isFull)}`]
    case 'ToolCallPart':
      return [`▸ ${part.name ?? 'tool'} ${oneLine(part.summary ?? '')} [${(part.status ?? '').toLowerCase()}]`]
    case 'ToolResultPart':
      return [`${part.isFailure === true ? '✗' : '◂'} ${shorten(printable(part.resultText ?? ''), isFull)}`]
    case 'FilePart':
      return [`[file ${oneLine(part.fileName ?? part.mediaType ?? '')}]`]
    default:
      return []
  }
}

function shorten(text: string, isFull: boolean): string {
  const lines = text.split('\n')
  if (isFull || lines.length <= SHORT_LINES) return text
  return [...lines.slice(0, SHORT_LINES), `… ${lines.length - SHORT_LINES} more lines (--full)`].join('\n')
}
