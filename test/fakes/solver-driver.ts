import { Wallet } from 'ethers'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { encodeSettle, encodeTrade, type SettledOrder } from '../../src/chain/settlement/call.ts'
import type { Account } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { type FeePolicy, factorScale, protocolFeeDown, takeFee } from '../../src/domain/fee/policy.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { type Pool, poolOutputDown } from '../../src/domain/routing/pool.ts'
import { swapCall, transferCall, unwrapCall } from '../../src/domain/settlement/calldata.ts'
import { wrappedForm } from '../../src/domain/token/token.ts'
import { createPools } from '../../src/market/pools/pools.ts'
import { silentLog } from './silent-log.ts'
import { type GraphqlParams, type SolverEngineFake, startSolverEngine } from './solver-engine.ts'

interface SentCall {
  target: Address
  value: string
  callData: Hex
}

/** An order as the service sends it to drivers. */
interface SentDriverOrder extends Omit<SettledOrder, 'sellAmount' | 'buyAmount' | 'feeAmount' | 'receiver'> {
  uid: Hex
  receiver: Address | null
  sellAmount: string
  buyAmount: string
  executed: string
  protocolFees: Record<string, { factor: number; maxVolumeFactor?: number }>[]
  preInteractions: SentCall[]
  postInteractions: SentCall[]
  quote: { sellAmount: string; buyAmount: string; fee: string }
}

interface SentDriverAuction {
  kind: string
  id: string
  orders: SentDriverOrder[]
}

/** How a driver differs from an honest one. */
export interface DriverWays {
  /** Thousandths of what it settles that it claims to pay. */
  claims?: bigint
  /** Thousandths of what the pool pays that its settlement pays; the rest comes from the contract. */
  pays?: bigint
  /** Calls at the end of its settlement. */
  more?: (order: SentDriverOrder) => Interaction[]
  /** What it reveals instead of its settlement. */
  reveals?: (calldata: Hex) => Hex
  /** What it submits instead of its settlement; undefined: nothing. */
  submits?: (calldata: Hex, solution: DriverPlan) => Hex | undefined
  /** Answers `/settle` with this error, and submits nothing. */
  refuses?: string
}

/** A solution that it proposed, of one order. */
interface DriverPlan {
  solutionId: number
  auctionId: bigint
  order: SentDriverOrder
  executedSell: bigint
  executedBuy: bigint
  /** The same settlement with more calls at its end. */
  encode(more: readonly Interaction[]): Hex
  calldata: Hex
}

export interface SolverDriverFake extends SolverEngineFake {
  address: Address
  /** Hashes of the transactions that it sent. */
  sent: Hex[]
  submit(calldata: Hex): Promise<Hex>
  /** From now on. */
  goes(ways: DriverWays): void
}

interface SolverDriverOptions {
  rpcUrl: string
  network: Network
  /** On the allow-list, with coins for gas. */
  account: Account
}

/**
 * A driver: a real HTTP server that answers `/solve`, `/reveal`, `/settle` and `/notify`. It sells each order
 * of an auction through the best pool of its pair, each in a solution of its own, and submits what wins from
 * its own account.
 */
export async function startSolverDriver(
  { rpcUrl, network, account }: SolverDriverOptions,
  first: DriverWays = {},
): Promise<SolverDriverFake> {
  const rpc = createRpc({ url: rpcUrl, log: silentLog })
  const pools = createPools({ rpc, network, now: Date.now, log: silentLog })
  const send = createSubmission(rpc, network, account)
  const plans = new Map<string, DriverPlan>()
  const sent: Hex[] = []
  let ways = first
  let lastId = 0

  async function submit(calldata: Hex): Promise<Hex> {
    const hash = await send(calldata)
    sent.push(hash)
    return hash
  }

  async function solve({ id, orders }: SentDriverAuction) {
    const market = await pools.look(orders.map((order) => [order.sellToken, bought(order, network)]))
    const found = orders.flatMap(
      (order) => planOf(order, BigInt(id), ++lastId, market.pools, ways, network) ?? [],
    )
    for (const plan of found) plans.set(`${id}/${plan.solutionId}`, plan)
    return { solutions: found.map((plan) => writeSolution(plan, account.address, ways)) }
  }

  async function answer({ path, body }: GraphqlParams): Promise<{ status: number; body?: unknown }> {
    if (path === '/solve') return { status: 200, body: await solve(body as SentDriverAuction) }
    if (path === '/notify') return { status: 200 }
    const { auctionId, solutionId } = body as { auctionId: string; solutionId: number }
    const plan = plans.get(`${auctionId}/${solutionId}`)
    if (!plan) return { status: 404, body: { kind: 'SolutionNotAvailable', description: 'no such solution' } }
    if (path === '/reveal') {
      const calldata = ways.reveals?.(plan.calldata) ?? plan.calldata
      return { status: 200, body: { calldata: { internalized: calldata, uninternalized: calldata } } }
    }
    if (ways.refuses) return { status: 400, body: { kind: 'FailedToSubmit', description: ways.refuses } }
    const calldata = ways.submits ? ways.submits(plan.calldata, plan) : plan.calldata
    if (calldata) await submit(calldata)
    return { status: 200 }
  }

  const server = await startSolverEngine((question, response) => {
    answer(question).then(
      ({ status, body }) => response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body)),
      (fault) => response.writeHead(500).end(String(fault)),
    )
  })
  return Object.assign(server, {
    address: account.address,
    sent,
    submit,
    goes(next: DriverWays) {
      ways = next
    },
  })
}

/**
 * A settlement of one order through one pool; `undefined` where there is none, or it does not give the limit.
 */
function planOf(
  order: SentDriverOrder,
  auctionId: bigint,
  solutionId: number,
  pools: readonly Pool[],
  { pays = 1_000n, more = () => [] }: DriverWays,
  network: Network,
): DriverPlan | undefined {
  if (order.kind !== 'sell') return undefined
  const buyToken = bought(order, network)
  const executedSell = BigInt(order.sellAmount) - BigInt(order.executed)
  const pair = [order.sellToken, buyToken].toSorted().join()
  const [best] = pools
    .filter(({ token0, token1 }) => [token0, token1].toSorted().join() === pair)
    .map((pool) => ({ pool, paid: poolOutputDown(pool, order.sellToken, executedSell) }))
    .toSorted((a, b) => Number(b.paid > a.paid) - Number(b.paid < a.paid))
  if (!best || executedSell <= 0n) return undefined
  const { pool, paid } = best
  const gross = (paid * pays) / 1_000n
  const limits = {
    kind: 'sell',
    sellAmount: BigInt(order.sellAmount),
    buyAmount: BigInt(order.buyAmount),
  } as const
  let fill = { sell: executedSell, buy: gross }
  for (const policy of policiesOf(order))
    fill = takeFee('sell', fill, protocolFeeDown(policy, limits, fill, quoteOf(order)))
  const executedBuy = fill.buy
  if (executedBuy * limits.sellAmount < limits.buyAmount * executedSell) return undefined
  const [out0, out1] = buyToken === pool.token0 ? [paid, 0n] : [0n, paid]
  const encode = (calls: readonly Interaction[]) =>
    encodeSettle({
      tokens: [order.sellToken, order.buyToken, order.sellToken, order.buyToken],
      clearingPrices: [gross, executedSell, executedBuy, executedSell],
      trades: [encodeTrade({ ...order, ...limits, feeAmount: 0n }, { sell: 2, buy: 3 }, executedSell)],
      interactions: [
        order.preInteractions.map(toCall),
        [
          transferCall(order.sellToken, pool.address, executedSell),
          swapCall(pool.address, out0, out1, network.settlement),
          ...(buyToken === order.buyToken ? [] : [unwrapCall(network.wrappedNative, executedBuy)]),
        ],
        [...order.postInteractions.map(toCall), ...calls],
      ],
      auctionId,
    })
  return { solutionId, auctionId, order, executedSell, executedBuy, encode, calldata: encode(more(order)) }
}

function writeSolution(plan: DriverPlan, submissionAddress: Address, { claims = 1_000n }: DriverWays) {
  const { solutionId, order, executedSell, executedBuy } = plan
  return {
    solutionId,
    score: '1',
    submissionAddress,
    orders: {
      [order.uid]: {
        side: order.kind,
        sellToken: order.sellToken,
        buyToken: order.buyToken,
        limitSell: order.sellAmount,
        limitBuy: order.buyAmount,
        executedSell: executedSell.toString(),
        executedBuy: ((executedBuy * claims) / 1_000n).toString(),
      },
    },
    gas: 250_000,
  }
}

function bought({ buyToken }: Pick<SentDriverOrder, 'buyToken'>, { wrappedNative }: Network): Address {
  return wrappedForm(buyToken, wrappedNative)
}

function toCall({ target, value, callData }: SentCall): Interaction {
  return { target, value: BigInt(value), callData }
}

function policiesOf({ protocolFees }: SentDriverOrder): FeePolicy[] {
  const scaled = (factor = 0) => BigInt(Math.round(factor * Number(factorScale)))
  return protocolFees.flatMap((policy) =>
    Object.entries(policy).map(([kind, { factor, maxVolumeFactor }]) =>
      kind === 'volume'
        ? { kind, factor: scaled(factor) }
        : ({ kind, factor: scaled(factor), maxVolumeFactor: scaled(maxVolumeFactor) } as FeePolicy),
    ),
  )
}

/** An order without a quote is sent with a quote that buys nothing. */
function quoteOf({ quote }: SentDriverOrder) {
  const [sellAmount, buyAmount, feeAmount] = [quote.sellAmount, quote.buyAmount, quote.fee].map(BigInt) as [
    bigint,
    bigint,
    bigint,
  ]
  return buyAmount === 0n ? null : { sellAmount, buyAmount, feeAmount }
}

/** Sends settlements of an account one after the other. */
function createSubmission(rpc: Rpc, network: Network, { privateKey }: Account) {
  const wallet = new Wallet(privateKey)
  let nonce: Promise<number> | undefined
  return async (data: Hex): Promise<Hex> => {
    const next = (
      nonce ?? rpc.call<Hex>('eth_getTransactionCount', [wallet.address, 'pending']).then(Number)
    ).then((number) => number)
    nonce = next.then((number) => number + 1)
    const price = BigInt(await rpc.call<Hex>('eth_gasPrice', []))
    const raw = await wallet.signTransaction({
      type: 2,
      chainId: network.chainId,
      nonce: await next,
      to: network.settlement,
      data,
      gasLimit: 2_000_000n,
      maxFeePerGas: 3n * price,
      maxPriorityFeePerGas: price,
    })
    return rpc.call<Hex>('eth_sendRawTransaction', [raw])
  }
}
