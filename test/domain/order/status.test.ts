import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isFulfilled, orderStatus, type StatusInput } from '../../../src/domain/order/status.ts'

const now = 1_000
const small = fc.bigInt({ min: 0n, max: 3n })
const facts: fc.Arbitrary<StatusInput> = fc.record({
  kind: fc.constantFrom('buy', 'sell'),
  sellAmount: fc.bigInt({ min: 1n, max: 3n }),
  buyAmount: fc.bigInt({ min: 1n, max: 3n }),
  executedSellAmount: small,
  executedBuyAmount: small,
  executedFeeAmount: fc.bigInt({ min: 0n, max: 1n }),
  cancelledAt: fc.option(fc.constant(new Date(0))),
  invalidatedOnChain: fc.boolean(),
  effectiveValidTo: fc.constantFrom(now - 1, now, now + 1),
  signingScheme: fc.constantFrom('eip712', 'ethsign', 'presign', 'eip1271'),
  presigned: fc.boolean(),
})

const open: StatusInput = {
  kind: 'sell',
  sellAmount: 10n,
  buyAmount: 20n,
  executedSellAmount: 0n,
  executedBuyAmount: 0n,
  executedFeeAmount: 0n,
  cancelledAt: null,
  invalidatedOnChain: false,
  effectiveValidTo: now,
  signingScheme: 'eip712',
  presigned: false,
}

it.each([
  ['open in the second of its validTo', {}, 'open'],
  ['expired when its validTo has passed', { effectiveValidTo: now - 1 }, 'expired'],
  ['cancelled', { cancelledAt: new Date(0), effectiveValidTo: now - 1 }, 'cancelled'],
  ['cancelled when invalidated on chain', { invalidatedOnChain: true }, 'cancelled'],
  [
    'fulfilled when filled and then cancelled',
    { executedSellAmount: 10n, cancelledAt: new Date(0) },
    'fulfilled',
  ],
  [
    'fulfilled when filled with a signed fee on top',
    { executedSellAmount: 11n, executedFeeAmount: 1n },
    'fulfilled',
  ],
  [
    'open while the sell amount is short by the fee',
    { executedSellAmount: 10n, executedFeeAmount: 1n },
    'open',
  ],
  ['fulfilled when a buy order is bought in full', { kind: 'buy', executedBuyAmount: 20n }, 'fulfilled'],
  ['open while nothing is filled of an order for nothing', { sellAmount: 0n }, 'open'],
  ['open while nothing is bought by an order for nothing', { kind: 'buy', buyAmount: 0n }, 'open'],
  ['open while a buy order is not bought in full', { kind: 'buy', executedSellAmount: 10n }, 'open'],
  ['presignaturePending without its presignature', { signingScheme: 'presign' }, 'presignaturePending'],
  ['open when presigned', { signingScheme: 'presign', presigned: true }, 'open'],
  [
    'expired when its validTo passed before the presignature',
    { signingScheme: 'presign', effectiveValidTo: 0 },
    'expired',
  ],
] as const)('is %s', (_, change, status) => {
  expect(orderStatus({ ...open, ...change }, now)).toBe(status)
})

it('changes with time only to expired, and never from fulfilled or cancelled', () => {
  fc.assert(
    fc.property(facts, (order) => {
      const [before, after] = [orderStatus(order, now), orderStatus(order, now + 10)]
      const final = before === 'fulfilled' || before === 'cancelled'
      expect(after).toBe(final ? before : 'expired')
      expect(before === 'fulfilled').toBe(isFulfilled(order))
    }),
  )
})
