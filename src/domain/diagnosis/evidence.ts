import {
  address,
  bytes32,
  dateTime,
  decimal,
  decimalOf,
  derived,
  described,
  from,
  objectOf,
  oneOf,
  orderUid,
  safeInt,
  serial,
  text,
  token,
  uint256,
  type ValueOf,
} from '../described.ts'
import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { CancellationSource } from '../order/event.ts'
import { orderTexts } from '../order/order.ts'
import { formatPriceDown } from '../order/surplus.ts'
import type { GeneratorStatus } from '../programmatic/statuses.ts'
import { poolContract } from '../routing/pool-value.ts'
import type { HookOutcome, HookPhase } from '../settlement/hooks.ts'
import { formatPercent } from '../text/readable.ts'

const priceAmounts = described('PriceAmounts', 'A price as an exact fraction: buy atoms for sell atoms.', {
  decimal: derived(
    decimal('Buy atoms for one sell atom, with 36 decimals, rounded down.'),
    ({ sell, buy }: { sell: bigint; buy: bigint }) => formatPriceDown({ numerator: buy, denominator: sell }),
  ),
  sellAmount: from('sell', uint256('Sell atoms.')),
  buyAmount: from('buy', uint256('Buy atoms for them.')),
})
export type PriceAmounts = ValueOf<typeof priceAmounts>

const amounts = objectOf(priceAmounts)

/** Parts per million of the limit, which clients get in per cent. */
const percent = decimalOf<bigint>(formatPercent)

/** The types of evidence by their kind. */
export const evidenceTypes = {
  amounts: described('AmountsEvidence', 'The needed and the available amount of a token.', {
    token: token('The token.'),
    needed: uint256('Atoms that the order needs.'),
    available: uint256('Atoms that are available.'),
    missing: uint256('Atoms that are missing.'),
  }),
  token: described('TokenEvidence', 'The token of the reason.', { token: token('The token.') }),
  pool: described('PoolEvidence', 'The pool of the reason.', { pool: poolContract }),
  price: described('PriceEvidence', 'The limit of an order against the market.', {
    limit: amounts('The limit price of the order.'),
    best: amounts.orNull('The best observed price; null without one.'),
    foundAt: from('at', dateTime.orNull('The time of the best price.')),
    foundAtBlock: from('block', safeInt.orNull('The block of the best price.')),
    foundBy: from(
      'solver',
      address.orNull('The solver that proposed it; null for the router of the service.'),
    ),
    foundInAuction: from('auctionId', serial.orNull('The auction of the best price; null for the router.')),
    gapPercent: from(
      'gap',
      percent.orNull(
        'The distance of the newest price from the limit, in per cent of the limit; negative if the price is better. It comes from the service’s own routes for the whole rest, as in its quotes; outside estimators may find a better one. Null if nothing is known.',
      ),
    ),
    gapSeenAt: dateTime.orNull('The time of that gap. Small later changes are not stored.'),
    dayMovementPercent: from(
      'dayMovement',
      percent.orNull(
        'The move of the market within the last day, in per cent; positive towards the limit. Null if it is not known.',
      ),
    ),
    secondsNeeded: safeInt.orNull(
      'The seconds that the market needs to close the gap at that rate, rounded up. Null if it moves away, if its movement is known for less than six hours, and if the order expires before.',
    ),
  }),
  fee: described('FeeEvidence', 'The network fee, and the amount that the price leaves for it.', {
    token: token(orderTexts.sellToken),
    fee: uint256('Atoms that settling the order alone costs.'),
    left: uint256('Atoms that the price leaves for it.'),
    leastAmount: uint256.orNull(
      'The minimum sell amount that pays the same fee at the same price; null if no size does.',
    ),
  }),
  competition: described('CompetitionEvidence', 'A solution for the order, and its outcome.', {
    auctionId: serial('The auction.'),
    solver: address('The solver of the solution.'),
    score: uint256.orNull('Its score in native atoms; null if it was refused before scoring.'),
    winningScore: uint256.orNull('The score of the best winner; null without one.'),
    scoreGap: uint256.orNull('The amount by which its score is below the winning one; null if it is not.'),
    refusal: text.orNull('The reason of its refusal; null if it was not refused.'),
  }),
  blocks: described('BlocksEvidence', 'The block of the reason.', {
    number: safeInt('The last block that was seen or counts.'),
    at: dateTime.orNull('Its time; null if unknown.'),
    head: safeInt.orNull('The newest; null if unknown.'),
  }),
  transaction: described('TransactionEvidence', 'The transaction of the reason.', {
    txHash: bytes32('Its hash.'),
    block: safeInt.orNull('Its block; null while it is in none, or if unknown.'),
  }),
  order: described('OrderEvidence', 'The other order of the reason.', { uid: orderUid('Its UID.') }),
  programmaticOrder: described(
    'ProgrammaticOrderEvidence',
    'The programmatic order whose part the order is, as its signature says. It is part of the first reason.',
    {
      owner: address('The contract wallet that owns both.'),
      hash: bytes32('The hash that identifies it with its owner.'),
      status: oneOf<GeneratorStatus>('ProgrammaticOrderStatus').orNull(
        'Its status; null if the service does not know it.',
      ),
      removedBlock: safeInt.orNull(
        'The first block at which the contract was seen not to authorise it; null while it does.',
      ),
    },
  ),
  revert: described('RevertEvidence', 'The answer of a contract.', {
    reason: text('The reason as text, or its hex.'),
  }),
  hook: described('HookEvidence', 'A hook of the order, in a settlement or in a simulation of one.', {
    phase: oneOf<HookPhase>('HookPhase')('The time: before or after the trade.'),
    index: safeInt('Its place among hooks of that phase, from 0.'),
    target: address('The contract that it calls.'),
    outcome: oneOf<HookOutcome>('HookOutcome')('The outcome of the hook.'),
    gasLimit: uint256.orNull('Gas units that it may use, as signed; null if they are not known.'),
    gasUsed: uint256.orNull('Gas units that it used; null if they are not known.'),
  }),
  validity: described('ValidityEvidence', 'The time in which the order may be traded.', {
    from: dateTime.orNull('The start; null for at once.'),
    until: dateTime('The last time.'),
    offeredUntil: dateTime(
      'The end of its offer in auctions: `until` minus the current setting ORDER_MIN_VALIDITY.',
    ),
  }),
  cancellation: described('CancellationEvidence', 'The source of the cancellation.', {
    by: oneOf<CancellationSource>('CancellationSource')('The source.'),
    detail: text.orNull('Details as text; null without any.'),
  }),
  refusal: described('RefusalEvidence', 'The error with which the service would refuse to place the order.', {
    code: oneOf<RefusalCode>('String')('Its code, of the list of errors.'),
    field: text.orNull('The invalid member; null for none.'),
    message: text('The description of the error.'),
  }),
}

type EvidenceTypes = typeof evidenceTypes

/** A fact behind a reason. */
export type Evidence = {
  [Kind in keyof EvidenceTypes]: { kind: Kind } & ValueOf<EvidenceTypes[Kind]>
}[keyof EvidenceTypes]

/** The evidence of one kind. */
export type EvidenceOf<Kind extends keyof EvidenceTypes> = Extract<Evidence, { kind: Kind }>
