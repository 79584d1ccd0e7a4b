import type { ServerResponse } from 'node:http'
import type { Refusal } from './guard.ts'

/** Headers that every answer carries: nothing of this server is for other sites, nothing is guessed. */
export function secure(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  response.setHeader('X-Frame-Options', 'DENY')
}

/** A refusal in the form of a GraphQL answer, which every client of ours can read. */
export function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
  // The body of the request is not read, so the connection can't be used again.
  response.setHeader('Connection', 'close')
  sendJson(response, status, { errors: [{ message, extensions: { code } }] })
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
}

export function sendHtml(response: ServerResponse, html: string, policy: string): void {
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy': policy,
  })
  response.end(html)
}
