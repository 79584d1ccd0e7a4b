import { setImmediate } from 'node:timers/promises'

/** A function to await in long loops: it lets other work in when `everyMs` went by without, and costs nothing otherwise. */
export function breather(everyMs = 10): () => Promise<void> | undefined {
  let last = performance.now()
  return () => {
    if (performance.now() - last < everyMs) return undefined
    return setImmediate().then(() => {
      last = performance.now()
    })
  }
}
