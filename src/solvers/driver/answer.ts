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

/** `solver` must be there, and is not believed: whose quote it is, the settings say. */
const common = {
  interactions: outsideList(outsideInteraction, maxInteractions),
  solver: outsideAddress,
  gas: outsideGas.nullish(),
  txOrigin: outsideAddress.nullish(),
}

/** The older form: the other amount itself. */
const amountForm = z.object({ amount: outsideAmount, ...common })

const pricesForm = z.object({
  clearingPrices: outsidePrices,
  preInteractions: outsideList(outsideInteraction, maxInteractions),
  jitOrders: outsideList(z.looseObject({}), maxOrders),
  ...common,
})

const fault = z.object({ kind: z.string().max(100), description: z.string().nullish() })

/** What a driver answers, whatever the form. */
export interface DriverQuote {
  /** The side that was not asked for; null where prices tell it. */
  amount: bigint | null
  prices: ReadonlyMap<Address, bigint>
  preInteractions: Interaction[]
  interactions: Interaction[]
  gas: bigint | undefined
  txOrigin: Address | null
  hasJitOrders: boolean
}

export type DriverAnswer = DriverQuote | { kind: string; description?: string | null | undefined }

/** `undefined` when it is no answer at all. */
export function parseDriverAnswer(body: unknown): DriverAnswer | undefined {
  const priced = pricesForm.safeParse(body).data
  const plain = priced ? undefined : amountForm.safeParse(body).data
  const found = priced ?? plain
  if (!found) return fault.safeParse(body).data
  return {
    amount: plain?.amount ?? null,
    prices: priced?.clearingPrices ?? new Map(),
    preInteractions: priced?.preInteractions ?? [],
    interactions: found.interactions,
    gas: found.gas ?? undefined,
    txOrigin: found.txOrigin ?? null,
    hasJitOrders: (priced?.jitOrders.length ?? 0) > 0,
  }
}
