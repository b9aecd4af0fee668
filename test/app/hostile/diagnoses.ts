import { Interface } from 'ethers'
import type { TokenSymbol } from '../../../src/dev/market/market.ts'
import { graphql } from '../../setup/trader.ts'
import { filledOf } from './checks.ts'
import type { Ledger } from './ledger.ts'
import type { Placed } from './service.ts'
import type { World } from './story.ts'

// A second opinion on each diagnosis, without code of the program: by what was made of the order, and what
// the chain holds.

interface Diagnosed {
  uid: string
  codes: string[]
  /** Of the first reason. */
  evidence: { by?: string; uid?: string }[]
}

/** Seconds between which a block counts as old, or not yet. */
const old = [50, 90] as const
/** These say nothing about an order: none was made so. */
const general = ['OUT_OF_PLACES', 'NOT_PROPOSED', 'WAITING_FOR_AUCTION']
/** Nothing of this kind was made. */
const never = [
  'ALLOWANCE_MISSING',
  'TOKEN_DENIED',
  'ACCOUNT_DENIED',
  'TOKEN_MISBEHAVES',
  'NO_NATIVE_PRICE',
  'NEVER_TRADABLE',
  // Processes are up again, and the node was never down.
  'NODE_AWAY',
  'AUCTIONS_HALTED',
]
const atOnce = 100

async function readDiagnoses(url: string, orders: readonly Placed[]): Promise<Map<string, Diagnosed>> {
  const query = `query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid diagnosis { code
    evidence { ... on CancellationEvidence { by } ... on OrderEvidence { uid } } further { code } } } }`
  const read = new Map<string, Diagnosed>()
  for (let start = 0; start < orders.length; start += atOnce) {
    const uids = orders.slice(start, start + atOnce).map(({ uid }) => uid)
    for (const { uid, diagnosis } of (await graphql(url, query, { uids })).ordersByUids) {
      const { code, evidence, further } = diagnosis
      read.set(uid, { uid, evidence, codes: [code, ...further.map((each: { code: string }) => each.code)] })
    }
  }
  return read
}

interface Pool {
  tokens: [string, string]
  reserves: [bigint, bigint]
}

const pairAbi = new Interface([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
])

export async function readPools({ rpc }: World['chain'], pools: readonly string[]): Promise<Pool[]> {
  const call = async (to: string, name: string) => {
    const data = pairAbi.encodeFunctionData(name)
    return pairAbi.decodeFunctionResult(name, await rpc.call<string>('eth_call', [{ to, data }, 'latest']))
  }
  return Promise.all(
    pools.map(async (pool): Promise<Pool> => {
      const [first, second] = [await call(pool, 'token0'), await call(pool, 'token1')]
      const [reserve0, reserve1] = await call(pool, 'getReserves')
      return { tokens: [first[0].toLowerCase(), second[0].toLowerCase()], reserves: [reserve0, reserve1] }
    }),
  )
}

/** The most that one way through at most three pools gives. */
function maxFor(sold: bigint, from: string, to: string, pools: readonly Pool[], hops = 3): bigint {
  if (from === to) return sold
  if (hops === 0) return 0n
  let max = 0n
  for (const { tokens, reserves } of pools) {
    const side = tokens.indexOf(from)
    if (side < 0) continue
    const [given, taken] = [reserves[side] as bigint, reserves[1 - side] as bigint]
    const put = sold * 997n
    const got = (put * taken) / (given * 1_000n + put)
    const end = maxFor(got, tokens[1 - side] as string, to, pools, hops - 1)
    if (end > max) max = end
  }
  return max
}

/** What is wrong with the diagnoses. */
export async function wrongDiagnoses(
  orders: readonly Placed[],
  ledger: Ledger,
  pools: readonly Pool[],
  { processes, crowd, chain }: World,
): Promise<string[]> {
  const diagnoses = await readDiagnoses(processes.url, orders)
  const now = Math.floor(Date.now() / 1_000)
  const byUid = new Map(orders.map((order) => [order.uid, order]))
  const held = new Map<string, bigint>()
  for (const { owner, wish } of orders) {
    const key = `${owner} ${wish.sell}`
    if (!held.has(key)) held.set(key, await crowd.balanceOf(wish.sell as TokenSymbol, owner))
  }
  const wrapped = chain.market.network.wrappedNative
  const { timestamp } = await chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  const age = now - Number(timestamp)

  function faultOf(order: Placed): string | undefined {
    const { uid, wish, owner } = order
    const diagnosis = diagnoses.get(uid)
    if (!diagnosis) return 'has none'
    const codes = diagnosis.codes.filter((code) => code !== 'CHAIN_BEHIND')
    const isBehind = codes.length < diagnosis.codes.length
    const [first] = codes
    const { sold, bought, isWhole } = filledOf(order, ledger.trades)
    if (isWhole) {
      const { reverting, burning } = crowd.hooks
      const hasFailed = wish.hooks?.post.some((hook) => hook === reverting || hook === burning)
      const right = hasFailed ? 'FILLED,POST_HOOK_FAILED' : 'FILLED'
      return codes.join() === right ? undefined : `is filled, so that it should be ${right}`
    }
    const isPart = sold > 0n
    if (codes.includes('PARTLY_FILLED') !== isPart)
      return isPart ? 'is filled in part' : 'is not filled in part'
    const isInvalidated = ledger.invalidated.has(uid)
    if (order.isCancelled || isInvalidated) {
      if (first !== 'CANCELLED') return 'is cancelled'
      const by = diagnosis.evidence[0]?.by
      const right = (order.isCancelled && by === 'API') || (isInvalidated && by === 'CHAIN')
      return right ? undefined : `is not cancelled by ${by}`
    }
    // A second of either clock.
    if (Math.abs(order.validTo - now) <= 1) return undefined
    if (order.validTo < now) return first === 'EXPIRED' ? undefined : 'is expired'
    const told = (code: string) => codes.includes(code)
    const wrong = [...general, ...never, 'FILLED', 'CANCELLED', 'EXPIRED'].find(told)
    if (wrong) return `was not made so: ${wrong}`
    if (isBehind ? age < old[0] : age > old[1]) return `is of a chain whose newest block is ${age} s old`
    const isUnsigned = wish.scheme === 'presign' && !ledger.presigned.has(uid)
    if (told('PRESIGNATURE_MISSING') !== isUnsigned) return isUnsigned ? 'is not signed' : 'is signed'
    // One refuses at the price that a transaction pays.
    const mayRefuse = owner === crowd.wallets.closing || owner === crowd.wallets.false
    if (told('SIGNATURE_INVALID') && !mayRefuse) return 'has a good signature'

    const filled = wish.kind === 'sell' ? sold : bought
    const target = wish.kind === 'sell' ? order.sellAmount : order.buyAmount
    const remaining = (order.sellAmount * (target - filled)) / target
    const has = held.get(`${owner} ${wish.sell}`) ?? 0n
    const isShort = has < (wish.partiallyFillable ? 1n : remaining)
    const isRefused = told('SIGNATURE_INVALID') || told('HOOKS_FAIL')
    if (told('BALANCE_MISSING') && !isShort) return 'has its balance'
    if (isShort && !told('BALANCE_MISSING') && !isRefused) return 'lacks its balance'
    if (told('BALANCE_HELD')) {
      const other = byUid.get(diagnosis.evidence.find(({ uid }) => uid)?.uid ?? '')
      if (!other || other.owner !== owner || other.wish.sell !== wish.sell)
        return 'is held by no order of its owner'
    }
    if (isUnsigned || isShort || isRefused || told('BALANCE_HELD')) return undefined

    if (first?.startsWith('SETTLEMENT_'))
      return owner === crowd.wallets.false || wish.hooks ? undefined : 'can be settled'
    const buyToken = wish.buy === 'native' ? wrapped : order.buyToken
    const max = maxFor(remaining, order.sellToken, buyToken, pools)
    const asked = (order.buyAmount * remaining) / order.sellAmount
    const isFar = max * 100n < asked * 97n
    // Of a partially fillable order a small part gets more.
    if (told('PRICE_OUT_OF_REACH') && max * 100n > asked * 102n) return 'is within reach'
    if (isFar && !wish.partiallyFillable && !told('PRICE_OUT_OF_REACH')) return 'is out of reach'
    if (wish.trader === 6 && !told('COSTS_MORE_THAN_IT_BRINGS') && !told('TOO_SMALL')) return 'is dust'
    return undefined
  }

  return orders.flatMap((order) => {
    const fault = faultOf(order)
    const { codes } = diagnoses.get(order.uid) ?? {}
    return fault ? [`${order.uid} of trader ${order.wish.trader} ${fault}: ${codes}`] : []
  })
}

/** What of each order has to be solved first; that reorgs left the chain behind is the same for all. */
export async function firstReasons(orders: readonly Placed[], { processes }: World): Promise<string[]> {
  return [...(await readDiagnoses(processes.url, orders)).values()].map(
    ({ codes }) => codes.find((code) => code !== 'CHAIN_BEHIND') ?? '',
  )
}
