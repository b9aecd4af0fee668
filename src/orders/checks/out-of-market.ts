import { Refusal } from '../../domain/errors/error.ts'
import { unixSeconds } from '../../domain/log.ts'
import { isOutOfMarket } from '../../domain/order/out-of-market.ts'
import { countOutOfMarket } from '../../storage/order/out-of-market.ts'
import type { Check, QuotedCandidate } from '../check.ts'

/**
 * Orders that ask for more than the market gives rest for long: an owner has so many of them. One that nothing trades, and that
 * has no quote for it, rests likewise. The limit is not exact: orders that are placed at the same moment do not count each other.
 */
export const outOfMarket: Check<QuotedCandidate> = async ({ data, owner, quote }, services) => {
  const { db, network, now, limits } = services
  if (limits.maxOutOfMarket === Number.POSITIVE_INFINITY || (quote && !isOutOfMarket(data, quote))) return
  const atMost = limits.maxOutOfMarket
  const search = { chainId: network.chainId, owner, now: unixSeconds(now()), atMost }
  if ((await countOutOfMarket(db, search)) < atMost) return
  throw new Refusal(
    'TooManyLimitOrders',
    `the owner has ${atMost} open orders out of market, no more are taken`,
    {
      data: { limit: atMost },
    },
  )
}
