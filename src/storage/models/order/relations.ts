import { placementErrors } from '../../../domain/order/order.ts'
import { address, asText, bytes32, spelledEnumOf, string, uint32 } from '../../query/codec.ts'
import { derived, type Model, orNull, type Relation } from '../../query/model.ts'
import { auction, orderAuctions, orderAuctionsKey } from '../auction/auction.ts'
import { pendingSettlements } from '../auction/settlement-attempt.ts'
import { tokenIn, tokenOf } from '../token.ts'
import { orderTrades } from '../trade/trade.ts'
import { debugReport } from './debug-report.ts'
import { orderEvents } from './event.ts'
import { orderHooks } from './hook.ts'
import { orderProgress, progressRows } from './progress.ts'
import { orderQuote } from './quote.ts'
import { refusedSolutions, solverOutcomes } from './solver-outcome.ts'
import { orderStanding } from './standing.ts'
import { executedPrice, limitPrice, marketPrices, surplus } from './value.ts'

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
    pre: interactionsOf('pre', 'Before the trade.'),
    post: interactionsOf('post', 'After the trade.'),
  },
}

/** Only orders placed on chain have these two models. */
export const isPlacedOnChain = 'o.onchain_user IS NOT NULL'

const onchainOrderData: Model = {
  name: 'OnchainOrderData',
  description: 'About the placement of an order on chain.',
  fields: {
    sender: derived(address, 'o.onchain_user', 'Who placed it.'),
    placementError: orNull(
      derived(
        spelledEnumOf('PlacementError', placementErrors),
        'o.placement_error',
        'Why it can never be traded; null when it can.',
      ),
    ),
    detail: orNull(derived(string, 'o.placement_detail', 'More about placementError, as text.')),
  },
}
/** The transaction that refunded order `o`. */
export const refundTx = `(SELECT rf.tx_hash FROM refunds rf WHERE rf.order_uid = o.uid AND rf.chain_id = o.chain_id
  ORDER BY rf.block_number, rf.log_index LIMIT 1)`

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
  sellToken: tokenIn('o.chain_id', 'o.sell_token', 'What is sold.'),
  buyToken: tokenIn('o.chain_id', 'o.buy_token', 'What is bought.'),
  tokens: {
    kind: 'many',
    model: () => side,
    rows: '(VALUES (0, o.sell_token), (1, o.buy_token)) AS side(place, token) ORDER BY side.place',
    items: 2,
    description: 'Both tokens: what is sold, then what is bought.',
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
    description: 'Auctions that held this order, oldest first.',
  },
  progress: {
    kind: 'one',
    model: () => orderProgress,
    nullable: true,
    rows: progressRows,
    description: 'How far the order has come on its way into a settlement; null when nothing is recorded.',
  },
  standing: orderStanding,
  pendingSettlements,
  marketPrices,
  solverOutcomes,
  refusedSolutions,
  debugReport: {
    kind: 'same',
    model: () => debugReport,
    description: 'Everything that happened to this order, in the shape of the REST report.',
  },
}
