import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const one = 10n ** 18n
const erc20 = new Interface(['function balanceOf(address) view returns (uint256)'])

let world: World
let trader: ReturnType<typeof createTrader>
beforeAll(async () => {
  world = await startWorld({ environment: { FEE_POLICIES: '[{"kind":"volume","factor":0.01}]' } })
  trader = createTrader(world.url, world.market)
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function contractHolds(symbol: 'WETH' | 'USDC'): Promise<bigint> {
  const { network, tokens } = world.market
  const data = erc20.encodeFunctionData('balanceOf', [network.settlement])
  return BigInt(await world.chain.rpc.call<Hex>('eth_call', [{ to: tokens[symbol].address, data }, 'latest']))
}

function quote(sellToken: string, buyToken: string, size: Record<string, string>) {
  const body = { sellToken, buyToken, from: trader.address, ...size }
  return request(`${trader.base}/api/v1/quote`, 'POST', body)
}

const filled = (uid: string) =>
  eventually(`${uid} is filled`, async () => {
    const order = await trader.order(uid)
    return order.status === 'fulfilled' && order
  })

describe('with default settings, a token sold for itself', () => {
  test.each(['WETH', 'USDC'] as const)('is quoted less the network’s fee, and filled: %s', async (symbol) => {
    const { address, decimals } = world.market.tokens[symbol]
    const amount = 100n * 10n ** BigInt(decimals)
    const { status, body } = await quote(address, address, { kind: 'sell', sellAmountBeforeFee: `${amount}` })
    expect(status).toBe(200)
    const { sellAmount, buyAmount, feeAmount } = body.quote
    // No volume fee, and no pool that could give more: all that is missing is the network's fee.
    expect(BigInt(feeAmount)).toBeGreaterThan(0n)
    expect([buyAmount, BigInt(sellAmount) + BigInt(feeAmount)]).toEqual([sellAmount, amount])

    const held = await contractHolds(symbol)
    const limit = (BigInt(buyAmount) * 99n) / 100n
    const { body: uid } = await trader.place({
      sell: symbol,
      buy: symbol,
      sellAmount: amount,
      buyAmount: limit,
    })
    const order = await filled(uid)
    expect(order.executedSellAmount).toBe(`${amount}`)
    const bought = BigInt(order.executedBuyAmount)
    expect(bought).toBeGreaterThanOrEqual(limit)
    // What the trader does not get stays with the contract: it pays nothing of its own.
    expect((await contractHolds(symbol)) - held).toBe(amount - bought)
  })

  test('the coin is bought with its wrapped form in the same way', async () => {
    const { WETH } = world.market.tokens
    const asked = { kind: 'sell', sellAmountBeforeFee: `${one}` }
    const { status, body } = await quote(WETH.address, nativeMarker, asked)
    expect([status, body.quote.buyAmount]).toEqual([200, body.quote.sellAmount])
  })
})

describe('with default settings, a token bought with itself', () => {
  test('is refused, in quotes and in orders', async () => {
    const { WETH } = world.market.tokens
    const asked = { kind: 'buy', buyAmountAfterFee: `${one}` }
    const quoted = await quote(WETH.address, WETH.address, asked)
    const placed = await trader.place({
      sell: 'WETH',
      buy: 'WETH',
      sellAmount: 2n * one,
      buyAmount: one,
      kind: 'buy',
    })
    for (const { status, body } of [quoted, placed])
      expect([status, body.errorType]).toEqual([400, 'SameBuyAndSellToken'])
  })
})
