import { type ResolvedAppData, readAppData } from '../app-data/read.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { NewOrder, OrderData } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { isEcdsa, orderUid } from '../domain/signing/signing.ts'
import { insertOrder } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import type { Check, Draft, OrderServices, QuotedCandidate } from './check.ts'
import { accounts } from './checks/accounts.ts'
import { amounts } from './checks/amounts.ts'
import { document } from './checks/document.ts'
import { form } from './checks/form.ts'
import { gas } from './checks/gas.ts'
import { onChain } from './checks/on-chain.ts'
import { outOfMarket } from './checks/out-of-market.ts'
import { signedFee } from './checks/signed-fee.ts'
import { tokens } from './checks/tokens.ts'
import { duplicated, unique } from './checks/unique.ts'
import { validFrom } from './checks/valid-from.ts'
import { validity } from './checks/validity.ts'
import { toInteractions } from './interactions.ts'
import { toOrderQuote } from './order-quote.ts'
import { orderOwner } from './owner.ts'
import { replace, replaced } from './replace.ts'

/** Checks that need no look-up once the owner is known, and the document if the request contains it. */
export const inMemory: readonly Check<Draft>[] = [amounts, accounts, form, validity, tokens]

/**
 * Checks against the document and the database. `unique` precedes `replaced`: a client that sends a replacing order again gets
 * DuplicatedOrder, not AlreadyCancelled for the order it replaced.
 */
export const inDatabase: readonly Check[] = [document, unique, replaced]

/** Checks of an order that has its quote. `validFrom` needs no look-up, but clients rely on this order of errors. */
export const withQuote: readonly Check<QuotedCandidate>[] = [signedFee, outOfMarket, gas, validFrom]

/**
 * Checks a signed order in memory, in the database and on the chain, then stores it. The first fault is thrown: clients rely on
 * the order of the checks. When this returns, the order is committed.
 * @throws Refusal naming the first fault; Outage when the node, the database or the app data gateway does not answer
 */
export async function placeOrder(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  let reading = await readEarly(creation, services)
  const draft = toDraft(creation, reading, services)
  for (const check of inMemory) await check(draft, services)
  reading ??= await readAppData(creation.appData, services.appDataSources)
  const candidate = { ...draft, ...reading }
  for (const check of inDatabase) await check(candidate, services)
  const { signatureGas } = await onChain(candidate, services)
  const quote = await services.quoteFor({ ...creation, ...draft.order, owner: draft.owner })
  const quotedCandidate = { ...candidate, signatureGas, quote }
  for (const check of withQuote) await check(quotedCandidate, services)
  await store(quotedCandidate, services)
  services.nameTokens([draft.order.sellToken, draft.order.buyToken])
  return draft.uid
}

/** The UID of an order, stored or not. @throws Refusal when its signature or document is not valid; Outage */
export async function uidOf(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  return toDraft(creation, await readEarly(creation, services), services).uid
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

/** Stores orders that are placed at the same time in one batch; one that replaces another has its own transaction. */
async function store(quotedCandidate: QuotedCandidate, services: OrderServices): Promise<void> {
  const order = toNewOrder(quotedCandidate, services)
  const { replacedOrder } = quotedCandidate.parsedAppData
  const id =
    replacedOrder === null
      ? await services.store(order)
      : await services.db.transaction(async (tx) => {
          // Both locks together: `replace` sees every change of the old order since its check, and later writers see it cancelled.
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
