import type { NotificationType } from './notification.ts'

/** The event that each type reports. */
export const notificationTexts: Record<NotificationType, string> = {
  order_filled: 'A trade completed the order.',
  order_partially_filled: 'A trade filled a part of the order.',
  order_expired: 'The order’s time passed before it was filled.',
  order_cancelled: 'The order was cancelled.',
  insufficient_balance: 'The owner’s balance or allowance became too low for the order.',
  price_improvement: 'A trade was better than the signed limit by the share that the operator chose.',
  post_hook_failed: 'The order was traded, but a call of its own after the trade failed.',
  part_filled: 'A trade completed a part of a programmatic order.',
  part_failed:
    'The time of a part of a programmatic order passed before it was filled, or that of several one after the other.',
  programmatic_finished: 'The last part of a programmatic order was filled, or its time passed.',
  programmatic_cancelled: 'The contract does not authorise a programmatic order any more.',
}
