import {
  emptyAppDataDocument,
  type ParsedAppData,
  parseAppDataDocument,
  zeroAppData,
} from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { NewOrder, OrderData, OrderUid } from '../domain/order/order.ts'
import { checkPair, checkParties } from '../domain/order/trading-policy.ts'
import type { Quote } from '../domain/quote/quote.ts'
import { isOfPair, namedQuoteFor } from '../quotes/order-quote.ts'
import { findDocuments } from '../storage/app-data.ts'
import { findQuotes } from '../storage/quote/quotes.ts'
import type { OrderServices } from './check.ts'
import { checkAmounts, checkForm } from './checks/in-memory.ts'
import { toInteractions, withWrapping } from './interactions.ts'
import { toOrderQuote } from './place.ts'

/** An order of a contract, as the log of its placement has it. */
interface OnchainPlacement {
  orderUid: OrderUid
  /** The contract. */
  owner: NewOrder['owner']
  /** The user. */
  sender: NewOrder['owner']
  order: OrderData
  signature: NewOrder['signature']
  /** The number that the user wrote. */
  quoteId: bigint
  userValidTo: number
  /** Unix seconds of the block. */
  timestamp: number
}

type Services = Pick<OrderServices, 'network' | 'db' | 'limits' | 'policy'> & {
  appDataSources: Pick<OrderServices['appDataSources'], 'maxBytes'>
}

/**
 * The orders to store for placements. The coins are with the contract already, so a fault does not refuse the
 * order: it is stored with its error, and waits for its user to cancel it, or for its refund. Nothing outside
 * the database is asked: the indexer waits for this.
 */
export async function readPlacements(
  placements: readonly OnchainPlacement[],
  services: Services,
): Promise<NewOrder[]> {
  const { db, network } = services
  const quotes = await findQuotes(
    db,
    network.chainId,
    placements.map(({ quoteId }) => quoteId),
  )
  const documents = await findDocuments(
    db,
    placements.map(({ order }) => order.appData),
  )
  return placements.map((placement, index) => {
    return toNewOrder(placement, quotes[index], documents, services)
  })
}

function toNewOrder(
  placement: OnchainPlacement,
  found: Quote | undefined,
  documents: ReadonlyMap<Bytes32, string>,
  services: Services,
): NewOrder {
  const { order, owner, sender, userValidTo, timestamp } = placement
  const { network, appDataSources } = services
  const document =
    documents.get(order.appData) ?? (order.appData === zeroAppData ? emptyAppDataDocument : undefined)
  const parsed = document === undefined ? null : parse(document, appDataSources.maxBytes)
  const facts = parsed instanceof Refusal ? null : parsed
  const creationDate = new Date(timestamp * 1_000)
  const kept = found && isOfPair(found, order) ? namedQuoteFor(found, order, creationDate) : null
  return {
    ...order,
    chainId: network.chainId,
    uid: placement.orderUid,
    owner,
    settlementContract: network.settlement,
    class: 'limit',
    signingScheme: 'eip1271',
    signature: placement.signature,
    fullAppData: null,
    creationDate,
    quoteId: placement.quoteId,
    fullBalanceCheck: false,
    validFrom: facts?.validFrom ?? null,
    interactions: withWrapping(owner, toInteractions(facts, network.hooksTrampoline)),
    quote: kept && toOrderQuote(kept),
    effectiveValidTo: userValidTo,
    onchainUser: sender,
    ...(parsed instanceof Refusal ? preValidation(parsed.message) : faultOf(placement, found, services)),
  }
}

/** A document that is unknown has no hooks; one that is not valid is a fault of the order. */
function parse(document: string, maxBytes: number): ParsedAppData | Refusal {
  try {
    return parseAppDataDocument(document, maxBytes)
  } catch (fault) {
    if (fault instanceof Refusal) return fault
    throw fault
  }
}

type Fault = Pick<NewOrder, 'placementError' | 'placementDetail'>

const noFault: Fault = { placementError: null, placementDetail: null }

const preValidation = (placementDetail: string): Fault => ({
  placementError: 'PreValidationError',
  placementDetail,
})

/** Applies the rules for orders of the service that also concern an order whose coins are locked. */
function faultOf(
  { order, sender, userValidTo, timestamp, quoteId }: OnchainPlacement,
  found: Quote | undefined,
  { network, limits, policy }: Services,
): Fault {
  if (order.feeAmount > 0n) return preValidation('feeAmount must be 0')
  try {
    checkAmounts(order)
    checkForm(order)
    checkParties({ owner: sender, receiver: order.receiver }, policy)
    checkPair(order, network, policy)
  } catch (fault) {
    if (fault instanceof Refusal) return preValidation(fault.message)
    throw fault
  }
  if (userValidTo > timestamp + limits.maxLimitValidity) {
    const placementDetail = `it expires more than ${limits.maxLimitValidity} seconds after it was placed`
    return { placementError: 'ValidToTooFarInFuture', placementDetail }
  }
  if (found && isOfPair(found, order)) return noFault
  const placementDetail = found ? `quote ${quoteId} is for other tokens` : `no quote has the id ${quoteId}`
  return { placementError: 'QuoteNotFound', placementDetail }
}
