import { dateTime, derived, described, flag, id, json, text, uint32, type ValueOf } from '../described.ts'

export const sinkKinds = ['nats', 'webhook'] as const
/** Kinds of receivers of the feed of the book outside the service. */
export type SinkKind = (typeof sinkKinds)[number]

/** Names of webhooks; that of NATS is taken. */
export const isWebhookName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) && name !== 'nats'

export const bookWebhookType = described('BookWebhook', 'A webhook that gets the feed of the book.', {
  id: id('Names the webhook in mutations.'),
  name: text('Its name, as metrics and logs have it.'),
  partner: text.orNull('The name of the partner who created it; null for the operator.'),
  address: derived(text('The origin of its URL.'), ({ url }: { url: string | null }) =>
    url !== null && URL.canParse(url) ? new URL(url).origin : '',
  ),
  filter: json('The members of its filter.'),
  isPaused: flag('True if nothing is sent until it is resumed.'),
  cursor: text('The place in the feed up to which it has all entries.'),
  lagEntries: uint32('Entries of the feed after the cursor, counted up to 10,000, whatever its filter.'),
  lagSeconds: uint32('Age of the oldest of them; 0 without any.'),
  sentAt: dateTime.orNull('The time of the last acknowledgement.'),
  failures: uint32('Failed attempts since the last acknowledgement.'),
  fault: text.orNull('The fault of the last attempt, if it failed.'),
  gapAt: dateTime.orNull('The time at which entries were last found to be removed before they were sent.'),
  gapFrom: text.orNull('The cursor before these entries.'),
  gapTo: text.orNull('The cursor after these entries, at which sending went on.'),
  createdAt: dateTime('The time of its creation.'),
})
export type BookWebhook = ValueOf<typeof bookWebhookType> & { url: string | null }
