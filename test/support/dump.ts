import { createHash } from 'node:crypto'
import { addressKey } from '../../src/db/archive/address.ts'
import { ArchiveReader } from '../../src/db/archive/read.ts'
import { openReader, type Store } from '../../src/db/open.ts'

/**
 * Everything that a store keeps of its sources, ordered by key: archive, rows, blobs and cursors, without row ids, run tables, feed
 * positions and clock times. Two stores hold the same when their dumps are equal.
 */
export async function dumpStore(file: string): Promise<Record<string, unknown[]>> {
  const store = openReader(file)
  try {
    return {
      sessions: rows(store, 'sessions', ['s.native_id'], {
        root: 'select path from roots where id = s.root_id',
        project: 'select path from projects where id = s.project_id',
        parent: 'select native_id from sessions where id = s.parent_id',
      }),
      messages: rows(store, 'messages', ['session', 's.order_key', 's.native_id'], {
        session: 'select native_id from sessions where id = s.session_id',
        model: 'select value from names where id = s.model_id',
        provider: 'select value from names where id = s.provider_id',
        cwd: 'select value from names where id = s.cwd_id',
      }),
      parts: rows(store, 'parts', ['session', 's.native_id'], {
        session: 'select native_id from sessions where id = s.session_id',
        message: 'select native_id from messages where id = s.message_id',
      }),
      touches: rows(store, 'touches', ['part', 's.ordinal'], {
        part: 'select native_id from parts where id = s.part_id',
      }),
      summaries: rows(store, 'summaries', ['s.native_id'], {
        message: 'select native_id from messages where id = s.message_id',
      }),
      usage: rows(store, 'usage_quarters', ['s.quarter', 'session', 'model'], {
        session: 'select native_id from sessions where id = s.session_id',
        model: 'select value from names where id = s.model_id',
      }),
      projects: rows(store, 'projects', ['s.path_key'], {}),
      units: rows(store, 'units', ['s.key'], {
        session: 'select native_id from sessions where id = s.session_id',
        cursor: 'select hex(data) from cursors where unit_id = s.id',
      }),
      blobs: store.sqlite.prepare('select hex(sha256), byte_length, media_type from blobs order by 1').all(),
      blobUses: store.sqlite
        .prepare(
          'select hex(u.sha256) sha, s.native_id from blob_uses u join sessions s on s.id = u.session_id order by 1, 2',
        )
        .all(),
      records: await records(store),
    }
  } finally {
    store.close()
  }
}

/** Row ids, what is random, and what depends on when something was done. */
const LEFT_OUT = /(^|_)id$|^(epoch|next_seq|uid|data|changed_at|shifts_at)$/
const KEPT_IDS = new Set(['native_id', 'parent_native_id', 'agent_id', 'parent_message_native_id'])

function rows(store: Store, name: string, order: string[], extra: Record<string, string>): unknown[] {
  const columns = store.sqlite.prepare<[], { name: string }>(`select name from pragma_table_info('${name}')`).all()
  const kept = columns.map((column) => column.name).filter((column) => KEPT_IDS.has(column) || !LEFT_OUT.test(column))
  const select = [
    ...kept.map((column) => `s.${column}`),
    ...Object.entries(extra).map(([alias, sql]) => `(${sql}) as ${alias}`),
  ]
  return store.sqlite.prepare(`select ${select.join(', ')} from ${name} s order by ${order.join(', ')}`).all()
}

async function records(store: Store): Promise<unknown[]> {
  const found = store.sqlite
    .prepare<
      [],
      {
        streamId: number
        no: number
        session: string
        unit: string
        type: string
        key: string
        byteLength: number
        isMapped: number
      }
    >(`
      select r.stream_id as streamId, r.no, s.native_id as session, u.key as unit, n.value as type, r.key, r.byte_length as byteLength,
        r.is_mapped as isMapped
      from records r join streams st on st.id = r.stream_id join sessions s on s.id = st.session_id
      join units u on u.id = st.unit_id join names n on n.id = r.type_id order by session, unit, r.no`)
    .all()
  const bytes = await new ArchiveReader(store).bytes(found)
  return found.map(({ streamId, no, ...rest }) => {
    const body = bytes.get(addressKey({ streamId, no }))
    return { no, ...rest, sha256: body === undefined ? null : createHash('sha256').update(body).digest('hex') }
  })
}

/** What SQLite itself says of the file: `ok` when it is whole. */
export function integrityOf(file: string): unknown {
  const store = openReader(file)
  try {
    return store.sqlite.pragma('integrity_check', { simple: true })
  } finally {
    store.close()
  }
}
