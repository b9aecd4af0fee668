import type { Holding, ReadBalance } from '../chain/balance-reader.ts'
import type { Chain } from '../chain/chain.ts'
import { diagnose, needsBalanceRead } from '../domain/diagnosis/diagnose.ts'
import type { DiagnosedOrder, Diagnosis, DiagnosisInput } from '../domain/diagnosis/diagnosis.ts'
import { Outage } from '../domain/errors/error.ts'
import { nativeMarker } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderData } from '../domain/order/order.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { StoredFacts, UnplacedOrderFacts } from '../storage/order/diagnosis-facts.ts'

export interface DiagnosisServices {
  network: Network
  now: Clock
  policy: Pick<TradingPolicy, 'deniedTokens'>
  /** True if the network follows an order book that is run elsewhere. */
  isFollowed?: boolean | undefined
  /** Settings of the network's auctions. */
  auctions: { everyBlocks: number; minLifetime: number }
  chain: Pick<Chain, 'balances'>
}

type ServiceRules = Pick<DiagnosisServices, 'network' | 'auctions' | 'isFollowed'>

/** Orders of one look at the chain: those beyond are answered without it. */
const maxLooks = 100

type WithoutLook = Omit<DiagnosisInput, 'look'>

/**
 * Why each of these orders is not filled, in their order. At most one request to the node, for those that no
 * auction has looked at lately.
 */
export async function diagnoseOrders(
  orders: readonly StoredFacts[],
  services: DiagnosisServices,
): Promise<Diagnosis[]> {
  const now = new Date(services.now())
  const rows = orders.map((stored) => ({ stored, facts: toFacts(stored, now, services) }))
  const looked = rows
    .filter(({ stored, facts }) => !stored.hasOwnCode && needsBalanceRead(facts))
    .slice(0, maxLooks)
  const looks = await look(
    looked.map(({ stored: { owner, order } }) => ({ owner, token: order.sellToken })),
    services,
  )
  const lookOf = new Map(looked.map(({ stored }, index) => [stored, looks[index] ?? null]))
  return rows.map(({ stored, facts }) => diagnose({ ...facts, look: lookOf.get(stored) ?? null }))
}

function toFacts(
  { owner: _owner, hasOwnCode: _code, service, ...row }: StoredFacts,
  now: Date,
  services: DiagnosisServices,
): WithoutLook {
  const { policy } = services
  const { sellToken, buyToken } = row.order
  return {
    ...row,
    now,
    tokens: withCoin(row.tokens, row.order, services.network.chainId),
    deniedTokens: [sellToken, buyToken].filter((token) => policy.deniedTokens.has(token)),
    service: serviceFacts(service, services),
  }
}

/** Adds symbol and decimals of the native coin, which is no stored token. */
function withCoin(
  { sell, buy }: StoredFacts['tokens'],
  { sellToken, buyToken }: Pick<OrderData, 'sellToken' | 'buyToken'>,
  chainId: number,
): StoredFacts['tokens'] {
  const coin = nativeCoin(chainId)
  return {
    sell: sellToken === nativeMarker ? coin : sell,
    buy: buyToken === nativeMarker ? coin : buy,
  }
}

function serviceFacts(
  service: StoredFacts['service'],
  { network: { blockTimeMs }, auctions, isFollowed }: ServiceRules,
): DiagnosisInput['service'] {
  const { minLifetime, everyBlocks } = auctions
  return { ...service, isFollowed, minLifetime, auctionPauseMs: everyBlocks * blockTimeMs, blockTimeMs }
}

/** Reads the holdings, and returns them in their order. A node that is away is an answer. */
async function look(
  holdings: readonly Holding[],
  { chain }: Pick<DiagnosisServices, 'chain'>,
): Promise<DiagnosisInput['look'][]> {
  if (holdings.length === 0) return []
  try {
    const balances = await chain.balances(holdings)
    return balances.map((balance) => (balance instanceof Outage ? null : toFunds(balance)))
  } catch (fault) {
    if (fault instanceof Outage) return holdings.map(() => 'away')
    throw fault
  }
}

export function toFunds(balance: ReadBalance) {
  if (balance === 'absent') return { balance: 0n, allowance: 0n }
  return { balance: balance.balance, allowance: balance.allowance ?? 0n }
}

/** The known facts of an order that is not placed, in the form that is diagnosed. */
export function unplacedOrderFacts(
  order: OrderData & Pick<DiagnosedOrder, 'signingScheme' | 'validFrom' | 'hasPreHooks'>,
  { tokens, market, service, presigned }: UnplacedOrderFacts,
  services: Pick<DiagnosisServices, 'now'> & ServiceRules,
): DiagnosisInput {
  return {
    now: new Date(services.now()),
    order: {
      ...order,
      ...{ presigned, placementError: null, placementDetail: null },
      // It takes part in no auction yet: a halt of auctions is reported at once.
      creationDate: new Date(0),
      effectiveValidTo: order.validTo,
      ...{ executedSellAmount: 0n, executedBuyAmount: 0n, executedFeeAmount: 0n },
      ...{ cancelledAt: null, invalidatedOnChain: false },
    },
    tokens: withCoin(tokens, order, services.network.chainId),
    ...{ market, cancellation: null, lastTrade: null, failedHook: null },
    standing: null,
    ...{ bid: null, bestBid: null, attempt: null, refusal: null, deniedTokens: [], look: null },
    programmatic: null,
    service: serviceFacts(service, services),
  }
}
