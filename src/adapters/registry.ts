import type { Adapter } from './contract.ts'
import { opencode } from './opencode/index.ts'

/** Every source that Weir reads. */
export const adapters: readonly Adapter[] = [opencode]
