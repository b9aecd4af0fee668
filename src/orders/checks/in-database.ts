import { Refusal } from '../../domain/errors/error.ts'
import { unixSeconds } from '../../domain/log.ts'
import { isOutOfMarket } from '../../domain/quote/quote.ts'
import { countOutOfMarket } from '../../storage/order/orders.ts'
import type { Check, QuotedCandidate } from '../check.ts'

/**
 * Runs before the checks on chain, so a client that repeats a request whose response was lost gets this
 * error. The insert decides races.
 */
export const unique: Check = async ({ uid }, { isTaken }) => {
  if (await isTaken(uid)) throw duplicated(uid)
}

export function duplicated(uid: string): Refusal {
  return new Refusal('DuplicatedOrder', 'an order with this UID exists already', { data: { uid } })
}

/**
 * Out-of-market orders stay open for long, so each owner may have a limited number. An order without a quote,
 * because nothing trades its pair, counts too. The limit is not exact: orders placed at the same moment do
 * not count each other.
 */
export const outOfMarket: Check<QuotedCandidate> = async ({ order, owner, quote }, services) => {
  const { db, network, now, limits } = services
  if (limits.maxOutOfMarket === Number.POSITIVE_INFINITY || (quote && !isOutOfMarket(order, quote))) return
  const max = limits.maxOutOfMarket
  const search = { chainId: network.chainId, owner, now: unixSeconds(now()), max }
  if ((await countOutOfMarket(db, search)) < max) return
  throw new Refusal(
    'TooManyLimitOrders',
    `the owner has ${max} open orders out of market, no more are taken`,
    {
      data: { limit: max },
    },
  )
}
