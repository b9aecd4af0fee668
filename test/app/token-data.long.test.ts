import { AbiCoder, concat, Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { send } from '../setup/sdk.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'

const contracts = new Interface([
  'function getPair(address, address) view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function token0() view returns (address)',
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
])
const oneWeth = 10n ** 18n
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function read<Result>(to: string, method: string, args: unknown[] = []): Promise<Result[]> {
  const data = contracts.encodeFunctionData(method, args)
  const answer = await world.chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])
  return [...contracts.decodeFunctionResult(method, answer)] as Result[]
}

/** Atoms of a token that buy a tenth of a coin from its pool with WETH, with the pool's fee of 0.3 %. */
async function priceOfTenth(symbol: TokenSymbol): Promise<bigint> {
  const { market } = world
  const { WETH, [symbol]: token } = market.tokens
  const [pool = ''] = await read<string>(market.network.poolFactory, 'getPair', [token.address, WETH.address])
  const [first = ''] = await read<string>(pool, 'token0')
  const reserves = (await read<bigint>(pool, 'getReserves')).slice(0, 2)
  if (first.toLowerCase() === WETH.address) reserves.reverse()
  const [reserve = 0n, coins = 0n] = reserves
  const bought = oneWeth / 10n
  return (reserve * bought * 1000n) / ((coins - bought) * 997n) + 1n
}

/** The price of one whole token in dollars, where USDC stands for the dollar. */
async function priceFromPools(symbol: TokenSymbol): Promise<number> {
  const dollars = Number(await priceOfTenth('USDC')) / 1e6
  if (symbol === 'WETH') return dollars * 10
  return dollars / (Number(await priceOfTenth(symbol)) / 10 ** world.market.tokens[symbol].decimals)
}

async function priceOf(chain: string, token: string): Promise<number> {
  const { status, body } = await request(`${world.url}/${chain}/tokens/${token}/usdPrice`)
  expect(status).toBe(200)
  return body.price
}

test('prices follow the pools, also after a trade moved them', async () => {
  const { tokens } = world.market
  const before = await priceFromPools('COW')
  const trader = createTrader(world.url, world.market)
  const wish = { sell: 'WETH', buy: 'COW', sellAmount: 500n * oneWeth, buyAmount: oneWeth } as const
  const { body: uid } = await trader.place(wish)
  await eventually('a trade', async () => (await trader.order(uid)).status === 'fulfilled')
  const after = await priceFromPools('COW')
  expect(after / before).toBeGreaterThan(1.05)
  await eventually('the market has followed', async () => {
    const { body } = await request(`${world.url}/sepolia/api/v1/token/${tokens.COW.address}/native_price`)
    return Math.abs((body.price * Number(await priceOfTenth('COW'))) / 1e17 - 1) < 1e-9
  })

  expect((await priceOf('sepolia', tokens.COW.address)) / after).toBeCloseTo(1, 6)
  expect((await priceOf('11155111', '-')) / (await priceFromPools('WETH'))).toBeCloseTo(1, 6)
  expect(await priceOf('sepolia', tokens.USDC.address)).toBe(1)
  expect((await priceOf('sepolia', tokens.DAI.address)) / (await priceFromPools('DAI'))).toBeCloseTo(1, 6)
})

test('a token with a fee on transfers is not traded here, so it has no price', async () => {
  const { status, body } = await request(
    `${world.url}/sepolia/tokens/${world.market.tokens.FEE.address}/usdPrice`,
  )
  expect([status, body]).toEqual([404, { message: 'Price not found' }])
})

/** Waits for the indexer to reach the head: an earlier answer would be cached. */
async function indexed(): Promise<void> {
  const head = Number(await world.chain.rpc.call<string>('eth_blockNumber'))
  const client = await connectDirectly(world.database.url)
  await eventually('the chain is indexed', async () => {
    const { rows } = await client.query('SELECT block_number FROM checkpoints')
    return Number(rows[0]?.block_number ?? -1) >= head
  })
  await client.end()
}

test('a token at the address of another that a reorg removed replaces it', async () => {
  const { rpc } = world.chain
  const from = world.market.accounts[1]?.address
  /** Deploys at the address that follows from the account's next nonce. */
  const deploy = async (name: string, decimals: number): Promise<string> => {
    const values = AbiCoder.defaultAbiCoder().encode(['string', 'string', 'uint8'], [name, name, decimals])
    const hash = await rpc.call<string>('eth_sendTransaction', [
      { from, data: concat([testToken.bytecode, values]), gas: '0x300000' },
    ])
    const receipt = await eventually('a receipt', async () => {
      const found = await rpc.call<{ contractAddress: string } | null>('eth_getTransactionReceipt', [hash])
      return found ?? undefined
    })
    return receipt.contractAddress
  }
  const details = async (token: string) =>
    (await request(`${world.url}/sepolia/tokens/${token}/details`)).body
  await indexed()
  const before = await rpc.call('evm_snapshot')
  const token = await deploy('ALPHA', 18)
  expect(await details(token)).toMatchObject({ symbol: 'ALPHA', decimals: 18 })
  await indexed()
  expect(await rpc.call('evm_revert', [before])).toBe(true)
  expect(await deploy('BETA', 6)).toBe(token)
  const replaced = await eventually('the reorg is seen', async () => {
    const now = await details(token)
    return now.symbol === 'BETA' && now
  })
  expect(replaced.decimals).toBe(6)
})

test('holders, their balances and the price of a token come in one request', async () => {
  const { tokens, accounts } = world.market
  const receiver = `0x${'c0ffee'.padStart(40, '0')}`
  await send(world, tokens.DAI.address, contracts.encodeFunctionData('transfer', [receiver, 7n * oneWeth]))
  const question = `query ($token: TokenAddress!) {
    token(network: "sepolia", address: $token) {
      symbol name decimals
      usdPrice { price source isStale }
      holders(first: 100) { edges { node { address balance } } }
    }
  }`
  await indexed()
  const { token } = await graphql(world.url, question, { token: tokens.DAI.address })
  expect(token).toMatchObject({
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    decimals: 18,
    usdPrice: { price: expect.stringMatching(/^0\.99|^1\.0/), source: 'orderbook', isStale: false },
  })
  const holders = token.holders.edges.map(({ node }: { node: object }) => node)
  expect(holders.length).toBeGreaterThan(accounts.length)
  for (const { address, balance } of holders) {
    expect((await read<bigint>(tokens.DAI.address, 'balanceOf', [address]))[0]).toBe(BigInt(balance))
  }
})

test.each([
  [{ settlement: numbered('57') }, `has no code at settlement ${numbered('57')}`],
  [{ wrappedNative: numbered('57') }, `has no code at wrappedNative ${numbered('57')}`],
  [{ poolFactory: numbered('57') }, `has no code at poolFactory ${numbered('57')}`],
])('the program does not start with a row that its chain contradicts: %j', async (changes, fault) => {
  await using database = await createTestDatabase()
  const networks = [{ network: { ...world.market.network, ...changes }, rpcUrl: world.chain.rpcUrl }]
  await expect(startProgram({ database, chain: world.chain }, {}, { networks })).rejects.toThrow(fault)
})

test.each([
  ['its own order book', {}, 200],
  ['another order book', { orderBook: { url: 'http://127.0.0.1:9', callsPerMinute: 100 } }, 503],
])('the program waits for a node that is before the first block: %s', async (_, followed, listed) => {
  await using database = await createTestDatabase()
  const said: string[] = []
  const log = { ...silentLog, warn: (_: string, fields?: object) => said.push(JSON.stringify(fields)) }
  const network = { ...world.market.network, firstBlock: 7_000_000 }
  const networks = [{ network, rpcUrl: world.chain.rpcUrl, ...followed }]
  const program = await startProgram({ database, chain: world.chain }, {}, { networks, log })
  const { status, body } = await request(`${program.url}/health/ready`)
  expect([status, body[network.name]]).toEqual([503, false])
  const paths = [`account/${numbered('a')}/orders`, `trades?owner=${numbered('a')}`]
  const lists = paths.map((path) => request(`${program.url}/${network.name}/api/v1/${path}`))
  for (const list of await Promise.all(lists)) expect(list.status).toBe(listed)
  await program.close()
  expect(said.join()).toMatch(/is at block \d+, before firstBlock 7000000: set a lower firstBlock/)
})

test('the program does not start where another contract, or none, is named as the guard contract', async () => {
  await using database = await createTestDatabase()
  for (const balanceGuard of [numbered('57'), world.market.tokens.DAI.address]) {
    const networks = [{ network: { ...world.market.network, balanceGuard }, rpcUrl: world.chain.rpcUrl }]
    const start = startProgram({ database, chain: world.chain }, {}, { networks })
    await expect(start).rejects.toThrow(`has other code than BalanceGuard at balanceGuard ${balanceGuard}`)
  }
})
