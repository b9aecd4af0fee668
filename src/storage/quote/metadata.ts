import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Interaction, QuoteCalls } from '../../domain/order/order.ts'

/** The calls of a quote as clients read them and as they are stored, with the quote and with an order that was made from it. */
export interface QuoteMetadata {
  version: '1.0'
  interactions: CallJson[]
  preInteractions: CallJson[]
  /** Orders that a solver adds itself; this service has none. */
  jitOrders: []
}

interface CallJson {
  target: Address
  value: string
  callData: Hex
}

/** null without calls, since most stored quotes are never read again. */
export function toMetadata(calls: QuoteCalls | null | undefined): QuoteMetadata | null {
  if (!calls || calls.interactions.length + calls.preInteractions.length === 0) return null
  const write = (items: readonly Interaction[]) =>
    items.map(({ target, value, callData }) => ({ target, value: value.toString(), callData }))
  return {
    version: '1.0',
    interactions: write(calls.interactions),
    preInteractions: write(calls.preInteractions),
    jitOrders: [],
  }
}

export function toCalls(metadata: QuoteMetadata | null): QuoteCalls | null {
  const read = (items: readonly CallJson[]) => items.map((item) => ({ ...item, value: BigInt(item.value) }))
  return (
    metadata && {
      preInteractions: read(metadata.preInteractions),
      interactions: read(metadata.interactions),
    }
  )
}
