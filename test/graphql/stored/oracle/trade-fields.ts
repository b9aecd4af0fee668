import { policiesOf, pricesOf } from './auction-fields.ts'
import { columns, type Fields, idOf, only } from './fields.ts'
import { orderOf } from './order-fields.ts'
import type { Row, Rows } from './rows.ts'
import { settlementOfTrade } from './settlement-fields.ts'

/** The prices of these tokens, in their order. */
const pairOf = (tokens: readonly string[], prices: ReturnType<typeof pricesOf>) =>
  tokens.flatMap((address) => prices.filter(({ token }) => token.address === address))

/** The execution of a trade, in its block. */
const executionsOf = ({ orderId, auctionId, blockNumber }: Row<'trades'>, { executions }: Rows) =>
  executions.filter(
    (each) => each.orderId === orderId && each.auctionId === auctionId && each.blockNumber === blockNumber,
  )

export const tradeFields: Fields<Row<'trades'>> = {
  ...columns(
    'blockNumber',
    'logIndex',
    'orderUid',
    'owner',
    'sellAmount',
    'buyAmount',
    'txHash',
    'auctionId',
  ),
  id: ({ chainId, blockNumber, logIndex }) => idOf('Trade', chainId, blockNumber, logIndex),
  sellAmountBeforeFees: ({ sellAmount, feeAmount }) => String(BigInt(sellAmount) - BigInt(feeAmount)),
  isReverted: () => false,
  timestamp: ({ orderId, blockNumber }, _args, { rows }) => {
    const times = rows.events
      .filter((event) => event.orderId === orderId && event.label === 'traded')
      .filter((event) => event.blockNumber === blockNumber)
      .map(({ timestamp }) => timestamp.getTime())
    return times.length > 0 ? new Date(Math.max(...times)) : null
  },
  sellToken: ({ chainId, sellToken }) => ({ chainId, address: sellToken }),
  buyToken: ({ chainId, buyToken }) => ({ chainId, address: buyToken }),
  order: ({ orderId }, _args, { rows }) => orderOf(rows.orders, orderId),
  settlement: (trade, _args, { rows }) => settlementOfTrade(trade, rows),
  auction: ({ auctionId }, _args, { rows }) => only(rows.auctions.filter(({ id }) => id === auctionId)),
  execution: (trade, _args, { rows }) => {
    const [execution] = executionsOf(trade, rows)
    return execution ? { execution, chainId: trade.chainId } : null
  },
  nativePrices: ({ auctionId, sellToken, buyToken }, _args, { rows }) =>
    rows.auctions
      .filter(({ id }) => id === auctionId)
      .flatMap((auction) => pairOf([sellToken, buyToken], pricesOf(auction, rows))),
  executedProtocolFees: (trade, _args, { rows }) => {
    const { orderId, auctionId, chainId } = trade
    const policies = policiesOf(orderId, auctionId, rows)
    return executionsOf(trade, rows).flatMap(({ protocolFeeTokens, protocolFeeAmounts }) =>
      protocolFeeTokens.flatMap((address, index) => {
        const policy = policies.find(({ position }) => position === index)
        return policy ? [{ token: { chainId, address }, amount: protocolFeeAmounts[index], policy }] : []
      }),
    )
  },
}
