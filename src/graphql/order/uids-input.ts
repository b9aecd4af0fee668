import { z } from 'zod'
import { orderUidField } from '../input/fields.ts'

/** Orders that one request may name. */
export const maxNamedOrders = 128

/** A bare list of UIDs. */
export const orderUidsInput = z
  .array(orderUidField, { error: 'a JSON list of UIDs is expected' })
  .max(maxNamedOrders, `at most ${maxNamedOrders} orders can be named`)
