import { describe, expect, test } from 'vitest'
import { diagnosisOf } from '../../../src/domain/programmatic/diagnosis.ts'
import { again, partPlaced, pollFailed, type Rhythm } from '../../../src/domain/programmatic/poll.ts'

const at = { number: 100, timestamp: 1_000_000 }
const rhythm = (change: Partial<Rhythm> = {}): Rhythm => ({
  at,
  blockTime: 12,
  ...change,
})
const nextBlock = { time: at.timestamp, block: 101 }
const later = (seconds: number) => ({ time: at.timestamp + seconds, block: 101 })
const failed = (repeats: number) => ({ result: 'failed', repeats }) as const

describe('the pause after a result that may pass', () => {
  test.each([
    [0, nextBlock],
    [1, later(24)],
    [2, later(48)],
    [6, later(600)],
    [1_000, later(600)],
  ])('after %i repeats', (times, next) => {
    expect(again('failed', null, rhythm({ last: failed(times) }))).toEqual({
      result: 'failed',
      reason: null,
      next,
    })
  })

  test('is at most a quarter of what is left of the part', () => {
    const window = { end: at.timestamp + 100, after: null }
    expect(again('failed', null, rhythm({ last: failed(9), window })).next).toEqual(later(25))
  })

  test('is at most 30 seconds for missing funds', () => {
    const last = { result: 'insufficientBalance', repeats: 9 } as const
    expect(again('insufficientBalance', null, rhythm({ last })).next).toEqual(later(30))
  })

  test('grows while code fails in several ways, or says between that a condition is not met', () => {
    expect(again('unauthorised', null, rhythm({ last: failed(5) })).next).toEqual(later(384))
    const last = { result: 'notMet', repeats: 1 } as const
    expect(again('failed', null, rhythm({ last, failures: 5 })).next).toEqual(later(384))
    expect(again('notMet', null, rhythm({ last: failed(5), failures: 5 })).next).toEqual(nextBlock)
  })

  test('ends at the start of the next part', () => {
    const window = { end: at.timestamp, after: at.timestamp + 50 }
    expect(again('refused', 'a', rhythm({ window })).next).toEqual({ time: at.timestamp + 50, block: null })
  })
})

describe('reverts', () => {
  test('a PollNever does not end a TWAP whose part can be traded', () => {
    const never = { error: 'PollNever', message: 'over' } as const
    const window = { end: at.timestamp + 900, after: null }
    expect(pollFailed(never, rhythm())).toEqual({ result: 'ended', reason: 'PollNever: over', next: null })
    expect(pollFailed(never, rhythm({ window }))).toMatchObject({ result: 'notMet', next: nextBlock })
  })

  test('a time or a block that has passed counts as the next block', () => {
    const past = { message: '', at: 100n } as const
    expect(pollFailed({ ...past, error: 'PollTryAtEpoch' }, rhythm()).next).toEqual(nextBlock)
    expect(pollFailed({ ...past, error: 'PollTryAtBlock' }, rhythm()).next).toEqual(nextBlock)
    expect(pollFailed({ ...past, at: 110n, error: 'PollTryAtBlock' }, rhythm()).next).toEqual({
      time: at.timestamp + 60,
      block: 110,
    })
  })

  test('the next block has no pause, however often', () => {
    const soon = { error: 'PollTryNextBlock', message: '' } as const
    expect(pollFailed(soon, rhythm({ last: { result: 'notMet', repeats: 9 } })).next).toEqual(nextBlock)
  })
})

describe('a part in the book', () => {
  test('is followed by the start of the next one', () => {
    const window = { end: at.timestamp + 10, after: at.timestamp + 50 }
    expect(partPlaced(rhythm({ window }), window.end).next).toEqual({ time: at.timestamp + 50, block: null })
  })

  test('of another handler is looked at again, at the latest after its end', () => {
    const last = { result: 'placed', repeats: 9 } as const
    expect(partPlaced(rhythm({ last }), at.timestamp + 1_000).next).toEqual(later(30))
    expect(partPlaced(rhythm({ last }), at.timestamp + 5).next).toEqual(later(6))
  })
})

test('a diagnosis quotes the rule, the start and the answer', () => {
  const active = {
    ...({ status: 'active', fault: null, startsAt: null, pollAt: 1_800_000_000 } as const),
    ...({ pollResult: 'waiting', pollReason: 'PollTryAtEpoch: later' } as const),
    isFollowed: false,
    isBooked: false,
    ...({ type: 'TWAP', endsAt: 1_800_000_999, partStatus: null } as const),
  }
  expect(diagnosisOf({ ...active, status: 'invalid', fault: 'same token' })).toEqual({
    code: 'invalid',
    text: 'Its terms break a rule of its handler, so that it can never trade. The rule: “same token”.',
  })
  expect(diagnosisOf({ ...active, status: 'scheduled', startsAt: 1_800_000_000 }).text).toBe(
    'Its first part can be traded later. It starts at 2027-01-15 08:00:00 UTC.',
  )
  expect(diagnosisOf(active).text).toBe(
    'No part can be traded before a later time or block. The answer: “PollTryAtEpoch: later”. Not before 2027-01-15 08:00:00 UTC.',
  )
  expect(diagnosisOf({ ...active, pollResult: null }).code).toBe('notPolled')
  const followed = { ...active, pollResult: null, isFollowed: true }
  expect(diagnosisOf({ ...followed, isBooked: true }).code).toBe('placed')
  expect(diagnosisOf(followed)).toEqual({
    code: 'placedElsewhere',
    text: 'The network follows an order book, whose watch towers place its parts. No part that can be traded now is known there.',
  })
  expect(diagnosisOf({ ...followed, status: 'cancelled' }).code).toBe('removed')

  const placed = { ...active, pollResult: 'placed', pollReason: null } as const
  expect(diagnosisOf({ ...placed, partStatus: 'open' }).code).toBe('placed')
  expect(diagnosisOf({ ...placed, partStatus: 'fulfilled' })).toEqual({
    code: 'partFilled',
    text: 'Its part is filled. The next can be traded from 2027-01-15 08:00:00 UTC on.',
  })
  expect(diagnosisOf({ ...placed, partStatus: 'fulfilled', endsAt: 1_799_999_999 }).text).toBe(
    'Its part is filled. No further part follows.',
  )
  expect(diagnosisOf({ ...placed, partStatus: 'cancelled', type: 'StopLoss' })).toEqual({
    code: 'partEnded',
    text: 'Its part was cancelled or has expired before it was filled. Its handler is polled for the next one from 2027-01-15 08:00:00 UTC on.',
  })
  expect(diagnosisOf({ ...placed, partStatus: 'fulfilled', pollAt: 0, type: 'Unknown' }).text).toBe(
    'Its part is filled.',
  )
})
