import { asArray, at, stringAt } from '../../model/json.ts'
import { clip } from '../../model/text.ts'

const SUMMARY_CHARS = 200
/** The field of a tool's input that says most about a call, by preference. */
const TELLING_FIELDS = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'skill',
  'subject',
  'prompt',
  'plan',
  'name',
]

/** One line for people. */
export function summaryOf(input: unknown): string | null {
  const todos = asArray(at(input, 'todos')).length
  const telling = TELLING_FIELDS.map((field) => stringAt(input, field)).find((text) => text !== null)
  return firstLine(telling ?? (todos > 0 ? `${todos} todos` : null))
}

/** The first line of a text that says something, not too long. */
export function firstLine(text: string | null): string | null {
  const line = text?.split(/\r?\n/).find((candidate) => candidate.trim() !== '')
  return line === undefined ? null : clip(line.trim(), SUMMARY_CHARS)
}

/** Server of a tool that is called `mcp__<server>__<tool>`. */
export const mcpServerOf = (name: string | null): string | null => /^mcp__(.+?)__/.exec(name ?? '')?.[1] ?? null

const EXIT_CODE = /^(?:Error: )?Exit code (\d+)\b/

/** A failed command says its code at the start of its result; of others none is recorded. */
export function exitCodeOf(text: string): number | null {
  const code = EXIT_CODE.exec(text)?.[1]
  return code === undefined ? null : Number(code)
}
