import { customType } from 'drizzle-orm/sqlite-core'

/** A value of a closed vocabulary, kept as its index in the list. */
export const code = <const T extends readonly string[]>(values: T) =>
  customType<{ data: T[number]; driverData: number }>({
    dataType: () => 'integer',
    toDriver: (value) => codeOf(values, value),
    fromDriver: (index) => valueAt(values, index),
  })

export function codeOf(values: readonly string[], value: string): number {
  const index = values.indexOf(value)
  if (index < 0) throw new RangeError(`"${value}" is none of ${values.join(', ')}`)
  return index
}

export function valueAt<T extends string>(values: readonly T[], index: number): T {
  const value = values[index]
  if (value === undefined)
    throw new RangeError(`${index} is no index into ${values.join(', ')}: is the store newer than this program?`)
  return value
}

/** Raw bytes. */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'blob',
  toDriver: (value) => (Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)),
})
