import type { WebSocket as Transport } from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { ErrorLog } from './client-error.ts'

/** Protocol code for a fault of ours. */
const INTERNAL_SERVER_ERROR = 4500

/**
 * Lets the protocol speak through one socket, and pings it. What is sent waits until the socket has taken it, so that a client which
 * doesn't read stops being read for; a client that is gone is no error.
 */
export function serveSocket(
  socket: WebSocket,
  opened: (transport: Transport) => (code: number, reason: string) => Promise<void>,
  heartbeatMs: number,
  log: ErrorLog,
): void {
  const fail = (error: unknown) => {
    log.error({ err: error }, 'A message of a WebSocket could not be handled')
    socket.close(INTERNAL_SERVER_ERROR, 'Internal server error')
  }
  const closed = opened({
    protocol: socket.protocol,
    send: (data) =>
      new Promise<void>((resolve) => {
        if (socket.readyState === socket.OPEN) socket.send(data, () => resolve())
        else resolve()
      }),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (handle) => {
      socket.on('message', (data) => {
        handle(String(data)).catch(fail)
      })
    },
  })
  const stopHeartbeat = startHeartbeat(socket, heartbeatMs)
  // Errors are followed by close, which is what counts.
  socket.on('error', () => {})
  socket.once('close', (code, reason) => {
    stopHeartbeat()
    closed(code, String(reason)).catch((error: unknown) => {
      log.error({ err: error }, 'A WebSocket could not be closed')
    })
  })
}

/** Ends the socket when a ping isn't answered before the next one is due. */
function startHeartbeat(socket: WebSocket, everyMs: number): () => void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) {
      socket.terminate()
      return
    }
    isAlive = false
    socket.ping()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
