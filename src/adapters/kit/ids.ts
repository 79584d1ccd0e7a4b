const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i

/**
 * Whether an id that a source gives may become a file name (design §4.8). Ids that adapters compose may hold `/` and are not
 * judged by this.
 */
export function isSafeId(id: string): boolean {
  return (
    id !== '' &&
    !/[/\\:\0]/.test(id) &&
    !id.includes('..') &&
    id !== '.' &&
    !/[. ]$/.test(id) &&
    !WINDOWS_DEVICE.test(id)
  )
}
