import { astFromValue, type GraphQLResolveInfo, isInputType, valueFromASTUntyped } from 'graphql'
import { z } from 'zod'
import { described, id, objectOf, text } from '../../domain/described.ts'
import { type BookWebhook, bookWebhookType, isWebhookName } from '../../domain/notification/feed-sink.ts'
import {
  createBookWebhook,
  deleteBookWebhook,
  maxBookWebhooks,
  pauseBookWebhook,
} from '../../notifications/sinks/webhook.ts'
import { findWebhooks, type SinkFilter } from '../../storage/feeds/sinks.ts'
import { builder } from '../builder.ts'
import { forOperator, requireOperator } from '../context/access.ts'
import { describedRef } from '../described.ts'
import { objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { bookFilter } from './book.ts'

const createInput = inputType('CreateBookWebhookInput', {
  description: 'A new webhook for the feed of the book.',
  schema: z.object(
    {
      name: textField
        .refine(isWebhookName, 'must be 1 to 40 lowercase letters, digits and -, and not nats')
        .meta({
          description: 'Its name in metrics and logs: lowercase letters, digits and -. Each has its own.',
        }),
      url: textField
        .max(2_000, 'must have at most 2000 characters')
        .meta({ description: 'The URL that batches are posted to.' }),
      filter: bookFilter.schema.nullish().meta({ description: 'The entries to send; all without it.' }),
      after: textField
        .max(40, 'must have at most 40 characters')
        .nullish()
        .meta({ description: 'A cursor of the feed, or "earliest". The newest entry without it.' }),
    },
    objectExpected,
  ),
})

const webhookInput = inputType('BookWebhookInput', {
  description: 'A webhook for the feed of the book.',
  schema: z.object(
    {
      id: scalarField('ID', z.uuid('must be the id of a webhook')).meta({ description: 'The webhook.' }),
    },
    objectExpected,
  ),
})

const webhookNow = objectOf<typeof bookWebhookType, BookWebhook>(bookWebhookType)('The webhook as it is now.')
const BookWebhookRef = describedRef<typeof bookWebhookType, BookWebhook>(bookWebhookType)
const BookWebhookPayloadRef = describedRef(
  described('BookWebhookPayload', 'A webhook after a change.', { webhook: webhookNow }),
)
const CreateBookWebhookPayloadRef = describedRef(
  described('CreateBookWebhookPayload', 'A webhook and its secret.', {
    webhook: webhookNow,
    secret: text('The key that signs its messages. It is shown this once.'),
  }),
)
const DeleteBookWebhookPayloadRef = describedRef(
  described('DeleteBookWebhookPayload', 'A webhook that was deleted.', { id: id('Its id.') }),
)

/** A parsed filter as a client writes it. */
function writtenFilter(filter: object, { schema }: GraphQLResolveInfo): SinkFilter {
  const type = schema.getType('BookFilter')
  const written = isInputType(type) ? astFromValue(filter, type) : null
  return (written ? valueFromASTUntyped(written) : {}) as SinkFilter
}

builder.queryField('bookWebhooks', (t) =>
  t.field({
    type: [BookWebhookRef],
    description: `The webhooks for the feed of the book, oldest first, at most ${maxBookWebhooks}. ${forOperator}`,
    async resolve(_root, _args, context) {
      requireOperator(context)
      return context.countItems(await findWebhooks(context.channels.db))
    },
  }),
)

builder.mutationFields((t) => ({
  createBookWebhook: t.field({
    type: CreateBookWebhookPayloadRef,
    description: `Creates a webhook for the feed of the book: batches of its entries, in their order, each until it is acknowledged. ${forOperator}`,
    args: { input: inputArgument(t.arg, createInput) },
    extensions: { guard: requireOperator },
    resolve: (_root, { input: { name, url, filter, after } }, { channels }, info) =>
      createBookWebhook(
        { name, url, filter: writtenFilter(filter ?? {}, info), after: after ?? undefined },
        channels,
      ),
  }),
  pauseBookWebhook: t.field({
    type: BookWebhookPayloadRef,
    description: `Sends nothing to a webhook until it is resumed. ${forOperator}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireOperator },
    resolve: async (_root, { input }, { channels }) => ({
      webhook: await pauseBookWebhook(input.id, true, channels),
    }),
  }),
  resumeBookWebhook: t.field({
    type: BookWebhookPayloadRef,
    description: `Sends to a webhook again, from its cursor. ${forOperator}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireOperator },
    resolve: async (_root, { input }, { channels }) => ({
      webhook: await pauseBookWebhook(input.id, false, channels),
    }),
  }),
  deleteBookWebhook: t.field({
    type: DeleteBookWebhookPayloadRef,
    description: `Deletes a webhook, and its cursor. ${forOperator}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireOperator },
    async resolve(_root, { input }, { channels }) {
      await deleteBookWebhook(input.id, channels)
      return { id: input.id }
    },
  }),
}))
