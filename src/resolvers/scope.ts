import { CodedError } from '../model/error.ts'
import type { Services } from './services.ts'

/** What one operation reads with. Whatever is loaded is shared inside the operation, and inside one event of a subscription. */
export class Scope {
  readonly services: Services
  private loaded: object = {}
  private spentBytes = 0

  constructor(services: Services) {
    this.services = services
  }

  /** Identifies what is shared: loaders hang on it. */
  get generation(): object {
    return this.loaded
  }

  /** Forgets everything that was loaded: what is read next shows the store as it is then. */
  forget(): void {
    this.loaded = {}
  }

  /** Begins a new answer, as for the next event of a subscription. */
  renew(): void {
    this.forget()
    this.spentBytes = 0
  }

  /** Accounts for bytes of the answer before they pile up. Throws when it would become too large. */
  spend(bytes: number): void {
    this.spentBytes += bytes
    const { maxResponseBytes } = this.services.server.limits
    if (this.spentBytes <= maxResponseBytes) return
    throw new CodedError(
      'LIMIT_EXCEEDED',
      `The answer would be larger than ${maxResponseBytes} bytes: ask for smaller pages, or cut texts with maxChars and maxBytes.`,
    )
  }
}
