export interface DataUri {
  readonly mediaType: string | null
  readonly bytes: Buffer
}

/** What a `data:` URI holds; null when `text` is none or can't be decoded. */
export function parseDataUri(text: string): DataUri | null {
  if (!/^data:/i.test(text)) return null
  const comma = text.indexOf(',')
  if (comma < 0) return null
  const [mediaType = '', ...parameters] = text.slice('data:'.length, comma).split(';')
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')
  const bytes = isBase64 ? Buffer.from(text.slice(comma + 1), 'base64') : percentDecoded(text.slice(comma + 1))
  return bytes === null ? null : { mediaType: mediaType.trim() || null, bytes }
}

function percentDecoded(text: string): Buffer | null {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
