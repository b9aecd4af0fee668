import { byKey, columns, type Fields, idOf } from './fields.ts'

interface TokenKey {
  chainId: number
  address: string
}

const stored =
  (name: 'symbol' | 'name' | 'decimals'): Fields<TokenKey>[string] =>
  ({ chainId, address }, _args, { rows }) =>
    rows.tokens.find((token) => token.chainId === chainId && token.address === address)?.[name] ?? null

export const tokenFields: Fields<TokenKey> = {
  ...columns('address', 'chainId'),
  id: ({ chainId, address }) => idOf('Token', chainId, address),
  symbol: stored('symbol'),
  name: stored('name'),
  decimals: stored('decimals'),
  usdPrice: () => null,
  priceHistory: () => null,
  firstTradeBlock: ({ chainId, address }, _args, { rows }) => {
    const traded = rows.trades.filter(
      (trade) =>
        trade.chainId === chainId && [trade.sellToken, trade.buyToken].some((token) => token === address),
    )
    return traded.length === 0 ? null : Math.min(...traded.map(({ blockNumber }) => blockNumber))
  },
  lastAuctionPrice: ({ chainId, address }, _args, { rows }) => {
    const ids = rows.auctions.filter((auction) => auction.chainId === chainId).map(({ id }) => id)
    const prices = rows.prices.filter(
      ({ token, auctionId }) => String(token) === address && ids.includes(auctionId),
    )
    return prices.sort(byKey(({ auctionId }) => [auctionId], -1))[0]?.price ?? null
  },
}
