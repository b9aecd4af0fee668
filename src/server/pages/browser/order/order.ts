import { parseUnits } from '../../../../domain/amount.ts'
import { readablePercent } from '../../../../domain/text/readable.ts'
import type { OrderDiagnosisResult, OrderResult } from '../documents.generated.ts'

export type Order = NonNullable<OrderResult['order']>
type Event = Order['events']['nodes'][number]

export type Diagnosis = NonNullable<OrderDiagnosisResult['order']>['diagnosis']
export type Reason = Diagnosis['further'][number]

/** Evidence of one kind in a diagnosis. */
export const evidenceOf = <Kind extends Reason['evidence'][number]['__typename']>(
  { evidence }: Pick<Reason, 'evidence'>,
  kind: Kind,
) =>
  evidence.find(
    (each): each is Extract<Reason['evidence'][number], { __typename: Kind }> => each.__typename === kind,
  )

/** All reasons of a diagnosis, the first to solve before the others. */
export const reasonsOf = (diagnosis: Diagnosis | undefined): Reason[] =>
  diagnosis ? [diagnosis, ...diagnosis.further] : []

/** The distance between the market and the limit at a time. */
export interface Distance {
  /** Parts per million of the limit; negative if the market is better. */
  parts: bigint
  at: string
}

/** The distance that the diagnosis has, which is the one in its texts; undefined if it has none. */
export function diagnosedDistance(diagnosis: Diagnosis | undefined): Distance | undefined {
  for (const reason of reasonsOf(diagnosis)) {
    const { gapPercent, gapSeenAt } = evidenceOf(reason, 'PriceEvidence') ?? {}
    if (gapPercent != null && gapSeenAt != null) return { parts: parseUnits(gapPercent, 4), at: gapSeenAt }
  }
  return undefined
}

/** Such as “16.67 %”, with the digits of the diagnosis. */
export const percentOf = (parts: bigint): string => `${readablePercent(parts < 0n ? -parts : parts)} %`

/** The number of a part of a TWAP, from 1; undefined where parts have none. @param validTo of the part */
export function partNumber(
  { startsAt, partCount, input }: NonNullable<Order['programmaticOrder']>,
  validTo: number,
): number | undefined {
  if (startsAt === null || partCount === null || !input || !('t' in input)) return undefined
  return Math.floor((validTo - startsAt) / Number(input.t)) + 1
}

type Attempt = Order['debugReport']['auctions']['nodes'][number]['settlementAttempts'][number]

const cancelledBy = {
  API: 'The owner cancelled the order.',
  POLICY: 'The operator of the service cancelled the order.',
  REPLACEMENT: 'A newer order of the owner replaced it.',
  CHAIN: 'The owner cancelled the order on chain.',
} as const

const pausedFor: Readonly<Record<string, string>> = {
  BANNED_USER: 'The operator does not trade for this account.',
  DUST_ORDER: 'The rest of the order is too small to trade.',
  INSUFFICIENT_BALANCE: 'The account has too little of the sell token, or has approved too little.',
  INVALID_SIGNATURE: 'The account’s contract does not accept the signature any more.',
  MISSING_NATIVE_PRICE: 'One of its tokens has no known price.',
  UNSUPPORTED_TOKEN: 'One of its tokens cannot be traded here.',
}

/** A step of the story, for readers without knowledge of auctions. */
export function eventText(
  { label, reason, source }: Pick<Event, 'label' | 'reason' | 'source'>,
  signingScheme: Order['signingScheme'],
): [title: string, text: string] {
  switch (label) {
    case 'CREATED':
      return ['Placed', 'The order was accepted. It fills at its limit or better, or not at all.']
    case 'READY':
      return ['Offered to solvers', 'Solvers, programs that compete to fill orders, can make offers for it.']
    case 'FILTERED':
      if (reason === 'IN_FLIGHT') return ['On its way', 'Its trade is on the way to the chain.']
      return ['Set aside for now', pausedFor[reason ?? ''] ?? 'It comes back by itself.']
    case 'INVALID':
      if (reason === 'INVALID_SIGNATURE' && signingScheme === 'PRESIGN')
        return ['Not signed yet', 'The owner signs it by a transaction on chain.']
      return ['Set aside until its owner acts', pausedFor[reason ?? ''] ?? '']
    case 'CONSIDERED':
      return [
        'An offer came, and did not win',
        'A solver could fill it. Offers for other orders were worth more this time.',
      ]
    case 'EXECUTING':
      return ['A trade was found', 'The best offer won: its transaction is on the way to the chain.']
    case 'TRADED':
      return ['Traded', 'The trade is on chain.']
    case 'CANCELLED':
      return ['Cancelled', source ? cancelledBy[source] : '']
    case 'EXPIRED':
      return ['Expired', 'The order was not filled in time.']
    case 'REFUNDED':
      return ['Paid back', 'The unsold rest was paid back on chain.']
    case 'HOOK_FAILED':
      return [
        'A hook after the trade failed',
        'The trade stays. The call that the order makes after it is not done.',
      ]
  }
}

const unknownOutcomes = {
  NOT_YET_READ: 'Not read yet',
  NOT_TRACED: 'Not known: the node gives no trace',
  TRACE_TOO_LARGE: 'Not known: the transaction is too large',
  NOT_CALLED: 'Not called by the settlement',
} as const

type HookCall = Order['hooks'][number]['calls'][number]

/** The outcome of a hook in one settlement. */
export function outcomeWords({
  outcome,
  unknownReason,
  reason,
}: Pick<HookCall, 'outcome' | 'unknownReason' | 'reason'>): string {
  if (outcome === null) return unknownOutcomes[unknownReason ?? 'NOT_TRACED']
  if (outcome === 'SUCCEEDED') return 'Succeeded'
  if (outcome === 'OUT_OF_GAS') return 'Failed: its gas limit did not suffice'
  return reason === null ? 'Failed: its contract refused it' : `Failed: ${reason}`
}

/** The failure of a found trade. */
export function failureText({
  outcome,
  replacedBlock,
}: Pick<Attempt, 'outcome' | 'replacedBlock'>): [title: string, text: string] {
  if (replacedBlock !== null)
    return [
      'The trade did not come back',
      `Its transaction was in block ${replacedBlock}, which the chain replaced, and ${outcome === 'FAILED' ? 'was refused in another' : 'got into no other in time'}. It sold nothing.`,
    ]
  if (outcome === 'FAILED')
    return ['The trade failed', 'The transaction was refused, and nothing of the order was sold.']
  return [
    'The trade came too late',
    'No block took the transaction in time, and nothing of the order was sold.',
  ]
}
