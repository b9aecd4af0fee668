import type { Client } from './client.ts'
import { OrderProgressDocument, type OrderProgressResult } from './documents.generated.ts'
import { TradegraphError } from './error.ts'
import type { InForm, ScalarForm } from './scalars.ts'
import { subscribe } from './subscribe.ts'

/** An order that is followed. */
export type FollowedOrder<Form extends ScalarForm = 'wire'> = InForm<
  Form,
  OrderProgressResult['orderEvents']['order']
>

export interface WaitOptions<Form extends ScalarForm = 'wire'> {
  /** The condition to wait for; the end of the order (filled, cancelled or expired) if it is left out. */
  until?: (order: FollowedOrder<Form>) => boolean
  signal?: AbortSignal
}

const hasEnded = ({ status }: { status: string }) => status !== 'OPEN' && status !== 'PRESIGNATURE_PENDING'

/**
 * Waits until an order meets a condition, across disconnects.
 * @returns the order at that time
 * @throws TradegraphError, and the reason of the signal when it aborts
 */
export async function waitForOrder<Form extends ScalarForm>(
  client: Client<Form>,
  uid: string,
  { until = hasEnded as (order: FollowedOrder<Form>) => boolean, signal }: WaitOptions<Form> = {},
): Promise<FollowedOrder<Form>> {
  for (;;) {
    try {
      for await (const result of subscribe(client, OrderProgressDocument, { uid }, signal && { signal })) {
        const { order } = (result as unknown as { orderEvents: { order: FollowedOrder<Form> } }).orderEvents
        if (until(order)) return order
      }
    } catch (fault) {
      // Its events were removed: the next stream begins with the order as it is.
      if (!(fault instanceof TradegraphError) || fault.code !== 'FeedGap') throw fault
    }
  }
}
