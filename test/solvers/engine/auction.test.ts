import { expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { createAuctionWriter } from '../../../src/solvers/engine/request.ts'
import { writeNotice } from '../../../src/solvers/outside/notices.ts'
import { samplePool } from '../../fakes/market.ts'
import { auctionOrder, dollar, numbered, sampleAuction, wrapped } from '../../fakes/order.ts'
import golden from './auction.json' with { type: 'json' }

const unit = 10n ** 18n
const call = (digits: string) => ({ target: numbered(digits), value: 1n, callData: '0xabcd' as const })

test('an auction is written as the protocol has it, once for all engines', async () => {
  const first = auctionOrder({
    interactions: { pre: [call('01')], post: [call('02')] },
    buyToken: nativeMarker,
    sellToken: dollar,
    sellAmount: 3_100_000_000n,
    buyAmount: unit,
  })
  const second = auctionOrder({ partiallyFillable: true, executedSellAmount: unit / 4n, quote: null })
  const auction = sampleAuction([
    {
      ...first,
      feePolicies: [
        { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n },
        { kind: 'volume', factor: 200n },
        { kind: 'priceImprovement', factor: 250_000n, maxVolumeFactor: 20_000n },
      ],
    },
    { ...second, remaining: (unit * 3n) / 4n },
  ])
  auction.surplusCapturingOwners = [numbered('0f')]
  const kept: string[] = []
  const write = createAuctionWriter({
    wrappedNative: wrapped,
    tokens: async () => new Map([[dollar, { symbol: 'USDC', decimals: 6 }]]),
    keep: (_, text) => void kept.push(text),
  })
  const deadline = new Date('2027-01-15T08:00:00.000Z')
  const pools = [samplePool('01', wrapped, dollar, 10_000n)]
  const [text] = await Promise.all([write(auction, pools, deadline), write(auction, pools, deadline)])
  expect(JSON.parse(text)).toEqual(golden)
  expect(kept).toEqual([text])
  const more = JSON.parse(
    await write(
      auction,
      pools,
      deadline,
      new Map([
        [dollar, 5n],
        [numbered('ee'), 5n],
      ]),
    ),
  )
  const used = {
    ...golden.tokens[dollar as keyof typeof golden.tokens],
    availableBalance: '5',
    trusted: true,
  }
  expect(more).toEqual({ ...golden, tokens: { ...golden.tokens, [dollar]: used } })
  expect(kept).toEqual([text])
})

test('notices have the members of their kind', () => {
  const about = { auctionId: 7n, solutionIds: [3], reason: 'why' }
  expect(writeNotice({ ...about, kind: 'settlementStarted' })).toEqual({
    auctionId: '7',
    solutionId: 3,
    kind: 'settlementStarted',
  })
  expect(
    writeNotice({ ...about, kind: 'success', solutionIds: [3, 4], extra: { transaction: '0x01' } }),
  ).toEqual({
    auctionId: '7',
    solutionId: [3, 4],
    kind: 'success',
    transaction: '0x01',
  })
  expect(writeNotice({ ...about, kind: 'timeout', solutionIds: [] })).toMatchObject({ solutionId: null })
})
