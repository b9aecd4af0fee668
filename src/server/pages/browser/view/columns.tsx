import type { ProgrammaticOrderStatus, ProgrammaticOrderType } from '../documents.generated.ts'
import { amountOf, coinPriceDown, dollars, short, type TokenLike, unnamedCoin } from './amounts.ts'
import { AuctionLink, ChainLink, PageLink, ProgrammaticLink, TokenLink } from './links.tsx'
import { orderTitle, stateOf, type TitledOrder } from './orders.ts'
import { partsFilled, partText, programmaticStates, programmaticTitle } from './programmatic.ts'
import type { Column } from './table.tsx'
import { Time } from './times.tsx'

interface ListedOrder extends TitledOrder {
  uid: string
  programmaticOrder: { type: ProgrammaticOrderType } | null
  executedFraction: string
  creationDate: string
}

export const orderColumns: readonly Column<ListedOrder>[] = [
  {
    label: 'Order',
    isPlain: true,
    cell: (order) => (
      <>
        <PageLink kind="order" id={order.uid} text={orderTitle(order)} />
        {order.programmaticOrder && <p class="note">{partText(order.programmaticOrder)}</p>}
      </>
    ),
  },
  {
    label: 'State',
    isPlain: true,
    cell(order) {
      const { text, tone } = stateOf(order)
      return <span class={tone}>{text}</span>
    },
  },
  { label: 'Placed', isPlain: true, cell: ({ creationDate }) => <Time at={creationDate} isRelative /> },
]

type ListedProgrammatic = Parameters<typeof programmaticTitle>[0] &
  Parameters<typeof partsFilled>[0] & { id: string; status: ProgrammaticOrderStatus; creationDate: string }

export const programmaticColumns: readonly Column<ListedProgrammatic>[] = [
  {
    label: 'Programmatic order',
    isPlain: true,
    cell: (order) => <ProgrammaticLink id={order.id} text={programmaticTitle(order)} />,
  },
  {
    label: 'State',
    isPlain: true,
    cell(order) {
      const [text, tone] = programmaticStates[order.status]
      const filled = partsFilled(order)
      return (
        <>
          <span class={tone}>{text}</span>
          {filled !== undefined && <p class="note">{filled}</p>}
        </>
      )
    },
  },
  { label: 'Created', isPlain: true, cell: ({ creationDate }) => <Time at={creationDate} isRelative /> },
]

export const accountColumn: Column<{ owner: string }> = {
  label: 'Account',
  cell: ({ owner }) => <PageLink kind="account" id={owner} />,
}

export const resolvedColumn: Column<{ resolvedOwner: string }> = {
  label: 'Account',
  cell: ({ resolvedOwner }) => <PageLink kind="account" id={resolvedOwner} />,
}

interface InNetwork {
  network: { name: string; explorerUrl?: string | null } | null
}

export const networkColumn: Column<InNetwork> = {
  label: 'Network',
  isPlain: true,
  cell: ({ network }) => network?.name,
}

interface ListedTrade {
  orderUid: string
  sellAmount: string
  buyAmount: string
  sellToken: TokenLike
  buyToken: TokenLike
  auctionId: number | null
  timestamp: string | null
  order: InNetwork | null
}

export const tradeColumns: readonly Column<ListedTrade>[] = [
  {
    label: 'Trade',
    isPlain: true,
    cell: ({ orderUid, sellAmount, sellToken, buyAmount, buyToken }) => (
      <PageLink
        kind="order"
        id={orderUid}
        text={`${amountOf(sellAmount, sellToken)} for ${amountOf(buyAmount, buyToken)}`}
      />
    ),
  },
  {
    label: 'Auction',
    isPlain: true,
    cell: ({ auctionId, order }) =>
      auctionId !== null && <AuctionLink id={auctionId} network={order?.network?.name} />,
  },
  {
    label: 'Time',
    isPlain: true,
    cell: ({ timestamp }) => timestamp !== null && <Time at={timestamp} isRelative />,
  },
]

export const transactionColumns: readonly Column<
  Pick<ListedTrade, 'order'> & { txHash: string; blockNumber: number }
>[] = [
  { label: 'Block', cell: ({ blockNumber }) => blockNumber },
  {
    label: 'Transaction',
    cell: ({ txHash, order }) =>
      order?.network?.explorerUrl ? (
        <ChainLink explorer={order.network.explorerUrl} kind="tx" id={txHash} />
      ) : (
        <code title={txHash}>{short(txHash)}</code>
      ),
  },
]

interface ListedAuction extends InNetwork {
  auctionId: number
  orderUids: readonly string[]
  transactionHashes: readonly string[]
}

export const auctionColumns: readonly Column<ListedAuction>[] = [
  {
    label: 'Auction',
    isPlain: true,
    isShort: true,
    cell: ({ auctionId, network }) => <AuctionLink id={auctionId} network={network?.name} />,
  },
  { label: 'Orders', cell: ({ orderUids }) => orderUids.length },
  {
    label: 'Result',
    isPlain: true,
    cell: ({ transactionHashes: { length } }) =>
      length > 0 ? <span class="good">Traded</span> : <span class="quiet">Not traded</span>,
  },
]

/** A token with its price: in dollars if a source has it, else that in the coin of the last auction. */
export interface PricedToken extends TokenLike {
  network: string
  coin: { symbol: string | null; decimals: number | null } | null
  decimals: number | null
  lastAuctionPrice: string | null
  usdPrice: string | undefined
  /** False until the sources of prices have answered, or have failed. */
  isPriced: boolean
}

function priceOf({ usdPrice, isPriced, lastAuctionPrice, decimals, coin }: PricedToken) {
  if (!isPriced) return <span class="quiet">Reading…</span>
  if (usdPrice !== undefined) return dollars(usdPrice)
  if (lastAuctionPrice === null || decimals === null) return <span class="quiet">Not known</span>
  return coinPriceDown(lastAuctionPrice, decimals, { ...unnamedCoin, ...coin })
}

export const tokenColumns: readonly Column<PricedToken>[] = [
  {
    label: 'Token',
    isPlain: true,
    isShort: true,
    cell: (token) => <TokenLink token={token} network={token.network} />,
  },
  { label: 'Price', isPlain: true, cell: (token) => <span class="price">{priceOf(token)}</span> },
]
