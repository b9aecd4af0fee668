import { PageLink } from '../view/links.tsx'
import { orderTitle } from '../view/orders.ts'
import { Section } from '../view/section.tsx'
import type { Auction } from './auction.ts'

export function AuctionOrders({ auction }: { auction: Auction }) {
  const { nodes, pageInfo } = auction.orders
  return (
    <Section id="orders" title="Orders that could be traded">
      <ul class="plain-list">
        {nodes.map((order) => (
          <li key={order.uid}>
            <PageLink kind="order" id={order.uid} text={orderTitle(order)} />
          </li>
        ))}
      </ul>
      {nodes.length === 0 && <p class="empty">None of them is stored any more.</p>}
      {pageInfo.hasNextPage && <p class="note">More orders are left out.</p>}
    </Section>
  )
}
