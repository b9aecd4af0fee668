import type { ComponentChildren } from 'preact'
import { useCallback, useRef } from 'preact/hooks'
import { queryService } from '../ask.ts'
import { serviceUrl } from '../root.ts'
import {
  auctionColumns,
  networkColumn,
  orderColumns,
  programmaticColumns,
  tokenColumns,
  tradeColumns,
} from '../view/columns.tsx'
import { usePolled } from '../view/polled.ts'
import { Fault, Section } from '../view/section.tsx'
import { type Column, Table } from '../view/table.tsx'
import { usePrices } from '../view/token-prices.ts'
import { documents } from './documents.ts'

const refreshMs = 10_000
const rows = 5

/** The newest entries of a list. They stay while the reader points at them. */
function Feed<Node>({
  list,
  network,
  nodes,
  fault,
  columns,
}: {
  list: 'orders' | 'trades' | 'auctions' | 'tokens' | 'programmatic-orders'
  /** Network of the list, if there are others. */
  network?: string | undefined
  nodes: readonly Node[] | undefined
  fault: string | undefined
  columns: readonly Column<NoInfer<Node>>[]
}) {
  const name = list.replace('-', ' ')
  const newest = list === 'tokens' ? 'Tokens' : `Newest ${name}`
  const title = network === undefined ? newest : `${newest} on ${network}`
  const all = network === undefined ? list : `${list}?network=${encodeURIComponent(network)}`
  const place = useRef<HTMLDivElement>(null)
  const shown = useRef(nodes)
  if (!isPointedAt(place.current)) shown.current = nodes
  return (
    <Section id={`${list}-${network ?? ''}`} title={title} aside={<a href={serviceUrl(all)}>All {name}</a>}>
      {fault !== undefined && <Fault text={fault} />}
      <div class="feed" ref={place}>
        {shown.current && shown.current.length > 0 && (
          <Table label={title} columns={columns} nodes={shown.current} />
        )}
        {shown.current?.length === 0 && <p class="empty">None yet.</p>}
      </div>
    </Section>
  )
}

function isPointedAt(element: Element | null): boolean {
  return (
    element?.matches(matchMedia('(hover: hover)').matches ? ':focus-within, :hover' : ':focus-within') ??
    false
  )
}

async function readNewest() {
  const { orders, trades, programmaticOrders } = await queryService(documents.newest, { first: rows })
  const withNetwork = trades.nodes.map((trade) => ({ ...trade, network: trade.order?.network ?? null }))
  return { orders: orders.nodes, trades: withNetwork, programmatic: programmaticOrders.nodes }
}

const ordersOfAll = [...orderColumns, networkColumn]
const tradesOfAll = [...tradeColumns, networkColumn]
const programmaticOfAll = [...programmaticColumns, networkColumn]

/**
 * The newest orders and trades of all networks, and programmatic orders where there are any.
 * @param isOnly true if there is one network: its name is left out
 */
export function NewestTrading({ isOnly }: { isOnly: boolean }): ComponentChildren {
  const { value, fault } = usePolled(readNewest, refreshMs)
  return (
    <>
      <Feed list="orders" nodes={value?.orders} columns={isOnly ? orderColumns : ordersOfAll} fault={fault} />
      <Feed list="trades" nodes={value?.trades} columns={isOnly ? tradeColumns : tradesOfAll} fault={fault} />
      {value && value.programmatic.length > 0 && (
        <Feed
          list="programmatic-orders"
          nodes={value.programmatic}
          columns={isOnly ? programmaticColumns : programmaticOfAll}
          fault={fault}
        />
      )}
    </>
  )
}

/** The tokens and newest auctions of a network. */
export function NewestOfNetwork({ network, isOnly }: { network: string; isOnly: boolean }) {
  const read = useCallback(
    () => queryService(documents.newestOfNetwork, { network, first: isOnly ? rows : 3 }),
    [network, isOnly],
  )
  const { value, fault } = usePolled(read, refreshMs)
  const named = isOnly ? {} : { network }
  return (
    <>
      <Feed list="tokens" {...named} nodes={usePrices(value)} columns={tokenColumns} fault={fault} />
      <Feed list="auctions" {...named} nodes={value?.auctions.nodes} columns={auctionColumns} fault={fault} />
    </>
  )
}
