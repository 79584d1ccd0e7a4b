import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cursorAt, goesOn, type ListParent, type ListQuery, type Page, ROOT, readPages } from '../../src/db/keyset.ts'
import type { Store } from '../../src/db/open.ts'
import { type PageArgs, pageRequest } from '../../src/db/page-request.ts'
import * as schema from '../../src/db/schema.ts'

interface Item {
  readonly id: number
  readonly parent: number
  readonly value: number | null
}

/** A store with one table, of few different values, so that many are equal and many are null. */
function storeOf(items: readonly Omit<Item, 'id'>[]): { store: Store; items: Item[]; statements: string[] } {
  const statements: string[] = []
  const sqlite = new Database(':memory:', { verbose: (sql) => statements.push(String(sql)) })
  sqlite.exec(
    'create table items (id integer primary key, parent integer, value integer); create index i on items (parent, value)',
  )
  const insert = sqlite.prepare('insert into items (parent, value) values (?, ?)')
  const stored = items.map((item) => ({ ...item, id: Number(insert.run(item.parent, item.value).lastInsertRowid) }))
  const store = { sqlite, orm: drizzle(sqlite, { schema }), close: () => sqlite.close() }
  return { store, items: stored, statements }
}

const listBy = (direction: 'ASC' | 'DESC', parent: string | null): ListQuery<ListParent, number> => ({
  name: `items ${direction}`,
  from: 'items t',
  parent,
  where: [],
  order: ['t.value'],
  isNullable: true,
  direction,
  unique: ['t.id'],
  columns: '',
  decode: (values, from) => Number(values[from - 1]),
})

/** The whole list as it should be: by value, then id, with nulls last in both directions. */
function expected(items: readonly Item[], direction: 'ASC' | 'DESC'): number[] {
  const sign = direction === 'ASC' ? 1 : -1
  return [...items]
    .sort((a, b) => {
      if (a.value === null || b.value === null) {
        if (a.value !== b.value) return a.value === null ? 1 : -1
        return sign * (a.id - b.id)
      }
      return sign * (a.value - b.value || a.id - b.id)
    })
    .map(({ id }) => id)
}

const itemsArbitrary = fc.array(
  fc.record({ parent: fc.integer({ min: 1, max: 3 }), value: fc.option(fc.integer({ min: 0, max: 3 })) }),
  { maxLength: 25 },
)

function walk(store: Store, query: ListQuery<ListParent, number>, size: number, isForward: boolean): number[] {
  const seen: number[] = []
  let cursor: string | null = null
  do {
    const isFirst: boolean = cursor === null
    const page = pageOf(store, query, isForward ? { first: size, after: cursor } : { last: size, before: cursor })
    if (isForward) seen.push(...page.rows)
    else seen.unshift(...page.rows)
    expect(goesOn(store, query, page, isForward ? 'before' : 'after')).toBe(!isFirst)
    const isMore = goesOn(store, query, page, isForward ? 'after' : 'before')
    cursor = isMore ? cursorAt(query, page, isForward ? page.rows.length - 1 : 0) : null
  } while (cursor !== null)
  return seen
}

function pageOf(store: Store, query: ListQuery<ListParent, number>, args: PageArgs): Page<ListParent, number> {
  const [page] = readPages(store, query, pageRequest(args), [ROOT])
  if (page === undefined || page instanceof Error) throw page
  return page
}

describe('keyset paging', () => {
  it('walks a list in every order, both ways, with every page size, each row once', () => {
    fc.assert(
      fc.property(
        itemsArbitrary,
        fc.constantFrom('ASC' as const, 'DESC' as const),
        fc.constantFrom(1, 2, 7, 100),
        fc.boolean(),
        (rows, direction, size, isForward) => {
          const { store, items } = storeOf(rows)
          expect(walk(store, listBy(direction, null), size, isForward)).toEqual(expected(items, direction))
          store.close()
        },
      ),
      { numRuns: 300 },
    )
  })

  it('reads the pages of many parents as it would read each alone, in at most two statements', () => {
    fc.assert(
      fc.property(
        itemsArbitrary,
        fc.constantFrom('ASC' as const, 'DESC' as const),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (rows, direction, size, isForward) => {
          const { store, items, statements } = storeOf(rows)
          const query = listBy(direction, 't.parent')
          const request = pageRequest(isForward ? { first: size } : { last: size })
          const parents = [{ id: 1 }, { id: 2 }, { id: 3 }]
          const before = statements.length
          const pages = readPages(store, query, request, parents)
          expect(statements.length - before).toBeLessThanOrEqual(2)
          pages.forEach((page, i) => {
            if (page instanceof Error) throw page
            const all = expected(
              items.filter(({ parent }) => parent === parents[i]?.id),
              direction,
            )
            expect(page.rows).toEqual(isForward ? all.slice(0, size) : all.slice(-size))
            expect(page.hasMore).toBe(all.length > size)
          })
          store.close()
        },
      ),
      { numRuns: 200 },
    )
  })

  it('stays true between two cursors', () => {
    fc.assert(
      fc.property(
        itemsArbitrary.filter((rows) => rows.length >= 3),
        fc.constantFrom('ASC' as const, 'DESC' as const),
        fc.boolean(),
        (rows, direction, isForward) => {
          const { store, items } = storeOf(rows)
          const query = listBy(direction, null)
          const all = expected(items, direction)
          const whole = pageOf(store, query, { first: 100 })
          const between = { after: cursorAt(query, whole, 0), before: cursorAt(query, whole, all.length - 1) }
          const page = pageOf(store, query, { ...(isForward ? { first: 2 } : { last: 2 }), ...between })
          const inner = all.slice(1, -1)
          expect(page.rows).toEqual(isForward ? inner.slice(0, 2) : inner.slice(-2))
          expect(goesOn(store, query, page, 'before')).toBe(true)
          expect(goesOn(store, query, page, 'after')).toBe(true)
          store.close()
        },
      ),
    )
  })

  it.each([{ first: 1, last: 1 }, { first: 0 }, { first: -1 }, { first: 101 }, { last: 0 }, { last: 101 }])(
    'refuses %o',
    (args) => {
      expect(() => pageRequest(args)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }))
    },
  )
})
