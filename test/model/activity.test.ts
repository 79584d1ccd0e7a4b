import { describe, expect, it } from 'vitest'
import {
  activityAt,
  agesOf,
  isLiveAt,
  nextShift,
  SESSION_ACTIVITIES,
  SESSION_ENDINGS,
  type SessionEnding,
} from '../../src/model/activity.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const T = Date.UTC(2026, 10, 30)
const end = (ending: SessionEnding) => ({ ending, endedAt: T - 5, changedAt: T })

describe('what an agent does', () => {
  it.each([
    ['NONE', 0, 'IDLE'],
    ['UNANSWERED', 9 * MINUTE, 'WORKING'],
    ['UNANSWERED', 10 * MINUTE, 'IDLE'],
    ['CALLING', 59 * MINUTE, 'WORKING'],
    ['CALLING_OR_ASKING', MINUTE, 'WORKING'],
    ['CALLING_OR_ASKING', 2 * MINUTE, 'AWAITING_APPROVAL'],
    ['CALLING_OR_ASKING', DAY, 'IDLE'],
    ['ASKING', 0, 'AWAITING_APPROVAL'],
    ['ANSWERED', 0, 'AWAITING_INPUT'],
    ['ANSWERED', DAY - 1, 'AWAITING_INPUT'],
    ['ANSWERED', DAY, 'IDLE'],
    ['FAILED', MINUTE, 'FAILED'],
  ] as const)('after %s for %d ms it is %s', (ending, age, activity) => {
    expect(activityAt(end(ending), T + age).activity).toBe(activity)
  })

  it('has lasted since the end of the session, or since time made it so', () => {
    expect(activityAt(end('CALLING_OR_ASKING'), T + 1).since).toBe(T - 5)
    expect(activityAt(end('CALLING_OR_ASKING'), T + 5 * MINUTE).since).toBe(T + 2 * MINUTE)
    expect(activityAt(end('ANSWERED'), T + 3 * DAY).since).toBe(T + DAY)
  })

  it('shifts exactly when it is said to, and for the last time when nothing is said', () => {
    for (const ending of SESSION_ENDINGS) {
      let now = T
      for (let next = nextShift(end(ending), now); next !== null; next = nextShift(end(ending), now)) {
        const state = (at: number) => [activityAt(end(ending), at).activity, isLiveAt(end(ending), at)]
        expect(state(next - 1)).toEqual(state(now))
        expect(state(next)).not.toEqual(state(now))
        now = next
      }
      expect(activityAt(end(ending), now + 1000 * DAY)).toEqual(activityAt(end(ending), now))
    }
  })

  it('is found by ages as it is told', () => {
    for (const age of [0, MINUTE, 2 * MINUTE, 10 * MINUTE - 1, 10 * MINUTE, 61 * MINUTE, DAY, 9 * DAY])
      for (const ending of SESSION_ENDINGS)
        for (const activity of SESSION_ACTIVITIES) {
          const isFound = agesOf([activity]).some((of) => of.ending === ending && age >= of.from && age < of.until)
          expect([ending, age, activity, isFound]).toEqual([
            ending,
            age,
            activity,
            activityAt(end(ending), T + age).activity === activity,
          ])
        }
  })
})
