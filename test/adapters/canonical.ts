import { asObject } from '../../src/model/json.ts'
import type { Reader } from './read-all.ts'

/** What was read of a root, as JSON that another implementation could be held to: sessions by id, messages in order, parts in them. */
export function canonical(reader: Reader, root: string): unknown {
  const sessions = [...reader.sessions].sort(([a], [b]) => (a < b ? -1 : 1))
  return sessions.map(([nativeId, read]) => ({
    nativeId,
    ...plain(read.session, root),
    records: [...read.records.values()].map(({ ref, type }) => `${ref} ${type}`).sort(),
    messages: read.inOrder.map((message) => ({
      ...plain(message, root),
      parts: read.partsOf(message.nativeId).map((part) => plain(part, root)),
    })),
  }))
}

/** Bytes as base64, paths below the root without it, nulls left out. */
function plain(row: unknown, root: string): object {
  const text = JSON.stringify(row, (_, value: unknown) => {
    if (value === null) return undefined
    const buffer = asObject(value)
    if (buffer?.['type'] === 'Buffer') return Buffer.from(bytesOf(buffer['data'])).toString('base64')
    return typeof value === 'string' && value.startsWith(`${root}/`) ? value.slice(root.length + 1) : value
  })
  return asObject(JSON.parse(text)) ?? {}
}

const bytesOf = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((byte): byte is number => typeof byte === 'number') : []
