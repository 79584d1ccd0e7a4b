import { and, eq, sql } from 'drizzle-orm'
import { normalPath } from '../../model/path.ts'
import { type FileRow, type FileTouchRow, type PartRow, resultText } from '../../model/rows.ts'
import { codePointLength, preview, repair, repairedJson, safeStringify } from '../../model/text.ts'
import { sha256 } from '../archive/blob-spans.ts'
import type { BlobWriter } from '../archive/blobs.ts'
import type { Store } from '../open.ts'
import { parts, touches } from '../schema.ts'
import { isCitation, type Written } from './message-writer.ts'
import { partDetail } from './part-detail.ts'
import { TableWriter, UNSTORED } from './table-writer.ts'

export type StoredPart = typeof parts.$inferSelect

export interface PartPlace {
  readonly sessionId: number
  readonly messageId: number
  readonly streamId: number
  readonly recordNo: number | null
}

export class PartWriter {
  private readonly table
  private readonly blobs: BlobWriter
  private readonly byNative
  private readonly dropTouches
  private readonly addTouch
  private readonly ofMessage
  private readonly setRemoved
  private readonly interrupt
  private readonly laterPrompt

  constructor(store: Store, blobs: BlobWriter) {
    this.table = new TableWriter(store, parts)
    this.blobs = blobs
    this.byNative = store.orm
      .select()
      .from(parts)
      .where(and(eq(parts.sessionId, sql.placeholder('sessionId')), eq(parts.nativeId, sql.placeholder('nativeId'))))
      .prepare()
    this.dropTouches = store.sqlite.prepare<[number]>('delete from touches where part_id = ?')
    this.addTouch = new TableWriter(store, touches)
    this.ofMessage = store.sqlite.prepare<
      [number],
      { id: number; nativeId: string; isRemoved: number; ordinal: number }
    >(`
      select id, native_id as nativeId, is_removed as isRemoved, ordinal from parts
      where message_id = ? order by ordinal, id`)
    this.setRemoved = store.sqlite.prepare<[number, number, number]>(
      'update parts set is_removed = ?, ordinal = ? where id = ?',
    )
    // A call without result before a later prompt of the person was interrupted, whatever the source says of it.
    this.interrupt = store.sqlite.prepare<[number, string], { id: number }>(`
      update parts set status = 3 where session_id = ? and status = 0
        and (select order_key from messages m where m.id = parts.message_id) < ? returning id`)
    this.laterPrompt = store.sqlite.prepare<[number, number], { found: number }>(`
      select 1 as found from messages where session_id = ? and role = 1 and is_conversational = 1 and is_meta = 0
        and order_key > (select order_key from messages where id = ?) limit 1`)
  }

  /** Inserts the part, or brings the stored one up to date; `isLikelyThere` only says which to try first. */
  put(part: PartRow, place: PartPlace, isLikelyThere: boolean): Written<StoredPart> & { readonly isRepaired: boolean } {
    const { values, isRepaired } = this.values(part, place)
    const id = isLikelyThere ? null : this.table.insert(values)
    if (id !== null) {
      this.writeTouches(part, id, place.sessionId)
      values.id = id
      return { change: 'new', row: values, old: null, isRepaired }
    }
    const old = this.byNative.get({ sessionId: place.sessionId, nativeId: part.nativeId })
    if (old === undefined && isLikelyThere) return this.put(part, place, false)
    if (old === undefined) throw new Error(`Part ${part.nativeId} is neither new nor stored.`)
    const row = { ...values, id: old.id }
    const differences = this.table.differences(row, old)
    if (differences.length === 0) return { change: 'same', row: old, old, isRepaired }
    this.table.update(old.id, row)
    if (differences.every(isCitation)) return { change: 'same', row, old, isRepaired }
    this.dropTouches.run(old.id)
    this.writeTouches(part, old.id, place.sessionId)
    return { change: 'updated', row, old, isRepaired }
  }

  /**
   * Brings the stored parts of a message in line with the complete list that its source has: what the source dropped stays, behind
   * the others, so that ordinals have no gaps. With `keepRemoved` the list is of all that it ever had, and what was dropped stays
   * dropped. Returns the parts whose removal is news.
   */
  settle(messageId: number, present: readonly string[], keepRemoved: boolean): number[] {
    const listed = new Set(present)
    const stored = this.ofMessage.all(messageId)
    const isRemoved = (part: { nativeId: string; isRemoved: number }) =>
      !listed.has(part.nativeId) || (keepRemoved && part.isRemoved === 1)
    const kept = stored.filter((part) => !isRemoved(part))
    const removed = stored.filter(isRemoved)
    const isSettled = removed.length === 0 && kept.every((part, i) => part.ordinal === i)
    if (isSettled) return []
    kept.forEach((part, i) => {
      if (part.ordinal !== i) this.setRemoved.run(0, i, part.id)
    })
    removed.forEach((part, i) => {
      this.setRemoved.run(1, kept.length + i, part.id)
    })
    return removed.filter((part) => part.isRemoved === 0).map(({ id }) => id)
  }

  /** Calls that still run before `orderKey` are told to be interrupted; returns them. */
  interruptBefore(sessionId: number, orderKey: string): number[] {
    return this.interrupt.all(sessionId, orderKey).map(({ id }) => id)
  }

  private values(part: PartRow, place: PartPlace): { values: StoredPart; isRepaired: boolean } {
    const { detail, isRepaired: isDetailRepaired } = partDetail(part)
    const body = bodyOf(part)
    const blob = part.kind === 'FILE' ? this.blobOf(part, place) : null
    const isCall = part.kind === 'TOOL_CALL'
    const isTool = isCall || part.kind === 'TOOL_RESULT'
    const isInterrupted =
      isCall && part.status === 'RUNNING' && this.laterPrompt.get(place.sessionId, place.messageId) !== undefined
    return {
      values: {
        id: UNSTORED,
        sessionId: place.sessionId,
        messageId: place.messageId,
        nativeId: part.nativeId,
        ordinal: part.ordinal,
        kind: part.kind,
        provenance: part.provenance,
        isSplitOff: part.isSplitOff,
        isRemoved: false,
        streamId: place.recordNo === null ? null : place.streamId,
        recordNo: place.recordNo,
        place: part.citation.place,
        preview: body.preview,
        textLength: body.textLength,
        jsonBytes: body.jsonBytes,
        isWhole: body.isWhole,
        pair: isTool ? part.pair : null,
        name: isTool ? part.name : null,
        category: isCall ? part.category : null,
        status: isCall ? (isInterrupted ? 'INTERRUPTED' : part.status) : null,
        blob,
        detail,
      },
      isRepaired: body.isRepaired || isDetailRepaired,
    }
  }

  private blobOf(file: FileRow, place: PartPlace): Buffer | null {
    if (file.data !== null) return this.putBlob(file.data, file.mediaType, place)
    const hash = file.sha256 === undefined ? null : Buffer.from(file.sha256, 'hex')
    return hash !== null && this.blobs.isUsed(hash, place.sessionId) ? hash : null
  }

  private putBlob(data: Uint8Array, mediaType: string | null, place: PartPlace): Buffer {
    const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const hash = sha256(buffer)
    this.blobs.put(hash, buffer, mediaType ?? 'application/octet-stream', place.sessionId)
    return hash
  }

  private writeTouches(part: PartRow, partId: number, sessionId: number): void {
    if (part.kind !== 'TOOL_CALL') return
    part.files.forEach((file: FileTouchRow, ordinal) => {
      this.addTouch.insert({
        partId,
        ordinal,
        sessionId,
        path: repair(file.path).text,
        pathKey: normalPath(file.path),
        kind: file.kind,
        movedTo: file.movedTo,
        additions: file.additions,
        deletions: file.deletions,
        diffPlace: file.diffPlace,
      })
    })
  }
}

interface Body {
  readonly preview: string | null
  readonly textLength: number | null
  readonly jsonBytes: number | null
  readonly isWhole: boolean
  readonly isRepaired: boolean
}

const NO_BODY: Body = { preview: null, textLength: null, jsonBytes: null, isWhole: true, isRepaired: false }

/** What the row keeps of a part's text or JSON. */
function bodyOf(part: PartRow): Body {
  switch (part.kind) {
    case 'TEXT':
    case 'REASONING':
      return part.text === null ? NO_BODY : textBody(part.text)
    case 'TOOL_RESULT': {
      const text = textBody(resultText(part.result))
      return { ...text, jsonBytes: jsonBytesOf(part.result) }
    }
    case 'TOOL_CALL':
      return jsonBody(part.params)
    case 'DATA':
      return jsonBody(part.data)
    default:
      return NO_BODY
  }
}

/** Size of a result's JSON; for a string that is its own size but for quotes and escapes, which aren't worth writing it out. */
function jsonBytesOf(result: unknown): number | null {
  if (typeof result === 'string') return Buffer.byteLength(result) + 2
  const json = safeStringify(result)
  return json === null ? null : Buffer.byteLength(json)
}

function textBody(original: string): Body {
  const { text, isRepaired } = repair(original)
  const start = preview(text)
  return { preview: start.text, textLength: codePointLength(text), jsonBytes: null, isWhole: start.isWhole, isRepaired }
}

function jsonBody(original: unknown): Body {
  const { json, isRepaired } = repairedJson(original)
  const isWhole = json !== null && preview(json).isWhole
  const jsonBytes = json === null ? null : Buffer.byteLength(json)
  return { preview: isWhole ? json : null, textLength: null, jsonBytes, isWhole, isRepaired }
}
