import type { Command } from 'commander'
import { z } from 'zod'
import { contextOf, withConnection } from './command.ts'
import { ask, type Connection } from './connection.ts'
import { SESSION_MESSAGES } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { findSession } from './find-session.ts'
import { type Message, MessagePage } from './shapes.ts'
import { describe, heading } from './show-text.ts'

export function addShow(program: Command): void {
  program
    .command('show')
    .description('print one session, from its first message to its last')
    .argument('<session>', 'GraphQL id, source:nativeId, or a native id (or its start) that only one session has')
    .option('--full', 'whole tool results, reasoning and lines, not only their beginnings', false)
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
