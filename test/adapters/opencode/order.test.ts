import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOrder, tieOf } from '../../../src/adapters/opencode/order.ts'
import { orderBehind } from '../../../src/model/order.ts'
import { idAt } from './store.ts'

/** The first millisecond whose ids begin at 0 again: 2^48 ticks of 1/4096 ms are over on 2026-08-14. */
const WRAP = Math.round(Date.UTC(2026, 7, 14, 11, 19, 55) / 2 ** 36) * 2 ** 36

describe('the order of messages', () => {
  it('is by time, then by id, on both sides of the day when ids wrapped and across it', () => {
    const moment = fc.integer({ min: -5000, max: 5000 }).map((offset) => WRAP + offset)
    const entry = fc.tuple(moment, fc.integer({ min: 0, max: 4095 }))
    fc.assert(
      fc.property(entry, entry, ([a, m], [b, n]) => {
        const isBefore = a < b || (a === b && m < n)
        const [left, right] = [messageOrder(idAt('msg', a, m), a), messageOrder(idAt('msg', b, n), b)]
        return isBefore === left < right
      }),
    )
  })

  it('ties by id where two ids around the wrap carry one time', () => {
    const before = idAt('msg', WRAP - 1)
    const after = idAt('msg', WRAP)
    expect(before > after).toBe(true)
    expect(messageOrder(before, WRAP) < messageOrder(after, WRAP)).toBe(true)
  })

  it('takes ids of another form into the middle', () => {
    expect(messageOrder('strange', WRAP) > messageOrder(idAt('msg', WRAP - 9), WRAP)).toBe(true)
    expect(messageOrder('strange', WRAP) < messageOrder(idAt('msg', WRAP + 9), WRAP)).toBe(true)
  })

  it('keeps what was split off a message before the next one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4094 }), fc.integer({ min: 0, max: 4095 }), (m, part) => {
        const first = messageOrder(idAt('msg', WRAP, m), WRAP)
        const next = messageOrder(idAt('msg', WRAP, m + 1), WRAP)
        const split = orderBehind(first, tieOf(idAt('prt', WRAP + 800, part), WRAP))
        return first < split && split < next
      }),
    )
  })
})
