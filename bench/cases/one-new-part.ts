import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createOpencode } from '../../src/adapters/opencode/index.ts'
import { generated } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { tempDir } from '../lib/temp.ts'

/** Rows of these tables are what grows with history. */
const BIG_TABLES = /\bfrom "?(message|part)"?\b/i

export const oneNewPart: Case = {
  name: 'one-new-part',
  title: 'opencode database of 100,000 parts, one part more: message and part rows that are returned',
  floor: '50 rows, no scan of part',
  async run() {
    const root = tempDir()
    mkdirSync(root, { recursive: true })
    const file = join(root, 'opencode.db')
    copyFileSync(generated('100k'), file)
    let rows = 0
    const statements = new Set<string>()
    const adapter = createOpencode({
      onStatement: (sql, returned) => {
        if (!BIG_TABLES.test(sql)) return
        rows += returned
        statements.add(sql)
      },
    })
    const cursors = new Map<string, string>()
    const sync = async () => {
      const context = {
        lastCursor: (key: string) => cursors.get(key) ?? null,
        lastStamp: () => null,
        changedPaths: null,
        verify: false,
      }
      const { units, mark } = await adapter.discover(root, context)
      for (const unit of units.filter(({ isFresh }) => !isFresh)) {
        const reading = adapter.parse(unit, cursors.get(unit.key) ?? null)
        let step = await reading.next()
        while (step.done !== true) step = await reading.next()
        if (step.value !== null) cursors.set(unit.key, step.value)
      }
      if (mark !== null) cursors.set(mark.key, mark.cursor)
    }
    await sync()
    await sync()
    const db = new Database(file)
    const last = db.prepare<[], { id: string; sessionId: string; now: number }>(
      'select id, session_id as sessionId, time_created as now from message order by rowid desc limit 1',
    )
    const message = last.get()
    if (message === undefined) throw new Error('The generated database is empty.')
    const data = JSON.stringify({ type: 'text', text: 'one more', time: { start: message.now, end: message.now } })
    db.prepare('insert into part values (?, ?, ?, ?, ?, ?)').run(
      'prt_ffffffffffff00000000000001',
      message.id,
      message.sessionId,
      message.now,
      message.now,
      data,
    )
    rows = 0
    statements.clear()
    await sync()
    const plans = [...statements].flatMap((sql) =>
      db
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...Array.from({ length: sql.split('?').length - 1 }, () => null)),
    )
    db.close()
    const scans = plans.filter(({ detail }) => /^SCAN (message|part)\b/.test(detail))
    return {
      figure: `${rows} rows, ${scans.length} scans`,
      holds: rows <= 50 && scans.length === 0,
      details: { statements: statements.size, scans: scans.map(({ detail }) => detail).join('; ') || 'none' },
    }
  },
}
