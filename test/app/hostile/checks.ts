import { nativeMarker } from '../../../src/domain/evm/address.ts'
import type { ChainTrade, Ledger } from './ledger.ts'
import type { Placed, Service } from './service.ts'

/** Balances by token and account. */
export type Balances = Map<string, Map<string, bigint>>

const addTo = (sums: Map<string, bigint>, key: string, value: bigint) =>
  sums.set(key, (sums.get(key) ?? 0n) + value)

/** Filled amounts of an order, on chain. */
export function filledOf(order: Placed, trades: readonly ChainTrade[]) {
  const own = trades.filter(({ uid }) => uid === order.uid)
  const sold = own.reduce((sum, { sellAmount }) => sum + sellAmount, 0n)
  const bought = own.reduce((sum, { buyAmount }) => sum + buyAmount, 0n)
  const isWhole = order.wish.kind === 'sell' ? sold >= order.sellAmount : bought >= order.buyAmount
  return { own, sold, bought, isWhole }
}

function statusOf(order: Placed, ledger: Ledger, now: number): string {
  if (filledOf(order, ledger.trades).isWhole) return 'fulfilled'
  if (order.isCancelled || ledger.invalidated.has(order.uid)) return 'cancelled'
  if (order.validTo < now) return 'expired'
  return order.wish.scheme === 'presign' && !ledger.presigned.has(order.uid) ? 'presignaturePending' : 'open'
}

/** What the chain and the accepted cancellations say about an order. */
export function expectedOrder(order: Placed, ledger: Ledger, now: number) {
  const { own, sold, bought } = filledOf(order, ledger.trades)
  return {
    uid: order.uid,
    status: statusOf(order, ledger, now),
    executedSellAmount: `${sold}`,
    executedBuyAmount: `${bought}`,
    trades: own
      .map(({ txHash, blockNumber, logIndex, sellAmount, buyAmount }) => ({
        txHash,
        blockNumber,
        logIndex,
        sellAmount: `${sellAmount}`,
        buyAmount: `${buyAmount}`,
      }))
      .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex),
  }
}

/** The same, as the service tells it. */
export async function toldOrder(
  { uid }: Placed,
  service: Service,
): Promise<ReturnType<typeof expectedOrder>> {
  const [order, trades] = await Promise.all([service.order(uid), service.trades(uid)])
  const { status, executedSellAmount, executedBuyAmount } = order
  return {
    uid,
    status,
    executedSellAmount,
    executedBuyAmount,
    trades: trades
      .map(({ txHash, blockNumber, logIndex, sellAmount, buyAmount }: Record<string, unknown>) => ({
        txHash,
        blockNumber,
        logIndex,
        sellAmount,
        buyAmount,
      }))
      .sort((a: ChainTrade, b: ChainTrade) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex),
  }
}

/** Orders that were filled beyond their amount or below their limit price, or that nobody placed. */
export function brokenTrades(orders: readonly Placed[], { trades }: Ledger): string[] {
  const placed = new Map(orders.map((order) => [order.uid, order]))
  const faults = trades.flatMap((trade) => {
    const order = placed.get(trade.uid)
    if (!order) return [`${trade.uid} was never placed`]
    const isWithin = trade.buyAmount * order.sellAmount >= trade.sellAmount * order.buyAmount
    return isWithin && trade.feeAmount === 0n ? [] : [`${trade.uid} breaks its limit`]
  })
  const overfilled = orders.filter((order) => {
    const { sold, bought } = filledOf(order, trades)
    return order.wish.kind === 'sell' ? sold > order.sellAmount : bought > order.buyAmount
  })
  return [...faults, ...overfilled.map(({ uid }) => `${uid} is filled beyond its amount`)]
}

/**
 * What each account has to hold: what it held, its own transfers, and its trades. The contract and the pools
 * are not accounts.
 */
export function expectedBalances(
  before: Balances,
  accounts: readonly string[],
  orders: readonly Placed[],
  ledger: Ledger,
): Balances {
  const receivers = new Map(orders.map(({ uid, receiver }) => [uid, receiver.toLowerCase()]))
  return new Map(
    [...before].map(([token, held]) => {
      const sums = new Map(accounts.map((account) => [account, held.get(account) ?? 0n]))
      for (const transfer of ledger.transfers) {
        if (transfer.token !== token || ledger.settlements.has(transfer.txHash)) continue
        addTo(sums, transfer.from, -transfer.value)
        addTo(sums, transfer.to, transfer.value)
      }
      for (const trade of ledger.trades) {
        if (trade.sellToken === token) addTo(sums, trade.owner, -trade.sellAmount)
        if (trade.buyToken === token) addTo(sums, receivers.get(trade.uid) ?? '', trade.buyAmount)
      }
      return [token, new Map(accounts.map((account) => [account, sums.get(account) ?? 0n]))]
    }),
  )
}

interface ToldFees {
  /** By token; native coins count as the wrapped token. */
  fees: Map<string, bigint>
  /** Atoms by which the holdings may differ from the fees. */
  bounds: Map<string, bigint>
}

/**
 * The fees that the service tells, in the tokens in which they are kept: network fees in the sell token,
 * protocol fees in the surplus token. Amounts are whole atoms of two tokens, so a trade may move one atom of
 * each, or the value of one atom of the other.
 */
export async function toldFees(
  { trades }: Ledger,
  service: Pick<Service, 'report'>,
  wrappedNative: string,
): Promise<ToldFees & { missing: string[] }> {
  const told = { fees: new Map<string, bigint>(), bounds: new Map<string, bigint>() }
  const missing: string[] = []
  for (const trade of trades) {
    const report = await service.report(trade.uid)
    const auctionId = report.trades.find(({ txHash }: ChainTrade) => txHash === trade.txHash)?.auctionId
    const auction = report.auctions.find(({ id }: { id: number }) => id === auctionId)
    const execution = auction?.executions[0]
    if (!execution) {
      missing.push(`${trade.uid} in ${trade.txHash} of auction ${auctionId}`)
      continue
    }
    const { sellToken, sellPrice, buyPrice } = trade
    const buyToken = trade.buyToken === nativeMarker ? wrappedNative : trade.buyToken
    const ceil = (value: bigint, over: bigint) => (value + over - 1n) / over
    let network = BigInt(execution.executedFee)
    for (const { token, amount } of execution.protocolFees) {
      const isSold = token === sellToken
      addTo(told.fees, isSold ? sellToken : buyToken, BigInt(amount))
      network -= isSold ? BigInt(amount) : (BigInt(amount) * buyPrice) / sellPrice
    }
    addTo(told.fees, sellToken, network)
    const roundings = BigInt(1 + execution.protocolFees.length)
    addTo(told.bounds, sellToken, roundings * (1n + ceil(buyPrice, sellPrice)))
    addTo(told.bounds, buyToken, roundings * (1n + ceil(sellPrice, buyPrice)))
  }
  return { ...told, missing }
}

/** What the settlement contract holds beyond the fees and what others have sent to it. */
export function keptBeyondFees(
  { before, after }: { before: Balances; after: Balances },
  { transfers, settlements }: Ledger,
  { fees, bounds }: ToldFees,
  settlement: string,
) {
  return [...before].map(([token, held]) => {
    const gifts = transfers.filter(
      (transfer) =>
        transfer.token === token && transfer.to === settlement && !settlements.has(transfer.txHash),
    )
    const fee = fees.get(token) ?? 0n
    const gained = (after.get(token)?.get(settlement) ?? 0n) - (held.get(settlement) ?? 0n)
    const difference = gifts.reduce((rest, { value }) => rest - value, gained - fee)
    return { token, fee, difference, bound: bounds.get(token) ?? 0n }
  })
}
