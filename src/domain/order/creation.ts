import type { AppDataInput } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { EcdsaScheme } from '../signing/signing.ts'
import type { OrderData, SigningScheme } from './order.ts'
import type { OrderUid } from './uid.ts'

/** A well-formed order as a client sends it; whether it is acceptable is for the checks to say. */
export interface OrderCreation extends Omit<OrderData, 'appData'> {
  appData: AppDataInput
  from: Address | null
  signingScheme: SigningScheme
  signature: Hex
  quoteId: bigint | null
  fullBalanceCheck: boolean
}

/** A signed wish to cancel. All orders or none. */
export interface Cancellation {
  /** As signed: order and repetition are part of what was signed. */
  orderUids: OrderUid[]
  signingScheme: EcdsaScheme
  signature: Hex
}
