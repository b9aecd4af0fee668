import {
  type NotificationMetadata,
  publishedAs,
  publishedTypes,
} from '../../domain/notification/notification.ts'
import { cancellationSources } from '../../domain/order/event.ts'
import { improvementReferences } from '../../domain/order/surplus.ts'
import { hookOutcomes } from '../../domain/settlement/hooks.ts'
import { notification, variants } from '../models/notification/notification.ts'
import { asText, boolean, type Codec, decimal, enumOf, safeInt, string, uint32 } from '../query/codec.ts'
import { derived, type Field } from '../query/model.ts'
import { absent, type Body, fieldsOf, type Member, textOf } from './body.ts'

const part = <Value>(name: string, codec: Codec<Value>, description: string): Field =>
  derived(codec, `n.metadata->>'${name}'`, description)
const optionalPart = <Value>(...of: Parameters<typeof part<Value>>): Member => absent(part(...of))

const cancelled = variants.order_cancelled()

/** The metadata is returned as it is stored, as JSON. A missing member does not compile. */
const notificationMetadata = {
  orderId: part('orderId', asText('OrderUid'), 'The UID of the order.'),
  chainId: part('chainId', uint32, 'The chain of the order.'),
  executedAmount: optionalPart('executedAmount', asText('Uint256'), 'On fills: atoms of the variable side.'),
  txHash: optionalPart('txHash', asText('Bytes32'), 'The transaction that is the cause.'),
  isFilled: optionalPart(
    'isFilled',
    boolean,
    'On price improvement: true if the trade completed the order, or the part.',
  ),
  validTo: optionalPart('validTo', uint32, 'On expiry: Unix seconds.'),
  source: optionalPart(
    'source',
    enumOf('CancellationSource', cancellationSources),
    'On cancellation: its source.',
  ),
  replacedBy: optionalPart('replacedBy', asText('OrderUid'), textOf(cancelled, 'replacedBy')),
  reason: optionalPart('reason', string, textOf(cancelled, 'reason')),
  token: optionalPart('token', asText('Address'), 'The token of the amounts that follow.'),
  missingBalance: optionalPart('missingBalance', asText('Uint256'), 'Atoms that the account has too few.'),
  missingAllowance: optionalPart(
    'missingAllowance',
    asText('Uint256'),
    'Atoms that the vault relayer may spend too few.',
  ),
  reference: optionalPart(
    'reference',
    enumOf('ImprovementReference', improvementReferences),
    'On price improvement: the reference of the trade, its signed limit; where that is no price, the quote; where that is none either, the market.',
  ),
  referenceAmount: optionalPart(
    'referenceAmount',
    asText('Uint256'),
    'The amount of the trade at the reference.',
  ),
  improvementAmount: optionalPart(
    'improvementAmount',
    asText('Uint256'),
    'Atoms more, or less for a buy order; rounded down.',
  ),
  improvementShare: optionalPart(
    'improvementShare',
    decimal,
    'improvementAmount as a fraction of referenceAmount, rounded down.',
  ),
  quotedAmount: optionalPart(
    'quotedAmount',
    asText('Uint256'),
    'On price improvement: the amount of the trade at the price of the order’s quote.',
  ),
  quoteImprovementAmount: optionalPart(
    'quoteImprovementAmount',
    decimal,
    'Atoms better than quotedAmount, rounded down; negative if the trade is worse.',
  ),
  quoteImprovementShare: optionalPart(
    'quoteImprovementShare',
    decimal,
    'quoteImprovementAmount as a fraction of quotedAmount, rounded down.',
  ),
  target: optionalPart('target', asText('Address'), 'The contract that a failed hook calls.'),
  outcome: optionalPart('outcome', enumOf('HookOutcome', hookOutcomes), 'The failure of the hook.'),
  failedHooks: optionalPart('failedHooks', uint32, 'The number of hooks that failed with the trade.'),
  programmaticOwner: optionalPart(
    'programmaticOwner',
    asText('Address'),
    'Of a part of a programmatic order: its owner.',
  ),
  programmaticHash: optionalPart(
    'programmaticHash',
    asText('Bytes32'),
    'Of a part of a programmatic order: its hash.',
  ),
  partIndex: optionalPart('partIndex', safeInt, 'The number of the part, from 0.'),
  partCount: optionalPart('partCount', safeInt, 'The number of parts in all.'),
  wasPlaced: optionalPart('wasPlaced', boolean, 'On expiry of a part: true.'),
  failedParts: optionalPart('failedParts', safeInt, 'On expiry of a part: 1.'),
  filledParts: optionalPart('filledParts', safeInt, 'Filled parts.'),
  executedSellAmount: optionalPart('executedSellAmount', asText('Uint256'), 'Atoms sold by all parts.'),
  executedBuyAmount: optionalPart('executedBuyAmount', asText('Uint256'), 'Atoms bought by all parts.'),
  removedBlock: optionalPart('removedBlock', safeInt, 'The first block without the authorisation.'),
  reverted: optionalPart('reverted', boolean, 'true once a reorg took the cause away for good.'),
} satisfies Record<keyof NotificationMetadata, Member>

const {
  target: _target,
  outcome: _outcome,
  failedHooks: _failedHooks,
  filledParts: _filledParts,
  executedSellAmount: _executedSellAmount,
  executedBuyAmount: _executedBuyAmount,
  removedBlock: _removedBlock,
  ...published
} = notificationMetadata

/** The members of notifications of published types. */
export const publishedMetadata = published

const publishedType = `CASE n.type ${Object.entries(publishedAs)
  .map(([type, shown]) => `WHEN '${type}' THEN ${shown === null ? 'NULL' : `'${shown}'`}`)
  .join(' ')} ELSE n.type END`

/** Notification `n` of a published type, or of one that is shown as such. */
export const notificationBody: Body = {
  id: notification.fields.notificationId as Field,
  ...fieldsOf(notification, 'account'),
  type: derived(enumOf('NotificationType', publishedTypes), publishedType, textOf(notification, 'type')),
  ...fieldsOf(notification, 'message', 'timestamp'),
  metadata: { json: notification.fields.metadata as Field, holds: publishedMetadata },
}
