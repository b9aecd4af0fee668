import type { AppDataSources, ResolvedAppData } from '../app-data/read.ts'
import type { CheckOrder } from '../chain/order/order-check.ts'
import type { CheckProgrammatic } from '../chain/order/programmatic-signature.ts'
import type { Hook } from '../domain/app-data/document.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { NewOrder, OrderData, OrderUid } from '../domain/order/order.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Quote } from '../domain/quote/quote.ts'
import type { UnquotedOrder } from '../quotes/order-quote.ts'
import type { Database } from '../storage/database/database.ts'
import type { OnLogged } from '../storage/order/insert.ts'

/** Limits on orders that the service accepts. All windows are inclusive. */
export interface OrderLimits {
  /** validTo is at least this far away, in seconds. */
  minValidity: number
  /** validTo of an order without a signed fee is at most this far away, in seconds. */
  maxLimitValidity: number
  /** The same for an order with a signed fee. */
  maxMarketValidity: number
  /** Gas units that one order may need in a settlement, hooks included. */
  maxGas: bigint
  /** Gas units that a contract wallet may use to check a signature. */
  signatureGas: bigint
  /** Open out-of-market orders that one owner may have. */
  maxOutOfMarket: number
}

/** Dependencies of placing and cancelling orders on one network. */
export interface OrderServices {
  network: Network
  db: Database
  now: Clock
  limits: OrderLimits
  policy: TradingPolicy
  appDataSources: AppDataSources
  /** True if a wrong signer is refused with WrongOwner instead of InvalidSignature. */
  distinctSignatureCodes: boolean
  /**
   * The owner's balance, and what the vault relayer may spend of it. A cached result is used if it covers
   * `enough`. Throws an Outage when the node does not answer.
   */
  spendable(owner: Address, token: Address, enough: bigint): Promise<{ balance: bigint; allowance: bigint }>
  /** The same and more for an order whose own code has to run: pre-hooks or a contract wallet. */
  checkOrder: CheckOrder
  /** The meter of the client whose request it is; left out for work of the service. */
  meter?: GasMeter | undefined
  isProgrammatic: CheckProgrammatic
  /** Calls a hook by itself. @returns why it reverts; undefined if it does not, or the node cannot say */
  callHook(hook: Hook): Promise<string | undefined>
  /** The stored or new quote that is stored with the order; null when nothing trades the pair. */
  quoteFor(order: UnquotedOrder, meter?: GasMeter): Promise<Quote | null>
  /** Returns true if an order has this UID already. */
  isTaken(uid: OrderUid): Promise<boolean>
  /**
   * Called with the rows of orders about whose UIDs logs were stored before, in the transaction that stores
   * the orders.
   */
  onLogged: OnLogged
  /**
   * Commits the order with its document, its quote and the event `created`.
   * @returns its row key; undefined when the UID is taken
   */
  store(order: NewOrder): Promise<bigint | undefined>
  /** Has the metadata of tokens stored, for the messages of notifications, and returns at once. */
  nameTokens(addresses: readonly Address[]): void
}

/** An order with all that is known without I/O, or from its document alone. */
export interface Draft {
  creation: OrderCreation
  /** The signed data: the creation with the hash of its appData. */
  order: OrderData
  owner: Address
  uid: OrderUid
  /** The stored and settled form: 65 bytes with v 27 or 28, empty for presign, as sent for eip1271. */
  signature: Hex
}

/** A draft whose appData document is known. */
export interface Candidate extends Draft, ResolvedAppData {}

/** A candidate that passed the checks on the chain. */
export interface QuotedCandidate extends Candidate {
  /** Gas that a contract wallet used to check its signature; 0 for other signatures. */
  signatureGas: bigint
  /** The quote that is stored with it; null when nothing trades the pair. */
  quote: Quote | null
}

/** Throws a Refusal when the order is not acceptable. */
export type Check<Checked extends Draft = Candidate> = (
  candidate: Checked,
  services: OrderServices,
) => void | Promise<void>
