import type { Address } from '../domain/address.ts'
import type { AppDataMeaning } from '../domain/app-data.ts'
import type { Hex } from '../domain/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import type { OrderData } from '../domain/order.ts'
import type { OrderCreation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Quote } from '../domain/quote.ts'
import type { Database } from '../storage/database.ts'

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
}

/** What placing and cancelling on one network need from outside. */
export interface OrderDesk {
  network: Network
  db: Database
  now: Clock
  limits: OrderLimits
  /** What the owner holds, and what the vault relayer may spend of it. Throws an Outage when the node does not answer. */
  spendable(owner: Address, token: Address): Promise<{ balance: bigint; allowance: bigint }>
  /** The stored or new quote that the order is kept with; null when nothing trades the pair. */
  quoteFor(order: OrderToQuote): Promise<Quote | null>
}

export type OrderToQuote = OrderData & Pick<OrderCreation, 'quoteId' | 'signingScheme'> & { owner: Address }

/** An order on its way through the checks; its owner and UID are known. */
export interface Candidate {
  creation: OrderCreation
  data: OrderData
  /** The document behind the hash; null until it is looked up. */
  meaning: AppDataMeaning
  owner: Address
  uid: OrderUid
  /** As it is stored and settled: 65 bytes with v 27 or 28, or empty for presign. */
  signature: Hex
}

/** Throws a Refusal when the order is not acceptable. */
export type Check = (candidate: Candidate, desk: OrderDesk) => void | Promise<void>
