import { useCallback, useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import type { OrdersResult } from '../documents.generated.ts'
import { useAsked } from '../view/asked.ts'
import { PageLink } from '../view/links.tsx'
import { orderTitle, stateOf } from '../view/orders.ts'
import { Fault, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'

type Orders = OrdersResult['account']['orders']

const refreshMs = 30_000

/** The account’s orders, the newest first, each with the way to its story. */
export function OrderSection({ account }: { account: string }) {
  const read = useCallback(async () => (await ask(documents.orders, { account })).account.orders, [account])
  const { value, fault } = useAsked(read, refreshMs)
  const [older, setOlder] = useState<Orders>()
  const { hasNextPage, endCursor } = (older ?? value)?.pageInfo ?? {}
  const showOlder = async () => {
    const { orders } = (await ask(documents.orders, { account, after: endCursor ?? null })).account
    setOlder((known) => ({ ...orders, nodes: [...(known?.nodes ?? []), ...orders.nodes] }))
  }
  const known = new Map([...(value?.nodes ?? []), ...(older?.nodes ?? [])].map((order) => [order.uid, order]))
  return (
    <Section id="orders" title="Orders">
      {fault !== undefined && <Fault text={fault} />}
      {value && known.size === 0 && <p class="empty">None yet.</p>}
      <ul class="entries">
        {[...known.values()].map((order) => (
          <OrderEntry key={order.uid} order={order} />
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

function OrderEntry({ order }: { order: Orders['nodes'][number] }) {
  const { text, tone } = stateOf(order)
  return (
    <li class={`order ${tone}`}>
      <PageLink kind="order" id={order.uid} text={orderTitle(order)} />
      <div class="section-head">
        <span class={`badge ${tone}`}>{text}</span>
        <Time at={order.creationDate} />
      </div>
    </li>
  )
}
