import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import type { Adapter } from './contract.ts'
import { dsh } from './dsh/index.ts'
import { opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'

/** Every source that Weir reads. */
export const adapters: readonly Adapter[] = [opencode, claudeCode, codex, pi, dsh]
