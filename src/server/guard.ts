import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { ErrorCode } from '../model/error.ts'
import { bare, isLoopback, KnownHosts, urlOf } from './known-hosts.ts'

/** Who may ask (design §8.6). */
export interface GuardOptions {
  /** Address that the server listens on. */
  readonly host: string
  /** Hosts beside the loopback ones under which it may be asked, and whose pages may ask; one without a port stands for every port. */
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
 * at this address; what it can't do is choose the Host and Origin headers. Pages that other programs of this machine serve are pages of others
 * too: a loopback name is enough for Host, but an Origin must be the one that was asked, port included.
 */
export class Guard {
  private readonly allowed: KnownHosts
  private readonly own: KnownHosts
  private readonly token: string | null

  constructor({ host, allowedHosts, token }: GuardOptions) {
    if (!isLoopback(host) && (token === null || token === '')) throw new UnsafeBindError(host)
    // An address that stands for all addresses is nobody's name.
    const own = isIP(bare(host)) !== 0 && /^[0.:[\]]*$/.test(host) ? [] : [host]
    this.own = new KnownHosts(own)
    this.allowed = new KnownHosts(allowedHosts)
    this.token = token === '' ? null : token
  }

  get needsToken(): boolean {
    return this.token !== null
  }

  /** Judges where a request comes from; null when it may go on. */
  refuse(request: IncomingMessage): Refusal | null {
    const { host, origin } = request.headers
    if (host === undefined || !this.isKnownHost(host)) {
      return forbidden(
        'The Host header names none of the hosts that this server answers for. Add it to the allowed hosts if it should.',
      )
    }
    if (origin === undefined ? isOfOtherSite(request) : !this.isKnownOrigin(origin, host)) {
      return forbidden('Web pages of other origins, other ports included, get nothing from this server.')
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

  private isKnownHost(host: string): boolean {
    const url = urlOf(`http://${host}`)
    return url !== null && (isLoopback(url.hostname) || this.own.hasHost(host) || this.allowed.hasHost(host))
  }

  /** Whether a page is of this very server, as it was asked, or of a host that was configured. */
  private isKnownOrigin(origin: string, host: string): boolean {
    const page = urlOf(origin)
    if (page === null || !/^https?:$/.test(page.protocol)) return false
    // The page's protocol decides which port may be left out: behind a proxy it is the browser's, not ours.
    return page.host === urlOf(`${page.protocol}//${host}`)?.host || this.allowed.has(page)
  }
}

/** Images, scripts and the like that a page of another port or site embeds carry no Origin, but say this. Opening our address is no such thing. */
function isOfOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] !== 'navigate'
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

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')
