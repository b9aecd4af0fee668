import type { Address } from './address.ts'
import type { AppDataInput } from './app-data.ts'
import type { Hex } from './hex.ts'
import type { OrderData, SigningScheme } from './order.ts'
import type { OrderUid } from './order-uid.ts'
import type { EcdsaScheme } from './signing.ts'

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
