import { parseUnits } from '../../../../domain/amount.ts'
import { terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { readablePercent } from '../../../../domain/text/readable.ts'
import type { OrderDiagnosisResult, OrderResult } from '../documents.generated.ts'
import { isLive } from '../view/orders.ts'

export type Order = NonNullable<OrderResult['order']>

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

/** Reasons with which no auction measures the distance again. */
const unwatched = new Set([
  'NODE_AWAY',
  'CHAIN_BEHIND',
  'AUCTIONS_HALTED',
  'NOT_READ_YET',
  'DECIDED_ELSEWHERE',
])

/**
 * Checks whether auctions keep measuring the distance of an order. They store the distance again after a
 * minute if it has moved by a tenth of itself, so that an old distance has not.
 */
export const isWatched = (
  order: Pick<Order, 'status'>,
  diagnosis: Pick<Diagnosis, 'code' | 'further'>,
): boolean =>
  isLive(order) &&
  terminalCodeOf(diagnosis) === undefined &&
  ![diagnosis, ...diagnosis.further].some(({ code }) => unwatched.has(code))

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
