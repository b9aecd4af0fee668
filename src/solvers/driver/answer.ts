import { z } from 'zod'
import type { Address } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import {
  outsideAddress,
  outsideAmount,
  outsideGas,
  outsideInteraction,
  outsideList,
  outsidePrices,
} from '../outside/fields.ts'

const maxInteractions = 100
const maxOrders = 100

/** The common members. `solver` is required but not trusted: the settings determine the solver of a quote. */
const common = {
  interactions: outsideList(outsideInteraction, maxInteractions),
  solver: outsideAddress,
  gas: outsideGas.nullish(),
  txOrigin: outsideAddress.nullish(),
}

/** The older form, which contains the other amount itself. */
const amountForm = z.object({ amount: outsideAmount, ...common })

const pricesForm = z.object({
  clearingPrices: outsidePrices,
  preInteractions: outsideList(outsideInteraction, maxInteractions),
  jitOrders: outsideList(z.looseObject({}), maxOrders),
  ...common,
})

const fault = z.object({ kind: z.string().max(100), description: z.string().nullish() })

/** A driver's quote, from either form. */
export interface DriverQuote {
  /** The amount that the question does not fix; null if the prices determine it. */
  amount: bigint | null
  prices: ReadonlyMap<Address, bigint>
  preInteractions: Interaction[]
  interactions: Interaction[]
  gas: bigint | undefined
  txOrigin: Address | null
  hasJitOrders: boolean
}

export type DriverAnswer = DriverQuote | { kind: string; description?: string | null | undefined }

/** Parses a response; undefined if the body has no form of the protocol. */
export function parseDriverAnswer(body: unknown): DriverAnswer | undefined {
  const priced = pricesForm.safeParse(body).data
  const plain = priced ? undefined : amountForm.safeParse(body).data
  const quote = priced ?? plain
  if (!quote) return fault.safeParse(body).data
  return {
    amount: plain?.amount ?? null,
    prices: priced?.clearingPrices ?? new Map(),
    preInteractions: priced?.preInteractions ?? [],
    interactions: quote.interactions,
    gas: quote.gas ?? undefined,
    txOrigin: quote.txOrigin ?? null,
    hasJitOrders: (priced?.jitOrders.length ?? 0) > 0,
  }
}
