/**
 * What an agent is doing, told from how its session ends and how long ago that changed. No format records all of it: where the age alone
 * tells, it is told by the limits below.
 */
export const SESSION_ACTIVITIES = ['WORKING', 'AWAITING_APPROVAL', 'AWAITING_INPUT', 'FAILED', 'IDLE'] as const
export type SessionActivity = (typeof SESSION_ACTIVITIES)[number]

/** How a session ends. The store keeps it as its index: append only. */
export const SESSION_ENDINGS = [
  /** Without a message that says anything. */
  'NONE',
  /** The model is to speak: after a prompt, a result, or in the middle of an answer. */
  'UNANSWERED',
  /** A tool is running. */
  'CALLING',
  /** A tool is running, or waits for leave to: most agents ask before such a one, and none records that it asks. */
  'CALLING_OR_ASKING',
  /** The record says that the person is asked. */
  'ASKING',
  'ANSWERED',
  'FAILED',
] as const
export type SessionEnding = (typeof SESSION_ENDINGS)[number]

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** What stays without a change for a day is waited for no more. */
const FORGOTTEN_MS = DAY_MS
/** A model that says nothing for so long was stopped. */
const STALLED_MS = 10 * MINUTE_MS
/** Tools may run for long: tests, builds, sub-agents. */
const TOOL_STALLED_MS = 60 * MINUTE_MS
/** A command that takes longer than this more likely waits for leave. */
const ASKING_AFTER_MS = 2 * MINUTE_MS

/** What each ending means while its last change is younger than `until`, in order. */
const PHASES: { readonly [ending in SessionEnding]: readonly Phase[] } = {
  NONE: [{ activity: 'IDLE', until: Number.POSITIVE_INFINITY }],
  UNANSWERED: thenIdle({ activity: 'WORKING', until: STALLED_MS }),
  CALLING: thenIdle({ activity: 'WORKING', until: TOOL_STALLED_MS }),
  CALLING_OR_ASKING: thenIdle(
    { activity: 'WORKING', until: ASKING_AFTER_MS },
    { activity: 'AWAITING_APPROVAL', until: FORGOTTEN_MS },
  ),
  ASKING: thenIdle({ activity: 'AWAITING_APPROVAL', until: FORGOTTEN_MS }),
  ANSWERED: thenIdle({ activity: 'AWAITING_INPUT', until: FORGOTTEN_MS }),
  FAILED: thenIdle({ activity: 'FAILED', until: FORGOTTEN_MS }),
}

interface Phase {
  readonly activity: SessionActivity
  /** Age of the last change at which it ends, ms. */
  readonly until: number
}

function thenIdle(...phases: readonly Phase[]): readonly Phase[] {
  return [...phases, { activity: 'IDLE', until: Number.POSITIVE_INFINITY }]
}

/** A source that changed within this was changed by an agent that runs. */
export const LIVE_MS = MINUTE_MS

/** What a session's end tells; times are milliseconds since 1970. */
export interface SessionEnd {
  readonly ending: SessionEnding
  /** Time of the message that it ends with; for one that is to be answered, of the prompt. */
  readonly endedAt: number
  /** When its source last changed, as far as known. */
  readonly changedAt: number
}

/** What the agent is doing at `now`, and since when. */
export function activityAt(
  { ending, endedAt, changedAt }: SessionEnd,
  now: number,
): { readonly activity: SessionActivity; readonly since: number } {
  let from = Number.NEGATIVE_INFINITY
  for (const { activity, until } of PHASES[ending]) {
    if (now - changedAt < until) return { activity, since: Number.isFinite(from) ? changedAt + from : endedAt }
    from = until
  }
  throw new RangeError('The last phase of an ending has no end.')
}

export const isLiveAt = ({ changedAt }: Pick<SessionEnd, 'changedAt'>, now: number): boolean =>
  now - changedAt < LIVE_MS

/** When `activityAt` or `isLiveAt` next answers otherwise although nothing changes; null: never. */
export function nextShift({ ending, changedAt }: SessionEnd, now: number): number | null {
  const ages = [LIVE_MS, ...PHASES[ending].map(({ until }) => until)]
  const next = Math.min(...ages.filter((age) => changedAt + age > now))
  return Number.isFinite(next) ? changedAt + next : null
}

/** The endings and ages, from `from` to before `until`, at which a session does one of these. */
export function agesOf(
  activities: readonly SessionActivity[],
): readonly { readonly ending: SessionEnding; readonly from: number; readonly until: number }[] {
  return SESSION_ENDINGS.flatMap((ending) =>
    PHASES[ending].flatMap(({ activity, until }, i) => {
      const from = PHASES[ending][i - 1]?.until ?? Number.NEGATIVE_INFINITY
      return activities.includes(activity) ? [{ ending, from, until }] : []
    }),
  )
}
