import { useCallback, useState } from 'preact/hooks'
import { terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { queryService } from '../ask.ts'
import type { OrderReasonsResult, OrdersResult, UnsignedOrdersResult } from '../documents.generated.ts'
import { serviceUrl } from '../root.ts'
import { PageLink } from '../view/links.tsx'
import { isLive, orderTitle, stateOf } from '../view/orders.ts'
import { usePolled } from '../view/polled.ts'
import { partText } from '../view/programmatic.ts'
import { Fault, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'

type Orders = OrdersResult['account']['orders']
type OrderNode = (Orders | UnsignedOrdersResult['account']['orders'])['nodes'][number]
type Diagnosis = OrderReasonsResult['ordersByUids'][number]['diagnosis']

/** The sentence, and the reason, if no auction takes the order any more. */
interface ShownReason {
  text: string
  end: string | undefined
}

const refreshMs = 30_000

/** Orders that wait for a signature on chain; nothing without any. */
export function UnsignedSection({ account }: { account: string }) {
  const read = useCallback(
    async () => (await queryService(documents.unsignedOrders, { account })).account.orders,
    [account],
  )
  const { value } = usePolled(read, refreshMs)
  if (!value || value.nodes.length === 0) return null
  return (
    <Section id="unsigned" title="Waiting for a signature">
      <p>
        The account has to sign these orders by a transaction on chain (<code>setPreSignature</code>). In a
        wallet with several owners, confirm it there. Until then they are in no auction.
      </p>
      <ul class="entries">
        {value.nodes.map((order) => (
          <OrderEntry key={order.uid} order={order} />
        ))}
      </ul>
      {value.pageInfo.hasNextPage && <p class="note">Older orders are not shown.</p>}
    </Section>
  )
}

/** The account’s orders, newest first, each with a link to its story. */
export function OrderSection({ account }: { account: string }) {
  const read = useCallback(
    async () => (await queryService(documents.orders, { account })).account.orders,
    [account],
  )
  const { value, fault } = usePolled(read, refreshMs)
  const [older, setOlder] = useState<Orders[]>([])
  const pages = value ? [value, ...older] : []
  const { hasNextPage, endCursor = null } = pages.at(-1)?.pageInfo ?? {}
  const showOlder = async () => {
    const { orders } = (await queryService(documents.orders, { account, after: endCursor })).account
    setOlder((known) => [...known, orders])
  }
  return (
    <Section id="orders" title="Orders">
      {fault !== undefined && <Fault text={fault} />}
      {value?.nodes.length === 0 && (
        <p class="empty">
          None yet. An order for which the wallet showed an error was not placed, and is not listed:{' '}
          <a href={serviceUrl('.')}>search for the error</a> to see what it means.
        </p>
      )}
      <ul class="entries">
        {pages.map((orders, index) => (
          <OrderEntries key={index} orders={orders} newer={pages.slice(0, index)} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" class="plain" onClick={() => void showOlder().catch(() => undefined)}>
          Show older orders
        </button>
      )}
    </Section>
  )
}

/** Reads why live orders are not filled; not of others, since a diagnosis costs as much as many orders. */
async function readReasons({ nodes }: Orders): Promise<ReadonlyMap<string, ShownReason>> {
  const uids = nodes.filter(isLive).map(({ uid }) => uid)
  if (uids.length === 0) return new Map()
  const { ordersByUids } = await queryService(documents.orderReasons, { uids })
  return new Map(
    ordersByUids.map(({ uid, diagnosis }) => [
      uid,
      { text: reasonOf(diagnosis), end: terminalCodeOf(diagnosis) },
    ]),
  )
}

/** The first sentence. The filled part is already shown next to it. */
function reasonOf({ code, summary, further: [next] }: Diagnosis): string {
  const [sentence = ''] = (code === 'PARTLY_FILLED' && next ? next.summary : summary).split(/(?<=\.) /)
  return sentence
}

/**
 * A page of the list, with its reasons once they are read.
 * @param newer pages into which some of it may have moved
 */
function OrderEntries({ orders, newer }: { orders: Orders; newer: readonly Orders[] }) {
  const read = useCallback(() => readReasons(orders), [orders])
  const { value } = usePolled(read)
  const shown = new Set(newer.flatMap(({ nodes }) => nodes.map(({ uid }) => uid)))
  return orders.nodes
    .filter(({ uid }) => !shown.has(uid))
    .map((order) => <OrderEntry key={order.uid} order={order} reason={value?.get(order.uid)} />)
}

function OrderEntry({ order, reason }: { order: OrderNode; reason?: ShownReason | undefined }) {
  const { text, tone } = stateOf(order, reason?.end)
  return (
    <li class={`order ${tone}`}>
      <PageLink kind="order" id={order.uid} text={orderTitle(order)} />
      <div class="section-head">
        <span class={`badge ${tone}`}>{text}</span>
        <Time at={order.creationDate} />
      </div>
      {order.programmaticOrder && <p class="note">{partText(order.programmaticOrder)}</p>}
      {reason !== undefined && (
        <p>
          <PageLink kind="order" id={order.uid} text={reason.text} />
        </p>
      )}
    </li>
  )
}
