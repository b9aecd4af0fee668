import { attempt } from './back-off.ts'
import type { Client, RequestOptions } from './client.ts'
import { checkSettlement } from './contracts.ts'
import {
  CancelOrdersDocument,
  type CancelOrdersResult,
  OrdersByUidsDocument,
  type OrdersByUidsResult,
} from './documents.generated.ts'
import { TradegraphError } from './error.ts'
import type { InForm, ScalarForm } from './scalars.ts'
import { addressOf, type Signer, signTypedData } from './signer.ts'
import { cancellationTypedData, domainOf } from './typed-data.ts'

export interface Cancellation extends RequestOptions {
  signer: Signer
  /** The account, where the signer has several. */
  from?: string
  /** The settlement contract of a network that has one of its own; otherwise it has to be a known one. */
  settlementContract?: string
}

/** An order after its cancellation. A settlement that is pending can still fill it. */
export type CancelledOrder<Form extends ScalarForm = 'wire'> = InForm<
  Form,
  OrdersByUidsResult['ordersByUids'][number] &
    Partial<Pick<CancelOrdersResult['cancelOrders']['orders'][number], 'pendingSettlements'>>
>

/**
 * Signs and sends the cancellation of orders of one network: all of them, or none. If the answer is lost, the
 * orders are looked up before the cancellation is sent again.
 * @throws TradegraphError if the service refuses; `data.items` names the orders that keep it from being done
 */
export async function cancelOrders<Form extends ScalarForm>(
  client: Client<Form>,
  uids: readonly string[],
  { signer, from, signal, settlementContract: own }: Cancellation,
): Promise<CancelledOrder<Form>[]> {
  const options = signal && { signal }
  const orderUids = [...uids]
  const read = async () =>
    ((await client.query(OrdersByUidsDocument, { uids: orderUids }, options)) as OrdersByUidsResult)
      .ordersByUids
  const [first] = await read()
  if (!first) throw new TradegraphError('OrderNotFound', 'no order has one of these UIDs')
  const { chainId, settlementContract } = first.network
  checkSettlement(settlementContract, own)
  const payload = cancellationTypedData(domainOf(chainId, settlementContract), orderUids)
  const signature = await signTypedData(signer, payload, await addressOf(signer, from))
  const input = { orderUids, signature, signingScheme: 'EIP712' as const, network: String(chainId) }

  async function send() {
    const { cancelOrders } = (await client.mutate(
      CancelOrdersDocument,
      { input },
      options,
    )) as CancelOrdersResult
    return cancelOrders.orders as CancelledOrder<Form>[]
  }
  async function done() {
    const orders = await read()
    return orders.every(({ invalidated }) => invalidated) ? (orders as CancelledOrder<Form>[]) : undefined
  }
  return attempt(send, signal, { code: 'AlreadyCancelled', find: done })
}
