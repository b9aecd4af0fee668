import { z } from 'zod'
import { invalidResponse, OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, isObject, type JsonPeer, JsonText } from '../../outside/http-json.ts'
import {
  formFault,
  outsideAddress,
  outsideAmount,
  outsideBytes,
  outsideBytes32,
  outsideGas,
  outsideInteraction,
  outsideList,
  outsideMap,
  outsidePrices,
  outsideUid,
} from '../outside/fields.ts'
import { refusalIn } from '../outside/quote.ts'
import { type EngineAuction, writeAuction } from './request.ts'

/** The limits of an answer: several times what a quote needs, because parsing blocks the event loop. */
const maxSolutions = 20
const maxTrades = 100
/** The limit for interactions of one kind in one solution. */
const maxInteractions = 100
/** The limit for one interaction. */
const maxTransfers = 20

const tokenAmount = z.object({ token: outsideAddress, amount: outsideAmount })

const fulfillment = z.object({
  kind: z.literal('fulfillment'),
  order: outsideUid,
  executedAmount: outsideAmount,
  /** The fee in sell atoms on top of the executed amount, for both kinds of orders. */
  fee: outsideAmount.nullish().transform((fee) => fee ?? 0n),
})

/** An order that the engine adds itself. */
const jit = z.object({
  kind: z.literal('jit'),
  order: z.object({
    sellToken: outsideAddress,
    buyToken: outsideAddress,
    receiver: outsideAddress,
    sellAmount: outsideAmount,
    buyAmount: outsideAmount,
    partiallyFillable: z.boolean().default(false),
    validTo: z.uint32(),
    appData: outsideBytes32,
    kind: z.enum(['sell', 'buy']),
    sellTokenBalance: z.enum(['erc20', 'internal', 'external']),
    buyTokenBalance: z.enum(['erc20', 'internal']),
    signingScheme: z.enum(['eip712', 'ethSign', 'eip1271', 'preSign']),
    signature: outsideBytes,
  }),
  executedAmount: outsideAmount,
  fee: outsideAmount.nullish().transform((fee) => fee ?? 0n),
})

/** A swap through liquidity of the request. `internalize` is ignored: every swap is executed. */
const liquidity = z.object({
  kind: z.literal('liquidity'),
  internalize: z.boolean().default(false),
  id: z.string().max(200),
  inputToken: outsideAddress,
  outputToken: outsideAddress,
  inputAmount: outsideAmount,
  outputAmount: outsideAmount,
})

const custom = outsideInteraction.extend({
  kind: z.literal('custom'),
  internalize: z.boolean().default(false),
  /** The approvals that the settlement contract must give first. */
  allowances: outsideList(tokenAmount.extend({ spender: outsideAddress }), maxTransfers).default([]),
  inputs: outsideList(tokenAmount, maxTransfers).default([]),
  outputs: outsideList(tokenAmount, maxTransfers).default([]),
})

const flashloan = z.object({
  liquidityProvider: outsideAddress,
  protocolAdapter: outsideAddress,
  receiver: outsideAddress,
  token: outsideAddress,
  amount: outsideAmount,
})

const solution = z
  .object({
    /** The id, a uint64. Values beyond 2^53 lose precision. */
    id: z
      .number()
      .min(0)
      .max(2 ** 64)
      .refine(Number.isInteger),
    prices: outsidePrices,
    trades: outsideList(z.discriminatedUnion('kind', [fulfillment, jit]), maxTrades),
    preInteractions: outsideList(outsideInteraction, maxInteractions).default([]),
    interactions: outsideList(z.discriminatedUnion('kind', [liquidity, custom]), maxInteractions),
    postInteractions: outsideList(outsideInteraction, maxInteractions).default([]),
    gas: outsideGas.nullish(),
    maxFeePerGas: outsideAmount.nullish(),
    maxPriorityFeePerGas: outsideAmount.nullish(),
    flashloans: outsideMap(outsideUid, flashloan, maxTrades).default(new Map()),
    wrappers: outsideList(z.object({ address: outsideAddress, data: outsideBytes }), maxTransfers).default(
      [],
    ),
  })
  .refine(
    ({ maxFeePerGas, maxPriorityFeePerGas }) => (maxFeePerGas == null) === (maxPriorityFeePerGas == null),
  )

export type EngineSolution = z.infer<typeof solution>
export type EngineInteraction = EngineSolution['interactions'][number]

const solved = z.object({
  solutions: outsideList(solution, maxSolutions).refine((solutions) => {
    const ids = solutions.map(({ id }) => id).filter(Number.isSafeInteger)
    return new Set(ids).size === ids.length
  }),
})

const refused = z.object({
  error: z.object({ code: z.string().max(100), message: z.string().nullish() }),
})

/** Solutions, possibly none, or the engine's error. */
type EngineAnswer =
  | { solutions: EngineSolution[] }
  | { error: { code: string; message?: string | null | undefined } }

/** Parses an answer. If the body has no form of the protocol, `fault` names the member. */
export function parseEngineAnswer(body: unknown): EngineAnswer | { fault: string } {
  const answer = solved.safeParse(body)
  return answer.data ?? refused.safeParse(body).data ?? { fault: formFault(answer.error) }
}

/** A solver engine behind HTTP. */
export interface SolverEngine {
  /**
   * Returns the engine's solutions, possibly none.
   * @throws Refusal with the engine's own reason; OutsideFault if it is down, slow or sends invalid data
   */
  solve(auction: EngineAuction | JsonText, signal: AbortSignal): Promise<EngineSolution[]>
}

/**
 * Creates an engine that is asked by `POST {url}/solve`: `/solve` is always appended to the configured URL.
 */
export function createSolverEngine(peer: JsonPeer): SolverEngine {
  return {
    async solve(auction, signal) {
      const { status, body } = await exchangeJson(
        peer,
        { path: '/solve', body: auction instanceof JsonText ? auction : writeAuction(auction) },
        signal,
      )
      const answer = parseEngineAnswer(body)
      if ('error' in answer) throw refusalIn(answer.error.code, answer.error.message)
      if (status >= 400) throw new OutsideFault(peer.name, `status ${status}`)
      if ('fault' in answer) throw invalidResponse(peer.name, duplicateFault(body) ?? answer.fault)
      return answer.solutions
    },
  }
}

/** Describes duplicate ids, a common mistake. */
function duplicateFault(body: unknown): string | undefined {
  const solutions = isObject(body) && Array.isArray(body.solutions) ? body.solutions : []
  const ids = solutions.map((solution) => isObject(solution) && solution.id)
  return new Set(ids).size < ids.length ? 'two solutions have one id' : undefined
}
