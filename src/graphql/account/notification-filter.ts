import { z } from 'zod'
import { notificationTypes } from '../../domain/notification/notification.ts'
import type { NotificationFilter } from '../../storage/models/notification/history.ts'
import { NotificationType } from '../enums.ts'
import { parseInput } from '../errors/input.ts'
import { enumField, flagField, orderUidField, scalarField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'

const timeField = scalarField('DateTime', z.date())

const notificationFilter = inputType('NotificationFilter', {
  description: 'Notifications that meet every condition given.',
  schema: z.object({
    types: z
      .array(enumField(NotificationType, notificationTypes))
      .min(1, 'must name at least one')
      .nullish()
      .meta({ description: 'Of one of these types. At least one.' }),
    orderUid: orderUidField.nullish().meta({ description: 'About this order.' }),
    from: timeField.nullish().meta({ description: 'Written at this time or later.' }),
    until: timeField.nullish().meta({ description: 'Written before this time.' }),
    unread: flagField
      .nullish()
      .meta({ description: 'Only those that are not marked as read; false: only those that are.' }),
  }),
})

export const NotificationFilterInput = notificationFilter.type

/** Validates the filter itself, because compiled operations bypass the builder. @throws Refusal InvalidParameter */
export function toNotificationFilter(
  input: z.output<typeof notificationFilter.schema> | null | undefined,
): NotificationFilter {
  const { types, ...conditions } = parseInput(notificationFilter.schema, input ?? {})
  const filter = { ...conditions, types: types && [...new Set(types)] }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null))
}
