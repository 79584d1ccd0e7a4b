import type { Services } from './services.ts'

export interface Readiness {
  /** Whether queries can be answered. */
  readonly isReady: boolean
  /** Whether mutations can. */
  readonly canWrite: boolean
}

export const readiness = ({ store, writer }: Services): Readiness => ({
  isReady: store.sqlite.open,
  canWrite: writer() !== null,
})
