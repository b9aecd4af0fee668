import { eligibilities } from '../domain/affiliate/affiliate.ts'
import { channelKinds, channelStates, deliveryStates } from '../domain/notification/channel.ts'
import {
  type NotificationType as NotificationKind,
  notificationTypes,
} from '../domain/notification/notification.ts'
import {
  cancellationSources,
  exclusionTexts,
  orderEventLabels,
  orderEventTexts,
  standingReasons,
  standingTexts,
} from '../domain/order/event.ts'
import {
  buyTokenDestinations,
  orderClasses,
  orderKinds,
  orderTexts,
  placementErrors,
  sellTokenSources,
  signingSchemes,
} from '../domain/order/order.ts'
import { orderStages, orderStatuses, orderStatusTexts } from '../domain/order/status.ts'
import { improvementReferences } from '../domain/order/surplus.ts'
import { priceQualities } from '../domain/quote/quote.ts'
import { feeKinds } from '../domain/settlement/accounting.ts'
import { hookOutcomes, hookPhases, unknownHookReasons } from '../domain/settlement/hooks.ts'
import { type SignatureMistake as Mistake, signatureMistakes } from '../domain/signing/signature-mistake.ts'
import { screaming } from '../domain/text/spelling.ts'
import { feePolicyKinds } from '../storage/models/auction/fee-policy.ts'
import { settlementOutcomes } from '../storage/models/auction/settlement-attempt.ts'
import { variants as notificationVariants } from '../storage/models/notification/notification.ts'
import { orderEventReasons } from '../storage/models/order/event.ts'
import { builder } from './builder.ts'

const enums = new Map<string, unknown>()

/** Members are the REST values in SCREAMING_CASE; resolvers get and return the REST values themselves. */
export function defineEnum<const Value extends string>(
  name: string,
  description: string,
  values: readonly Value[],
  descriptions: Record<Value, string>,
) {
  const members = values.map((value) => [screaming(value), { value, description: descriptions[value] }])
  const type = builder.enumType(name, {
    description,
    values: Object.fromEntries(members) as Record<string, { value: Value; description: string }>,
  })
  enums.set(name, type)
  return type
}

/** The GraphQL enum of a stored column's type; undefined for other types. */
export function enumByName(name: string): unknown {
  return enums.get(name)
}

export const OrderKind = defineEnum('OrderKind', 'The fixed side of an order.', orderKinds, {
  buy: 'The buy amount is fixed; the sell amount is the most the trader pays.',
  sell: 'The sell amount is fixed; the buy amount is the least the trader gets.',
})

export const OrderStatus = defineEnum(
  'OrderStatus',
  'The status of an order. Derived on every read, first match in this order: FULFILLED, CANCELLED, EXPIRED, PRESIGNATURE_PENDING, OPEN.',
  orderStatuses,
  orderStatusTexts,
)

defineEnum('OrderStage', 'The progress of an order on its way into a settlement, and its end.', orderStages, {
  open: 'Left out of the newest auction: its newest event and its standing say why.',
  scheduled: 'Waits for an auction.',
  active: 'Part of an auction that solvers work on.',
  solved: 'Part of a solution that did not win.',
  executing: 'Part of a winning solution that is on its way to the chain.',
  traded: 'Traded at least once.',
  cancelled: 'Cancelled by its owner through the service, or by the operator.',
  expired: 'Its time passed before it was filled.',
  replaced: 'Cancelled by a newer order of its owner.',
  invalidated: 'Cancelled on chain.',
  refunded: 'Ended, and what it would have sold was paid back on chain.',
})

export const OrderClass = defineEnum('OrderClass', 'The group of an order.', orderClasses, {
  market: 'Signed with a fee; historic.',
  limit: 'Signed without a fee: every new order.',
  liquidity: 'Brought in by a solver.',
})

export const SigningScheme = defineEnum('SigningScheme', 'The scheme of a signature.', signingSchemes, {
  eip712: 'Typed data, signed by a key.',
  ethsign: 'The typed digest as a personal message, signed by a key.',
  presign: 'An approval on chain, by a transaction of the owner.',
  eip1271: 'A signature for which a contract wallet answers.',
})

defineEnum(
  'SignatureMistake',
  'A known mistake of clients that sign an order.',
  Object.keys(signatureMistakes) as Mistake[],
  signatureMistakes,
)

export const SellTokenSource = defineEnum('SellTokenSource', orderTexts.sellTokenBalance, sellTokenSources, {
  erc20: 'The owner’s balance.',
  internal: 'The owner’s internal vault balance; not accepted here.',
  external: 'The owner’s balance through the vault; not accepted here.',
})

export const BuyTokenDestination = defineEnum(
  'BuyTokenDestination',
  orderTexts.buyTokenBalance,
  buyTokenDestinations,
  { erc20: 'The receiver’s balance.', internal: 'The receiver’s internal vault balance; not accepted here.' },
)

export const PriceQuality = defineEnum('PriceQuality', 'The effort of a quote.', priceQualities, {
  fast: 'The best of the quickest estimates. Not stored, so it has no id.',
  optimal: 'The best of all estimates.',
  verified: 'The best of the estimates that a simulation confirmed.',
})

export const OrderEventLabel = defineEnum(
  'OrderEventLabel',
  'A step in the history of an order.',
  orderEventLabels,
  orderEventTexts,
)

export const ChannelKind = defineEnum(
  'ChannelKind',
  'The way in which notifications are sent.',
  channelKinds,
  {
    webhook: 'Posted to a URL, signed as Standard Webhooks has it.',
    email: 'Sent by e-mail.',
    push: 'Sent to a browser, by its push service.',
    telegram: 'Sent to a Telegram chat.',
  },
)

defineEnum('ChannelState', 'The state of a channel.', channelStates, {
  pending: 'Its receiver has not confirmed it: nothing is sent.',
  active: 'Notifications are sent to it.',
  ended: 'Unsubscribed by its account or its receiver, or never confirmed.',
})

export const DeliveryState = defineEnum('DeliveryState', 'The state of a delivery.', deliveryStates, {
  waiting: 'To be sent, or to be sent again after a failure.',
  delivered: 'The receiver has taken it.',
  dead: 'Given up after a day of failures. It can be replayed.',
  dropped: 'Never sent: its cause was reverted before, or the channel ended.',
})

export const NotificationType = defineEnum(
  'NotificationType',
  'The subject of a notification.',
  notificationTypes,
  Object.fromEntries(
    notificationTypes.map((type) => [type, notificationVariants[type]().description]),
  ) as Record<NotificationKind, string>,
)

defineEnum('HookPhase', 'The time at which a hook of an order runs.', hookPhases, {
  pre: 'Runs before the trade, with the order’s first fill.',
  post: 'Runs after the trade, with each fill.',
})

defineEnum(
  'HookOutcome',
  'The outcome of a hook. A hook that fails does not revert the settlement.',
  hookOutcomes,
  {
    succeeded: 'It ran to its end. A contract without code does too.',
    reverted: 'Its contract refused it, or is faulty.',
    outOfGas: 'Its gas limit did not suffice.',
  },
)

defineEnum('UnknownHookReason', 'The reason why the outcome of a hook is not known.', unknownHookReasons, {
  notYetRead: 'The trace of the settlement is still to be read.',
  notTraced: 'The node does not trace, or did not trace this transaction.',
  traceTooLarge: 'The trace of the transaction is too large to be read.',
  notCalled: 'The settlement did not make the call.',
})

defineEnum('CancellationSource', 'The source of a cancellation.', cancellationSources, {
  api: 'Its owner, through the service.',
  policy: 'The operator.',
  replacement: 'A newer order of its owner.',
  chain: 'A log of the settlement contract.',
})

defineEnum('ImprovementReference', 'The reference of a trade’s improvement.', improvementReferences, {
  quote: 'The order’s quote, where the limit is no price.',
  limit: 'The signed limit.',
  market: 'The market prices of the auction, where neither the limit nor a quote is a price.',
})

defineEnum(
  'OrderEventReason',
  'The reason why an order is not in an auction, or was cancelled.',
  orderEventReasons,
  { ...exclusionTexts, policy: 'The operator cancelled it, for the reason in detail.' },
)

defineEnum('OrderStandingReason', 'The reason why no auction holds an order.', standingReasons, standingTexts)

defineEnum(
  'PlacementError',
  'The reason why an order that was placed on chain can never be traded.',
  placementErrors,
  {
    QuoteNotFound: 'The quote that it names is not known, or does not fit.',
    ValidToTooFarInFuture: 'It is valid for longer than orders may be.',
    PreValidationError: 'It does not pass the checks of every order.',
  },
)

defineEnum('SettlementOutcome', 'The outcome of a settlement attempt.', settlementOutcomes, {
  success: 'It is on chain.',
  timeout: 'Its deadline passed.',
  failed: 'It could not be sent, or it reverted; detail says why.',
})

defineEnum('FeeKind', 'The kind of a fee.', feeKinds, {
  network: 'Pays the gas of the settlement.',
  protocol: 'Owed to the protocol, by the policies of the operator.',
  partner: 'Owed to the application that made the order, by its appData.',
})

defineEnum('FeePolicyKind', 'The base of a fee’s share.', feePolicyKinds, {
  surplus: 'The surplus over the limit price.',
  volume: 'The traded volume.',
  priceImprovement: 'The improvement over the quote.',
})

defineEnum(
  'Eligibility',
  'The eligibility of a trade for an affiliate: ELIGIBLE, or the first reason against it that applies.',
  eligibilities,
  {
    eligible: 'It counts, at least in part.',
    not_bound: 'The trader is bound to no code.',
    before_binding: 'It was before the trade that bound the trader.',
    other_code: 'It names another code than the one that the trader is bound to.',
    time_cap_reached: 'The trader’s time is over.',
    same_token:
      'It trades a token for itself, or for the coin that it wraps: it costs next to nothing to repeat.',
    no_dollar_value:
      'The sold token, or the one that stands for the dollar, has no price in its auction, or it settles no auction of this service.',
    volume_cap_reached: 'The trader’s maximum volume was reached before.',
  },
)

defineEnum(
  'ValueState',
  'The state of a value that is read from outside: from the chain, or from a source of prices.',
  ['known', 'absent', 'unavailable'],
  {
    known: 'It was read.',
    absent: 'There is none: no such token, or no price of it.',
    unavailable: 'It cannot be read at the moment; it may exist.',
  },
)
