import type { Plugin } from 'graphql-yoga'

/** Answers with an error in the place of one that is too large to send. What is large is stopped earlier, while it is read (Scope.spend). */
export function useResponseBytes(maxBytes: number): Plugin {
  const stringify = (result: unknown): string => {
    const text = JSON.stringify(result)
    if (text.length <= maxBytes / 3 || Buffer.byteLength(text) <= maxBytes) return text
    const message = `The answer is larger than ${maxBytes} bytes: ask for smaller pages.`
    return JSON.stringify({ errors: [{ message, extensions: { code: 'LIMIT_EXCEEDED' } }] })
  }
  return {
    onExecutionResult: ({ result, setResult }) => {
      if (result !== undefined && !Array.isArray(result) && !(Symbol.asyncIterator in result)) {
        setResult({ ...result, stringify })
      }
    },
  }
}
