import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Adapter, Item } from '../../src/adapters/contract.ts'
import type { ProblemKind } from '../../src/model/enums.ts'
import type { FileTouchRow, MessageRow, PartRow, ToolCallRow } from '../../src/model/rows.ts'
import { parseUnit, Reader, type ReadSession, tempDir } from '../adapters/read-all.ts'

/** One way in which a record may be damaged. */
export interface Damage {
  readonly name: string
  /** Does it to a copy of the fixture. */
  apply(root: string): void
  /** Native id of the message or part that the record holds: nothing but its rows may change. */
  readonly costs: string
  readonly problem: ProblemKind
}

export interface ConformanceFixture {
  readonly name: string
  /** A root, which is copied and never written. */
  readonly path: string
  /** Every record that can be damaged, one by one. */
  damages(root: string): readonly Damage[]
}

export interface Conforming {
  readonly adapter: Adapter
  readonly fixtures: readonly ConformanceFixture[]
}

/** What every adapter must hold to (design §4.11), at the level of the items that it yields. */
export function conformance(name: string, { adapter, fixtures }: Conforming): void {
  describe(`conformance: ${name}`, () => {
    it('finds nothing in an empty or missing root, without a problem', async () => {
      for (const root of [tempDir(), join(tempDir(), 'missing')]) {
        const { discovery, problems } = await new Reader(adapter, root).sync()
        expect([discovery.units, problems]).toEqual([[], []])
      }
    })

    it('probes and watches without a throw', () => {
      expect(adapter.probe({ home: '/nowhere', variables: {} }).length).toBeGreaterThan(0)
      expect(adapter.watchPaths('/nowhere/at/all')).toEqual([])
    })

    describe.each(fixtures)('$name', (fixture) => {
      conformsIn(adapter, fixture)
    })
  })
}

function conformsIn(adapter: Adapter, fixture: ConformanceFixture): void {
  const laid = (): string => {
    const root = join(tempDir(), 'root')
    cpSync(fixture.path, root, { recursive: true, preserveTimestamps: true })
    return root
  }

  it('gives the same items twice', async () => {
    const root = laid()
    const [one, two] = [new Reader(adapter, root), new Reader(adapter, root)]
    expect((await one.sync()).items.map(comparable)).toEqual((await two.sync()).items.map(comparable))
    expect(one.cursors).toEqual(two.cursors)
  })

  it('gives nothing again from the cursors that it returned', async () => {
    const reader = new Reader(adapter, laid())
    await reader.sync()
    const before = new Map(reader.cursors)
    const { pending, discovery } = await reader.sync()
    expect([pending, discovery.units.length > 0]).toEqual([[], true])
    for (const unit of discovery.units) {
      expect(await reader.parse(unit)).toEqual([])
      expect(reader.cursors.get(unit.key)).toBe(before.get(unit.key))
    }
  })

  it('looks at everything again when it is to verify, and finds the same', async () => {
    const reader = new Reader(adapter, laid())
    const first = await reader.sync()
    const { pending, discovery, items } = await reader.sync({ verify: true })
    expect(pending).toEqual(discovery.units)
    expect(rowsIn(items)).toEqual(rowsIn(first.items))
  })

  it('maps records out of the archive to the rows that reading gave', async () => {
    const reader = new Reader(adapter, laid())
    const { discovery } = await reader.sync()
    for (const unit of discovery.units) {
      const { items } = await parseUnit(adapter, (await verifying(reader, unit.key)) ?? unit, null)
      for (const sessionId of new Set(items.flatMap((item) => ('sessionId' in item ? [item.sessionId] : []))))
        expect(projected(adapter, sessionId, unit.key, items).filter(isOfRecords)).toEqual(
          rowsOf(sessionId, items).filter(isOfRecords).map(withoutNamedBytes),
        )
    }
  })

  it('cites only records that it gave before, and says where each of them stands', async () => {
    const reader = new Reader(adapter, laid())
    const { items, discovery } = await reader.sync()
    const given = new Set<string>()
    for (const item of items) {
      if (item.kind === 'record') given.add(`${item.sessionId} ${item.record.ref}`)
      for (const ref of citedBy(item)) expect(given).toContain(`${'sessionId' in item ? item.sessionId : ''} ${ref}`)
      if (item.kind !== 'record' || typeof item.record.ref === 'number') continue
      expect(adapter.locate(discovery.units[0]?.path ?? '', item.record.ref)).toMatch(/^\//)
    }
  })

  it('gives at each cited place what the row took from there', async () => {
    const reader = new Reader(adapter, laid())
    await reader.sync()
    for (const read of reader.sessions.values())
      for (const part of read.parts.values()) {
        const record = read.records.get(part.citation.record)
        if (record === undefined || part.kind === 'FILE' || part.kind.startsWith('TOOL_APPROVAL')) continue
        const json: unknown = JSON.parse(Buffer.from(record.bytes).toString('utf8'))
        expect(adapter.content(json, record.type, part.citation.place)).toEqual(citedValue(part))
        if (part.kind === 'TOOL_CALL') for (const file of part.files) expectDiff(adapter, read, part, file)
      }
  })

  it('keeps the rules of the model', async () => {
    const reader = new Reader(adapter, laid())
    await reader.sync()
    for (const read of reader.sessions.values()) expectModel(read)
  })

  it('loses no more to a damaged record than that record', async () => {
    const whole = new Reader(adapter, laid())
    await whole.sync()
    for (const damage of fixture.damages(fixture.path)) {
      const root = laid()
      damage.apply(root)
      const reader = new Reader(adapter, root)
      const { problems } = await reader.sync()
      expect(
        problems.map(({ kind }) => kind),
        damage.name,
      ).toContain(damage.problem)
      expect(untouched(reader, damage.costs), damage.name).toEqual(untouched(whole, damage.costs))
    }
  })
}

/** A file's diff stands at its place in the record of the call, or of its result. */
function expectDiff(adapter: Adapter, read: ReadSession, call: ToolCallRow, { diff, diffPlace }: FileTouchRow): void {
  if (diffPlace === null) return
  const inResult = /^result\/(.*)$/.exec(diffPlace)?.[1]
  const result = [...read.parts.values()].find((part) => part.kind === 'TOOL_RESULT' && part.pair === call.pair)
  const record = read.records.get((inResult === undefined ? call : result)?.citation.record ?? '')
  const json: unknown = JSON.parse(Buffer.from(record?.bytes ?? '').toString('utf8'))
  expect(adapter.content(json, record?.type ?? '', inResult ?? diffPlace)).toBe(diff)
}

/** A unit as a verifying look gives it, so that it is read whole. */
const verifying = async (reader: Reader, key: string) =>
  (await reader.discover({ verify: true })).units.find((unit) => unit.key === key)

/** A cursor that is made only when it is asked for is a function, equal to no other. */
const comparable = (item: Item): Item => (item.kind === 'checkpoint' ? { ...item, cursor: null } : item)

const ROW_KINDS: ReadonlySet<string> = new Set(['session', 'message', 'part', 'summary'])
const rowsIn = (items: readonly Item[]): readonly Item[] => items.filter(({ kind }) => ROW_KINDS.has(kind))
const rowsOf = (sessionId: string, items: readonly Item[]): readonly Item[] =>
  sorted(rowsIn(items).filter((item) => 'sessionId' in item && item.sessionId === sessionId))

/** Not what only files beside the records tell of a session: where it lies, its name, whether it is archived, what spawned it. */
function isOfRecords(item: Item): boolean {
  if (item.kind !== 'session') return true
  const { sourcePath, archivedAt, title, parentMessageNativeId, parentPair, ...rest } = item.session
  return Object.values(rest).some((value) => value !== null)
}

/** Bytes that a record names by their hash lie beside the records. */
const withoutNamedBytes = (item: Item): Item =>
  item.kind === 'part' && item.part.kind === 'FILE' && item.part.sha256 !== undefined
    ? { ...item, part: { ...item.part, data: null } }
    : item

function projected(adapter: Adapter, sessionId: string, unitKey: string, items: readonly Item[]): readonly Item[] {
  const records = items
    .flatMap((item) => (item.kind === 'record' && item.sessionId === sessionId ? [item.record] : []))
    .sort((a, b) =>
      typeof a.ref === 'number' && typeof b.ref === 'number' ? a.ref - b.ref : bytewise(`${a.ref}`, `${b.ref}`),
    )
  const mapper = adapter.map(sessionId, unitKey)
  const made: Item[] = []
  for (const { ref, type, bytes } of records) {
    const json = parsed(bytes)
    if (json !== undefined) made.push(...mapper.push({ ref, type, json }))
  }
  made.push(...mapper.end())
  return sorted(rowsIn(made))
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const nameOf = (item: Item): string =>
  item.kind === 'message' ? `m${item.message.orderKey}` : item.kind === 'part' ? `p${item.part.nativeId}` : item.kind
const sorted = (items: readonly Item[]): readonly Item[] => [...items].sort((a, b) => bytewise(nameOf(a), nameOf(b)))

function citedBy(item: Item): readonly (string | number)[] {
  if (item.kind === 'message') return item.message.records
  if (item.kind === 'part') return [item.part.citation.record]
  return item.kind === 'session' && item.session.record !== null ? [item.session.record] : []
}

function citedValue(part: PartRow): unknown {
  switch (part.kind) {
    case 'TEXT':
    case 'REASONING':
      return part.text
    case 'TOOL_CALL':
      return part.params
    case 'TOOL_RESULT':
      return part.result
    case 'DATA':
      return part.data
    default:
      return null
  }
}

function expectModel(read: ReadSession): void {
  const keys = [...read.messages.values()].map(({ orderKey }) => orderKey)
  expect(new Set(keys).size).toBe(keys.length)
  for (const message of read.messages.values()) {
    const parts = read.partsOf(message.nativeId)
    expect(parts.map(({ ordinal }) => ordinal)).toEqual(parts.map((_, n) => n))
    if (message.partIds !== null) expect(parts.map(({ nativeId }) => nativeId)).toEqual(message.partIds)
    for (const { kind } of parts) expect(isAllowed(message, kind)).toBe(true)
  }
  for (const part of read.parts.values()) expect(read.messages.has(part.messageId)).toBe(true)
}

/** Results stand in TOOL messages only, calls in ASSISTANT messages only (design §3.4). */
const isAllowed = ({ role }: MessageRow, kind: PartRow['kind']): boolean =>
  kind === 'TOOL_RESULT' ? role === 'TOOL' : kind !== 'TOOL_CALL' || role === 'ASSISTANT'

/** All parts and messages but the damaged one, without what only tells of its neighbours. */
function untouched(reader: Reader, id: string): unknown {
  const isOther = (nativeId: string): boolean => nativeId !== id && !nativeId.startsWith(`${id}/`)
  return [...reader.sessions]
    .sort(([a], [b]) => bytewise(a, b))
    .map(([session, read]) => [
      session,
      read.inOrder
        .filter(({ nativeId, parentNativeId }) => isOther(nativeId) && parentNativeId !== id)
        .map((message) => ({ ...message, partIds: null })),
      [...read.parts.values()]
        .filter(({ nativeId }) => isOther(nativeId))
        .map(({ nativeId, kind, citation }) => ({ nativeId, kind, citation }))
        .sort((a, b) => bytewise(a.nativeId, b.nativeId)),
    ])
}
