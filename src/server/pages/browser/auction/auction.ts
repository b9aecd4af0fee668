import type { AuctionResult } from '../documents.generated.ts'
import type { TokenLike } from '../view/amounts.ts'

/** With the coin of its network, in which scores are. */
export type Auction = NonNullable<AuctionResult['auction']> & { coin: TokenLike }
export type Solution = Auction['solutions'][number]
export type Attempt = Auction['settlementAttempts'][number]

export function fateOf({ isWinner, filteredOut }: Solution, attempt: Attempt | undefined): string {
  if (filteredOut) return 'Left out: unfair to an order'
  if (!isWinner) return 'Lost'
  switch (attempt?.outcome) {
    case 'SUCCESS':
      return 'Won, and traded'
    case 'FAILED':
      return 'Won, but its transaction failed'
    case 'TIMEOUT':
      return 'Won, but came too late'
    default:
      return attempt ? 'Won, on its way' : 'Won'
  }
}
