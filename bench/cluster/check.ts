import { setTimeout as pause } from 'node:timers/promises'
import { settlementAbi } from '../../src/chain/settlement/call.ts'
import { type Followed, rpc } from './load.ts'
import type { Stand } from './stand.ts'

/** The state of streams, webhooks and chain, compared with the database since the beginning. */
export interface Checked {
  orders: number
  /** Orders that their traders still wait for. */
  unfilled: number
  events: number
  lost: number
  repeated: number
  messages: number
  messagesLost: number
  messagesRepeated: number
  settlements: number
  /** Orders with two trades and solutions with two settlements, on chain. */
  double: number
  /** Transactions of the solver without a settlement: they reverted, or took a late one's nonce. */
  inVain: number
  /** Trades on the chain without a row, and rows without a trade. */
  unindexed: number
}

const settleMs = 120_000

/** Waits for running work, and compares. */
export async function check(stand: Stand, followed: readonly Followed[]): Promise<Checked> {
  const { run, chain, accounts, received } = stand
  const count = async (statement: string) => Number((await run(statement))[0]?.count ?? 0)
  const unfilled = () => count('SELECT count(*) FROM orders WHERE executed_sell = 0')
  await inTime(async () => (await unfilled()) === 0)
  const logs = new Map<string, number[]>()
  for (const { feed, account } of followed) {
    const key = feed + account
    const owner = feed === 'feed_entries' ? 'account' : 'owner'
    const statement = `SELECT place::text FROM ${feed} WHERE ${owner} = '\\x${account.slice(2)}' ORDER BY 1`
    if (!logs.has(key))
      logs.set(
        key,
        (await run(statement)).map(({ place }) => Number(place)).sort((a, b) => a - b),
      )
  }
  const logOf = ({ feed, account }: Followed) => logs.get(feed + account) ?? []
  await inTime(() => followed.every((one) => one.follower.places.length >= logOf(one).length))
  const waiting = () => count(`SELECT count(*) FROM deliveries WHERE state = 'waiting'`)
  await inTime(async () => (await waiting()) === 0)

  let lost = 0
  let repeated = 0
  for (const one of followed) {
    const { places } = one.follower
    const got = new Set(places)
    lost += logOf(one).filter((place) => !got.has(place)).length
    // A late entry follows a later one: the feed's order counts too.
    repeated += places.filter((place, index) => index > 0 && place <= (places[index - 1] ?? 0)).length
  }
  const ids = new Set(received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`))
  const messages = await count('SELECT count(*) FROM deliveries')
  return {
    orders: await count('SELECT count(*) FROM orders'),
    unfilled: await unfilled(),
    events: [...logs.values()].reduce((sum, log) => sum + log.length, 0),
    lost,
    repeated,
    messages,
    messagesLost: Math.max(0, messages - ids.size),
    messagesRepeated: received.length - ids.size,
    ...(await readChain({ run, chain, accounts })),
  }
}

async function readChain({ run, chain }: Pick<Stand, 'run' | 'chain' | 'accounts'>) {
  const { network, solver } = chain.market
  const logs = await rpc<{ topics: string[]; data: string; transactionHash: string }[]>(
    chain.rpcUrl,
    'eth_getLogs',
    [{ address: network.settlement, fromBlock: '0x0', toBlock: 'latest' }],
  )
  const parsed = logs.map((log) => settlementAbi.parseLog(log))
  const trades = parsed.flatMap((log) => (log?.name === 'Trade' ? [String(log.args.orderUid)] : []))
  const settlements = parsed.filter((log) => log?.name === 'Settlement').length
  const nonce = await rpc<string>(chain.rpcUrl, 'eth_getTransactionCount', [solver.address, 'latest'])
  const twice = await run(
    'SELECT count(*) FROM settlements WHERE auction_id IS NOT NULL GROUP BY auction_id, solution_uid HAVING count(*) > 1',
  )
  const [rows] = await run('SELECT count(*) FROM trades')
  return {
    settlements,
    double: trades.length - new Set(trades).size + twice.length,
    inVain: Number(nonce) - settlements,
    unindexed: Math.abs(Number(rows?.count) - trades.length),
  }
}

async function inTime(isDone: () => Promise<boolean> | boolean): Promise<void> {
  for (const from = performance.now(); performance.now() - from < settleMs; await pause(250))
    if (await isDone()) return
}
