import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { RpcError } from '../../src/chain/rpc/rpc.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { startScriptedNode } from '../chain/scripted-node.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const weth = 10n ** 18n
const topics = {
  trade: keccakText('Trade(address,address,address,uint256,uint256,uint256,bytes)'),
  transfer: keccakText('Transfer(address,address,uint256)'),
}
type RawLog = Record<string, unknown> & { topics: string[] }

let chain: TestChain
let database: TestDatabase
let node: Awaited<ReturnType<typeof startScriptedNode>>
let program: App
type Change = (method: string, params: readonly unknown[], result: unknown) => unknown
const unchanged: Change = (_method, _params, result) => result
/** What the node between says instead of an answer of the chain. */
let changed = unchanged
/** How far the program's clock is ahead. */
let aheadMs = 0

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  node = await startScriptedNode({
    async answer({ method, params }) {
      try {
        const result = changed(method, params, await chain.rpc.call(method, params))
        return { result }
      } catch (fault) {
        if (!(fault instanceof RpcError)) throw fault
        const { code, message, data } = fault
        return { error: { code, message, data } }
      }
    },
  })
  const { network, solver, tokens } = chain.market
  const holderTokens = [{ address: tokens.USDC.address, fromBlock: network.firstBlock }]
  const environment = {
    ...unlimited,
    ...{ SOLVER_PRIVATE_KEY: solver.privateKey, METRICS_PORT: '0' },
    ...{ CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' },
  }
  program = await startProgram({ database, chain }, environment, {
    networks: [{ network: { ...network, holderTokens }, rpcUrl: node.url }],
    roles: ['serve', 'index', 'auction'],
    now: () => Date.now() + aheadMs,
  })
})
beforeEach(() => {
  changed = unchanged
})
afterAll(async () => {
  await program?.close()
  await node?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

/** The node's logs of this event, each as `change` makes it. */
function changeLogs(topic: string, change: (log: RawLog) => RawLog): void {
  changed = (method, _params, result) =>
    method === 'eth_getLogs'
      ? (result as RawLog[]).map((log) => (log.topics[0] === topic ? change(log) : log))
      : result
}

const wish = { sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 1n } as const

async function fill() {
  const trader = createTrader(program.url ?? '', chain.market)
  const { body: uid } = await trader.place(wish)
  const order = await eventually('it is filled', async () => {
    const now = await trader.order(uid)
    return now.status === 'fulfilled' && now
  })
  const [trade] = (await request(`${trader.base}/api/v1/trades?orderUid=${uid}`)).body
  return { order, trade, uid, trader }
}

const metric = async (name: string) => {
  const { body } = await request(`${program.metricsUrl}/metrics`)
  return Number(
    body
      .split('\n')
      .find((line: string) => line.startsWith(name))
      ?.split(' ')
      .at(-1) ?? 0,
  )
}
const oddLogs = () => metric('tradegraph_indexer_odd_logs_total{network="sepolia",what="placed"}')

test.each(['0xfffffffe', '0xffffffffffffffff', null])(
  'a trade whose log has the index %s fills its order, behind the other logs of its block',
  async (logIndex) => {
    const before = await oddLogs()
    changeLogs(topics.trade, (log) => ({ ...log, logIndex }))
    const { trade } = await fill()
    expect(trade).toMatchObject({ logIndex: 2 ** 30, sellAmount: `${weth}` })
    expect(await oddLogs()).toBe(before + 1)
  },
)

test('a transfer without a transaction is counted, and stops nothing', async () => {
  const before = await oddLogs()
  changeLogs(topics.transfer, (log) => ({ ...log, transactionHash: null }))
  const { order } = await fill()
  expect(order.status).toBe('fulfilled')
  expect(await oddLogs()).toBeGreaterThan(before)
  await using client = await connectDirectly(database.url)
  const { rows } = await client.query(
    'SELECT balance::text FROM token_balances b JOIN holder_tokens t ON t.id = b.token_id WHERE t.fault_block IS NULL AND b.holder = $1',
    [Buffer.from(order.owner.slice(2), 'hex')],
  )
  expect(rows).toEqual([{ balance: await balanceOf(order.owner) }])
})

async function balanceOf(owner: string): Promise<string> {
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`
  const to = chain.market.tokens.USDC.address
  return BigInt(await chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])).toString()
}

test('a settlement whose transaction the node does not know is stored, and completed when it does', async () => {
  const forgotten = ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getBlockReceipts']
  changed = (method, _params, result) => (forgotten.includes(method) ? null : result)
  const { trade, uid, trader } = await fill()
  expect(trade).toMatchObject({ sellAmount: `${weth}` })
  const query = `query ($hash: Bytes32!) { settlementsOfTransaction(network: "sepolia", hash: $hash) {
    isComplete auctionId gasUsed fees { kind } slippage { amount } trades { orderUid auctionId } } }`
  const settlement = async () => {
    const { settlementsOfTransaction } = await graphql(program.url ?? '', query, { hash: trade.txHash })
    return settlementsOfTransaction[0]
  }
  const incomplete = { isComplete: false, auctionId: null, gasUsed: null, fees: null, slippage: null }
  expect(await settlement()).toEqual({ ...incomplete, trades: [{ orderUid: uid, auctionId: null }] })
  await eventually('it is counted', () => metric('tradegraph_indexer_unread_settlements{network="sepolia"}'))
  const notified = (await trader.notifications()).length
  expect(notified).toBeGreaterThan(0)
  changed = unchanged
  const complete = await eventually('it is completed', async () => {
    const now = await settlement()
    return now.isComplete && now
  })
  expect(complete).toMatchObject({
    ...{ auctionId: expect.any(Number), gasUsed: expect.stringMatching(/^\d{5,}$/) },
    ...{ fees: expect.any(Array), slippage: expect.any(Array) },
    trades: [{ orderUid: uid, auctionId: complete.auctionId }],
  })
  const { executedFeeToken } = await trader.order(uid)
  expect(executedFeeToken).toBe(chain.market.tokens.WETH.address)
  expect(await trader.notifications()).toHaveLength(notified)
})

test('an index that stands still for a minute is not ready, until it moves', async () => {
  const ready = async () => {
    const { status, body } = await request(`${program.metricsUrl}/health/ready`)
    return [status, body['sepolia:indexer']]
  }
  await eventually('it is ready', async () => (await ready())[0] === 200)
  changed = (method, _params, result) => (method === 'eth_getLogs' ? [{ removed: true }] : result)
  aheadMs = 120_000
  await eventually('it is not ready', async () => (await ready())[0] === 503)
  expect(await ready()).toEqual([503, false])
  changed = unchanged
  await eventually('it is ready again', async () => (await ready())[0] === 200)
})
