import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { address } from '../../../src/domain/evm/address.ts'
import { hexSize } from '../../../src/domain/evm/hex.ts'
import { encodeParams, paramsId } from '../../../src/domain/programmatic/params.ts'
import {
  endedParts,
  hasScheduleEnded,
  twapAt,
  twapPart,
  twapPartByEnd,
  twapParts,
  twapSchedule,
} from '../../../src/domain/programmatic/twap.ts'
import { orderStructHash, orderUid } from '../../../src/domain/signing/signing.ts'
import { numbered, settlement, signingDomain } from '../../fakes/order.ts'
import {
  ids,
  inputs,
  type Name,
  owner,
  paramsOf,
  parts,
  scheduled,
  scheduleOf,
  twapInput,
} from './vectors.ts'

test.each(Object.entries(ids))('the id of %s', (name, id) => {
  expect(paramsId(paramsOf(name as Name))).toBe(id)
  expect(hexSize(encodeParams(paramsOf(name as Name)))).toBe(480)
})

test.each(parts)('%s%d has its window, digest and UID', (name, index, validFrom, validTo, digest) => {
  const part = twapPart(scheduleOf(name), index)
  expect(part).toMatchObject({ index, validFrom, validTo })
  const uid = `${digest}${owner.slice(2)}${validTo.toString(16)}`
  expect(part && orderUid(signingDomain, part.order, owner)).toBe(uid)
})

test('the struct hash of A0', () => {
  const [part] = twapParts(scheduleOf('A'), 0, 1)
  expect(part && orderStructHash(part.order)).toBe(
    '0x9321a29d1bbe2788548e9ff4bcef5f330b03e89c30250e8432c564dac73c41c9',
  )
})

test('the UIDs of an order on Gnosis', () => {
  const ownerOnGnosis = address('0x62587918b2f00176646679509217a5a4d1ebbfd5')
  const schedule = scheduled({
    sellToken: '0xaf204776c7245bf4147c2612bf6e5972ee483701',
    buyToken: '0x177127622c4a00f3d409b75571e12cb3c8973d3c',
    receiver: '0x016f34d4f2578c3e9dffc3f2b811ba30c0c9e7f3',
    partSellAmount: 100_000_000_000_000_000n,
    minPartLimit: 776_195_194_471_677_430n,
    t0: 1_782_860_530n,
    n: 2n,
    t: 120n,
    span: 0n,
    appData: '0xf248f0d7eee2efe935d59e82d615db8d2a47f7929698e4712416cb608e8877d9',
  })
  const uids = twapParts(schedule, 0, 10).map(({ order }) =>
    orderUid({ chainId: 100, settlement }, order, ownerOnGnosis),
  )
  expect(uids).toEqual([
    '0x693a30318b8208f78b5028b237bb3cf3cef8c7c7c5a74773b02d4a0dec6f334762587918b2f00176646679509217a5a4d1ebbfd56a444b69',
    '0x4f44aa86f906fc8b796a602e1cbf6edba7a0542c0d842a64e2108237f430098c62587918b2f00176646679509217a5a4d1ebbfd56a444be1',
  ])
})

/** The answer in short: the message, or the number of the part. */
function answerAt(name: Name, now: number) {
  const answer = twapAt(scheduleOf(name), now)
  return answer.state === 'part' ? `${name}${answer.part.index}` : answer.message
}

describe('at a time', () => {
  test.each([
    [1799999999, 'before twap start', 'before twap start'],
    [1800000000, 'A0', 'B0'],
    [1800000599, 'A0', 'B0'],
    [1800000600, 'A0', 'not within span'],
    [1800003599, 'A0', 'not within span'],
    [1800003600, 'A1', 'B1'],
    [1800011399, 'A3', 'B3'],
    [1800011400, 'A3', 'not within span'],
    [1800014399, 'A3', 'not within span'],
    [1800014400, 'after twap finish', 'after twap finish'],
  ])('%d: %s and %s', (now, ofA, ofB) => {
    expect([answerAt('A', now), answerAt('B', now)]).toEqual([ofA, ofB])
  })

  test('with an empty cabinet all is over', () => {
    expect(twapAt(scheduled(inputs.C), 1_700_000_000)).toEqual({
      state: 'finished',
      message: 'after twap finish',
    })
  })
})

describe('static rules', () => {
  const max = 2n ** 32n - 1n
  test.each<[string, Partial<typeof inputs.A>]>([
    ['same token', { buyToken: inputs.A.sellToken }],
    ['same token', { sellToken: numbered('00'), buyToken: numbered('00'), n: 0n }],
    ['invalid token', { sellToken: numbered('00') }],
    ['invalid token', { buyToken: numbered('00'), partSellAmount: 0n }],
    ['invalid part sell amount', { partSellAmount: 0n, minPartLimit: 0n }],
    ['invalid min part limit', { minPartLimit: 0n, t0: max }],
    ['invalid start time', { t0: max, n: 1n }],
    ['invalid start time', { t0: maxUint256 }],
    ['invalid num parts', { n: 1n, t: 0n }],
    ['invalid num parts', { n: max + 1n }],
    ['invalid frequency', { t: 0n, span: 1n }],
    ['invalid frequency', { t: 31_536_001n, span: maxUint256 }],
    ['invalid span', { span: 3_601n }],
  ])('%s', (fault, change) => {
    expect(twapSchedule(twapInput(change), 0n)).toEqual({ fault })
  })

  test('at their bounds hold', () => {
    const bounds = { t0: max - 1n, n: max, t: 31_536_000n, span: 31_536_000n }
    const amounts = { partSellAmount: 1n, minPartLimit: 1n, receiver: numbered('00') }
    expect(scheduled(twapInput({ ...bounds, ...amounts }))).toMatchObject({ parts: Number(max) })
    expect(scheduled(twapInput({ n: 2n, t: 1n, span: 1n }))).toMatchObject({ parts: 2 })
  })

  test('take the start from the cabinet only without t0', () => {
    expect(scheduled(inputs.C, 7n).start).toBe(7)
    expect(scheduled(inputs.A, 7n).start).toBe(1_800_000_000)
    expect(twapSchedule(inputs.C, max)).toEqual({ fault: 'invalid start time' })
  })
})

describe('near the end of 32 bits', () => {
  const schedule = scheduled(twapInput({ t0: 4_294_967_000n, t: 100n, n: 2n ** 32n - 1n, span: 96n }))

  test('parts that cannot be signed are left out', () => {
    expect(schedule.signableParts).toBe(3)
    expect(twapParts(schedule, 1, 9).map(({ validTo }) => validTo)).toEqual([4_294_967_195, 4_294_967_295])
    expect(twapPart(schedule, 3)).toBeUndefined()
  })

  test('the handler fails in the windows of those', () => {
    const at = (now: number) => twapAt(schedule, now)
    expect(at(4_294_967_295)).toMatchObject({ state: 'part', part: { index: 2 } })
    expect(at(4_294_967_296)).toEqual({ state: 'outsideSpan', message: 'not within span', next: null })
    expect(at(4_294_967_300)).toEqual({
      state: 'overflow',
      message: "SafeCast: value doesn't fit in 32 bits",
    })
    expect([4_294_967_295, 4_294_967_296, 4_294_967_300].map((now) => hasScheduleEnded(at(now)))).toEqual([
      false,
      true,
      true,
    ])
  })

  test('an order may have none at all', () => {
    const late = scheduled(twapInput({ t0: 4_294_967_294n }))
    expect([late.signableParts, twapParts(late, 0, 9), endedParts(late, 4_294_967_294)]).toEqual([0, [], 0])
    expect(twapAt(late, 4_294_967_294).state).toBe('overflow')
  })
})

test('a page of the parts of four billion costs no more than its length', () => {
  const schedule = scheduled(twapInput({ t0: 1n, t: 1n, n: 2n ** 32n - 1n }))
  expect(
    twapParts(schedule, 4_000_000_000, 2).map(({ index, validFrom, validTo }) => [index, validFrom, validTo]),
  ).toEqual([
    [4_000_000_000, 4_000_000_001, 4_000_000_001],
    [4_000_000_001, 4_000_000_002, 4_000_000_002],
  ])
  expect(schedule.signableParts).toBe(4_294_967_295)
  expect(endedParts(schedule, 4_000_000_001)).toBe(4_000_000_000)
})

test.each([
  [0, 0],
  [1, 4],
  [5, 0],
])('a page from %d outside has %d parts', (from, length) => {
  expect(twapParts(scheduleOf('A'), from === 0 ? 4 : from - 1, 9)).toHaveLength(length)
})

const word32 = fc.integer({ min: 1, max: 2 ** 32 - 2 })
const schedules = fc
  .record({
    t0: word32,
    n: fc.integer({ min: 2, max: 2 ** 32 - 1 }),
    t: fc.integer({ min: 1, max: 31_536_000 }),
  })
  .chain(({ t0, n, t }) =>
    fc
      .integer({ min: 0, max: t })
      .map((span) =>
        scheduled(twapInput({ t0: BigInt(t0), n: BigInt(n), t: BigInt(t), span: BigInt(span) })),
      ),
  )

test('at any time the part is the one whose window has it', () => {
  fc.assert(
    fc.property(
      schedules,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(40_000_000),
      (schedule, where, past) => {
        const last = schedule.signableParts - 1
        const part = twapPart(schedule, Math.floor(where * last))
        fc.pre(part !== undefined)
        const { index, validFrom, validTo, order } = part
        expect(order.validTo).toBe(validTo)
        expect(validTo).toBeLessThanOrEqual(2 ** 32 - 1)
        for (const now of [validFrom, validTo]) {
          expect(twapAt(schedule, now)).toEqual({ state: 'part', part })
          expect(endedParts(schedule, now)).toBe(index)
        }
        expect(endedParts(schedule, validTo + 1)).toBe(index + 1)
        expect(twapPartByEnd(schedule, validTo)).toEqual(part)
        const before = twapAt(schedule, validFrom - 1)
        const { span, t } = schedule.input
        const isGapless = span === 0n || span === t
        if (index === 0) expect(before).toMatchObject({ state: 'beforeStart', next: validFrom })
        else if (isGapless) expect(before).toMatchObject({ state: 'part', part: { index: index - 1 } })
        else expect(before).toMatchObject({ state: 'outsideSpan', next: validFrom })
        const next = twapPart(schedule, index + 1)
        if (next) expect(next.validFrom).toBeGreaterThan(validTo)
        else expect(hasScheduleEnded(twapAt(schedule, validTo + 1 + past))).toBe(true)
      },
    ),
  )
})

test('no part ends at another time', () => {
  const schedule = scheduleOf('B')
  for (const validTo of [1_800_000_598, 1_800_000_600, 1_799_996_999, 1_800_014_999, 0]) {
    expect(twapPartByEnd(schedule, validTo)).toBeUndefined()
  }
})
