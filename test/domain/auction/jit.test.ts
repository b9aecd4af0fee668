import { expect, test } from 'vitest'
import { directedPair } from '../../../src/domain/auction/score.ts'
import {
  type Proposal,
  toJitEntry,
  toLiquidityOrder,
  tradable,
} from '../../../src/domain/auction/solution.ts'
import {
  auctionOrder,
  dollar,
  numbered,
  sampleAuction,
  sampleOrder,
  settlement,
  wrapped,
} from '../../fakes/order.ts'

const { uid, owner, signature, ...data } = sampleOrder({ signature: '0x1234' })

test('an order of a solver has no history and no fees', () => {
  const order = toLiquidityOrder(
    { data, uid, owner, signingScheme: 'eip1271', signature },
    { chainId: 5, settlement },
  )
  const { id, chainId, signingScheme, effectiveValidTo, creationDate, executedFeeToken } = order
  expect([id, chainId, order.class, signingScheme, order.signature]).toEqual([
    0n,
    5,
    'liquidity',
    'eip1271',
    '0x1234',
  ])
  expect([effectiveValidTo, creationDate, executedFeeToken]).toEqual([data.validTo, new Date(0), wrapped])
  expect([order.cancelledAt, order.invalidatedOnChain, order.presigned, order.fullBalanceCheck]).toEqual([
    null,
    false,
    false,
    false,
  ])
  expect(order.interactions).toEqual({ pre: [], post: [] })
  // Its signature is checked by a contract, and it may be paid in the native coin.
  expect(toJitEntry(order, true)).toEqual({
    order,
    remaining: 10n ** 18n,
    feePolicies: [],
    extraGas: 36_223n,
  })
  expect(toJitEntry({ ...order, kind: 'buy' }, false)).toMatchObject({
    remaining: 2_900n * 10n ** 6n,
    extraGas: 27_000n,
  })
})

test('a proposal may trade the orders of the auction, and its own', () => {
  const auction = sampleAuction([auctionOrder()])
  const proposal: Proposal = { prices: new Map(), trades: [], interactions: [], gas: 0n }
  const own = auctionOrder({ owner: numbered('11') })
  expect(tradable(auction, proposal)).toEqual(auction.orders)
  expect(tradable(auction, { ...proposal, jitOrders: [own] })).toEqual([...auction.orders, own])
})

test('a pair has a direction', () => {
  expect(directedPair(wrapped, dollar)).toBe(`${wrapped}>${dollar}`)
})
