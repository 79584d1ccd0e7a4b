import { allTextPartsOfMessages, type StoredPart } from '../db/queries/parts.ts'
import { itself, Lookup } from './batch.ts'
import type { Scope } from './scope.ts'
import { partText } from './text.ts'

const textParts = new Lookup<number, StoredPart[]>(
  ({ services }, ids) => allTextPartsOfMessages(services.store, ids),
  itself,
)

/** All text of a message that carries a summary. The harness may have put it there, so injected text counts too. */
export async function summaryTexts(scope: Scope, messageId: number): Promise<string | null> {
  const parts = await textParts.load(scope, messageId)
  const texts = await Promise.all(parts.map((part) => partText(scope, part, null)))
  const readable = texts.filter((text) => text !== null)
  return readable.length === 0 ? null : readable.join('\n\n')
}
