import type { Adapter } from '../contract.ts'
import { content } from './content.ts'
import { discover } from './discover.ts'
import { fileOfPath } from './ids.ts'
import { TranscriptMapper } from './map.ts'
import { SideFileMapper } from './map-side-file.ts'
import { parse } from './parse.ts'
import { defaultRoots, directoriesToWatch } from './roots.ts'

/**
 * Claude Code's transcripts (seen: 1.0.128, 2.1.332; 2.0.77 by description). A unit is one file: the transcript of a session or of a
 * sub-agent, what is known about a sub-agent, a workflow run, or the history of prompts.
 */
export const claudeCode: Adapter = {
  name: 'claude-code',
  title: 'Claude Code',
  revision: 2,
  probe: defaultRoots,
  watchPaths: directoriesToWatch,
  discover,
  parse,
  map(sessionId, unitKey) {
    const file = fileOfPath(unitKey)
    if (file?.kind === 'meta' || file?.kind === 'workflow') return new SideFileMapper(sessionId, unitKey)
    // Where a meta file can stand beside it, that says what the agent is called.
    const isKnown = file?.kind === 'agent' && file.sessionId !== null
    return new TranscriptMapper({ sessionId, path: unitKey, state: null, isKnown })
  },
  content,
  locate: (path) => path,
}
