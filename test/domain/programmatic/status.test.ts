import { describe, expect, test } from 'vitest'
import {
  type GeneratorFacts,
  generatorState,
  type PartFacts,
  partStatus,
} from '../../../src/domain/programmatic/status.ts'
import { stopLoss } from './samples.ts'
import { cabinetOfC, inputs, start, twapInput } from './vectors.ts'

const facts = (change: Partial<GeneratorFacts> = {}): GeneratorFacts => ({
  decoded: { type: 'TWAP', input: inputs.B },
  isAuthorised: true,
  cabinet: 0n,
  filledParts: 0,
  pollFault: null,
  now: start,
  ...change,
})
const stateOf = (change: Partial<GeneratorFacts>) => generatorState(facts(change))
const ofTwap = (change: Partial<typeof inputs.A>) => ({ type: 'TWAP', input: twapInput(change) }) as const
const nextBlock = { when: 'nextBlock' } as const
const atEpoch = (time: number) => ({ when: 'atEpoch', time }) as const

describe('a TWAP', () => {
  test.each<[string, Partial<GeneratorFacts>, ReturnType<typeof generatorState>]>([
    ['in a window', {}, { status: 'active', reason: null, next: nextBlock }],
    ['removed', { isAuthorised: false }, { status: 'cancelled', reason: null, next: null }],
    [
      'removed, whose terms are broken',
      { isAuthorised: false, decoded: ofTwap({ n: 1n }) },
      { status: 'cancelled', reason: null, next: null },
    ],
    [
      'with broken terms',
      { decoded: ofTwap({ n: 1n }) },
      { status: 'invalid', reason: 'invalid num parts', next: null },
    ],
    [
      'whose input does not decode',
      { decoded: { type: 'TWAP', input: null, decodeError: 'invalid_static_input' } },
      { status: 'invalid', reason: 'invalid_static_input', next: null },
    ],
    [
      'without a start',
      { decoded: { type: 'TWAP', input: inputs.C } },
      { status: 'invalid', reason: 'after twap finish', next: null },
    ],
    [
      'with the start of its cabinet',
      { decoded: { type: 'TWAP', input: inputs.C }, cabinet: cabinetOfC },
      { status: 'scheduled', reason: 'before twap start', next: atEpoch(Number(cabinetOfC)) },
    ],
    [
      'before its start',
      { now: start - 1 },
      { status: 'scheduled', reason: 'before twap start', next: atEpoch(start) },
    ],
    [
      'between windows',
      { now: start + 600, filledParts: 1 },
      { status: 'active', reason: 'not within span', next: atEpoch(start + 3600) },
    ],
    [
      'in its last second',
      { now: start + 3 * 3600 + 599 },
      { status: 'active', reason: null, next: nextBlock },
    ],
    [
      'after its last window',
      { now: start + 3 * 3600 + 600 },
      { status: 'expired', reason: null, next: null },
    ],
    [
      'after its end',
      { now: start + 4 * 3600, filledParts: 3 },
      { status: 'partlyFilled', reason: null, next: null },
    ],
    ['filled', { now: start + 4 * 3600, filledParts: 4 }, { status: 'filled', reason: null, next: null }],
    [
      'filled in its last window',
      { now: start + 3 * 3600, filledParts: 4 },
      { status: 'filled', reason: null, next: null },
    ],
    [
      'that its wallet refuses',
      { pollFault: { error: 'InvalidFallbackHandler' } },
      { status: 'active', reason: 'InvalidFallbackHandler', next: nextBlock },
    ],
    [
      'whose handler cannot have said PollNever',
      { pollFault: { error: 'PollNever', message: 'no' } },
      { status: 'active', reason: 'no', next: nextBlock },
    ],
  ])('%s', (_name, change, state) => {
    expect(stateOf(change)).toEqual(state)
  })
})

describe('another order', () => {
  const unknown = { type: 'Unknown', input: null } as const
  const ofStopLoss = { type: 'StopLoss', input: stopLoss } as const
  const last = stopLoss.validTo
  test.each<[string, Partial<GeneratorFacts>, ReturnType<typeof generatorState>]>([
    ['never polled', { decoded: unknown }, { status: 'active', reason: null, next: nextBlock }],
    ['removed', { decoded: unknown, isAuthorised: false }, { status: 'cancelled', reason: null, next: null }],
    [
      'ended by its handler',
      { decoded: unknown, pollFault: { error: 'PollNever', message: 'done' } },
      { status: 'ended', reason: 'done', next: null },
    ],
    [
      'not valid now',
      { decoded: unknown, pollFault: { error: 'OrderNotValid', message: 'not funded' } },
      { status: 'active', reason: 'not funded', next: nextBlock },
    ],
    [
      'that waits',
      { decoded: unknown, pollFault: { error: 'PollTryAtEpoch', at: 9n, message: '' } },
      { status: 'active', reason: 'PollTryAtEpoch', next: atEpoch(9) },
    ],
    [
      'stop loss in its last second',
      { decoded: ofStopLoss, now: last },
      { status: 'active', reason: null, next: nextBlock },
    ],
    [
      'stop loss that expired',
      { decoded: ofStopLoss, now: last + 1 },
      { status: 'expired', reason: null, next: null },
    ],
    [
      'stop loss that traded',
      { decoded: ofStopLoss, now: last + 1, filledParts: 1 },
      { status: 'filled', reason: null, next: null },
    ],
    [
      'backing of Circles that expired',
      { decoded: { type: 'CirclesBackingOrder', input: { ...stopLoss, validTo: start - 1 } } },
      { status: 'expired', reason: null, next: null },
    ],
  ])('%s', (_name, change, state) => {
    expect(stateOf(change)).toEqual(state)
  })
})

test.each<[Partial<PartFacts>, ReturnType<typeof partStatus>]>([
  [{}, 'notPosted'],
  [{ inBook: 'open' }, 'open'],
  [{ inBook: 'cancelled' }, 'cancelled'],
  [{ inBook: 'fulfilled' }, 'filled'],
  [{ now: start - 1 }, 'scheduled'],
  [{ now: start + 599 }, 'notPosted'],
  [{ now: start + 600, inBook: 'open' }, 'expired'],
  [{ isFilled: true, isInvalidated: true, isAuthorised: false, now: start + 600 }, 'filled'],
  [{ isInvalidated: true, now: start + 600 }, 'cancelled'],
  [{ isAuthorised: false, now: start - 1 }, 'cancelled'],
  [{ isAuthorised: false, now: start + 599, inBook: 'open' }, 'cancelled'],
  [{ isAuthorised: false, now: start + 600 }, 'expired'],
])('a part with %j is %s', (change, status) => {
  const part: PartFacts = {
    validFrom: start,
    validTo: start + 599,
    now: start,
    isFilled: false,
    isInvalidated: false,
    isAuthorised: true,
    inBook: null,
    ...change,
  }
  expect(partStatus(part)).toBe(status)
})
