import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { ErrorCode } from '../model/error.ts'

/** Who may ask (design §8.6). */
export interface GuardOptions {
  /** Address that the server listens on. */
  readonly host: string
  /** Names beside the loopback ones under which it may be asked, without port. */
  readonly allowedHosts: readonly string[]
  /** Asked of everybody when set. */
  readonly token: string | null
}

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
}

/** Listening to other machines without a token would hand the history to all of them. */
export class UnsafeBindError extends Error {
  constructor(host: string) {
    super(
      `Listening on ${host} lets other machines in: set WEIR_TOKEN to a secret that they have to know, or listen on 127.0.0.1.`,
    )
    this.name = 'UnsafeBindError'
  }
}

/**
 * Keeps web pages and other machines out. A page can make the browser send requests here, also under a name of its own that it lets point
 * at this address; what it can't do is choose the Host and Origin headers.
 */
export class Guard {
  private readonly names: ReadonlySet<string>
  private readonly token: string | null

  constructor({ host, allowedHosts, token }: GuardOptions) {
    if (!isLoopback(host) && (token === null || token === '')) throw new UnsafeBindError(host)
    // An address that stands for all addresses is nobody's name.
    const own = isIP(bare(host)) !== 0 && /^[0.:[\]]*$/.test(host) ? [] : [host]
    this.names = new Set([...own, ...allowedHosts].map((name) => bare(name.toLowerCase())))
    this.token = token === '' ? null : token
  }

  get needsToken(): boolean {
    return this.token !== null
  }

  /** Judges where a request comes from; null when it may go on. */
  refuse(request: IncomingMessage): Refusal | null {
    const { host, origin } = request.headers
    if (host === undefined || !this.isKnown(hostName(`http://${host}`))) {
      return forbidden(
        'The Host header names none of the hosts that this server answers for. Add it to the allowed hosts if it should.',
      )
    }
    if (origin !== undefined && !this.isKnown(hostName(origin))) {
      return forbidden('Web pages of other origins get nothing from this server.')
    }
    const site = request.headers['sec-fetch-site']
    if (origin === undefined && site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate') {
      return forbidden('Web pages of other origins get nothing from this server.')
    }
    if (request.method === 'POST' && !isJson(request.headers['content-type'])) {
      return { status: 415, code: 'BAD_REQUEST', message: 'A POST must have the content type application/json.' }
    }
    return null
  }

  /** Whether the request's bearer token is the one asked for. */
  refuseWithoutToken({ headers }: IncomingMessage): Refusal | null {
    const [, bearer] = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '') ?? []
    return this.accepts(bearer) ? null : unauthenticated
  }

  /** Whether a token is the one asked for; any is when none is. */
  accepts(given: unknown): boolean {
    if (this.token === null) return true
    return typeof given === 'string' && timingSafeEqual(digest(given), digest(this.token))
  }

  private isKnown(name: string | null): boolean {
    return name !== null && (isLoopback(name) || this.names.has(name))
  }
}

const unauthenticated: Refusal = {
  status: 401,
  code: 'UNAUTHENTICATED',
  message:
    'This server asks for its token, as "Authorization: Bearer …" or as "token" in the payload of connection_init.',
}
const forbidden = (message: string): Refusal => ({ status: 403, code: 'FORBIDDEN', message })

/** Equal lengths, so that comparing takes the same time whatever was given. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const bare = (name: string): string => name.replace(/^\[(.*)\]$/, '$1')

function hostName(url: string): string | null {
  return URL.canParse(url) ? bare(new URL(url).hostname.toLowerCase()) : null
}

/** A name or address that only this machine answers to. */
export function isLoopback(name: string): boolean {
  const host = bare(name.toLowerCase())
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return isIP(host) === 4
    ? host.startsWith('127.')
    : host === '::1' || host === '::ffff:7f00:1' || host.startsWith('::ffff:127.')
}

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')
