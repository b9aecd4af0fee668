import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { invalidResponse, OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, type JsonPeer } from '../../outside/http-json.ts'
import {
  outsideAddress,
  outsideAmount,
  outsideGas,
  outsideInteraction,
  outsideList,
  outsidePrices,
} from '../outside/fields.ts'
import {
  amountAtPrices,
  type OutsideQuestion,
  type QuoteClaim,
  refusalIn,
  toClaim,
} from '../outside/quote.ts'

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
interface DriverQuote {
  /** The amount that the question does not fix; null if the prices determine it. */
  amount: bigint | null
  prices: ReadonlyMap<Address, bigint>
  preInteractions: Interaction[]
  interactions: Interaction[]
  gas: bigint | undefined
  txOrigin: Address | null
  hasJitOrders: boolean
}

type DriverAnswer = DriverQuote | { kind: string; description?: string | null | undefined }

/** Parses a response; undefined if the body has no form of the protocol. */
function parseDriverAnswer(body: unknown): DriverAnswer | undefined {
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

/** A solver's driver behind HTTP. */
export interface Driver {
  /**
   * Requests a quote.
   * @param deadline sent to the driver
   * @throws Refusal NoLiquidity, or the driver's own reason; OutsideFault if it is down, slow or sends
   *   invalid data
   */
  quote(question: OutsideQuestion, deadline: Date, signal: AbortSignal): Promise<QuoteClaim>
}

/** The errors of the driver itself, not about the trade. */
const driverFaults = ['DeadlineExceeded', 'SolverFailed', 'Unknown']

/** Creates a driver that is asked by `GET {url}/quote`. */
export function createDriver(peer: JsonPeer, { vaultRelayer }: { vaultRelayer: Address }): Driver {
  return {
    async quote(question, deadline, signal) {
      const { kind, sellToken, buyToken, amount } = question
      const query = {
        sellToken,
        buyToken,
        kind,
        amount: amount.toString(),
        deadline: deadline.toISOString(),
      }
      const { status, body } = await exchangeJson(peer, { path: '/quote', query }, signal)
      const answer = parseDriverAnswer(body)
      if (answer && 'kind' in answer) throw errorOf(peer.name, answer)
      if (status >= 400) throw new OutsideFault(peer.name, `status ${status}`)
      if (!answer) throw invalidResponse(peer.name, 'the response does not match the protocol')
      return toClaim(peer.name, question, rawClaim(answer, question), vaultRelayer)
    },
  }
}

function errorOf(
  name: string,
  { kind, description }: { kind: string; description?: string | null | undefined },
): Error {
  if (kind === 'QuotingFailed') return new Refusal('NoLiquidity', 'no route trades this pair at this size')
  return driverFaults.includes(kind) ? new OutsideFault(name, `says ${kind}`) : refusalIn(kind, description)
}

function rawClaim(answer: DriverQuote, question: OutsideQuestion) {
  const { amount, prices, preInteractions, interactions, txOrigin, gas, hasJitOrders } = answer
  return {
    computed: amount ?? amountAtPrices(question, prices),
    gas,
    calls: { preInteractions, interactions, txOrigin },
    playable: !hasJitOrders,
  }
}
