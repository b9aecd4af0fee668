import { keccak256, toUtf8Bytes } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askNode } from '../../bench/accounting/chain.ts'
import { accountingFromChain } from '../../bench/accounting/from-chain.ts'
import { createRecords } from '../../bench/accounting/records.ts'
import { eventually } from '../setup/eventually.ts'
import { runHere } from '../setup/program.ts'
import { createTrader, graphql, type OrderWish, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const weth = 10n ** 18n
const usdc = 10n ** 6n
const partner = `0x${'9a'.repeat(20)}`

let world: World
beforeAll(async () => {
  world = await startWorld({
    environment: {
      AUCTION_DEADLINE_BLOCKS: '12',
      FEE_POLICIES: JSON.stringify([
        { kind: 'surplus', factor: 0.5, maxVolumeFactor: 0.01 },
        { kind: 'volume', factor: 0.0002 },
        { kind: 'priceImprovement', factor: 0.3, maxVolumeFactor: 0.01 },
      ]),
    },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const partnerDocument = JSON.stringify({
  appCode: 'partner',
  metadata: { partnerFee: { recipient: partner, volumeBps: 20 } },
  version: '1.3.0',
})

/** With a fee for the partner. */
async function placeForPartner(wish: OrderWish, account: number) {
  const trader = createTrader(world.url, world.market, account)
  const appDataHash = keccak256(toUtf8Bytes(partnerDocument))
  const order = { ...(await trader.sign({ ...wish, appDataHash })), appData: partnerDocument, appDataHash }
  return request(`${trader.base}/api/v1/orders`, 'POST', order)
}

async function placeAll(): Promise<string[]> {
  const place = (wish: OrderWish, account: number) =>
    createTrader(world.url, world.market, account).place(wish)
  const answers = await Promise.all([
    place({ sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 2_500n * usdc }, 0),
    place({ sell: 'USDC', buy: 'WETH', kind: 'buy', sellAmount: 4_000n * usdc, buyAmount: weth }, 1),
    placeForPartner({ sell: 'WETH', buy: 'DAI', sellAmount: 2n * weth, buyAmount: 5_000n * weth }, 2),
    placeForPartner(
      { sell: 'DAI', buy: 'COW', kind: 'buy', sellAmount: 900n * weth, buyAmount: 500n * weth },
      3,
    ),
    place(
      {
        sell: 'COW',
        buy: 'USDC',
        sellAmount: 1_000n * weth,
        buyAmount: 100n * usdc,
        partiallyFillable: true,
      },
      4,
    ),
  ])
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    answers.map(() => [201, expect.any(String)]),
  )
  return answers.map(({ body }) => body)
}

/**
 * When the indexer has passed the deadline of every auction of these orders.
 * @returns the last block to count
 */
async function settledWhole(uids: readonly string[]): Promise<number> {
  const { base } = createTrader(world.url, world.market)
  return eventually(
    'all orders are settled, and their auctions over',
    async () => {
      const reports = await Promise.all(
        uids.map(async (uid) => (await request(`${base}/api/v1/debug/order/${uid}`)).body),
      )
      if (!reports.every(({ order }) => order.status === 'fulfilled')) return false
      const deadlines = reports.flatMap(({ auctions }) =>
        auctions.map((auction: { deadline: number }) => auction.deadline),
      )
      const to = Math.max(...deadlines)
      const { accounting } = await graphql(
        world.url,
        `{ accounting(fromBlock: 0, toBlock: ${to}) { toBlock } }`,
      )
      return accounting.toBlock === to && to
    },
    120_000,
  )
}

async function csvOf(from: number, to: number): Promise<string> {
  const flags = ['accounting', '--from', `${from}`, '--to', `${to}`]
  const environment = { ...process.env, DATABASE_URL: world.database.url }
  return (await runHere(flags, environment)).stdout.trimEnd()
}

function fromChain(from: number, to: number): Promise<string> {
  const { network } = world.market
  return accountingFromChain({
    ask: askNode(world.chain.rpcUrl),
    contracts: network,
    records: createRecords(`${world.url}/${network.name}`, () => undefined),
    network: network.name,
    from,
    to,
    blockTimeMs: network.blockTimeMs,
  })
}

test('the accounts of orders with fees are those that a script computes from the chain, to the atom', async () => {
  const to = await settledWhole(await placeAll())
  const [csv, computed] = await Promise.all([csvOf(0, to), fromChain(0, to)])
  expect(csv).toBe(computed)
  const [head = '', total = '', ...lines] = csv.split('\n')
  const row = Object.fromEntries(head.split(',').map((name, index) => [name, total.split(',')[index] ?? '']))
  expect(row).toMatchObject({
    network: 'sepolia',
    solver: world.market.solver.address,
    token: '',
    recipient: '',
  })
  for (const column of ['score', 'gas_used', 'gas_cost', 'network_fees', 'protocol_fees', 'partner_fees'])
    expect(BigInt(row[column] ?? '') > 0n, column).toBe(true)
  // Both orders with a partner pay it in DAI.
  expect(lines.filter((line) => line.includes(partner))).toHaveLength(1)
}, 200_000)
