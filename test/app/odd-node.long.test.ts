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
  settlement: keccakText('Settlement(address)'),
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
    SOLVER_PRIVATE_KEY: solver.privateKey,
    METRICS_PORT: '0',
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'cms-key-of-the-tests',
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

/** What the order paid, and how the attempts to settle it ended, once all have. */
async function settled({ trade, uid, trader }: Awaited<ReturnType<typeof fill>>) {
  const receipt = await chain.rpc.call<{ logs: RawLog[] }>('eth_getTransactionReceipt', [trade.txHash])
  const mined = receipt.logs.find(({ topics: [event] }) => event === topics.trade)
  const query = `query ($uid: OrderUid!) { order(network: "sepolia", uid: $uid) { debugReport { auctions(first: 9) {
    nodes { settlementAttempts { outcome } } } } } }`
  const outcomes = await eventually('its attempt has ended', async () => {
    const { order } = await graphql(program.url ?? '', query, { uid })
    const attempts: { outcome: string | null }[] = order.debugReport.auctions.nodes.flatMap(
      (node: { settlementAttempts: object[] }) => node.settlementAttempts,
    )
    const isEnded = attempts.length > 0 && attempts.every(({ outcome }) => outcome !== null)
    return isEnded && attempts.map(({ outcome }) => outcome)
  })
  const { executedFee } = await trader.order(uid)
  return { place: Number(mined?.logIndex), outcomes, paysFee: BigInt(executedFee) > 0n }
}

test.each(['0xfffffffe', '0xffffffffffffffff', null])(
  'a trade whose log has the index %s has the place that its receipt gives it',
  async (logIndex) => {
    const before = await oddLogs()
    changeLogs(topics.trade, (log) => ({ ...log, logIndex }))
    const filled = await fill()
    const { place, ...ending } = await settled(filled)
    expect(filled.trade).toMatchObject({ logIndex: place, sellAmount: `${weth}` })
    expect(ending).toEqual({ outcomes: ['SUCCESS'], paysFee: true })
    expect(await oddLogs()).toBe(before)
  },
)

test('a trade without an index, also in its receipt, precedes its settlement', async () => {
  const before = await oddLogs()
  const isOdd = ({ topics: [event] }: RawLog) => event === topics.trade || event === topics.settlement
  const odd = (log: RawLog) => ({ ...log, logIndex: null })
  changed = (method, _params, result) => {
    if (method === 'eth_getLogs') return (result as RawLog[]).map((log) => (isOdd(log) ? odd(log) : log))
    const receipt = method === 'eth_getTransactionReceipt' && (result as { logs: RawLog[] } | null)
    return receipt ? { ...receipt, logs: receipt.logs.map(odd) } : result
  }
  const filled = await fill()
  expect(filled.trade.logIndex).toBe(2 ** 30)
  expect(await settled(filled)).toMatchObject({ outcomes: ['SUCCESS'], paysFee: true })
  expect(await oddLogs()).toBeGreaterThanOrEqual(before + 2)
})

test.each([{ removed: true }, { blockHash: null }])(
  'a log with %o is left out, and the rest is stored',
  async (odd) => {
    changed = (method, _params, result) =>
      method === 'eth_getLogs'
        ? (result as RawLog[]).flatMap((log) =>
            log.topics[0] === topics.trade ? [{ ...log, ...odd, data: '0x' }, log] : [log],
          )
        : result
    expect(await settled(await fill())).toMatchObject({ outcomes: ['SUCCESS'], paysFee: true })
  },
)

test.each([
  ['once', 1, undefined],
  ['three times', 3, undefined],
  ['once, in blocks without a bloom filter', 1, {}],
  ['once, in blocks with an empty bloom filter', 1, { logsBloom: `0x${'00'.repeat(256)}` }],
])('logs of a settlement that the node leaves out %s are stored later', async (_, times, header) => {
  let left = times
  changed = (method, _params, result) => {
    if (method === 'eth_getBlockByNumber' && header && result) {
      const { logsBloom: _bloom, ...rest } = result as Record<string, unknown>
      return { ...rest, ...header }
    }
    if (method !== 'eth_getLogs') return result
    const logs = result as RawLog[]
    const isSettlement = logs.some(({ topics: [event] }) => event === topics.settlement)
    if (!isSettlement || left === 0) return result
    left--
    return logs.filter(({ address }) => address !== chain.market.network.settlement)
  }
  const filled = await fill()
  expect(left).toBe(0)
  expect(await settled(filled)).toMatchObject({ outcomes: ['SUCCESS'], paysFee: true })
  const notified = await filled.trader.notifications()
  expect(new Set(notified.map(({ id }: { id: string }) => id)).size).toBe(notified.length)
})

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
    auctionId: expect.any(Number),
    gasUsed: expect.stringMatching(/^\d{5,}$/),
    fees: expect.any(Array),
    slippage: expect.any(Array),
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
  changed = (method, _params, result) => (method === 'eth_getLogs' ? [{ blockNumber: '0x0' }] : result)
  aheadMs = 120_000
  await eventually('it is not ready', async () => (await ready())[0] === 503)
  expect(await ready()).toEqual([503, false])
  changed = unchanged
  await eventually('it is ready again', async () => (await ready())[0] === 200)
})
