import type { FeedReading, FeedRow } from '../../src/storage/feed.ts'
import { edgeSelection } from '../../src/storage/models/notification/feed.ts'
import { notification } from '../../src/storage/models/notification/notification.ts'
import type { Model } from '../../src/storage/query/model.ts'
import type { Selected } from '../../src/storage/query/selected.ts'

/** A feed entry with the fields that tests select. */
export interface Entry {
  cursor: string
  notification: { notificationId: string; message: string; metadata: Record<string, unknown> }
}

const selected = ({ fields }: Model): Selected[] =>
  ['notificationId', 'message', 'metadata'].map((field) => ({
    key: field,
    field,
    is: fields[field] as never,
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
  now: () => 1_800_000_000,
}

export const entryOf = (text: string): Entry => JSON.parse(text)
export const notificationOf = ({ text }: FeedRow) => entryOf(text).notification
