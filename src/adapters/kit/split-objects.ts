const QUOTE = '"'
const BACKSLASH = '\\'

/**
 * The top-level JSON values of a line that writers put back to back (design §4.12), each as its exact text. Knows strings and
 * nesting, not grammar: whether a piece is JSON is for the parser to say. What stands behind the last complete object comes as
 * the last piece.
 */
export function splitObjects(line: string): string[] {
  const pieces: string[] = []
  let depth = 0
  let isInString = false
  let start = 0
  for (let i = 0; i < line.length; i++) {
    const char = line[i]
    if (isInString) {
      if (char === BACKSLASH) i += 1
      else if (char === QUOTE) isInString = false
    } else if (char === QUOTE) isInString = true
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) {
        pieces.push(line.slice(start, i + 1))
        start = i + 1
      }
    }
  }
  const rest = line.slice(start)
  if (rest.trim() !== '') pieces.push(rest)
  return pieces
}
