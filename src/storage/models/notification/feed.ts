import type { Address } from '../../../domain/evm/address.ts'
import { bytea, raw } from '../../database/columns.ts'
import { feedFaults, placeKey } from '../../feeds/book.ts'
import { Prisma } from '../../generated/client.ts'
import { boolean, string } from '../../query/codec.ts'
import { type FeedSource, feedHead } from '../../query/feed-source.ts'
import { derived, type PageRows } from '../../query/model.ts'
import type { Selected, Selection } from '../../query/selection.ts'
import { notification } from './notification.ts'

/** The notifications of an account. */
export const notificationFeed: FeedSource = {
  name: 'account',
  table: 'feed_entries',
  entry: { name: 'NotificationEdge', description: '', fields: {} },
  // With the account, every index for a small table begins with a known value.
  rows: 'feed_entries f JOIN notifications n ON n.id = f.notification_id AND n.account = f.account WHERE true',
  key: 'f.account',
  keyType: 'bytea',
}

/** A page of the feed that `rows` selects. */
function feedPage(rows: PageRows['rows']): PageRows {
  return {
    kind: 'page',
    model: () => notification,
    connection: 'NotificationConnection',
    rows,
    key: { ...placeKey('f'), startsAtEnd: true },
    faults: feedFaults([notificationFeed]),
    edgeAlias: 'notification',
    fields: {
      cursor: {
        codec: string,
        nullable: false,
        description: 'Continues here, with another page or a stream, without loss or repetition.',
        sql: ({ end, after, isLast, isOpen }) => {
          const head = `${feedHead}::text`
          if (isLast) return head
          const [place = '0'] = after
          const start = `${place}::text`
          // An empty feed ends at the present: entries removed later were behind this cursor.
          return `coalesce(${end}, ${isOpen ? `CASE WHEN ${place} > 0 THEN ${start} ELSE ${head} END` : start})`
        },
      },
      hasMore: {
        codec: boolean,
        nullable: false,
        description: 'True if more is stored behind cursor.',
        deprecated: 'Use pageInfo.hasNextPage. Removed after 2027-11-30.',
        sql: ({ hasNext }) => hasNext,
      },
    },
    description:
      'An account’s feed: the latest part, or the entries after a cursor. after: "earliest" starts at the first stored entry.',
  }
}

const feedOf = (subject: Prisma.Sql) => ({
  ranges: [Prisma.sql`${raw(notificationFeed.rows)} AND f.account = ${subject}`],
  subject,
})

export const feedOfAccount = feedPage(() => feedOf(raw('ac.address')))

export const feedOfAddress = feedPage(({ account }: { account: Address }) =>
  feedOf(Prisma.sql`${bytea(account)}::bytea`),
)

const cursor = derived(string, 'f.place::text', '')

/** The selection of an edge as an object, for streams: it brings the fields of the feed's entry. */
export function edgeSelection(edge: Selection): Selected[] {
  return edge.selection.map((part) => {
    if (part.field === '__typename') return part
    if (part.field === 'cursor') return { ...part, is: cursor }
    return { ...part, is: { kind: 'same', model: () => notification, description: '' } }
  })
}
