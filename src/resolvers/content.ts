import { setImmediate as nextTurn } from 'node:timers/promises'
import { addressKey, type RecordAddress } from '../db/archive/address.ts'
import { recordsAt, type StoredRecord } from '../db/queries/records.ts'
import { CodedError } from '../model/error.ts'
import { Batch } from './batch.ts'
import type { Scope } from './scope.ts'
import { sourcesById } from './source-tables.ts'

/** Records are decoded in slices of this many bytes, so that a page of huge ones neither fills memory nor blocks others. */
const SLICE_BYTES = 8 * 1024 * 1024

interface Wanted {
  readonly address: RecordAddress
  /** Whether `take` gets the exact bytes, the parsed record, or the value at a place in it. */
  readonly form: 'BYTES' | 'JSON' | { readonly place: string }
  /** Keeps of the value only what will be shown: called while the record is in memory. */
  readonly take: (value: unknown) => void
}

const contents = new Batch<Wanted, null>(loadContents, null)

async function loadContents(scope: Scope, wanted: readonly Wanted[]): Promise<(null | Error)[]> {
  const sources = await sourcesById(scope)
  const groups = new Map<string, Wanted[]>()
  for (const one of wanted) {
    const group = groups.get(addressKey(one.address))
    if (group === undefined) groups.set(addressKey(one.address), [one])
    else group.push(one)
  }
  const addresses = [...groups.values()].flatMap(([first]) => (first === undefined ? [] : [first.address]))
  const found = recordsAt(
    scope.services.store,
    addresses.map(({ streamId, no }) => [streamId, no]),
  )
  const records = found.flatMap((record) => record ?? [])
  const results = new Map<Wanted, null | Error>()
  for (const slice of slicesOf(records)) {
    await readSlice(scope, slice, groups, (record) => sources.get(record.session.sourceId)?.name ?? '', results)
    if (slice.length < records.length) await nextTurn()
  }
  return wanted.map((one) => (results.has(one) ? (results.get(one) ?? null) : gone()))
}

async function readSlice(
  scope: Scope,
  slice: readonly StoredRecord[],
  groups: ReadonlyMap<string, readonly Wanted[]>,
  sourceOf: (record: StoredRecord) => string,
  results: Map<Wanted, null | Error>,
): Promise<void> {
  const { archive, content } = scope.services
  const wantedOf = (record: StoredRecord) => groups.get(addressKey(record)) ?? []
  const ofBytes = slice.filter((record) => wantedOf(record).some(({ form }) => form === 'BYTES'))
  const ofJson = slice.filter((record) => wantedOf(record).some(({ form }) => form !== 'BYTES'))
  const bytes = await archive.bytes(ofBytes)
  const parsed = await archive.parsed(ofJson)
  for (const record of slice) {
    const key = addressKey(record)
    for (const one of wantedOf(record)) {
      const { form, take } = one
      const value = () => {
        if (form === 'BYTES') return bytes.get(key)
        const json = parsed.get(key)
        return form === 'JSON' ? json : content(sourceOf(record))(json, record.type, form.place)
      }
      results.set(
        one,
        attempt(() => take(value())),
      )
    }
  }
}

function* slicesOf(records: readonly StoredRecord[]): Generator<StoredRecord[]> {
  let slice: StoredRecord[] = []
  let bytes = 0
  for (const record of records) {
    if (slice.length > 0 && bytes + record.byteLength > SLICE_BYTES) {
      yield slice
      slice = []
      bytes = 0
    }
    slice.push(record)
    bytes += record.byteLength
  }
  if (slice.length > 0) yield slice
}

function attempt(work: () => void): null | Error {
  try {
    work()
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const gone = () => new CodedError('NOT_FOUND', 'The record that this was read from is no longer in the store.')

/** What `take` keeps of the exact bytes, the parsed JSON, or the value at a place of a record. */
export async function readRecord<T>(
  scope: Scope,
  address: RecordAddress,
  form: Wanted['form'],
  take: (value: unknown) => T,
): Promise<T> {
  const kept: T[] = []
  await contents.load(scope, { address, form, take: (value) => kept.push(take(value)) }, { name: '' })
  for (const value of kept) return value
  throw gone()
}
