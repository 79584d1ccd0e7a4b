import type { Waiter } from './wakeups.ts'

/**
 * A generator that waits, made so that it can be left at any time. Plain generators queue `return()` behind the pending `next()`, which
 * would wait for a wake-up that may never come; here it ends the waiting first.
 */
export function pullable<T>(
  waiter: Waiter,
  generate: (waiter: Waiter) => AsyncGenerator<T, undefined>,
): AsyncIterableIterator<T> {
  const inner = generate(waiter)
  return {
    next: async () => {
      const result = await inner.next()
      if (result.done === true) waiter.close()
      return result
    },
    return: async () => {
      waiter.close()
      await inner.return(undefined)
      return { done: true, value: undefined }
    },
    throw: async (error: unknown) => {
      waiter.close()
      return inner.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
