/** Event types of an order's history. */
export const orderEventLabels = [
  'created',
  'ready',
  'filtered',
  'invalid',
  'executing',
  'considered',
  'traded',
  'cancelled',
] as const
export type OrderEventLabel = (typeof orderEventLabels)[number]

export const exclusionReasons = [
  'in_flight',
  'banned_user',
  'invalid_signature',
  'unsupported_token',
  'insufficient_balance',
  'dust_order',
  'missing_native_price',
] as const
/** Why an order is not in an auction. */
export type ExclusionReason = (typeof exclusionReasons)[number]

export interface OrderEvent {
  label: OrderEventLabel
  timestamp: Date
  reason: string | null
}

/** `filtered` is temporary; `invalid` lasts until the trader fixes its cause. */
export function exclusionLabel(reason: ExclusionReason): 'filtered' | 'invalid' {
  return reason === 'in_flight' || reason === 'dust_order' || reason === 'missing_native_price'
    ? 'filtered'
    : 'invalid'
}
