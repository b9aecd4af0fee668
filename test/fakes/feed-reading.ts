import { resolverReading } from '../../src/graphql/stored/reading.ts'
import { type Feed, type FeedEvent, streamFeed } from '../../src/notifications/feed.ts'
import type { Db } from '../../src/storage/database/database.ts'
import { createFeedTail } from '../../src/storage/feeds/tail.ts'
import type { EntryText, FeedPosition, FeedReading } from '../../src/storage/feeds/texts.ts'
import { edgeSelection, notificationFeed } from '../../src/storage/models/notification/feed.ts'
import { notification } from '../../src/storage/models/notification/notification.ts'
import { type FeedSource, maxPosition } from '../../src/storage/query/feed-source.ts'
import type { Field, Model } from '../../src/storage/query/model.ts'
import type { Selected } from '../../src/storage/query/selection.ts'
import { refusalOf } from '../../src/storage/query/stored-refusals.ts'

/** A feed entry with the fields that tests select. */
export interface Entry {
  cursor: string
  notification: { notificationId: string; message: string; metadata: Record<string, unknown> }
}

const selected = ({ fields }: Model): Selected[] =>
  ['notificationId', 'message', 'metadata'].map((field) => ({
    key: field,
    field,
    is: fields[field] as Field,
    selection: [],
  }))

const models = Object.values(notification.variants?.models ?? {}).map((model) => model())
const variants = Object.fromEntries(models.map((model) => [model.name, selected(model)]))

/** The `Entry` in the response of a subscription. */
export const wholeEntries: FeedReading = {
  item: {
    selection: edgeSelection({
      selection: [
        { key: 'cursor', field: 'cursor', selection: [] },
        { key: 'notification', field: 'notification', selection: [], variants },
      ],
    }),
  },
  slots: [],
  ambient: () => ({ now: 1_800_000_000, hidesCompetitions: false }),
  reading: resolverReading,
}

/** The whole entries of a feed, one after the other. */
export const streamOf = (feed: Feed, key: string, after: string | null, stop = new AbortController()) =>
  streamFeed(feed, { key, after, client: '', reading: wholeEntries, weight: 1, signal: stop.signal })

/** The next entry of a stream. */
export async function nextOf(stream: AsyncIterator<FeedEvent, void>): Promise<Entry> {
  const { value } = await stream.next()
  if (!value) throw new Error('the stream has ended')
  return entryOf(value.text)
}

const entryOf = (text: string): Entry => JSON.parse(text)
export const notificationOf = ({ text }: EntryText) => entryOf(text).notification

const allBytes = 2 ** 30

/** Entries of a key as they are stored. @throws Refusal FeedGap */
export async function readEntries(
  db: Db,
  source: FeedSource,
  key: string | number | bigint,
  after: FeedPosition,
  limit: number,
  reading: FeedReading = wholeEntries,
): Promise<EntryText[]> {
  const texts = createFeedTail(db, source).texts(reading)
  const [page] = await texts.readPages([{ key: String(key), after }], { rows: limit, bytes: allBytes })
  if (page?.gap !== undefined) throw refusalOf('e')
  return page?.entries ?? []
}

export const headOf = async (db: Db): Promise<FeedPosition> =>
  (await createFeedTail(db, notificationFeed).readNew(maxPosition, 1)).head
