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

type Attempt = Order['debugReport']['auctions']['nodes'][number]['settlementAttempts'][number]

const cancelledBy = {
  API: 'Its owner cancelled it.',
  POLICY: 'The operator of the service cancelled it.',
  REPLACEMENT: 'A newer order of its owner took its place.',
  CHAIN: 'Its owner cancelled it on chain.',
} as const

const pausedFor: Readonly<Record<string, string>> = {
  BANNED_USER: 'The operator does not trade for this account.',
  DUST_ORDER: 'What is left of it is too little to trade.',
  INSUFFICIENT_BALANCE: 'The account has, or allows, too little of what it sells.',
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
      if (reason === 'IN_FLIGHT')
        return ['On its way', 'While its trade is on the way, no other is looked for.']
      return ['Set aside for now', pausedFor[reason ?? ''] ?? 'It comes back by itself.']
    case 'INVALID':
      if (reason === 'INVALID_SIGNATURE' && signingScheme === 'PRESIGN')
        return ['Not signed yet', 'Its owner signs it by a transaction on chain.']
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
      return ['Expired', 'Its time passed before it was filled.']
    case 'REFUNDED':
      return ['Paid back', 'What was not sold was paid back on chain.']
    case 'HOOK_FAILED':
      return [
        'A call after the trade failed',
        'The trade stays. What the order was to do after it is not done.',
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

/** The outcome of one of the order’s own calls. */
export function outcomeWords({ outcome, unknownReason, reason }: Omit<HookCall, 'txHash'>): string {
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
