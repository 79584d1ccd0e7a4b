import type { TitleOrigin } from '../../model/enums.ts'
import { TITLE_ORIGINS } from '../../model/enums.ts'
import { stringAt } from '../../model/json.ts'
import { textOf } from './content.ts'
import { contentOf, isResultBlock, type Line } from './line.ts'
import { isInlineSidechain, originOf } from './message-row.ts'
import { isHarness, spansOf } from './provenance.ts'
import type { SessionName } from './session-id.ts'
import type { State } from './state.ts'
import { firstLine } from './tool.ts'

/** Programs that run the client by its SDK; `sdk-cli` is what a person's `claude -p` says, too. */
const AUTOMATION = new Set(['sdk-py', 'sdk-ts'])
/** What the client of 2.0 says to agents that it starts for itself. */
const WARMUP = 'Warmup'

/** What a line tells of its session. */
export function observe(state: State, line: Line, name: SessionName): void {
  const { json, timeMs } = line
  const { facts } = state
  // A copied line tells when its original was written, and so do the copied ones before it.
  if (originOf(json) !== null) {
    if (facts.createdMs !== null) state.learn({ createdMs: null })
  } else if (timeMs !== null && (facts.createdMs === null || timeMs < facts.createdMs))
    state.learn({ createdMs: timeMs })
  const cwd = stringAt(json, 'cwd')
  if (facts.cwd === null && cwd !== null) state.learn({ cwd })
  const gitBranch = stringAt(json, 'gitBranch')
  if (gitBranch !== null && gitBranch !== facts.gitBranch) state.learn({ gitBranch })
  const version = stringAt(json, 'version')
  if (version !== null && version !== facts.version && line.uuid !== null) state.learn({ version })
  if (AUTOMATION.has(stringAt(json, 'entrypoint') ?? '') && !facts.isAutomation) state.learn({ isAutomation: true })
  if (line.type === 'custom-title') learnTitle(state, stringAt(json, 'customTitle'), 'PERSON')
  if (line.type === 'ai-title') learnTitle(state, stringAt(json, 'aiTitle'), 'SOURCE')
  if (line.type === 'user' || line.type === 'assistant') observeTurn(state, line, name)
}

function observeTurn(state: State, line: Line, name: SessionName): void {
  const { timeMs } = line
  const { facts } = state
  facts.fileOrder ??= Math.floor((facts.createdMs ?? timeMs ?? 0) / 1000)
  if (timeMs !== null) {
    facts.firstMs = Math.min(facts.firstMs ?? timeMs, timeMs)
    facts.lastMs = Math.max(facts.lastMs ?? timeMs, timeMs)
  }
  if (line.type !== 'user' || facts.title !== null || isInlineSidechain(line.json, name)) return
  const text = promptOf(line)
  if (text === null) return
  learnTitle(state, firstLine(text), 'DERIVED')
  if (name.agentId !== null && text.trim() === WARMUP) state.learn({ isAutomation: true })
}

/** What the person wrote in a line; of a sub-agent, what its parent asked. */
function promptOf(line: Line): string | null {
  if (isHarness(line.json)) return null
  const content = contentOf(line.json)
  const texts = typeof content === 'string' ? [content] : content.filter((block) => !isResultBlock(block)).map(textOf)
  for (const text of texts) {
    if (text === null) continue
    const own = spansOf(text, false).filter(({ provenance }) => provenance === 'CONVERSATIONAL')
    const said = own.map(({ from, to }) => text.slice(from, to)).join('')
    if (said.trim() !== '') return said
  }
  return null
}

/** A title of a higher origin wins, and of the same origin the later one (design §4.4); the first prompt stays the first. */
export function learnTitle(state: State, text: string | null, origin: TitleOrigin): void {
  const known = state.facts.title
  if (text === null || (known?.text === text && known.origin === origin)) return
  if (known !== null && TITLE_ORIGINS.indexOf(origin) < TITLE_ORIGINS.indexOf(known.origin)) return
  state.learn({ title: { text, origin } })
}
