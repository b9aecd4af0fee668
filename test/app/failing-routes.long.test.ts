import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { deployOdd } from '../chain/odd-tokens.ts'
import type { Evm } from '../setup/evm.ts'
import { type HeldAuctions, type Listed, startHeldAuctions } from '../setup/held-auctions.ts'
import { graphql, request } from '../setup/trader.ts'

const ether = 10n ** 18n

let stage: HeldAuctions
beforeAll(async () => {
  stage = await startHeldAuctions()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** What a trade names that fails apart from the order. */
const named = (failing: { token: Address } | { pool: Address }, failure: string) => {
  const isToken = 'token' in failing
  return {
    standing: {
      isInAuctions: !isToken,
      reason: isToken ? 'SETTLEMENT_FAILED' : null,
      failure,
      failingToken: isToken ? failing.token : null,
      failingPool: isToken ? null : failing.pool,
    },
    diagnosis: {
      code: 'TRADES_FAIL',
      summary: `Trades ${isToken ? `of the token ${failing.token}` : `through the pool ${failing.pool}`} fail: ${failure}.`,
      evidence: [
        isToken
          ? { __typename: 'TokenEvidence', token: { address: failing.token } }
          : { __typename: 'PoolEvidence', pool: failing.pool },
        { __typename: 'RevertEvidence' },
      ],
    },
  }
}

const plenty = 1_000n * ether

test('an order that is filled at exactly its limit, since its token has no decimals, wins with a score of 0', async () => {
  const token = await stage.listed('PlainToken', 300n)
  const uid = await stage.place(await stage.trader(), { buyToken: token.address, buyAmount: 2n })
  expect(await stage.auctions(1)).toBe(1)
  expect(await request(`${stage.world.url}/sepolia/api/v1/orders/${uid}`)).toMatchObject({
    body: { status: 'fulfilled', executedBuyAmount: '2' },
  })
  const { order } = await graphql(
    stage.world.url,
    `query ($uid: OrderUid!) { order(network: SEPOLIA, uid: $uid) {
      auctions(first: 1) { nodes { solutions { score isWinner } } } } }`,
    { uid },
  )
  expect(order.auctions.nodes).toEqual([{ solutions: [{ score: '0', isWinner: true }] }])
})

describe('a settlement that fails with no order at fault', () => {
  test('because a pool cannot pay out a token that returns nothing pauses the pool', async () => {
    const token = await stage.listed('SilentToken')
    const signer = await stage.trader()
    const uid = await stage.place(signer, { buyToken: token.address, buyAmount: plenty })
    expect(await stage.auctions(12)).toBe(0)
    expect(await stage.stands(uid)).toEqual(named({ pool: token.pool }, 'reverted'))
    expect(await stage.eventsOf(uid)).toEqual(['created', 'ready'])
    // An order that comes later is never tried in vain, and is not blamed.
    const later = await stage.place(await stage.trader(), { buyToken: token.address, buyAmount: 2n * plenty })
    await stage.auction()
    expect((await stage.stands(later)).diagnosis.code).toBe('TRADES_FAIL')
  })

  test.each([
    ['is paused', 'cannot be transferred', (token: Listed) => token.write('setPaused', [true])],
    [
      'blocks the settlement contract',
      'StrictToken: no',
      (token: Listed) => token.write('freeze', [stage.world.market.network.settlement]),
    ],
    [
      'returns false from now on',
      'cannot be transferred',
      async (token: Listed) => {
        const { address: model } = await deployOdd(stage.evm() as Evm, 'FalseToken')
        const code = await stage.world.chain.rpc.call<Hex>('eth_getCode', [model, 'latest'])
        await stage.world.chain.rpc.call('anvil_setCode', [token.address, code])
      },
    ],
  ])('because a token %s pauses the token, whoever buys or sells it', async (_, failure, spoil) => {
    const token = await stage.listed('StrictToken')
    const [buyer, seller, other] = [
      await stage.trader(),
      await stage.trader(token.address),
      await stage.trader(),
    ]
    await token.write('mint', [seller.address, 10_000n * ether])
    const { USDC } = stage.world.market.tokens
    const orders = [
      await stage.place(buyer, { buyToken: token.address, buyAmount: plenty }),
      await stage.place(seller, {
        sellToken: token.address,
        sellAmount: 9_000n * ether,
        buyAmount: ether / 10n,
      }),
    ]
    await spoil(token)
    const beside = await stage.place(other, { buyToken: USDC.address, buyAmount: 2_000_000_000n })
    expect(await stage.auctions(1)).toBe(1)
    expect(await stage.statusOf(beside)).toBe('fulfilled')
    expect(await stage.auctions(7)).toBe(0)
    for (const uid of orders)
      expect(await stage.stands(uid)).toEqual(named({ token: token.address }, failure))
    for (const uid of orders) expect(await stage.eventsOf(uid)).not.toContain('executing')
  })

  test('tries a token again by itself, and trades it once it works', async () => {
    const token = await stage.listed('StrictToken')
    const uid = await stage.place(await stage.trader(), { buyToken: token.address, buyAmount: plenty })
    await token.write('setPaused', [true])
    expect(await stage.auctions(6)).toBe(0)
    await token.write('setPaused', [false])
    expect(await stage.afterPauses()).toBe(1)
    expect(await stage.statusOf(uid)).toBe('fulfilled')
    expect(await stage.eventsOf(uid)).toEqual(['created', 'ready', 'executing', 'traded'])
  })

  test('because a pool refuses large amounts pauses the order alone', async () => {
    const token = await stage.listed('PlainToken')
    await stage.refuseAbove(token.pool, 100_000n * ether)
    const large = await stage.place(await stage.trader(), {
      buyToken: token.address,
      sellAmount: 10n * ether,
      buyAmount: 100n * plenty,
    })
    expect(await stage.auctions(4)).toBe(0)
    expect(await stage.stands(large)).toMatchObject({
      standing: { isInAuctions: false, reason: 'SETTLEMENT_FAILED', failingPool: token.pool },
      diagnosis: { code: 'TRADES_FAIL' },
    })
    const small = await stage.place(await stage.trader(), { buyToken: token.address, buyAmount: plenty })
    // It may share a settlement with the large one first, which then waits longer.
    await stage.auctions(8)
    expect(await stage.statusOf(small)).toBe('fulfilled')
  })

  test('because the buy token refuses the receiver pauses that order alone', async () => {
    const token = await stage.listed('StrictToken')
    const [blocked, other] = [await stage.trader(), await stage.trader()]
    await token.write('freeze', [blocked.address])
    const refused = await stage.place(blocked, { buyToken: token.address, buyAmount: plenty })
    const beside = await stage.place(other, { buyToken: token.address, buyAmount: plenty })
    await stage.auctions(6)
    expect(await stage.statusOf(beside)).toBe('fulfilled')
    expect((await stage.stands(refused)).diagnosis).toMatchObject({
      code: 'SETTLEMENT_REVERTS',
      summary: 'A settlement of the order alone fails: StrictToken: no.',
    })
    expect(await stage.eventsOf(refused)).toEqual(['created', 'ready'])
  })
})
