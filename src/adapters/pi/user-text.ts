export interface Span {
  readonly text: string
  readonly isInjected: boolean
}

/** What pi puts before a prompt: files that were named with `@`, and the text of a skill. */
const INJECTED_TAG = /<(file|skill) name="[^"\n]*"[^>\n]*>/y

/** A prompt's text, with what the harness put before the person's words apart from them. All spans together are the text. */
export function spansOf(text: string): readonly Span[] {
  let end = 0
  for (;;) {
    INJECTED_TAG.lastIndex = end
    const tag = INJECTED_TAG.exec(text)?.[1]
    if (tag === undefined) break
    const close = text.indexOf(`</${tag}>`, INJECTED_TAG.lastIndex)
    if (close < 0) break
    end = close + tag.length + 3
    while (text[end] === '\n') end += 1
  }
  const spans = [
    { text: text.slice(0, end), isInjected: true },
    { text: text.slice(end), isInjected: false },
  ]
  return text === '' ? [{ text, isInjected: false }] : spans.filter((span) => span.text !== '')
}

/** Name of the skill whose text stands before the prompt. */
export const skillOf = (text: string): string | null => /^<skill name="([^"\n]+)"/.exec(text)?.[1] ?? null
