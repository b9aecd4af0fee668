import { batch } from '../../../src/concurrency/batch.ts'
import { eventually } from '../../setup/eventually.ts'
import type { Placed, Service } from './service.ts'
import type { World } from './story.ts'

/** How an order ended, or why it waits; undefined while it may still be filled. */
async function endOf(
  { uid, owner }: Placed,
  { service, crowd }: Pick<World, 'service' | 'crowd'>,
): Promise<string | undefined> {
  const { status } = await service.order(uid)
  if (['fulfilled', 'cancelled', 'expired'].includes(status)) return status
  const standing = await service.standing(uid)
  if (!standing || standing.reason === 'IN_FLIGHT') return undefined
  // Others wait for a while only, although their orders were in a settlement with those of the false wallet.
  if (standing.reason === 'SETTLEMENT_FAILED' && owner !== crowd.wallets.false) return undefined
  if (standing.reason) return standing.reason
  const value = (1 + Number(standing.marketGap)) * (1 - Number(standing.feeShare))
  // Pools take 0.3 % for each swap, and a large order moves their prices.
  return value < 1.01 ? 'the market is not at its limit' : undefined
}

/** Waits until every order has ended or has a standing that says why not. @returns how many of each */
export async function untilExplained(
  orders: readonly Placed[],
  world: Pick<World, 'service' | 'crowd'>,
  timeoutMs: number,
): Promise<Record<string, number>> {
  let open: Placed[] = []
  const ends: (string | undefined)[] = []
  const read = batch((some: readonly Placed[]) => Promise.all(some.map((order) => endOf(order, world))), {
    maxBatch: 20,
    concurrency: 1,
  })
  const look = async () => {
    ends.splice(0, ends.length, ...(await Promise.all(orders.map(read))))
    open = orders.filter((_, index) => ends[index] === undefined)
    return open.length === 0
  }
  try {
    // A process may be away for a moment.
    await eventually('every order has ended or says why not', () => look().catch(() => false), timeoutMs)
  } catch {
    throw new Error(`${open.length} orders wait and do not say why: ${await tell(open, world.service)}`)
  }
  return tally(ends.map(String))
}

/** How often each value occurs. */
export function tally(values: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const value of values) sums[value] = (sums[value] ?? 0) + 1
  return sums
}

/** What is known about the first of these orders. */
async function tell(orders: readonly Placed[], service: Service): Promise<string> {
  const stories = orders.slice(0, 5).map(async ({ uid, wish }) => {
    const { events, order } = await service.report(uid)
    return { uid, wish, status: order.status, standing: await service.standing(uid), events }
  })
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return JSON.stringify(await Promise.all(stories), plain, 1)
}
