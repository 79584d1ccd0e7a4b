import type { Store } from './open.ts'

/** Reads interned strings, each from the database once. */
export class Names {
  private readonly byId = new Map<number, string>()
  private readonly select

  constructor(store: Store) {
    this.select = store.sqlite.prepare<[], { id: number; value: string }>('select id, value from names')
  }

  /** The string with that id; null for null. */
  get(id: number | null): string | null {
    if (id === null) return null
    let value = this.byId.get(id)
    if (value === undefined) {
      // There are few names, and new ones are rare: a miss reads them all.
      for (const row of this.select.all()) this.byId.set(row.id, row.value)
      value = this.byId.get(id)
    }
    return value ?? null
  }
}

/** Interns strings on the writing connection. */
export class NameWriter {
  private readonly ids = new Map<string, number>()
  private readonly insert
  private readonly select

  constructor(store: Store) {
    this.insert = store.sqlite.prepare<[string]>('insert into names (value) values (?) on conflict do nothing')
    this.select = store.sqlite.prepare<[string], { id: number }>('select id from names where value = ?')
  }

  id(value: string | null): number | null {
    if (value === null) return null
    const known = this.ids.get(value)
    if (known !== undefined) return known
    this.insert.run(value)
    const row = this.select.get(value)
    if (row === undefined) throw new Error('A name that was just stored is not there.')
    this.ids.set(value, row.id)
    return row.id
  }

  /** A rolled back transaction may have taken names with it. */
  forget(): void {
    this.ids.clear()
  }
}
