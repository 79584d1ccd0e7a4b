import { isIP } from 'node:net'

/** A host that was configured; without a port it stands for every port. */
interface KnownHost {
  readonly name: string
  readonly port: string | null
}

/** Hosts by name and port, as configuration, Host headers and origins write them. */
export class KnownHosts {
  private readonly hosts: readonly KnownHost[]

  constructor(entries: readonly string[]) {
    this.hosts = entries.flatMap((entry) => parsed(entry) ?? [])
  }

  /** Whether one of the hosts stands in a URL, whose port may be the default one of its protocol. */
  has({ hostname, port, protocol }: URL): boolean {
    const name = bare(hostname)
    const used = port || DEFAULT_PORTS[protocol] || null
    return this.hosts.some((host) => host.name === name && (host.port === null || host.port === used))
  }

  /** Whether a Host header names one of them. It doesn't say by which protocol it was asked, so no port is either default. */
  hasHost(header: string): boolean {
    return Object.keys(DEFAULT_PORTS).some((protocol) => {
      const url = urlOf(`${protocol}//${header}`)
      return url !== null && this.has(url)
    })
  }
}

const DEFAULT_PORTS: { readonly [protocol: string]: string } = { 'http:': '80', 'https:': '443' }

function parsed(entry: string): KnownHost | null {
  const url = urlOf(isIP(entry) === 6 ? `http://[${entry}]` : `http://${entry}`)
  if (url === null) return null
  // URL leaves out a port that is the default one, which here says something.
  const [, port] = /:(\d+)$/.exec(isIP(entry) === 6 ? '' : entry) ?? []
  return { name: bare(url.hostname), port: port ?? null }
}

/** A name or address without the brackets that IPv6 has in URLs. */
export const bare = (name: string): string => name.toLowerCase().replace(/^\[(.*)\]$/, '$1')

export const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

/** A name or address that only this machine answers to. */
export function isLoopback(name: string): boolean {
  const host = bare(name)
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return isIP(host) === 4
    ? host.startsWith('127.')
    : host === '::1' || host === '::ffff:7f00:1' || host.startsWith('::ffff:127.')
}
