import { expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { createDriverAuctionWriter } from '../../../src/solvers/driver/auction.ts'
import { auctionOrder, dollar, numbered, sampleAuction, sampleQuote } from '../../fakes/order.ts'
import golden from './auction.json' with { type: 'json' }

const unit = 10n ** 18n
const call = (digits: string) => ({ target: numbered(digits), value: 1n, callData: '0xabcd' as const })

test('an auction is written as the protocol has it, with what was signed and what is filled', () => {
  const first = auctionOrder({
    interactions: { pre: [call('01')], post: [call('02')] },
    buyToken: nativeMarker,
    sellToken: dollar,
    sellAmount: 3_100_000_000n,
    buyAmount: unit,
    receiver: numbered('0b'),
    creationDate: new Date('2027-01-15T07:59:00.500Z'),
    quote: sampleQuote({
      sellAmount: 3_000_000_000n,
      buyAmount: unit,
      feeAmount: 7n,
      solver: numbered('50'),
    }),
  })
  const second = auctionOrder({
    partiallyFillable: true,
    executedSellAmount: unit / 4n,
    interactions: { pre: [call('01')], post: [] },
  })
  const auction = sampleAuction([
    {
      ...first,
      feePolicies: [
        { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n },
        { kind: 'volume', factor: 200n },
        { kind: 'priceImprovement', factor: 250_000n, maxVolumeFactor: 20_000n },
      ],
    },
    // The balance is enough for a tenth only: the driver reads that itself.
    { ...second, remaining: unit / 10n },
  ])
  const write = createDriverAuctionWriter()
  const text = write(auction, new Date('2027-01-15T08:00:00.000Z'))
  expect(JSON.parse(text)).toEqual(golden)
  expect(write(auction, new Date('2027-01-15T08:00:01.000Z'))).toBe(text)
})
