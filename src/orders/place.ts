import { type Reading, readAppData } from '../app-data/read.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { NewOrder, NewOrderQuote, OrderData } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import type { Quote } from '../domain/quote/quote.ts'
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
import { orderOwner } from './owner.ts'
import { replace, replaced } from './replace.ts'

/** What the order itself says, once its document, if it came with it, and its owner are read. */
const inMemory: readonly Check<Draft>[] = [amounts, accounts, form, validity, tokens]

/**
 * What the database says, once the document of a bare hash is found there. Who sends a replacing order again learns that it is there,
 * not that the one it replaced is cancelled.
 */
const inDatabase: readonly Check[] = [document, unique, replaced]

/** What is asked of an order that the chain has nothing against. `validFrom` needs no look-up: its place is the one clients know. */
const quoted: readonly Check<QuotedCandidate>[] = [signedFee, outOfMarket, gas, validFrom]

/**
 * Checks a signed order and stores it: in memory, then in the database, then on the chain. Of several faults the first is told,
 * in the order that clients know. When this returns, the order is committed.
 * @throws Refusal naming the first fault; Outage when the node, the database or the app data gateway does not answer
 */
export async function placeOrder(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  const { appDataSources } = services
  const early = await readEarly(creation, services)
  const draft = toDraft(creation, early, services)
  for (const check of inMemory) await check(draft, services)
  const reading = early ?? (await readAppData(creation.appData, appDataSources))
  const candidate = { ...draft, ...reading }
  for (const check of inDatabase) await check(candidate, services)
  const { signatureGas } = await onChain(candidate, services)
  const quote = await services.quoteFor({ ...creation, ...draft.data, owner: draft.owner })
  const order = { ...candidate, signatureGas, quote }
  for (const check of quoted) await check(order, services)
  await store(order, services)
  return order.uid
}

/** The UID of an order, stored or not. @throws Refusal when nobody signed it, Outage */
export async function uidOf(creation: OrderCreation, services: OrderServices): Promise<OrderUid> {
  return toDraft(creation, await readEarly(creation, services), services).uid
}

async function readEarly(
  creation: OrderCreation,
  { appDataSources }: OrderServices,
): Promise<Reading | null> {
  return needsDocument(creation) ? readAppData(creation.appData, appDataSources) : null
}

/** A document that came with the order is read first; one that has to be looked up only where nothing else can name the owner. */
function needsDocument({ appData, from, signingScheme }: OrderCreation): boolean {
  return appData.document !== null || (from === null && !isEcdsa(signingScheme))
}

function toDraft(creation: OrderCreation, early: Reading | null, services: OrderServices): Draft {
  const data: OrderData = { ...creation, appData: creation.appData.hash }
  const { owner, signature } = orderOwner(creation, data, early?.parsedAppData ?? { signer: null }, services)
  return { creation, data, owner, signature, uid: orderUid(services.network, data, owner) }
}

/** Orders that are placed at once are stored together; one that replaces another has a transaction of its own. */
async function store(candidate: QuotedCandidate, services: OrderServices): Promise<void> {
  const order = toNewOrder(candidate, services)
  const { replacedOrder } = candidate.parsedAppData
  const id =
    replacedOrder === null
      ? await services.store(order)
      : await services.db.transaction(async (tx) => {
          // Both at once: whatever happened to the old one since it was looked at is seen, and whoever comes after sees it cancelled.
          await lockOrders(tx, [replacedOrder, order.uid])
          const inserted = await insertOrder(tx, order)
          const replacement = { replacedOrder, order: candidate, at: order.creationDate }
          if (inserted !== undefined) await replace(tx, replacement, services)
          return inserted
        })
  if (id === undefined) throw duplicated(order.uid)
}

function toNewOrder(
  { creation, data, parsedAppData, newDocument, owner, uid, signature, quote }: QuotedCandidate,
  services: OrderServices,
): NewOrder {
  return {
    ...pickOrderData(data),
    chainId: services.network.chainId,
    uid,
    owner,
    settlementContract: services.network.settlement,
    class: 'limit',
    signingScheme: creation.signingScheme,
    signature,
    fullAppData: newDocument,
    creationDate: new Date(services.now()),
    quoteId: quote?.id ?? null,
    fullBalanceCheck: creation.fullBalanceCheck,
    validFrom: parsedAppData.validFrom,
    interactions: toInteractions(parsedAppData, services.network.hooksTrampoline),
    quote: quote && toOrderQuote(quote),
    effectiveValidTo: data.validTo,
  }
}

function pickOrderData(data: OrderData): OrderData {
  return {
    sellToken: data.sellToken,
    buyToken: data.buyToken,
    receiver: data.receiver,
    sellAmount: data.sellAmount,
    buyAmount: data.buyAmount,
    validTo: data.validTo,
    appData: data.appData,
    feeAmount: data.feeAmount,
    kind: data.kind,
    partiallyFillable: data.partiallyFillable,
    sellTokenBalance: data.sellTokenBalance,
    buyTokenBalance: data.buyTokenBalance,
  }
}

function toOrderQuote({
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
