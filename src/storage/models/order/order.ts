import { cancellationSources } from '../../../domain/order/event.ts'
import {
  buyTokenDestinations,
  type Order,
  orderClasses,
  orderKinds,
  orderTexts,
  placementErrors,
  sellTokenSources,
  signingSchemes,
} from '../../../domain/order/order.ts'
import { type OrderStatus, orderStatuses } from '../../../domain/order/status.ts'
import { screaming } from '../../../domain/text/spelling.ts'
import { statusCase, statusNames } from '../../order/status.ts'
import {
  address,
  amount,
  boolean,
  bytes,
  bytes32,
  enumOf,
  hexText,
  orderUid,
  rowKey,
  smallInt,
  spelledEnumOf,
  string,
  time,
  uint32,
} from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { aliasField, column, defineModel, derived, hasAll, type Model, orNull } from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import { now } from '../../query/selection.ts'
import { isFollowed } from '../completeness.ts'
import { tokenIn } from '../token.ts'
import { cancelledBy } from './event.ts'
import { orderRelations } from './relations.ts'
import { readBalance } from './standing.ts'
import { effectiveReceiver, executedFraction, sold } from './value.ts'

const graphStatus = Object.fromEntries(orderStatuses.map((status) => [status, screaming(status)]))

const signed = {
  receiver: orNull(column(address, 'o.receiver', orderTexts.receiver)),
  sellAmount: column(amount, 'o.sell_amount', 'The signed amount, in sell token atoms.'),
  buyAmount: column(amount, 'o.buy_amount', 'The signed amount, in buy token atoms.'),
  validTo: column(uint32, 'o.valid_to', 'Unix seconds; at this second the order is still open.'),
  appData: column(bytes32, 'o.app_data', 'The signed hash of the appData document.'),
  feeAmount: column(amount, 'o.fee_amount', 'Signed fee, in sell token atoms; 0 for new orders.'),
  kind: column(enumOf('OrderKind', orderKinds), 'o.kind', orderTexts.kind),
  partiallyFillable: column(boolean, 'o.partially_fillable', orderTexts.partiallyFillable),
  sellTokenBalance: column(
    enumOf('SellTokenSource', sellTokenSources),
    'o.sell_token_balance',
    orderTexts.sellTokenBalance,
  ),
  buyTokenBalance: column(
    enumOf('BuyTokenDestination', buyTokenDestinations),
    'o.buy_token_balance',
    orderTexts.buyTokenBalance,
  ),
}

const executed = {
  executedSellAmount: column(amount, 'o.executed_sell', 'Sold so far, signed fee included.'),
  executedBuyAmount: column(amount, 'o.executed_buy', 'Bought so far.'),
  executedFeeAmount: column(amount, 'o.executed_signed_fee', 'Signed fee taken so far.'),
  executedFee: column(
    amount,
    'o.executed_fee',
    'Every fee really taken so far, network and protocol, in executedFeeToken; that of an order of another order book is what that reports. A fill whose network fee is less than one sell token atom pays it in the buy token; if other fills paid in the sell token, only its execution shows it.',
  ),
}

const feeToken = 'coalesce(o.executed_fee_token, o.sell_token)'
/** Token of the fee, for bodies that show only the address. */
export const executedFeeToken = derived(address, feeToken, 'The token of executedFee.')

const verifiedDocument = '(SELECT d.document FROM app_data d WHERE d.hash = o.app_data)'

const stored = {
  uid: column(orderUid, 'o.uid', 'Order digest, owner and validTo in one.'),
  owner: column(address, 'o.owner', 'The signer; the contract that answers for an order placed on chain.'),
  settlementContract: column(address, 'o.settlement', 'The contract the order is signed for.'),
  class: column(enumOf('OrderClass', orderClasses), 'o.class', 'The group of the order.'),
  signingScheme: column(
    enumOf('SigningScheme', signingSchemes),
    'o.signing_scheme',
    orderTexts.signingScheme,
  ),
  signature: column(bytes, 'o.signature', 'The signature; empty for presign.'),
  fullAppData: orNull(
    derived(string, verifiedDocument, 'The appData document, when it is known.', { weight: 8 }),
  ),
  creationDate: column(
    time,
    'o.created_at',
    'The time at which the order was stored, or of its block if it was placed on chain.',
  ),
  quoteId: orNull(column(rowKey, 'o.quote_id', orderTexts.quoteId)),
  fullBalanceCheck: column(boolean, 'o.full_balance_check', 'As sent: the whole balance is needed at once.'),
  validFrom: orNull(column(uint32, 'o.valid_from', 'Unix seconds from appData: in no auction before.')),
}

/** Sell atoms that the owner of order `o` holds, as read here, or else as its order book reports them. */
const knownBalance = `coalesce(${readBalance}, (SELECT rb.reported_balance FROM mirrored_orders rb WHERE rb.order_id = o.id))`

const isInvalidated = 'o.cancelled_at IS NOT NULL OR o.invalidated'

/** Order `o`. */
export const order: Model = defineModel({
  name: 'Order',
  description: 'A signed intent to trade one token for another.',
  isFollowed: true,
  fields: {
    id: nodeId('Order', hexText('o.uid')),
    ...stored,
    fullAppData: aliasField(
      stored.fullAppData,
      'The appData document, when it is known; for an order of another order book, what that has under the hash: see mirror.isDocumentVerified.',
      {
        sql: `coalesce(${verifiedDocument}, (SELECT m.unverified_document FROM mirrored_orders m WHERE m.order_id = o.id))`,
      },
    ),
    ...signed,
    ...executed,
    from: aliasField(stored.owner, 'Equal to owner.', { deprecated: 'Use owner. Removed after 2027-11-30.' }),
    appDataHash: aliasField(signed.appData, 'The signed hash of the appData document.'),
    appData: aliasField(signed.appData, 'Equal to appDataHash.', {
      deprecated: 'Use appDataHash. Removed after 2027-11-30.',
    }),
    appCode: orNull(
      column(string, 'o.app_code', 'The application that the appData document names, when it is known.'),
    ),
    referrer: orNull(
      column(string, 'o.referrer_code', 'The affiliate code that the appData document names, in upper case.'),
    ),
    isLiquidityOrder: derived(boolean, `o.class = 'liquidity'`, 'True if class is LIQUIDITY.', {
      deprecated: 'Use class. Removed after 2027-11-30.',
    }),
    status: derived(
      spelledEnumOf('OrderStatus', orderStatuses),
      (spelling) =>
        statusCase(now, spelling === 'graphql' ? (graphStatus as Record<OrderStatus, string>) : statusNames),
      'Derived from trades, invalidation and validTo; never stored.',
    ),
    invalidated: derived(
      boolean,
      isInvalidated,
      'Cancelled through the service or invalidated on chain. Also set if a reorg has undone the placement on chain.',
    ),
    cancelledBy: orNull(
      derived(
        enumOf('CancellationSource', cancellationSources),
        `(CASE WHEN ${isInvalidated} THEN ${cancelledBy} END)`,
        'The source of its cancellation; null while invalidated is false.',
      ),
    ),
    ...hasAll(
      'pendingSettlements',
      `NOT ${isFollowed('o.chain_id')}`,
      'for an order of another order book, which does not report them.',
    ),
    executedSellAmountBeforeFees: derived(amount, sold, 'Sold so far without the signed fee.'),
    executedFraction,
    effectiveReceiver,
    availableBalance: orNull(
      derived(
        amount,
        knownBalance,
        'Sell atoms that the owner holds by the newest stored reading: that of the indexer for tokens whose holders it follows, else that of the last auction that read the order, else that of the order book that it comes from: see mirror.isBalanceReported. Null if none is stored: the node is not queried.',
      ),
    ),
    onchainUser: orNull(
      derived(
        address,
        'o.onchain_user',
        'The account that placed the order on chain; null for orders placed through the service.',
      ),
    ),
  },
  relations: {
    ...orderRelations,
    executedFeeToken: tokenIn('o.chain_id', `(${feeToken})`, 'The token of executedFee.'),
  },
  identity: { chainId: column(smallInt, 'o.chain_id', ''), uid: stored.uid },
})

/** The order's own columns; `interactions` and `quote` are read separately. */
export const orderRow: RowFields<Omit<Order, 'interactions' | 'quote'>> = {
  id: column(rowKey, 'o.id', ''),
  chainId: column(smallInt, 'o.chain_id', ''),
  ...stored,
  ...signed,
  sellToken: column(address, 'o.sell_token', ''),
  buyToken: column(address, 'o.buy_token', ''),
  onchainUser: orNull(column(address, 'o.onchain_user', '')),
  placementError: orNull(column(enumOf('PlacementError', placementErrors), 'o.placement_error', '')),
  placementDetail: orNull(column(string, 'o.placement_detail', '')),
  ...executed,
  executedFeeToken,
  cancelledAt: orNull(column(time, 'o.cancelled_at', '')),
  invalidatedOnChain: column(boolean, 'o.invalidated', ''),
  presigned: column(boolean, 'o.presigned', ''),
  effectiveValidTo: column(uint32, 'o.effective_valid_to', ''),
}
