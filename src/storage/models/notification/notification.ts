import { type NotificationType, notificationTypes } from '../../../domain/notification/notification.ts'
import { notificationTexts } from '../../../domain/notification/texts.ts'
import { cancellationSources } from '../../../domain/order/event.ts'
import { improvementReferences } from '../../../domain/order/surplus.ts'
import { hookOutcomes } from '../../../domain/settlement/hooks.ts'
import {
  address,
  asText,
  boolean,
  type Codec,
  decimal,
  enumOf,
  json,
  rowKeyText,
  safeInt,
  string,
  time,
  uint32,
} from '../../query/codec.ts'
import {
  column,
  derived,
  type Field,
  type Model,
  modelNamed,
  orNull,
  type Relation,
} from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import { programmaticOrder } from '../programmatic.ts'
import { tokenIn } from '../token.ts'

const fields = {
  account: column(address, 'n.account', 'The account that it is for.'),
  type: column(enumOf('NotificationType', notificationTypes), 'n.type', 'The type of the notification.'),
  message: column(string, 'n.message', 'The same as text for people.'),
  timestamp: column(time, 'n.timestamp', 'The time at which it was written.'),
}
const number = column(rowKeyText, 'n.id', 'Its number, as in REST and in messages.')
const metadata = column(
  json,
  'n.metadata',
  'orderId, chainId, executedAmount on fills, and more; reverted is true once a reorg took the cause away for good.',
)

/** Members that all types of notifications share. */
const commonMembers: Pick<Model, 'fields' | 'relations' | 'identity'> = {
  fields: {
    id: nodeId('Notification', 'n.id'),
    notificationId: number,
    ...fields,
    metadata,
    isReverted: derived(
      boolean,
      `coalesce((n.metadata->>'reverted')::bool, false)`,
      'True if a reorg removed the cause.',
    ),
    readAt: orNull(column(time, 'n.read_at', 'The time of its mark as read; null without one.')),
    orderUid: derived(
      asText('OrderUid'),
      `n.metadata->>'orderId'`,
      'The order it is about. For a programmatic order as a whole: its hash, its owner and zeros, which no order has.',
    ),
  },
  relations: {
    order: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: `orders o WHERE o.chain_id = n.chain_id AND o.uid = decode(substr(n.metadata->>'orderId', 3), 'hex')`,
      description: 'The order it is about.',
    },
    programmaticOrder: {
      kind: 'one',
      model: () => programmaticOrder,
      nullable: true,
      rows: `programmatic_orders g WHERE g.chain_id = n.chain_id AND g.owner = decode(substr(n.metadata->>'programmaticOwner', 3), 'hex')
        AND g.hash = decode(substr(n.metadata->>'programmaticHash', 3), 'hex')`,
      description:
        'The programmatic order that it, or the part that it is about, belongs to; null for other orders.',
    },
  },
  identity: { notificationId: number },
}

const fill: Record<string, Field> = {
  executedAmount: orNull(
    derived(
      asText('Uint256'),
      `n.metadata->>'executedAmount'`,
      'The variable amount of the trade: its buy amount for a sell order, its sell amount for a buy order.',
    ),
  ),
  txHash: orNull(derived(asText('Bytes32'), `n.metadata->>'txHash'`, 'The settlement’s transaction.')),
}

const part = <Value>(codec: Codec<Value>, name: string, description: string) =>
  derived(codec, `n.metadata->>'${name}'`, description)

const metadataToken = `decode(substr(n.metadata->>'token', 3), 'hex')`

const numberOf = (name: string, description: string) =>
  derived(safeInt, `(n.metadata->>'${name}')::bigint`, description)
const validToOf = (description: string) =>
  orNull(derived(uint32, `(n.metadata->>'validTo')::bigint`, description))
const validTo = validToOf('Expiry, in Unix seconds.')

/** The place of a part. */
const place: Record<string, Field> = {
  partIndex: orNull(
    numberOf('partIndex', 'The number of the part, from 0; of several, the first. Null if it is not known.'),
  ),
  partCount: orNull(numberOf('partCount', 'The number of parts in all; null if it is not known in advance.')),
}

/** The amounts that a programmatic order has traded when it ends. */
const ending: Record<string, Field> = {
  partCount: place.partCount as Field,
  filledParts: numberOf('filledParts', 'The number of its parts that are filled.'),
  executedSellAmount: part(asText('Uint256'), 'executedSellAmount', 'Sold by its parts, in atoms.'),
  executedBuyAmount: part(asText('Uint256'), 'executedBuyAmount', 'Bought by its parts, in atoms.'),
}

function variant(
  name: string,
  description: string,
  own: Record<string, Field> = {},
  relations: Record<string, Relation> = {},
): () => Model {
  const model: Model = {
    ...commonMembers,
    name,
    description,
    fields: { ...commonMembers.fields, ...own },
    relations: { ...commonMembers.relations, ...relations },
  }
  return () => model
}

export const variants: Record<NotificationType, () => Model> = {
  order_filled: variant('OrderFilledNotification', notificationTexts.order_filled, fill),
  order_partially_filled: variant(
    'OrderPartiallyFilledNotification',
    notificationTexts.order_partially_filled,
    fill,
  ),
  order_expired: variant('OrderExpiredNotification', notificationTexts.order_expired, {
    validTo,
  }),
  order_cancelled: variant(
    'OrderCancelledNotification',
    notificationTexts.order_cancelled,
    {
      source: orNull(
        derived(
          enumOf('CancellationSource', cancellationSources),
          `(n.metadata->>'source')`,
          'The source of the cancellation.',
        ),
      ),
      txHash: orNull(part(asText('Bytes32'), 'txHash', 'On cancellation on chain: the transaction.')),
      reason: orNull(part(string, 'reason', 'On cancellation by policy: the reason.')),
    },
    {
      replacedBy: {
        kind: 'one',
        model: modelNamed('Order'),
        nullable: true,
        rows: `orders o WHERE o.chain_id = n.chain_id AND o.uid = decode(substr(n.metadata->>'replacedBy', 3), 'hex')`,
        description: 'On cancellation by replacement: the new order.',
      },
    },
  ),
  insufficient_balance: variant(
    'InsufficientBalanceNotification',
    notificationTexts.insufficient_balance,
    {
      missingBalance: orNull(
        part(asText('Uint256'), 'missingBalance', 'Sell atoms that the owner has too few; null for none.'),
      ),
      missingAllowance: orNull(
        part(
          asText('Uint256'),
          'missingAllowance',
          'Sell atoms that the vault relayer may spend too few; null for none.',
        ),
      ),
      ...place,
      validTo: validToOf('Of a part that is not placed: its last second, in Unix seconds.'),
    },
    { token: tokenIn('n.chain_id', metadataToken, 'The token that is missing: what the order sells.') },
  ),
  price_improvement: variant(
    'PriceImprovementNotification',
    notificationTexts.price_improvement,
    {
      ...fill,
      isFilled: orNull(
        derived(
          boolean,
          `(n.metadata->>'isFilled')::bool`,
          'True if the trade completed the order, or the part; null for trades before that was stored.',
        ),
      ),
      reference: derived(
        enumOf('ImprovementReference', improvementReferences),
        `(n.metadata->>'reference')`,
        'The reference of the trade: the signed limit; where that is no price, the quote; where that is none either, the market.',
      ),
      referenceAmount: part(
        asText('Uint256'),
        'referenceAmount',
        'The amount of the trade at the reference, bought or, for a buy order, sold; rounded against the trader’s gain.',
      ),
      improvementAmount: part(
        asText('Uint256'),
        'improvementAmount',
        'Atoms more for a sell order, or less for a buy order; rounded down.',
      ),
      improvementShare: part(
        decimal,
        'improvementShare',
        'improvementAmount as a fraction of referenceAmount, with six digits, rounded down.',
      ),
      quotedAmount: orNull(
        part(
          asText('Uint256'),
          'quotedAmount',
          'The amount of the trade at the price of the order’s quote, after its fee, bought or, for a buy order, sold; null without a quote.',
        ),
      ),
      quoteImprovementAmount: orNull(
        part(
          decimal,
          'quoteImprovementAmount',
          'Atoms by which the trade is better than quotedAmount, rounded down; negative if it is worse.',
        ),
      ),
      quoteImprovementShare: orNull(
        part(
          decimal,
          'quoteImprovementShare',
          'quoteImprovementAmount as a fraction of quotedAmount, with six digits, rounded down.',
        ),
      ),
    },
    { token: tokenIn('n.chain_id', metadataToken, 'The token of the amounts.') },
  ),
  post_hook_failed: variant('PostHookFailedNotification', notificationTexts.post_hook_failed, {
    txHash: part(asText('Bytes32'), 'txHash', 'The settlement’s transaction.'),
    target: part(asText('Address'), 'target', 'The contract that the first failed hook calls.'),
    outcome: derived(enumOf('HookOutcome', hookOutcomes), `(n.metadata->>'outcome')`, 'The failure.'),
    reason: orNull(part(string, 'reason', 'The response of the contract; null without one.')),
    failedHooks: derived(
      uint32,
      `(n.metadata->>'failedHooks')::bigint`,
      'The number of hooks that failed with this trade.',
    ),
  }),
  part_filled: variant('PartFilledNotification', notificationTexts.part_filled, {
    ...fill,
    ...place,
  }),
  part_failed: variant('PartFailedNotification', notificationTexts.part_failed, {
    ...place,
    failedParts: numberOf(
      'failedParts',
      'The number of parts that failed; more than 1 only if none was placed.',
    ),
    wasPlaced: derived(boolean, `(n.metadata->>'wasPlaced')::bool`, 'True if its order was in the book.'),
    validTo,
    reason: orNull(part(string, 'reason', 'Why, in plain sentences; null if that is not known.')),
  }),
  programmatic_finished: variant(
    'ProgrammaticFinishedNotification',
    notificationTexts.programmatic_finished,
    ending,
  ),
  programmatic_cancelled: variant(
    'ProgrammaticCancelledNotification',
    notificationTexts.programmatic_cancelled,
    {
      ...ending,
      removedBlock: numberOf('removedBlock', 'The first block at which it was seen.'),
    },
  ),
}

/** Notification `n`. */
export const notification: Model = {
  ...commonMembers,
  name: 'Notification',
  description: 'Something an account should know. Its ids stay the same when it is updated.',
  variants: { by: 'n.type', models: variants },
}
