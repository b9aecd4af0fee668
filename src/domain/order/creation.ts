import type { AppDataInput } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { EcdsaScheme } from '../signing/signing.ts'
import type { OrderData, OrderUid, SigningScheme } from './order.ts'

/** A well-formed order as a client sends it, before the checks of `orders/checks`. */
export interface OrderCreation extends Omit<OrderData, 'appData'> {
  appData: AppDataInput
  from: Address | null
  signingScheme: SigningScheme
  signature: Hex
  quoteId: bigint | null
  fullBalanceCheck: boolean
}

/** A signed cancellation of all its orders or none. */
export interface Cancellation {
  /** The UIDs as signed: sequence and duplicates are part of the digest. */
  orderUids: OrderUid[]
  signingScheme: EcdsaScheme
  signature: Hex
}
