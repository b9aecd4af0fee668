import { byKey, columns, type Fields, idOf, member, only } from './fields.ts'
import type { Row, Rows } from './rows.ts'

type SettlementRow = Row<'settlements'>
type AmountRow = Row<'settlementAmounts'>

const product = (left: string | null, right: string | null) =>
  left === null || right === null ? null : String(BigInt(left) * BigInt(right))

/** Of trades or settlements of one block. */
const isInBlockOf =
  ({ chainId, blockNumber }: SettlementRow | Row<'trades'>) =>
  (row: { chainId: number; blockNumber: number }) =>
    row.chainId === chainId && row.blockNumber === blockNumber

/** The first one after the trade in its transaction. */
export const settlementOfTrade = (trade: Row<'trades'>, { settlements }: Rows) =>
  only(
    settlements
      .filter(isInBlockOf(trade))
      .filter(({ logIndex, txHash }) => logIndex > trade.logIndex && txHash === trade.txHash)
      .sort(byKey(({ logIndex }) => [logIndex])),
  )

const amountsOf = (settlement: SettlementRow, { settlementAmounts }: Rows, isSlippage: boolean) =>
  settlement.isMeasured
    ? settlementAmounts
        .filter(isInBlockOf(settlement))
        .filter(
          ({ logIndex, kind }) => logIndex === settlement.logIndex && (kind === 'slippage') === isSlippage,
        )
        .sort(byKey(({ position }) => [position]))
    : null

export const settlementFields: Fields<SettlementRow> = {
  isComplete: ({ isUnread, solverDue }) => !isUnread && solverDue === null,
  ...columns(
    'blockNumber',
    'logIndex',
    'solver',
    'txHash',
    'auctionId',
    'solutionUid',
    'gasUsed',
    'effectiveGasPrice',
  ),
  id: ({ chainId, blockNumber, logIndex }) => idOf('Settlement', chainId, blockNumber, logIndex),
  score: ({ auctionId, solutionUid }, _args, { rows }) =>
    rows.solutions.find((each) => each.auctionId === auctionId && each.uid === solutionUid)?.score ?? null,
  gasCost: ({ gasUsed, effectiveGasPrice }) => product(gasUsed, effectiveGasPrice),
  auction: ({ auctionId }, _args, { rows }) => only(rows.auctions.filter(({ id }) => id === auctionId)),
  trades: (settlement, _args, { rows }) =>
    rows.trades
      .filter(
        (trade) => trade.chainId === settlement.chainId && settlementOfTrade(trade, rows) === settlement,
      )
      .sort(byKey(({ logIndex }) => [logIndex])),
  fees: (settlement, _args, { rows }) => amountsOf(settlement, rows, false),
  slippage: (settlement, _args, { rows }) => amountsOf(settlement, rows, true),
}

export const settlementAmountFields: Fields<AmountRow> = {
  ...columns('recipient', 'amount', 'value'),
  kind: ({ kind }) => kind.toUpperCase(),
  policy: ({ policy }) => policy && member(policy),
  token: ({ chainId, token }) => ({ chainId, address: token }),
}

export const bookingsOf = ({ auctionId, solutionUid }: Row<'attempts'>, { bookings }: Rows) =>
  bookings
    .filter((each) => each.auctionId === auctionId && each.solutionUid === solutionUid)
    .sort(byKey(({ token }) => [token]))

export const bookingFields: Fields<Row<'bookings'>> = {
  ...columns('networkFee', 'protocolFee', 'internalized', 'least', 'change'),
  slippage: ({ change, networkFee, protocolFee }) =>
    change === null ? null : String(BigInt(change) - BigInt(networkFee) - BigInt(protocolFee)),
  token: ({ auctionId, token }, _args, { rows }) => ({
    chainId: rows.auctions.find(({ id }) => id === auctionId)?.chainId,
    address: token,
  }),
}

export const attemptCosts: Fields<Row<'attempts'>> = {
  ...columns('revertedGas', 'replacedBlock', 'cancellationGas'),
  revertedGasCost: ({ revertedGas, revertedGasPrice }) => product(revertedGas, revertedGasPrice),
  cancellationGasCost: ({ cancellationGas, cancellationGasPrice }) =>
    product(cancellationGas, cancellationGasPrice),
}
