import { describe, expect, test } from 'vitest'
import { address } from '../../../src/domain/evm/address.ts'
import { hexSize } from '../../../src/domain/evm/hex.ts'
import { encodeParams, paramsId } from '../../../src/domain/programmatic/params.ts'
import { twapAt, twapPart, twapParts } from '../../../src/domain/programmatic/twap.ts'
import { orderStructHash, orderUid } from '../../../src/domain/signing/signing.ts'
import { settlement, signingDomain } from '../../fakes/order.ts'
import { ids, inputs, type Name, owner, paramsOf, parts, scheduled, scheduleOf } from './vectors.ts'

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
    ...{ t0: 1_782_860_530n, n: 2n, t: 120n, span: 0n },
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
      ...{ state: 'finished', message: 'after twap finish' },
    })
  })
})
