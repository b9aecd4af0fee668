import { Refusal } from '../../../domain/errors/error.ts'
import { messageId } from '../../../notifications/channels/webhook.ts'
import { findDeliveries } from '../../../storage/channels/deliveries.ts'
import { builder } from '../../builder.ts'
import { DeliveryState } from '../../enums.ts'
import { ChannelRef, DeliveryConnectionRef, DeliveryEdgeRef, DeliveryRef, PageInfoRef } from '../../refs.ts'

const maxPage = 100
const cursorOf = ({ id }: { id: bigint }) => Buffer.from(`d${id}`).toString('base64url')

DeliveryRef.implement({
  description: 'What was sent to a channel, or is to be sent.',
  fields: (t) => ({
    messageId: t.string({
      description: 'The same in each attempt: receivers drop what they have seen.',
      resolve: messageId,
    }),
    notificationId: t.string({
      nullable: true,
      description: 'The notification’s number; null for a test event.',
      resolve: ({ notificationId }) => notificationId?.toString() ?? null,
    }),
    revision: t.expose('revision', {
      type: 'Uint32',
      description: '0; one more each time that the notification was reverted, or happened after all.',
    }),
    state: t.expose('state', { type: DeliveryState, description: 'Where it stands.' }),
    attempts: t.expose('attempts', { type: 'Uint32', description: 'Attempts that were begun.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was written, with its notification.',
    }),
    attemptedAt: t.expose('attemptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last attempt began.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was taken or given up.',
    }),
    status: t.expose('status', {
      type: 'Uint32',
      nullable: true,
      description: 'Of the receiver’s last answer.',
    }),
    fault: t.exposeString('fault', { nullable: true, description: 'Why the last attempt failed.' }),
  }),
})

DeliveryEdgeRef.implement({
  description: 'A delivery in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this delivery.', resolve: cursorOf }),
    node: t.field({ type: DeliveryRef, description: 'The delivery.', resolve: (delivery) => delivery }),
  }),
})

DeliveryConnectionRef.implement({
  description: 'A page of deliveries, newest first.',
  fields: (t) => ({
    edges: t.field({
      type: [DeliveryEdgeRef],
      description: 'Deliveries with their cursors.',
      resolve: ({ deliveries }) => deliveries,
    }),
    nodes: t.field({
      type: [DeliveryRef],
      description: 'The deliveries alone.',
      resolve: ({ deliveries }) => deliveries,
    }),
    pageInfo: t.field({
      type: PageInfoRef,
      description: 'Where the page stands.',
      resolve: ({ deliveries, hasNextPage }) => ({
        page: {
          hasNextPage,
          hasPreviousPage: false,
          startCursor: deliveries[0] ? cursorOf(deliveries[0]) : null,
          endCursor: deliveries.length > 0 ? cursorOf(deliveries.at(-1) as { id: bigint }) : null,
        },
      }),
    }),
  }),
})

builder.objectField(ChannelRef, 'deliveries', (t) =>
  t.field({
    type: DeliveryConnectionRef,
    description: 'What was sent to it, or waits, newest first.',
    args: {
      first: t.arg.int({
        defaultValue: 20,
        required: true,
        description: `Size of the page, 1 to ${maxPage}.`,
      }),
      after: t.arg.string({ required: false, description: 'The cursor to continue behind.' }),
      state: t.arg({ type: DeliveryState, required: false, description: 'Only those in this state.' }),
    },
    async resolve({ id }, { first, after, state }, { db, countItems }) {
      if (first < 1 || first > maxPage)
        throw new Refusal('InvalidParameter', `first must be from 1 to ${maxPage}`, { field: 'first' })
      const deliveries = await findDeliveries(db, id, {
        limit: first + 1,
        ...(after != null && { before: parseCursor(after) }),
        ...(state && { state }),
      })
      return { deliveries: countItems(deliveries.slice(0, first)), hasNextPage: deliveries.length > first }
    },
  }),
)

/** @throws Refusal InvalidParameter */
function parseCursor(cursor: string): bigint {
  const [, id] = /^d([0-9]{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (id === undefined)
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  return BigInt(id)
}
