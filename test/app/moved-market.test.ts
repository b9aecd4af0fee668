import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { forwardingTo, startScriptedNode } from '../chain/scripted-node.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

const dollar = 10n ** 6n
/** Where the program puts the code that simulates a trade. */
const tradeCheck = '0x7ade0c4ec0de7ade0c4ec0de7ade0c4ec0de7ade'
const calls = new Interface(['function mint(address to, uint256 value)', 'function sync()'])

let world: World
let pool: Address
/** How many simulations will be made on a market that has just moved. */
let moves = 0
let simulated = 0
beforeAll(async () => {
  world = await startWorld({ roles: ['serve'] })
  pool = await poolOfQuote()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A sale of dollars; no amount is quoted twice. */
let amount = 1_000n * dollar
function wish() {
  const { tokens, accounts } = world.market
  amount += dollar
  const pair = { sellToken: tokens.USDC.address, buyToken: tokens.WETH.address }
  return { ...pair, kind: 'sell', from: accounts[0]?.address, sellAmountBeforeFee: `${amount}` }
}

async function poolOfQuote(): Promise<Address> {
  const { tokens, network } = world.market
  const input = {
    network: network.name,
    sellToken: tokens.USDC.address,
    buyToken: tokens.WETH.address,
    amount: { sellBeforeFee: `${1_000n * dollar}` },
    from: world.market.accounts[0]?.address,
  }
  const query =
    'mutation ($input: QuoteInput!) { quote(input: $input) { route { paths { hops { pool } } } } }'
  const { quote } = await graphql(world.url, query, { input })
  return address(quote.route.paths[0].hops[0].pool)
}

/** More dollars in the pool: calls that were computed before take too much out of it. */
async function moveMarket() {
  const { rpc, market } = world.chain
  const send = (to: Address, data: string) =>
    rpc.call<string>('eth_sendTransaction', [
      { from: market.accounts[0]?.address, to, data, gas: '0x2dc6c0' },
    ])
  await send(market.tokens.USDC.address, calls.encodeFunctionData('mint', [pool, 100n * dollar]))
  const last = await send(pool, calls.encodeFunctionData('sync'))
  await eventually('the market has moved', async () => {
    const receipt = await rpc.call<object | null>('eth_getTransactionReceipt', [last])
    return receipt !== null
  })
}

/**
 * Forwards to the chain; it simulates on the state that it is just making, whatever block is named, as long
 * as there are moves.
 */
async function startBusyNode() {
  const { rpc } = world.chain
  return startScriptedNode(
    forwardingTo(async (method, params) => {
      const [call, , ...more] = params as [{ to?: string }]
      if (method !== 'eth_call' || call.to !== tradeCheck) return rpc.call(method, params)
      simulated++
      if (moves === 0) return rpc.call(method, params)
      moves--
      await moveMarket()
      return rpc.call(method, [call, 'latest', ...more])
    }),
  )
}

test('a quote whose market moves while it is verified is made again on the newer block, once', async () => {
  await using node = await startBusyNode()
  const networks = [{ network: world.market.network, rpcUrl: node.url }]
  const app = await startProgram(world, unlimited, { networks })
  try {
    const { base } = createTrader(app.url ?? '', world.market)
    const quote = (more: object = {}) => request(`${base}/api/v1/quote`, 'POST', { ...wish(), ...more })
    // The first quote reads the whole market.
    await quote()

    const verified = { priceQuality: 'verified', timeout: 15_000 }
    ;[moves, simulated] = [1, 0]
    const { status, body } = await quote(verified)
    expect([status, body.verified, simulated]).toEqual([200, true, 2])

    ;[moves, simulated] = [2, 0]
    expect(await quote(verified)).toMatchObject({ status: 400, body: { errorType: 'NoLiquidity' } })
    expect(simulated).toBe(2)
  } finally {
    await app.close()
  }
}, 30_000)
