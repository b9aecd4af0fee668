import { type ResolvedAppData, readAppData } from '../app-data/read.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { NewOrder, NewOrderQuote, Order, OrderData, OrderUid } from '../domain/order/order.ts'
import type { Quote } from '../domain/quote/quote.ts'
import { isEcdsa, orderUid } from '../domain/signing/signing.ts'
import { recordCancelled } from '../notifications/record.ts'
import { wasBidOn } from '../storage/auction/competition.ts'
import { isBeingSettled } from '../storage/auction/settlement-attempts.ts'
import type { Db, Tx } from '../storage/database/database.ts'
import { findOrder, insertOrder, storeCancellations } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import { cancellable } from './cancel.ts'
import type { Check, Draft, OrderServices, QuotedCandidate } from './check.ts'
import { duplicated, outOfMarket, unique } from './checks/in-database.ts'
import {
  accounts,
  amounts,
  document,
  form,
  gas,
  signedFee,
  tokens,
  validFrom,
  validity,
} from './checks/in-memory.ts'
import { onChain } from './checks/on-chain.ts'
import { toInteractions } from './interactions.ts'
import { orderOwner } from './owner.ts'

/** The part of a quote that is stored with an order. */
export function toOrderQuote({
  gasAmount,
  gasPrice,
  sellTokenPrice,
  sellAmount,
  buyAmount,
  feeAmount,
  solver,
  verified,
  calls,
}: Quote): NewOrderQuote {
  return { gasAmount, gasPrice, sellTokenPrice, sellAmount, buyAmount, feeAmount, solver, verified, calls }
}

/**
 * A bid from one of this many last auctions may still be settled: an order with such a bid is not replaced.
 */
const recentAuctions = 5

/** The order to be replaced can be cancelled now. */
const replaced: Check = async (candidate, services) => {
  const { replacedOrder } = candidate.parsedAppData
  if (!replacedOrder) return
  try {
    await findReplaced(services.db, replacedOrder, services)
  } catch (fault) {
    // A copy of this order may have been stored since `unique` ran, and have cancelled the old order.
    await unique(candidate, services)
    throw fault
  }
}

/**
 * Cancels the order that `order` replaces, in the transaction that stored `order` and holds the locks of
 * both.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder,
 *   InvalidSignature, WrongOwner, OldOrderActivelyBidOn
 */
async function replace(
  tx: Tx,
  replacedOrder: OrderUid,
  order: NewOrder,
  services: OrderServices,
): Promise<void> {
  const orders = await findReplaced(tx, replacedOrder, services)
  for (const old of orders) await refuseUnlessReplaceable(tx, old, order)
  await storeCancellations(
    tx,
    orders.map(({ id }) => id),
    order.creationDate,
  )
  await recordCancelled(tx, orders, { by: 'replacement', uid: order.uid }, order.creationDate)
}

async function refuseUnlessReplaceable(
  tx: Tx,
  old: Order,
  { signingScheme, owner }: NewOrder,
): Promise<void> {
  const more = { field: 'appData', data: { uid: old.uid } }
  if (!isEcdsa(signingScheme)) {
    throw new Refusal('InvalidSignature', 'only an eip712 or ethsign order replaces another', more)
  }
  if (old.owner !== owner) {
    throw new Refusal('WrongOwner', `the order to be replaced belongs to ${old.owner}`, more)
  }
  if (await wasBidOn(tx, old, recentAuctions)) {
    throw new Refusal(
      'OldOrderActivelyBidOn',
      `solvers bid on the order to be replaced in the last ${recentAuctions} auctions`,
      more,
    )
  }
  if (await isBeingSettled(tx, old)) {
    throw new Refusal('OldOrderActivelyBidOn', 'a settlement of the order to be replaced is on its way', more)
  }
}

function findReplaced(db: Db, replacedOrder: OrderUid, services: OrderServices): Promise<Order[]> {
  return cancellable(db, { uids: [replacedOrder], field: 'appData' }, services)
}

/** Checks that need no look-up once the owner is known, and the document if the request contains it. */
export const inMemory: readonly Check<Draft>[] = [amounts, accounts, form, validity, tokens]

/**
 * Checks against the document and the database. `unique` precedes `replaced`: a client that sends a replacing
 * order again gets DuplicatedOrder, not AlreadyCancelled for the order it replaced.
 */
export const inDatabase: readonly Check[] = [document, unique, replaced]

/**
 * Checks of an order that has its quote. `validFrom` needs no look-up, but clients rely on this order of
 * errors.
 */
export const withQuote: readonly Check<QuotedCandidate>[] = [signedFee, outOfMarket, gas, validFrom]

/**
 * Checks a signed order in memory, in the database and on the chain, then stores it. The first fault is
 * thrown: clients rely on the order of the checks. When this returns, the order is committed.
 * @throws Refusal naming the first fault; Outage when the node, the database or the app data gateway does not
 *   answer
 */
export async function placeOrder(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  let reading = await readEarly(creation, services)
  const draft = toDraft(creation, reading, services)
  for (const check of inMemory) await check(draft, services)
  reading ??= await readAppData(creation.appData, services.appDataSources, () => isPart(draft, services))
  const candidate = { ...draft, ...reading }
  for (const check of inDatabase) await check(candidate, services)
  const { signatureGas } = await onChain(candidate, services)
  const quote = await services.quoteFor({ ...creation, ...draft.order, owner: draft.owner }, services.meter)
  const quotedCandidate = { ...candidate, signatureGas, quote }
  for (const check of withQuote) await check(quotedCandidate, services)
  await store(quotedCandidate, services)
  services.nameTokens([draft.order.sellToken, draft.order.buyToken])
  return draft.uid
}

/** The UID of an order, stored or not. @throws Refusal when its signature or document is not valid; Outage */
async function uidOf(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  return toDraft(creation, await readEarly(creation, services), services).uid
}

/**
 * Reports whether an order is a part of a programmatic order. Watch towers post it with the hash of a
 * document alone, which its owner may upload later.
 */
export async function isPart(
  { creation, order, owner, signature }: Draft,
  { isProgrammatic, meter }: OrderServices,
): Promise<boolean> {
  return creation.signingScheme === 'eip1271' && (await isProgrammatic({ order, owner, signature }, meter))
}

async function readEarly(
  creation: OrderCreation,
  { appDataSources }: OrderServices,
): Promise<ResolvedAppData | null> {
  return needsDocument(creation) ? readAppData(creation.appData, appDataSources) : null
}

/** Reads the document first if the request contains it, or if nothing else can name the owner. */
function needsDocument({ appData, from, signingScheme }: OrderCreation): boolean {
  return appData.document !== null || (from === null && !isEcdsa(signingScheme))
}

export function toDraft(
  creation: OrderCreation,
  reading: ResolvedAppData | null,
  services: OrderServices,
): Draft {
  const order: OrderData = { ...creation, appData: creation.appData.hash }
  const declaredSigner = reading?.parsedAppData.signer ?? null
  const { owner, signature } = orderOwner(creation, order, declaredSigner, services)
  return { creation, order, owner, signature, uid: orderUid(services.network, order, owner) }
}

/**
 * Stores orders that are placed at the same time in one batch; one that replaces another has its own
 * transaction.
 */
async function store(quotedCandidate: QuotedCandidate, services: OrderServices): Promise<void> {
  const order = toNewOrder(quotedCandidate, services)
  const { replacedOrder } = quotedCandidate.parsedAppData
  const id =
    replacedOrder === null
      ? await services.store(order)
      : await services.db.transaction(async (tx) => {
          // Both locks together: `replace` sees every change of the old order since its check, and later
          // writers see it cancelled.
          await lockOrders(tx, [replacedOrder, order.uid])
          const id = await insertOrder(tx, order, services.onLogged)
          if (id !== undefined) await replace(tx, replacedOrder, order, services)
          return id
        })
  if (id === undefined) throw duplicated(order.uid)
}

function toNewOrder(
  { creation, order, parsedAppData, fullAppData, owner, uid, signature, quote }: QuotedCandidate,
  services: OrderServices,
): NewOrder {
  return {
    ...pickOrderData(order),
    chainId: services.network.chainId,
    uid,
    owner,
    settlementContract: services.network.settlement,
    class: 'limit',
    signingScheme: creation.signingScheme,
    signature,
    fullAppData,
    creationDate: new Date(services.now()),
    quoteId: quote?.id ?? null,
    fullBalanceCheck: creation.fullBalanceCheck,
    validFrom: parsedAppData.validFrom,
    interactions: toInteractions(parsedAppData, services.network.hooksTrampoline),
    quote: quote && toOrderQuote(quote),
    effectiveValidTo: order.validTo,
    onchainUser: null,
    placementError: null,
    placementDetail: null,
  }
}

function pickOrderData(order: OrderData): OrderData {
  return {
    sellToken: order.sellToken,
    buyToken: order.buyToken,
    receiver: order.receiver,
    sellAmount: order.sellAmount,
    buyAmount: order.buyAmount,
    validTo: order.validTo,
    appData: order.appData,
    feeAmount: order.feeAmount,
    kind: order.kind,
    partiallyFillable: order.partiallyFillable,
    sellTokenBalance: order.sellTokenBalance,
    buyTokenBalance: order.buyTokenBalance,
  }
}

/**
 * The UID of this order if it was placed at `since` or later: for a client that does not know how its attempt
 * ended. An older order was not placed by that attempt, which got DuplicatedOrder.
 */
export async function placedSince(
  creation: OrderCreation,
  since: Date,
  services: OrderServices,
): Promise<OrderUid | undefined> {
  const uid = await uidOf(creation, services)
  const order = await findOrder(services.db, uid, services.network.chainId)
  return order && order.creationDate >= since ? uid : undefined
}
