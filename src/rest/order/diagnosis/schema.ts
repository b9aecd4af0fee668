import { z } from 'zod'
import { diagnosisCodes } from '../../../domain/diagnosis/code.ts'
import { cancellationSources } from '../../../domain/order/event.ts'
import { hookOutcomes, hookPhases } from '../../../domain/settlement/hooks.ts'
import {
  address,
  amount,
  bytes32,
  count,
  decimal,
  orderUid,
  timestamp,
} from '../../openapi/schemas/primitives.ts'

const percent = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/)
const token = address.describe('The token.')

const priceAmounts = z.object({
  decimal: decimal.describe('Buy atoms for one sell atom: 36 digits behind the point, rounded down.'),
  sellAmount: amount.describe('Sell atoms.'),
  buyAmount: amount.describe('Buy atoms for them.'),
})

export const diagnosisEvidence = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('amounts').describe('How much of a token is needed, and how much there is.'),
    token,
    needed: amount.describe('Atoms that the order needs.'),
    available: amount.describe('Atoms that there are.'),
    missing: amount.describe('Atoms that are missing.'),
  }),
  z.object({ kind: z.literal('token').describe('A token that the reason is about.'), token }),
  z.object({
    kind: z.literal('pool').describe('A pool that the reason is about.'),
    pool: address.describe('Its contract.'),
  }),
  z.object({
    kind: z.literal('price').describe('The limit of the order against the market.'),
    limit: priceAmounts.describe('What the order asks for.'),
    best: priceAmounts.nullable().describe('The best price that was seen for it; null where none was.'),
    foundAt: timestamp.nullable().describe('When the best was seen.'),
    foundAtBlock: count.nullable().describe('At which block.'),
    foundBy: address.nullable().describe('Who proposed it; null for the router of the service.'),
    foundInAuction: count.nullable().describe('In which auction; null for the router.'),
    gapPercent: percent
      .nullable()
      .describe('How far the newest price is from the limit, in per cent; negative where it is better.'),
    gapSeenAt: timestamp
      .nullable()
      .describe('When that gap was seen. One that moved little since is not written again.'),
    dayMovementPercent: percent
      .nullable()
      .describe('How the market moved within the last day, in per cent; positive towards the limit.'),
    secondsNeeded: count
      .nullable()
      .describe(
        'The time that the market would need for the gap at that movement; null where it moves away.',
      ),
  }),
  z.object({
    kind: z.literal('fee').describe('The fee of the network against what the price leaves for it.'),
    token,
    fee: amount.describe('Atoms that a settlement of the order alone would cost.'),
    left: amount.describe('Atoms that the price leaves for it.'),
    leastAmount: amount
      .nullable()
      .describe('Atoms to sell from which it would pay at the same price and fee; null where no size would.'),
  }),
  z.object({
    kind: z.literal('competition').describe('A solution for the order, and what became of it.'),
    auctionId: count.describe('The auction.'),
    solver: address.describe('Whose solution it is.'),
    score: amount.nullable().describe('Its score in native atoms; null where it was refused before.'),
    winningScore: amount.nullable().describe('The score of the best winner; null without one.'),
    scoreGap: amount.nullable().describe('By how much its score is below that; null where it is not.'),
    refusal: z.string().nullable().describe('Why it was refused; null where it was not.'),
  }),
  z.object({
    kind: z.literal('blocks').describe('A block that the reason is about.'),
    number: count.describe('The last block that was seen, or that counts.'),
    at: timestamp.nullable().describe('Its time, where it is known.'),
    head: count.nullable().describe('The newest block, where it is known.'),
  }),
  z.object({
    kind: z.literal('transaction').describe('A transaction that the reason is about.'),
    txHash: bytes32.describe('Its hash.'),
    block: count.nullable().describe('Its block; null while it is in none, or where that is not known.'),
  }),
  z.object({
    kind: z.literal('order').describe('Another order that the reason is about.'),
    uid: orderUid.describe('Its UID.'),
  }),
  z.object({
    kind: z.literal('revert').describe('What a contract answered.'),
    reason: z.string().describe('In its words; hex where it has none.'),
  }),
  z.object({
    kind: z.literal('hook').describe('A hook of the order, in a settlement or in a simulation of one.'),
    phase: z.enum(hookPhases).describe('Whether it runs before or after the trade.'),
    target: address.describe('The contract called.'),
    outcome: z.enum(hookOutcomes).describe('What became of it.'),
    gasLimit: amount.nullable().describe('Gas units that it may use; null where that is not at hand.'),
    gasUsed: amount.nullable().describe('Gas units that it used; null where that is not known.'),
  }),
  z.object({
    kind: z.literal('validity').describe('When the order may be traded.'),
    from: timestamp.nullable().describe('Not before; null: at once.'),
    until: timestamp.describe('Not later.'),
    offeredUntil: timestamp.describe(
      'Until when auctions take it: `until`, less what the setting ORDER_MIN_VALIDITY says now.',
    ),
  }),
  z.object({
    kind: z.literal('cancellation').describe('Who cancelled the order.'),
    by: z.enum(cancellationSources).describe('Who, or what.'),
    detail: z.string().nullable().describe('More about it, as text; null where there is none.'),
  }),
  z.object({
    kind: z.literal('refusal').describe('The error with which the service would refuse to place the order.'),
    code: z.string().describe('Its code, of the list of errors.'),
    field: z.string().nullable().describe('The member of the order that is at fault; null where it is none.'),
    message: z.string().describe('What is wrong.'),
  }),
])

const reason = {
  code: z.enum(diagnosisCodes).describe('The reason.'),
  summary: z.string().describe('In words, with the figures.'),
  since: timestamp.nullable().describe('Since when it is so; null where that is not known.'),
  retryable: z
    .boolean()
    .describe('Whether waiting may be enough: nobody has to change the order or its account.'),
  advice: z.string().describe('What to do.'),
  evidence: z.array(diagnosisEvidence).describe('The facts behind it.'),
}

export const diagnosisReason = z.object(reason)

export const orderDiagnosis = z.object({
  ...reason,
  further: z
    .array(diagnosisReason)
    .describe('The other reasons, in the order in which they have to be solved.'),
})
