/** What is wrong with a text that is no JSON, by its place only: the engine's own words would quote the text, which may be secret. */
export function jsonFault(error: unknown): string {
  const place = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
  return place === undefined ? 'It is not valid JSON.' : `It is not valid JSON from character ${place} on.`
}
