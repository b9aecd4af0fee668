import { byKey, columns, type Fields, idOf, only, time } from './fields.ts'
import { ordersOfAuction, type Report } from './lists.ts'
import { orderOf } from './order-fields.ts'
import { pageOf } from './page.ts'
import type { Row, Rows } from './rows.ts'
import { attemptCosts, bookingsOf } from './settlement-fields.ts'

type AuctionRow = Row<'auctions'>

const attemptsOf = ({ id }: AuctionRow, { attempts }: Rows) =>
  attempts
    .filter(({ auctionId }) => auctionId === id)
    .sort(byKey(({ startedAt, solutionUid }) => [startedAt.getTime(), solutionUid]))

/** Keyed by token on the auction's network. */
export const pricesOf = ({ id, chainId }: AuctionRow, { prices }: Rows) =>
  prices
    .filter(({ auctionId }) => auctionId === id)
    .sort(byKey(({ token }) => [token]))
    .map(({ token, price }) => ({ token: { chainId, address: token }, price }))

const settlementsOf = (auctionId: number, { settlements }: Rows) =>
  settlements
    .filter((settlement) => settlement.auctionId === auctionId)
    .sort(byKey(({ blockNumber, logIndex }) => [blockNumber, logIndex]))

export const auctionFields: Fields<AuctionRow> = {
  id: ({ id }) => idOf('Auction', id),
  auctionId: ({ id }) => id,
  block: ({ block }) => block,
  deadline: ({ deadlineBlock }) => deadlineBlock,
  createdAt: ({ createdAt }) => time(createdAt),
  isFinished: ({ chainId, deadlineBlock }, _args, { rows }) =>
    rows.checkpoints.some((each) => each.chainId === chainId && deadlineBlock < each.blockNumber),
  orderCount: (auction, _args, { rows }) => ordersOfAuction(auction, rows).items.length,
  solutionCount: ({ id }, _args, { rows }) =>
    rows.solutions.filter(({ auctionId }) => auctionId === id).length,
  network: () => ({ name: 'sepolia' }),
  nativePrices: (auction, _args, { rows }) => pricesOf(auction, rows),
  orderUids: (auction, _args, { rows }) => ordersOfAuction(auction, rows).items.map(({ uid }) => uid),
  orders: (auction, args, { rows }) => pageOf(ordersOfAuction(auction, rows), args),
  settlementAttempts: (auction, _args, { rows }) => attemptsOf(auction, rows),
  solutions: ({ id }, _args, { rows }) =>
    rows.solutions.filter(({ auctionId }) => auctionId === id).sort(byKey(({ uid }) => [uid])),
  settlements: ({ id }, _args, { rows }) => settlementsOf(id, rows),
  transactionHashes: ({ id }, _args, { rows }) => settlementsOf(id, rows).map(({ txHash }) => txHash),
}

export const attemptFields: Fields<Row<'attempts'>> = {
  ...columns('auctionId', 'solver', 'solutionUid', 'startBlock', 'deadlineBlock', 'txHash', 'endBlock'),
  ...columns('submission'),
  ...attemptCosts,
  bookings: (attempt, _args, { rows }) => bookingsOf(attempt, rows),
  settlement: ({ auctionId, solutionUid }, _args, { rows }) =>
    only(settlementsOf(auctionId, rows).filter((each) => each.solutionUid === solutionUid)),
  startTimestamp: ({ startedAt }) => time(startedAt),
  endTimestamp: ({ endedAt }) => time(endedAt),
  outcome: ({ outcome }) =>
    outcome && (outcome === 'success' || outcome === 'timeout' ? outcome.toUpperCase() : 'FAILED'),
  detail: ({ outcome }) =>
    outcome === null || outcome === 'success' || outcome === 'timeout'
      ? null
      : outcome.replace(/^driver failed: /, ''),
}

const ranked = columns<Row<'solutions'>>('ranking', 'solver', 'isWinner', 'filteredOut', 'score')

export const solutionFields: Fields<Row<'solutions'>> = {
  ...ranked,
  id: ({ auctionId, uid }) => idOf('Solution', auctionId, uid),
  solutionUid: ({ uid }) => uid,
  referenceScore: ({ referenceScore }) => referenceScore,
  txHash: ({ auctionId, uid }, _args, { rows }) =>
    settlementsOf(auctionId, rows).find(({ solutionUid }) => solutionUid === uid)?.txHash ?? null,
  auction: ({ auctionId }, _args, { rows }) => only(rows.auctions.filter(({ id }) => id === auctionId)),
  clearingPrices: ({ auctionId, clearingPrices }, _args, { rows }) =>
    rows.auctions
      .filter(({ id }) => id === auctionId)
      .flatMap(({ chainId }) =>
        Object.entries((clearingPrices ?? {}) as Record<string, string>)
          .sort(byKey(([token]) => [token]))
          .map(([address, price]) => ({ token: { chainId, address }, price })),
      ),
  orders: (solution, _args, { rows }) =>
    rows.parts
      .filter(
        ({ auctionId, solutionUid }) => auctionId === solution.auctionId && solutionUid === solution.uid,
      )
      .sort(byKey(({ orderId }) => [orderId]))
      .map((part) => ({ part, order: orderOf(rows.orders, part.orderId) })),
}

export const solutionOrderFields: Fields<{ part: Row<'parts'>; order: Row<'orders'> }> = {
  orderUid: ({ order }) => order.uid,
  order: ({ order }) => order,
  sellToken: ({ order }) => ({ chainId: order.chainId, address: order.sellToken }),
  buyToken: ({ order }) => ({ chainId: order.chainId, address: order.buyToken }),
  executedSell: ({ part }) => part.executedSell,
  executedBuy: ({ part }) => part.executedBuy,
}

const isOf =
  ({ auction, order }: Report) =>
  (row: { auctionId: number; orderId: number }) =>
    row.auctionId === auction.id && row.orderId === order.id

export const reportFields: Fields<Report> = {
  auctionId: ({ auction }) => auction.id,
  auction: ({ auction }) => auction,
  block: ({ auction }) => auction.block,
  deadline: ({ auction }) => auction.deadlineBlock,
  nativePrices: ({ auction, order }, _args, { rows }) =>
    [order.sellToken, order.buyToken].flatMap((token) =>
      pricesOf(auction, rows).filter((price) => price.token.address === token),
    ),
  proposedSolutions: (report, _args, { rows }) =>
    rows.parts
      .filter(isOf(report))
      .sort(byKey(({ solutionUid }) => [solutionUid]))
      .map((part) => ({
        ...rows.solutions.find(
          ({ auctionId, uid }) => auctionId === part.auctionId && uid === part.solutionUid,
        ),
        ...part,
      })),
  executions: (report, _args, { rows }) =>
    rows.executions.filter(isOf(report)).map((execution) => ({ execution, chainId: report.order.chainId })),
  settlementAttempts: (report, _args, { rows }) => attemptsOf(report.auction, rows),
  feePolicies: (report, _args, { rows }) => policiesOf(report.order.id, report.auction.id, rows),
}

export const proposedSolutionFields: Fields<Row<'solutions'> & Row<'parts'>> = {
  ...(ranked as Fields<Row<'solutions'> & Row<'parts'>>),
  ...columns('solutionUid', 'executedSell', 'executedBuy'),
}

export const executionFields: Fields<{ execution: Row<'executions'>; chainId: number }> = {
  executedFee: ({ execution }) => execution.executedFee,
  networkFee: ({ execution }) => execution.networkFee,
  blockNumber: ({ execution }) => execution.blockNumber,
  executedFeeToken: ({ execution, chainId }) => ({ chainId, address: execution.executedFeeToken }),
  protocolFees: ({ execution, chainId }) =>
    execution.protocolFeeTokens.map((address, index) => ({
      token: { chainId, address },
      amount: execution.protocolFeeAmounts[index],
    })),
}

export const policiesOf = (order: number | null, auction: number | null, { policies }: Rows) =>
  policies
    .filter(({ orderId, auctionId }) => orderId === order && auctionId === auction)
    .sort(byKey(({ position }) => [position]))

export const policyFields: Fields<Row<'policies'>> = {
  factor: ({ factor }) => plainShare(factor),
  maxVolumeFactor: ({ maxVolumeFactor }) => plainShare(maxVolumeFactor ?? 0),
}

/** Parts per million as a decimal with six digits. */
function plainShare(parts: number): string {
  const digits = String(parts).padStart(7, '0')
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`
  return text.replace(/\.?0+$/, '')
}
