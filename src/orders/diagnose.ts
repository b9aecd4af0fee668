import type { Holding, ReadBalance } from '../chain/balance-reader.ts'
import type { Chain } from '../chain/chain.ts'
import { diagnose, needsLook } from '../domain/diagnosis/diagnose.ts'
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts'
import type { DiagnosisFacts } from '../domain/diagnosis/facts.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { StoredFacts } from '../storage/order/diagnosis/facts.ts'

export interface DiagnosisServices {
  network: Network
  now: Clock
  policy: Pick<TradingPolicy, 'deniedTokens'>
  /** Of the auctions of the network. */
  auctions: { everyBlocks: number; minLifetime: number }
  chain: Pick<Chain, 'balances'>
}

/** Orders of one look at the chain: those beyond are answered without it. */
const maxLooks = 100

type WithoutLook = Omit<DiagnosisFacts, 'look'>

/** Why each of these orders is not filled, in their order. At most one request to the node, for those that no auction has looked at lately. */
export async function diagnoseOrders(
  orders: readonly StoredFacts[],
  services: DiagnosisServices,
): Promise<Diagnosis[]> {
  const now = new Date(services.now())
  const rows = orders.map((stored) => ({ stored, facts: toFacts(stored, now, services) }))
  const looked = rows.filter(({ stored, facts }) => !stored.hasOwnCode && needsLook(facts)).slice(0, maxLooks)
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
    deniedTokens: [sellToken, buyToken].filter((token) => policy.deniedTokens.has(token)),
    service: serviceFacts(service, services),
  }
}

export function serviceFacts(
  service: StoredFacts['service'],
  { network: { blockTimeMs }, auctions }: Pick<DiagnosisServices, 'network' | 'auctions'>,
): DiagnosisFacts['service'] {
  const { minLifetime, everyBlocks } = auctions
  return { ...service, minLifetime, auctionPauseMs: everyBlocks * blockTimeMs, blockTimeMs }
}

/** In the order of `holdings`. A node that is away is an answer. */
async function look(
  holdings: readonly Holding[],
  { chain }: Pick<DiagnosisServices, 'chain'>,
): Promise<DiagnosisFacts['look'][]> {
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
