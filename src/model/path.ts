/** Paths as agents record them, from any system, compared without touching a disk (design §4.12). */

/**
 * The form in which two recorded paths are compared: forward slashes, no `.`, no doubled or trailing slash, drive letter in
 * lower case, `/mnt/c/x` the same as `C:\x`. POSIX names stay case-sensitive. For showing, keep what was recorded.
 */
export function normalPath(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]|^[A-Za-z]:$|^\\\\/.test(path)
  const slashed = isWindows ? path.replaceAll('\\', '/') : path
  const isUnc = isWindows && slashed.startsWith('//')
  const names = slashed.split('/').filter((name) => name !== '' && name !== '.')
  const isAbsolute = slashed.startsWith('/')
  const joined = (isUnc ? '//' : isAbsolute ? '/' : '') + names.join('/')
  const mounted = /^\/mnt\/([A-Za-z])(\/.*)?$/.exec(joined)
  if (mounted?.[1] !== undefined) return `${mounted[1].toLowerCase()}:${mounted[2] ?? ''}`
  return joined.replace(/^([A-Za-z]):/, (_, drive: string) => `${drive.toLowerCase()}:`)
}

/** The last name of a recorded path, for people. */
export function baseName(path: string): string {
  const names = normalPath(path).split('/')
  return names.at(-1) || path
}
