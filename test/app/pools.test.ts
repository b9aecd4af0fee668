import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { startTestChain } from '../setup/chain.ts'
import { createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { poolFromLogs } from '../setup/pool-script.ts'
import { type Answer, graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited, type World } from '../setup/world.ts'

const contracts = new Interface([
  'function getPair(address, address) view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function transfer(address, uint256) returns (bool)',
  'function swap(uint256, uint256, address, bytes)',
])

let world: Pick<World, 'chain' | 'database' | 'market'>
let app: App
let url: string
beforeAll(async () => {
  const [database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  world = { database, chain, market: chain.market }
  await start()
})
afterAll(async () => {
  await app?.close()
  await world?.chain[Symbol.asyncDispose]()
  await world?.database[Symbol.asyncDispose]()
})

async function start(): Promise<void> {
  app = await startProgram(world, unlimited, { roles: ['serve', 'index'] })
  url = app.url ?? ''
}

async function read<Result>(to: string, method: string, args: unknown[] = []): Promise<Result[]> {
  const data = contracts.encodeFunctionData(method, args)
  const answer = await world.chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])
  return [...contracts.decodeFunctionResult(method, answer)] as Result[]
}

const tokenOf = (symbol: TokenSymbol) => world.market.tokens[symbol].address

async function poolOf(one: TokenSymbol, other: TokenSymbol): Promise<string> {
  const [pool = ''] = await read<string>(world.market.network.poolFactory, 'getPair', [
    tokenOf(one),
    tokenOf(other),
  ])
  return pool.toLowerCase()
}

/** Swaps so many thousandths of the pool's reserve. @returns the block */
async function swap(sell: TokenSymbol, buy: TokenSymbol, thousandths: bigint): Promise<number> {
  const pool = await poolOf(sell, buy)
  const [reserve0 = 0n, reserve1 = 0n] = await read<bigint>(pool, 'getReserves')
  const isFirst = tokenOf(sell) < tokenOf(buy)
  const [reserveIn, reserveOut] = isFirst ? [reserve0, reserve1] : [reserve1, reserve0]
  const paid = (reserveIn * thousandths) / 1_000n
  const bought = (paid * 997n * reserveOut) / (reserveIn * 1_000n + paid * 997n)
  const out = isFirst ? [0n, bought] : [bought, 0n]
  const { rpc } = world.chain
  const from = world.market.accounts[0]?.address
  const send = (to: string, method: string, args: unknown[]) =>
    rpc.call<string>('eth_sendTransaction', [
      { from, to, data: contracts.encodeFunctionData(method, args), gas: '0x100000' },
    ])
  await send(tokenOf(sell), 'transfer', [pool, paid])
  const hash = await send(pool, 'swap', [...out, from, '0x'])
  await rpc.call('evm_mine')
  const receipt = await rpc.call<{ status: string; blockNumber: string }>('eth_getTransactionReceipt', [hash])
  expect(receipt.status).toBe('0x1')
  return Number(receipt.blockNumber)
}

const question = `{ network(name: "sepolia") { chainId pools(first: 100) {
  totalCount averageApr fromBlock fromTime toBlock toTime source isStale age
  nodes {
    address project token0 { address } token1 { address } reserve0 reserve1 price0 price1 feeBps
    volume0 volume1 valueNative valueUsd volumeNative volumeUsd feesNative feesUsd apr
  }
} } }`

/** The list once all of it is counted up to this block. */
function pools(block: number, count: number) {
  return eventually('the pools are counted', async () => {
    const { pools } = (await graphql(url, question)).network
    const isCounted =
      pools?.toBlock >= block &&
      pools.nodes.length === count &&
      pools.nodes.every(({ volumeNative }: { volumeNative: string | null }) => volumeNative !== null)
    return isCounted && pools
  })
}

async function nativePrices(): Promise<Record<string, number>> {
  const prices: Record<string, number> = {}
  for (const symbol of ['WETH', 'USDC', 'DAI'] as const) {
    const { body } = await request(`${url}/sepolia/api/v1/token/${tokenOf(symbol)}/native_price`)
    prices[tokenOf(symbol)] = body.price
  }
  return prices
}

async function dollarPrice(): Promise<number> {
  return (await request(`${url}/sepolia/tokens/-/usdPrice`)).body.price
}

/**
 * Every figure of the list equals what the script has.
 * @returns the sum of volumes and of values, in native atoms
 */
async function expectAsInLogs(list: Awaited<ReturnType<typeof pools>>) {
  const prices = await nativePrices()
  const dollar = (await dollarPrice()) / 1e18
  const day = { from: list.fromBlock, to: list.toBlock }
  const total = { value: 0, volume: 0 }
  for (const pool of list.nodes) {
    const script = await poolFromLogs(world.chain.rpcUrl, pool.address, day, prices)
    expect(pool).toMatchObject({
      token0: { address: script.token0 },
      token1: { address: script.token1 },
      reserve0: String(script.reserve0),
      reserve1: String(script.reserve1),
      volume0: String(script.volume0),
      volume1: String(script.volume1),
      feeBps: 30,
    })
    const expectRatio = (figure: string, expected: number) =>
      expected === 0 ? expect(Number(figure)).toBe(0) : expect(Number(figure) / expected).toBeCloseTo(1, 9)
    expectRatio(pool.price0, Number(script.reserve1) / Number(script.reserve0))
    expectRatio(pool.valueNative, script.value)
    expectRatio(pool.volumeNative, script.volume)
    expectRatio(pool.feesNative, script.volume * 0.003)
    expectRatio(pool.valueUsd, script.value * dollar)
    expectRatio(pool.volumeUsd, script.volume * dollar)
    expectRatio(pool.feesUsd, script.volume * 0.003 * dollar)
    expectRatio(pool.apr, script.apr)
    total.value += script.value
    total.volume += script.volume
  }
  expect(Number(list.averageApr)).toBeCloseTo((total.volume * 0.003 * 365 * 100) / total.value, 9)
  return total
}

test('figures of pools are those of their logs, also after a reorg', async () => {
  const { chain } = world
  await request(`${url}/sepolia/api/v1/token/${tokenOf('COW')}/native_price`)
  await pools(0, 4)
  await swap('WETH', 'COW', 20n)
  const before = await chain.rpc.call('evm_snapshot')
  await swap('USDC', 'WETH', 30n)
  const undone = await pools(await swap('DAI', 'USDC', 15n), 4)
  const first = await expectAsInLogs(undone)
  expect(undone.nodes[0].project).toBe('uniswap_v2')
  expect(undone).toMatchObject({ totalCount: 4, source: 'logs', isStale: false })

  expect(await chain.rpc.call('evm_revert', [before])).toBe(true)
  await swap('WETH', 'DAI', 10n)
  const last = await swap('COW', 'WETH', 5n)
  const replaced = await pools(Math.max(last, undone.toBlock + 2), 4)
  const second = await expectAsInLogs(replaced)
  expect(second.volume).not.toBeCloseTo(first.volume, 0)
  const undoneOnly = await poolOf('USDC', 'DAI')
  expect(inList(undone, undoneOnly).volumeNative).not.toBe('0')
  expect(inList(replaced, undoneOnly)).toMatchObject({ volume0: '0', volume1: '0', apr: '0' })
})

function inList({ nodes }: Awaited<ReturnType<typeof pools>>, pool: string) {
  return nodes.find(({ address }: { address: string }) => address === pool)
}

/** The figures over REST, and how they are refused. */
test('REST has the same figures as numbers', async () => {
  const { network } = await graphql(url, question)
  const rows = (await request(`${url}/sepolia/yield/pools`, 'POST', [])).body
  expect(rows).toEqual(
    network.pools.nodes.map((pool: Record<string, string>) => ({
      contract_address: pool.address,
      chain_id: 11155111,
      project: 'uniswap_v2',
      apr: Number(pool.apr),
      fee: 0.3,
      tvl: Number(pool.valueUsd),
      volume: Number(pool.volumeUsd),
    })),
  )
  const [, second] = rows
  const one = await request(`${url}/11155111/yield/pools`, 'POST', [
    second.contract_address.toUpperCase().replace('0X', '0x'),
    `0x${'12'.repeat(20)}`,
  ])
  expect(one.body).toEqual([second])
  const average = await request(`${url}/sepolia/yield/pools-average-apr`)
  expect(average.body).toEqual({ uniswap_v2: Number(Number(network.pools.averageApr).toFixed(6)) })
  expect(average.headers.get('cache-control')).toBe('public, max-age=60')
  expect(Number(average.headers.get('age'))).toBeLessThan(10)
  const many = Array.from({ length: 501 }, () => second.contract_address)
  const faults: [unknown, number, string][] = [
    [many.slice(1), 200, ''],
    [many, 400, 'at most 500 pools may be named'],
    [['0x12'], 400, '[0] must be an address: 20 bytes of hex with 0x in front'],
    ['{}', 400, 'a JSON list of addresses is expected'],
    ['no JSON', 400, 'the body is not JSON'],
  ]
  for (const [body, status, message] of faults) {
    const answer = await request(`${url}/sepolia/yield/pools`, 'POST', body)
    expect([answer.status, answer.body.message ?? '']).toEqual([status, message])
  }
})

test('pages go on behind a pool, the greatest value first', async () => {
  const page = `query ($first: Int!, $after: String) { network(name: "sepolia") { pools(first: $first, after: $after) {
    nodes { address valueNative } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`
  const all = (await graphql(url, page, { first: 10 })).network.pools
  const values = all.nodes.map(({ valueNative }: { valueNative: string }) => BigInt(valueNative))
  expect(values).toEqual(values.toSorted((a: bigint, b: bigint) => (a > b ? -1 : 1)))
  const seen: unknown[] = []
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Answer['body'] = (await graphql(url, page, { first: 3, after })).network.pools
    seen.push(...nodes)
    expect(pageInfo).toMatchObject({ hasNextPage: seen.length < 4, hasPreviousPage: after !== null })
    after = pageInfo.endCursor
    if (!pageInfo.hasNextPage) break
  }
  expect(seen).toEqual(all.nodes)
  for (const [variables, message] of [
    [{ first: 0 }, 'first must be from 1 to 1000'],
    [{ first: 1, after: 'bm8' }, 'after must be a cursor of this list'],
  ] as const)
    await expect(graphql(url, page, variables)).rejects.toThrow(message)
})

test('swaps while no process runs are counted by the next one', async () => {
  await app.close()
  const block = await swap('USDC', 'DAI', 8n)
  await start()
  const list = await pools(block, 4)
  await expectAsInLogs(list)
  expect(inList(list, await poolOf('USDC', 'DAI')).volumeNative).not.toBe('0')
})
