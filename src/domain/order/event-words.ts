const cancelledBy: Readonly<Record<string, string>> = {
  API: 'The owner cancelled the order.',
  POLICY: 'The operator of the service cancelled the order.',
  REPLACEMENT: 'A newer order of the owner replaced it.',
  CHAIN: 'The owner cancelled the order on chain.',
}

const pausedFor: Readonly<Record<string, string>> = {
  BANNED_USER: 'The operator does not trade for this account.',
  DUST_ORDER: 'The rest of the order is too small to trade.',
  INSUFFICIENT_BALANCE: 'The account has too little of the sell token, or has approved too little.',
  INVALID_SIGNATURE: 'The account’s contract does not accept the signature any more.',
  MISSING_NATIVE_PRICE: 'One of its tokens has no known price.',
  UNSUPPORTED_TOKEN: 'One of its tokens cannot be traded here.',
}

/** An event as GraphQL spells it. Later versions may have other values. */
interface SpelledEvent {
  label: string
  reason: string | null
  source: string | null
}

/** A step of an order's story for readers without knowledge of auctions, with a title of few words. */
export function eventWords(
  { label, reason, source }: SpelledEvent,
  signingScheme?: string,
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
      return ['Cancelled', cancelledBy[source ?? ''] ?? '']
    case 'EXPIRED':
      return ['Expired', 'The order was not filled in time.']
    case 'REFUNDED':
      return ['Paid back', 'The unsold rest was paid back on chain.']
    case 'HOOK_FAILED':
      return [
        'A hook after the trade failed',
        'The trade stays. The call that the order makes after it is not done.',
      ]
    default:
      return [label.charAt(0) + label.slice(1).toLowerCase().replaceAll('_', ' '), '']
  }
}
