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
import { requireFeedReader } from '../context/access.ts'
import type { Context } from '../context/context.ts'
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

const own = `at most ${maxBookWebhooks.operator} of the operator and ${maxBookWebhooks.partner} of each partner`
const access =
  'For the operator, and for partners whom the deployment lets read the book; each partner sees and changes its own.'

async function pauseOrResume(id: string, isPaused: boolean, context: Context) {
  return { webhook: await pauseBookWebhook(id, requireFeedReader(context), isPaused, context.channels) }
}

builder.queryField('bookWebhooks', (t) =>
  t.field({
    type: [BookWebhookRef],
    description: `The webhooks for the feed of the book, oldest first, ${own}: the operator sees all. ${access}`,
    async resolve(_root, _args, context) {
      return context.countItems(await findWebhooks(context.channels.db, requireFeedReader(context)))
    },
  }),
)

builder.mutationFields((t) => ({
  createBookWebhook: t.field({
    type: CreateBookWebhookPayloadRef,
    description: `Creates a webhook for the feed of the book: batches of its entries, in their order, each until it is acknowledged. ${access}`,
    args: { input: inputArgument(t.arg, createInput) },
    extensions: { guard: requireFeedReader },
    resolve: (_root, { input: { name, url, filter, after } }, context, info) =>
      createBookWebhook(
        { name, url, filter: writtenFilter(filter ?? {}, info), after: after ?? undefined },
        requireFeedReader(context),
        context.channels,
      ),
  }),
  pauseBookWebhook: t.field({
    type: BookWebhookPayloadRef,
    description: `Sends nothing to a webhook until it is resumed. ${access}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireFeedReader },
    resolve: (_root, { input }, context) => pauseOrResume(input.id, true, context),
  }),
  resumeBookWebhook: t.field({
    type: BookWebhookPayloadRef,
    description: `Sends to a webhook again, from its cursor. ${access}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireFeedReader },
    resolve: (_root, { input }, context) => pauseOrResume(input.id, false, context),
  }),
  deleteBookWebhook: t.field({
    type: DeleteBookWebhookPayloadRef,
    description: `Deletes a webhook, and its cursor. ${access}`,
    args: { input: inputArgument(t.arg, webhookInput) },
    extensions: { guard: requireFeedReader },
    async resolve(_root, { input }, context) {
      await deleteBookWebhook(input.id, requireFeedReader(context), context.channels)
      return { id: input.id }
    },
  }),
}))
