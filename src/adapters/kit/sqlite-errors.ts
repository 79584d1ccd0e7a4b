/** Someone else kept the database to himself longer than we wait: to be tried again at the next sync. */
export class BusyError extends Error {
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`${path} is in use by another process that keeps it locked; it is read at the next sync.`, { cause })
    this.name = 'BusyError'
    this.path = path
  }
}

/** The database can't be opened, or what it holds is no database. */
export class DatabaseError extends Error {
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`${path} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'DatabaseError'
    this.path = path
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

/** Failures of shared memory, locks or recovery, as on network mounts: a private copy can be read all the same. */
export const needsCopy = (error: unknown): boolean =>
  /^SQLITE_(PROTOCOL|CANTOPEN|READONLY_|IOERR_(SHM|LOCK|RDLOCK|UNLOCK|CHECKRESERVEDLOCK))/.test(codeOf(error))
