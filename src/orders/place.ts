import { parseAppDataDocument } from '../domain/app-data.ts'
import type { NewOrder, OrderData, OrderQuote } from '../domain/order.ts'
import type { OrderCreation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Quote } from '../domain/quote.ts'
import { orderUid } from '../domain/signing.ts'
import { resolveDocument } from '../quotes/app-data.ts'
import { storeAppData } from '../storage/app-data.ts'
import { appendEvents } from '../storage/events.ts'
import { insertOrder } from '../storage/orders.ts'
import { signal } from '../storage/signals.ts'
import type { Candidate, Check, OrderDesk } from './check.ts'
import { amounts } from './checks/amounts.ts'
import { form } from './checks/form.ts'
import { funds } from './checks/funds.ts'
import { checkGas } from './checks/gas.ts'
import { signedFee } from './checks/signed-fee.ts'
import { tokens } from './checks/tokens.ts'
import { duplicated, unique } from './checks/unique.ts'
import { validFrom } from './checks/valid-from.ts'
import { validity } from './checks/validity.ts'
import { orderOwner } from './owner.ts'

/** In memory, then in the database, then on the chain. Of several faults the first is told, in the order that clients know. */
const checks: readonly Check[] = [amounts, form, validity, tokens, unique, funds]

/**
 * Checks a signed order and stores it. When this returns, the order is committed.
 * @throws Refusal naming the first fault; Outage when the node or the database does not answer
 */
export async function placeOrder(creation: OrderCreation, desk: OrderDesk): Promise<OrderUid> {
  const candidate = await toCandidate(creation, desk)
  for (const check of checks) await check(candidate, desk)
  const quote = await desk.quoteFor({ ...creation, ...candidate.data, owner: candidate.owner })
  await signedFee(candidate, desk)
  checkGas(quote, desk.limits)
  await validFrom(candidate, desk)
  await store(toNewOrder(candidate, quote, desk), desk)
  return candidate.uid
}

/** A document that came with the order is read before anything is looked up. */
async function toCandidate(creation: OrderCreation, { db, network }: OrderDesk): Promise<Candidate> {
  const meaning = parseAppDataDocument(await resolveDocument(db, creation.appData))
  const data: OrderData = { ...creation, appData: creation.appData.hash }
  const { owner, signature } = orderOwner(creation, data, meaning, network)
  return { creation, data, meaning, owner, signature, uid: orderUid(network, data, owner) }
}

async function store(order: NewOrder, { db }: OrderDesk): Promise<void> {
  await db.transaction(async (tx) => {
    if (order.fullAppData !== null) await storeAppData(tx, order.appData, order.fullAppData)
    const orderId = await insertOrder(tx, order)
    if (orderId === undefined) throw duplicated(order.uid)
    await appendEvents(tx, [{ orderId, label: 'created', reason: null, timestamp: order.creationDate }])
    await signal(tx, 'orders', String(order.chainId))
  })
}

function toNewOrder(
  { creation, data, meaning, owner, uid, signature }: Candidate,
  quote: Quote | null,
  desk: OrderDesk,
): NewOrder {
  return {
    ...pickOrderData(data),
    chainId: desk.network.chainId,
    uid,
    owner,
    settlementContract: desk.network.settlement,
    class: 'limit',
    signingScheme: creation.signingScheme,
    signature,
    fullAppData: creation.appData.document,
    creationDate: new Date(desk.now()),
    quoteId: quote?.id ?? null,
    fullBalanceCheck: creation.fullBalanceCheck,
    validFrom: meaning.validFrom,
    interactions: { pre: [], post: [] },
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
}: Quote): OrderQuote {
  return { gasAmount, gasPrice, sellTokenPrice, sellAmount, buyAmount, feeAmount, solver, verified }
}
