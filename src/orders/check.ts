import type { AppDataSources, Reading } from '../app-data/read.ts'
import type { CheckOrder } from '../chain/order/order-check.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { NewOrder, OrderData } from '../domain/order/order.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import type { Quote } from '../domain/quote/quote.ts'
import type { UnquotedOrder } from '../quotes/order-quote.ts'
import type { Database } from '../storage/database/database.ts'

/** Bounds of what is accepted. All windows are inclusive. */
export interface OrderLimits {
  /** validTo is at least this far away, in seconds. */
  minValidity: number
  /** validTo of an order without a signed fee is at most this far away, in seconds. */
  maxLimitValidity: number
  /** The same for an order with a signed fee. */
  maxMarketValidity: number
  /** Gas units that one order may need in a settlement, hooks included. */
  maxGas: bigint
  /** Open orders out of market that one owner may have. */
  maxOutOfMarket: number
}

/** What placing and cancelling on one network need from outside. */
export interface OrderServices {
  network: Network
  db: Database
  now: Clock
  limits: OrderLimits
  policy: TradingPolicy
  appDataSources: AppDataSources
  /** Whether a wrong signer and a contract wallet's no are told by codes of their own instead of InvalidSignature. */
  distinctSignatureCodes: boolean
  /**
   * What the owner holds, and what the vault relayer may spend of it. An answer of a moment ago will do where it covers `enough`.
   * Throws an Outage when the node does not answer.
   */
  spendable(owner: Address, token: Address, enough: bigint): Promise<{ balance: bigint; allowance: bigint }>
  /** The same and more for an order whose own code has to run: pre-hooks, a contract wallet. */
  checkOrder: CheckOrder
  /** The stored or new quote that the order is kept with; null when nothing trades the pair. */
  quoteFor(order: UnquotedOrder): Promise<Quote | null>
  /** Whether an order has this UID already. */
  isTaken(uid: OrderUid): Promise<boolean>
  /** Commits the order with its document, its quote and the event `created`. @returns its row key; undefined when the UID is taken */
  store(order: NewOrder): Promise<bigint | undefined>
}

/** An order as far as it can be known without asking anybody. */
export interface Draft {
  creation: OrderCreation
  data: OrderData
  owner: Address
  uid: OrderUid
  /** As it is stored and settled: 65 bytes with v 27 or 28, or empty for presign. */
  signature: Hex
}

/** An order whose appData document is known. */
export interface Candidate extends Draft, Reading {}

/** An order that the chain has nothing against. */
export interface QuotedCandidate extends Candidate {
  /** What a contract wallet used to judge its signature; 0 for other signatures. */
  signatureGas: bigint
  /** The quote it is kept with; null when nothing trades the pair. */
  quote: Quote | null
}

/** Throws a Refusal when the order is not acceptable. */
export type Check<Known extends Draft = Candidate> = (
  order: Known,
  services: OrderServices,
) => void | Promise<void>
