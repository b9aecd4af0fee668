import { type ResolvedAppData, readAppData } from '../../app-data/read.ts'
import type { OrderAnswer } from '../../chain/order/order-check.ts'
import type { SimulateOrder } from '../../chain/order/simulation.ts'
import { emptyAppDataDocument, parseAppDataDocument } from '../../domain/app-data/document.ts'
import { outlookOf } from '../../domain/auction/admission.ts'
import { serviceReasons } from '../../domain/diagnosis/auction-reasons.ts'
import { inOrder, settlementReverts, tightHooks } from '../../domain/diagnosis/diagnose.ts'
import {
  type Diagnosis,
  type DiagnosisInput,
  type Reason,
  reasonOf,
  standingOf,
} from '../../domain/diagnosis/diagnosis.ts'
import { refused, validityOf } from '../../domain/diagnosis/end-reasons.ts'
import type { Evidence } from '../../domain/diagnosis/evidence.ts'
import { marketReasons } from '../../domain/diagnosis/price-reasons.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { OrderSimulation } from '../../domain/evm/simulation.ts'
import { partnerVolumeFees } from '../../domain/fee/policy.ts'
import { volumeFeesFor } from '../../domain/fee/rules.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderCreation } from '../../domain/order/creation.ts'
import type { Quote, QuoteRequest } from '../../domain/quote/quote.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import type { NativeRate } from '../../domain/token/prices.ts'
import { normalizedPriceDown, readNativeRates } from '../../quotes/native-price.ts'
import { priceOrder } from '../../quotes/order-quote.ts'
import type { Priced } from '../../quotes/price.ts'
import type { QuoteServices } from '../../quotes/quote.ts'
import { readDiagnosisFacts, readUnplacedOrderFacts } from '../../storage/order/diagnosis-facts.ts'
import type { Draft, OrderServices } from '../check.ts'
import { type DiagnosisServices, diagnoseOrders, unplacedOrderFacts } from '../diagnose.ts'
import { toInteractions } from '../interactions.ts'
import { inDatabase, inMemory, isPart, toDraft, withQuote } from '../place.ts'
import { accountReasons, lookAtAccount, type UnplacedOrder } from './account.ts'

/** The market's answer to an order: a price and rates, or why there are none. */
interface MarketSeen {
  priced: Priced | Refusal | Outage
  /** Tokens without a price are left out. */
  rates: Map<string, NativeRate | Refusal> | Refusal | Outage
}

/** Prices the order and its tokens, and stores nothing. */
async function lookAtMarket(
  { creation, order, owner, parsedAppData }: UnplacedOrder,
  { quotes, quoteElsewhere, orders: { meter = {} } }: Omit<ExplainServices, 'diagnosis' | 'simulateOrder'>,
): Promise<MarketSeen> {
  const { sellToken, buyToken } = order
  if (quoteElsewhere) {
    const priced = await quoteElsewhere(quoteRequestFor(creation, order, owner)).catch(asFault)
    return { priced, rates: new Outage('the prices of tokens') }
  }
  const [priced, rates] = await Promise.all([
    priceOrder({ ...creation, ...order, owner }, quotes, { extraGas: hooksGas(parsedAppData), meter }).catch(
      asFault,
    ),
    readNativeRates([sellToken, buyToken], quotes, meter).catch(asFault),
  ])
  return { priced, rates }
}

function quoteRequestFor(
  { appData, signingScheme }: OrderCreation,
  { kind, sellToken, buyToken, receiver, sellAmount, buyAmount, ...order }: Draft['order'],
  from: Draft['owner'],
): QuoteRequest {
  const { sellTokenBalance, buyTokenBalance } = order
  return {
    kind,
    sellToken,
    buyToken,
    from,
    receiver,
    signingScheme,
    sellTokenBalance,
    buyTokenBalance,
    size:
      kind === 'sell'
        ? { form: 'sellAmountAfterFee', amount: sellAmount }
        : { form: 'buyAmountAfterFee', amount: buyAmount },
    expiry: { validFor: quotedSeconds },
    appData: appData.appData,
    appDataHash: appData.hash,
    appDataDocument: appData.document,
    priceQuality: 'optimal',
    onchainOrder: false,
    verificationGasLimit: 0n,
    timeoutMs: quoteMs,
  }
}

const quotedSeconds = 1_800
const quoteMs = 2_000

function asFault(fault: unknown): Refusal | Outage {
  if (fault instanceof Refusal || fault instanceof Outage) return fault
  throw fault
}

/** Compares the market, as it was seen, with the limit. */
function unplacedOrderMarketReasons(
  facts: DiagnosisInput,
  { parsedAppData }: UnplacedOrder,
  { priced, rates }: MarketSeen,
  { feeRules, network }: Pick<QuoteServices, 'feeRules' | 'network'>,
): Reason[] {
  const { order, now } = facts
  const { sellToken, buyToken } = order
  const unpriced = rates instanceof Map ? [sellToken, buyToken].filter((token) => !rates.has(token)) : []
  const evidence = unpriced.map((token): Evidence => ({ kind: 'token', token }))
  const reasons = unpriced.length > 0 ? [reasonOf('noNativePrice', null, evidence)] : []
  if (priced instanceof Refusal && priced.code === 'UnsupportedToken')
    return [refused(priced, 'tokenMisbehaves'), ...reasons]
  if (reasons.length > 0) return reasons
  if (priced instanceof Outage) return [reasonOf('marketUnknown', null)]
  if (priced instanceof Refusal) {
    if (priced.code === 'Unavailable') return [reasonOf('marketUnknown', null)]
    if (priced.code !== 'NoLiquidity' && priced.code !== 'SellAmountDoesNotCoverFee') return [refused(priced)]
    return marketReasons(facts, standingOf(facts, { routed: 'none' }))
  }
  const { quote, route } = priced
  const found = { sell: quote.sellAmount, buy: quote.buyAmount, block: route?.block ?? null }
  const volumeFees = [
    ...volumeFeesFor(feeRules, order, network.wrappedNative, unixSeconds(now.getTime())),
    ...partnerVolumeFees(parsedAppData.partnerFees),
  ]
  const standing = standingOf(facts, {
    routed: found,
    best: { ...found, at: now },
    marketGap: rates instanceof Map ? gapAt(rates, order) : null,
    feeShare: (quote.feeAmount * 1_000_000n) / order.sellAmount,
    policyShare: volumeFees.reduce((sum, fee) => sum + fee, 0n),
  })
  return marketReasons(facts, standing)
}

/** The market gap at the prices of small amounts: the one of a part of a partially fillable order. */
function gapAt(rates: Map<string, NativeRate | Refusal>, order: DiagnosisInput['order']): bigint | null {
  const [sell, buy] = [rates.get(order.sellToken), rates.get(order.buyToken)]
  if (!sell || !buy || sell instanceof Refusal || buy instanceof Refusal) return null
  const prices = { sell: normalizedPriceDown(sell), buy: normalizedPriceDown(buy) }
  return outlookOf(order, prices, order.sellAmount, 0n).marketGap
}

/** An order before it is placed, and maybe before it is signed. */
export type OrderToExplain = Omit<OrderCreation, 'signature'> & { signature: Hex | null }

export interface ExplainServices {
  /** Its checks of orders have a queue of their own. */
  orders: OrderServices
  quotes: QuoteServices
  /**
   * Quotes an order on a network without pools, by the order book that it follows.
   * @throws Refusal, Outage
   */
  quoteElsewhere?: ((request: QuoteRequest) => Promise<Priced>) | undefined
  diagnosis: DiagnosisServices
  simulateOrder: SimulateOrder
}

export interface ExplainOptions {
  simulates: boolean
  /** True if the diagnosis of an order that is placed already hides its competitions. */
  hidesCompetitions: boolean
}

/** Fields by which the chain and the market are looked up: with a fault in one of them, neither is. */
const tradeFields = new Set(
  'sellToken buyToken sellAmount buyAmount feeAmount sellTokenBalance buyTokenBalance'.split(' '),
)
/** Stands for a document that cannot be read: its requests are not known. */
const noDocument = { parsedAppData: parseAppDataDocument(emptyAppDataDocument), fullAppData: null }

/**
 * Finds all that would keep an order from being placed and filled: by all checks of placing, not only up to
 * the first fault, by its account, the market, and a settlement of the order alone. Nothing is stored. An
 * order that is placed already gets its own diagnosis.
 * @throws Refusal MissingFrom where neither a signature nor `from` names the owner, Unavailable when too many
 *   ask, RateLimited; Outage of the database
 */
export async function explainOrder(
  asked: OrderToExplain,
  { simulates, hidesCompetitions }: ExplainOptions,
  services: ExplainServices,
): Promise<Diagnosis> {
  const { orders, quotes, diagnosis, simulateOrder } = services
  const { noted, note } = noteRefusals()
  const { signature } = asked
  const isAskedPart = async () =>
    signature !== null &&
    asked.from !== null &&
    (await isPart(toDraft({ ...asked, signature }, noDocument, orders), orders))
  const reading =
    (await note(() => readAppData(asked.appData, orders.appDataSources, isAskedPart))) ?? noDocument
  const draft = await draftOf(asked, reading, note, orders)
  if (!draft) return asReason(noted.map((refusal) => refused(refusal)))
  const { uid, order } = draft
  const { chainId } = orders.network
  const now = new Date(orders.now())
  const placed = await readDiagnosisFacts(orders.db, { chainId, uid, now, hidesCompetitions })
  const [ofPlaced] = placed ? await diagnoseOrders([placed], diagnosis) : []
  if (ofPlaced) return ofPlaced
  const foreseen: UnplacedOrder = { ...draft, ...reading }
  for (const check of inMemory) await note(() => check(foreseen, orders))
  const isTradable = !noted.some(({ field }) => field !== undefined && tradeFields.has(field))
  const { sellToken, buyToken } = order
  const stored = await readUnplacedOrderFacts(orders.db, { chainId, uid, sellToken, buyToken, now })
  const { validFrom, preHooks } = reading.parsedAppData
  const judged = { ...order, signingScheme: asked.signingScheme, validFrom, hasPreHooks: preHooks.length > 0 }
  const facts = unplacedOrderFacts(judged, stored, diagnosis)

  async function lookAtChain() {
    const answer = await lookAtAccount(foreseen, orders)
    const account = answer === 'away' ? [] : accountReasons(facts, foreseen, answer)
    const isPayable = account.every(({ code }) => code === 'presignatureMissing')
    const isOver = order.validTo < unixSeconds(now.getTime())
    const simulation =
      simulates && answer !== 'away' && isPayable && !isOver
        ? await simulate(foreseen, { ...orders, simulateOrder })
        : null
    return { answer, account, simulation }
  }

  const [chain, market] = isTradable
    ? await Promise.all([lookAtChain(), lookAtMarket(foreseen, services)])
    : [null, null]
  const quoted = { ...foreseen, signatureGas: gasOf(chain?.answer), quote: quoteOf(market, now) }
  for (const check of [...inDatabase, ...withQuote]) await note(() => check(quoted, orders))

  const isAway = chain !== null && (chain.answer === 'away' || chain.simulation === 'away')
  return asReason([
    ...serviceReasons({ ...facts, look: isAway ? 'away' : null }),
    ...noted.map((refusal) => withValidity(refused(refusal), facts)),
    ...withoutSince([
      ...timeReasons(facts),
      ...(chain?.account ?? []),
      ...(market ? unplacedOrderMarketReasons(facts, foreseen, market, quotes) : []),
      ...simulationReasons(chain?.simulation ?? null, foreseen, now),
    ]),
  ])
}

/** Keeps refusals instead of throwing them. */
function noteRefusals() {
  const noted: Refusal[] = []
  async function note<Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.code === 'Unavailable') throw fault
      noted.push(fault)
      return undefined
    }
  }
  return { noted, note }
}

type Note = ReturnType<typeof noteRefusals>['note']

/**
 * Makes the draft that placing makes. Without a signature, or with a faulty one, `from` is its owner;
 * undefined if `from` is missing too.
 */
async function draftOf(
  { signature, ...asked }: OrderToExplain,
  reading: ResolvedAppData,
  note: Note,
  services: OrderServices,
): Promise<(Draft & { isSigned: boolean }) | undefined> {
  const isPresign = asked.signingScheme === 'presign'
  if (signature !== null || isPresign) {
    const creation = { ...asked, signature: signature ?? '0x' }
    const draft = await note(() => toDraft(creation, reading, services))
    if (draft || isPresign) return draft && { ...draft, isSigned: true }
    if (asked.from === null) return undefined
  }
  if (asked.from === null)
    throw new Refusal('MissingFrom', 'an order without a signature needs from', { field: 'from' })
  const creation: OrderCreation = { ...asked, signature: '0x' }
  const draft = await note(() => toDraft({ ...creation, signingScheme: 'presign' }, reading, services))
  return draft && { ...draft, creation, isSigned: false }
}

interface SimulationServices extends Pick<OrderServices, 'network' | 'meter'> {
  simulateOrder: SimulateOrder
}

async function simulate(
  { creation, order, owner, signature, parsedAppData, isSigned }: UnplacedOrder,
  { network, simulateOrder, meter }: SimulationServices,
): Promise<OrderSimulation | 'away'> {
  const { signingScheme } = creation
  const interactions = toInteractions(parsedAppData, network.hooksTrampoline)
  // An order to be signed on chain is simulated as if it were signed, so that other faults are found too.
  const asSent = isSigned && signingScheme !== 'presign' ? signature : null
  const gas = hooksGas(parsedAppData)
  // The simulation itself is counted, but not that a trace runs it once more.
  if (gas > 0n) meter?.takeGas?.(gas)
  try {
    return await simulateOrder(
      { ...order, owner, signingScheme, signature: asSent, interactions, filled: 0n },
      null,
      { tracesHooks: gas > 0n, fundsOwner: false },
    )
  } catch (fault) {
    if (fault instanceof Outage) return 'away'
    throw fault
  }
}

function simulationReasons(
  simulation: OrderSimulation | 'away' | null,
  { parsedAppData: { preHooks: pre, postHooks: post } }: UnplacedOrder,
  now: Date,
): Reason[] {
  if (simulation === null || simulation === 'away') return []
  const { error, isFunded, hooks } = simulation
  if (error === null) return tightHooks({ pre, post }, hooks)
  return isFunded ? [settlementReverts(error, now)] : []
}

function gasOf(answer: OrderAnswer | 'away' | undefined): bigint {
  return answer === undefined || answer === 'away' ? 0n : answer.signatureGas
}

function quoteOf(market: MarketSeen | null, now: Date): Quote | null {
  if (!market || market.priced instanceof Error) return null
  const { quote }: Priced = market.priced
  return { ...quote, id: null, quoteKind: 'standard', expiration: now }
}

function timeReasons(facts: DiagnosisInput): Reason[] {
  const { order, now } = facts
  const isLater = (order.validFrom ?? 0) > now.getTime() / 1_000
  return isLater ? [reasonOf('notYetValid', null, [validityOf(facts)])] : []
}

/** Adds the time in which the order may be traded to a reason that concerns it. */
function withValidity(reason: Reason, facts: DiagnosisInput): Reason {
  if (reason.code !== 'expired' && reason.code !== 'expiresTooSoon') return reason
  return { ...reason, evidence: [validityOf(facts), ...reason.evidence] }
}

/** Removes the times since when reasons hold: they are not known of an order that no auction has seen. */
function withoutSince(reasons: readonly Reason[]): Reason[] {
  return reasons.map((reason) => ({ ...reason, since: null }))
}

function asReason(reasons: readonly Reason[]): Diagnosis {
  const [first = reasonOf('placeable', null), ...further] = inOrder(reasons)
  return { ...first, further }
}
