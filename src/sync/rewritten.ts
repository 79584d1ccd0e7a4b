import type { Adapter, Unit } from '../adapters/contract.ts'

/** Whether a unit's file was rewritten since `cursor`, which only its adapter can tell, before it tells anything of the session's lines. */
export async function isRewritten(adapter: Adapter, unit: Unit, cursor: string): Promise<boolean> {
  const items = adapter.parse(unit, cursor)
  try {
    for (;;) {
      const step = await items.next()
      if (step.done === true || step.value.kind === 'record') return false
      if (step.value.kind === 'new-generation') return true
    }
  } catch {
    // What is wrong is told when it is read.
    return false
  } finally {
    await items.return(null)
  }
}
