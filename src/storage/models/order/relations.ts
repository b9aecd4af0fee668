import type { Address } from '../../../domain/evm/address.ts'
import type { Bytes32 } from '../../../domain/evm/hex.ts'
import { type OrderQuote, type OrderUid, orderTexts, placementErrors } from '../../../domain/order/order.ts'
import { competedStages } from '../../../domain/order/status.ts'
import { bytea, raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { orderHasEnded } from '../../order/status.ts'
import {
  address,
  amount,
  asText,
  boolean,
  bytes32,
  decimal,
  json,
  orderUid,
  spelledEnumOf,
  string,
  uint32,
} from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { column, derived, type Model, modelNamed, orNull, type Relation } from '../../query/model.ts'
import { now } from '../../query/selection.ts'
import { auction, orderAuctions, orderAuctionsKey } from '../auction/auction.ts'
import { auctionReport, auctionReportsKey } from '../auction/report.ts'
import { pendingSettlements } from '../auction/settlement-attempt.ts'
import { areAuctionsComplete } from '../completeness.ts'
import { programmaticOrderOfOrder } from '../programmatic.ts'
import { tokenIn, tokenOf } from '../token.ts'
import { orderTrades } from '../trade.ts'
import { orderEvents } from './event.ts'
import { orderHooks } from './hook.ts'
import { orderMirror } from './mirror.ts'
import { orderProgress, plainStageSql, progressRows } from './progress.ts'
import { hasAllSolverOutcomes, refusedSolutions, solverOutcomes } from './solver-outcome.ts'
import { orderStanding } from './standing.ts'
import { executedPrice, limitPrice, marketPrices, surplus } from './value.ts'

const relations: Record<string, Relation> = {
  order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
  events: { ...orderEvents, description: 'Its events, oldest first.' },
  auctions: {
    kind: 'page',
    model: () => auctionReport,
    rows: orderAuctions,
    key: auctionReportsKey,
    isComplete: areAuctionsComplete,
    mayBeEmpty: true,
    description: 'The auctions that held it, by id, reduced to the order.',
  },
  trades: { ...orderTrades, description: 'Its trades, newest first.' },
  hooks: orderHooks,
}

/** Debug report of order `o`. */
export const debugReport: Model = {
  name: 'DebugReport',
  description: 'Everything that happened to one order, read in one statement.',
  fields: { orderUid: column(orderUid, 'o.uid', 'The order’s UID.') },
  relations,
}

const fields = {
  gasAmount: column(amount, 'q.gas_amount', 'Gas units of the estimate, rounded down.'),
  gasPrice: column(amount, 'q.gas_price', orderTexts.gasPrice),
  sellTokenPrice: column(decimal, 'q.sell_token_price', orderTexts.sellTokenPrice),
  sellAmount: column(amount, 'q.sell_amount', 'Quoted sell amount, without fee.'),
  buyAmount: column(amount, 'q.buy_amount', 'Quoted buy amount.'),
  feeAmount: column(amount, 'q.fee_amount', 'Quoted fee in sell token atoms.'),
  solver: column(address, 'q.solver', 'The solver that estimated it.'),
  verified: column(boolean, 'q.verified', 'True if a simulation confirmed it.'),
}

/** A figure with the decimals that an order book reports. Own quotes have none. */
const exact = (figure: 'gas_amount' | 'gas_price', description: string) =>
  orNull(
    derived(
      decimal,
      `coalesce(q.exact_${figure}, CASE WHEN NOT EXISTS (SELECT FROM mirrored_orders em WHERE em.order_id = q.order_id)
        THEN q.${figure}::text END)`,
      `${description} Null for an order of another order book that an earlier version read.`,
    ),
  )

/** Quote `q` of order `o`. */
export const orderQuote: Model = {
  name: 'OrderQuote',
  description: 'The quote that an order was stored with.',
  fields: {
    ...fields,
    exactGasAmount: exact('gas_amount', 'gasAmount with the decimals that an order book reports.'),
    exactGasPrice: exact('gas_price', 'gasPrice with the decimals that an order book reports.'),
    // Calls stay hidden until the order has ended, against front-running. Most quotes have none: then the
    // order's status is not computed.
    metadata: orNull(
      derived(
        json,
        `CASE WHEN q.metadata IS NOT NULL AND ${orderHasEnded(now)} THEN q.metadata END`,
        'Calls of a settlement at the quoted price: version, interactions, preInteractions, jitOrders. Null until the order has ended, against front-running, and if the quote has no calls.',
      ),
    ),
  },
}

export const orderQuoteRow: RowFields<OrderQuote> = fields

const interaction: Model = {
  name: 'Interaction',
  description: 'One call.',
  fields: {
    target: derived(asText('Address'), `i.item->>'target'`, 'The contract called.'),
    value: derived(asText('Uint256'), `i.item->>'value'`, 'Native atoms sent along.'),
    callData: derived(asText('Hex'), `i.item->>'callData'`, 'The call.'),
  },
}

/** `only`: most orders have none, and nothing is parsed for them. */
const interactionsOf = (stage: 'pre' | 'post', description: string): Relation => ({
  kind: 'many',
  model: () => interaction,
  rows: `jsonb_array_elements(o.interactions->'${stage}') AS i(item)`,
  only: 'o.interactions IS NOT NULL',
  items: 2,
  description,
})

export const interactions: Model = {
  name: 'Interactions',
  description: 'Calls that a settlement makes for an order.',
  fields: {},
  relations: {
    pre: interactionsOf('pre', 'Calls before the trade.'),
    post: interactionsOf('post', 'Calls after the trade.'),
  },
}

/** Only orders placed on chain have these two models. */
export const isPlacedOnChain = 'o.onchain_user IS NOT NULL'

const onchainOrderData: Model = {
  name: 'OnchainOrderData',
  description: 'About the placement of an order on chain.',
  fields: {
    sender: derived(address, 'o.onchain_user', 'The account that placed it.'),
    placementError: orNull(
      derived(
        spelledEnumOf('PlacementError', placementErrors),
        'o.placement_error',
        'The reason why it can never be traded; null if it can.',
      ),
    ),
    detail: orNull(derived(string, 'o.placement_detail', 'More about placementError, as text.')),
  },
}
/** The transaction that refunded order `o`: by its log, or as the order book reports it. */
export const refundTx = `coalesce((SELECT rf.tx_hash FROM refunds rf WHERE rf.order_uid = o.uid AND rf.chain_id = o.chain_id
  ORDER BY rf.block_number, rf.log_index LIMIT 1),
  (SELECT m.refund_tx_hash FROM mirrored_orders m WHERE m.order_id = o.id))`

const ethflowData: Model = {
  name: 'EthflowData',
  description: 'About an order that sells the native coin through a contract.',
  fields: {
    refundTxHash: orNull(
      derived(bytes32, refundTx, 'The transaction that gave the coins back after it expired.'),
    ),
    userValidTo: derived(uint32, 'o.effective_valid_to', 'The user’s expiry in Unix seconds.'),
  },
}

const side = tokenOf('o.chain_id', 'side.token')

export const orderRelations: Record<string, Relation> = {
  sellToken: tokenIn('o.chain_id', 'o.sell_token', orderTexts.sellToken),
  buyToken: tokenIn('o.chain_id', 'o.buy_token', orderTexts.buyToken),
  tokens: {
    kind: 'many',
    model: () => side,
    rows: '(VALUES (0, o.sell_token), (1, o.buy_token)) AS side(place, token) ORDER BY side.place',
    items: 2,
    description: 'Both tokens: the sell token, then the buy token.',
  },
  limitPrice,
  executedPrice,
  surplus,
  quote: {
    kind: 'one',
    model: () => orderQuote,
    nullable: true,
    rows: 'order_quotes q WHERE q.order_id = o.id',
    description: 'The quote the order was stored with.',
  },
  interactions: {
    kind: 'same',
    model: () => interactions,
    description: 'Calls before and after the trade.',
  },
  onchainOrderData: {
    kind: 'same',
    model: () => onchainOrderData,
    nullable: true,
    unless: `NOT (${isPlacedOnChain})`,
    description: 'About the placement on chain; null for orders placed through the service.',
  },
  ethflowData: {
    kind: 'same',
    model: () => ethflowData,
    nullable: true,
    unless: `NOT (${isPlacedOnChain})`,
    description: 'About an order that sells the native coin; null for all others.',
  },
  hooks: orderHooks,
  events: orderEvents,
  trades: orderTrades,
  auctions: {
    kind: 'page',
    model: () => auction,
    rows: orderAuctions,
    key: orderAuctionsKey,
    isComplete: areAuctionsComplete,
    mayBeEmpty: true,
    description:
      'Auctions that held this order, oldest first. Incomplete on a network that follows an order book, of which not all auctions are read, and once old ones are removed.',
  },
  progress: {
    kind: 'one',
    model: () => orderProgress,
    nullable: true,
    rows: progressRows,
    description: 'The progress of the order towards a settlement; null if none is recorded.',
  },
  standing: orderStanding,
  mirror: orderMirror,
  pendingSettlements,
  marketPrices,
  programmaticOrder: programmaticOrderOfOrder,
  solverOutcomes,
  hasAllSolverOutcomes,
  refusedSolutions,
  debugReport: {
    kind: 'same',
    model: () => debugReport,
    description: 'Everything that happened to this order, in the shape of the REST report.',
  },
}

/**
 * Rows of orders `o`, by the arguments of a request. A UID is unique; the chain id limits the search to a
 * network.
 */

const onChain = (chainId: number | undefined) =>
  chainId === undefined ? Prisma.empty : Prisma.sql` AND o.chain_id = ${chainId}`

interface OneOrder {
  uid: OrderUid
  chainId: number | undefined
}

export const oneOrder = ({ uid, chainId }: OneOrder): Prisma.Sql =>
  Prisma.sql`orders o WHERE o.uid = ${bytea(uid)}${onChain(chainId)}`

/** An order with its progress; no row if its stage needs a competition that is not stored. */
export const progressOfOrder = ({ uid, chainId }: OneOrder): Prisma.Sql =>
  Prisma.sql`orders o CROSS JOIN LATERAL (SELECT ne.label, nt.known, co.id FROM ${raw(progressRows)}) pr
    CROSS JOIN LATERAL (SELECT pr.label) ne CROSS JOIN LATERAL (SELECT pr.known) nt CROSS JOIN LATERAL (SELECT pr.id) co
    WHERE o.uid = ${bytea(uid)}${onChain(chainId)}
      AND NOT (co.id IS NULL AND ${raw(plainStageSql)} = ANY(${[...competedStages]}))`

/** Orders in the sequence of `uids`. */
export const namedOrders = ({
  uids,
  chainId,
}: {
  uids: readonly OrderUid[]
  chainId: number | undefined
}): Prisma.Sql => Prisma.sql`unnest(${uids.map(bytea)}::bytea[]) WITH ORDINALITY AS k(uid, place)
  JOIN orders o ON o.uid = k.uid${onChain(chainId)} ORDER BY k.place`

/** Orders that a settlement traded, oldest first. */
export const ordersOfTransaction = ({ hash, chainId }: { hash: Bytes32; chainId: number }): Prisma.Sql =>
  Prisma.sql`orders o WHERE o.id IN (
    SELECT tr.order_id FROM settlements se
    JOIN trades tr ON tr.chain_id = se.chain_id AND tr.block_number = se.block_number AND tr.tx_hash = se.tx_hash
    WHERE se.tx_hash = ${bytea(hash)} AND se.chain_id = ${chainId}) ORDER BY o.id`

interface AccountPage {
  owner: Address
  chainId: number
  offset: number
  limit: number
}

/** Orders that an account owns or placed for a contract to own, newest first. REST pages by offset. */
export const ordersOfAccount = ({ owner, chainId, offset, limit }: AccountPage): Prisma.Sql =>
  Prisma.sql`(${Prisma.join(
    ['owner', 'onchain_user'].map(
      (
        account,
      ) => Prisma.sql`(SELECT o.* FROM orders o WHERE ${raw(`o.${account}`)} = ${bytea(owner)} AND o.chain_id = ${chainId}
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${offset + limit})`,
    ),
    ' UNION ALL ',
  )}) o ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit} OFFSET ${offset}`
