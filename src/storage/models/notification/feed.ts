import type { Address } from '../../../domain/evm/address.ts'
import { bytea, raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { boolean, string } from '../../query/codec.ts'
import { derived, type PageRows } from '../../query/model.ts'
import type { Selected, Selection } from '../../query/selected.ts'
import { feedHead, feedKey, isSettled, notification } from './notification.ts'

const entries = 'feed_entries f JOIN notifications n ON n.id = f.notification_id'

/** A page of the feed that `rows` selects. */
export function feedPage(rows: PageRows['rows']): PageRows {
  return {
    kind: 'page',
    model: () => notification,
    connection: 'NotificationConnection',
    rows,
    key: feedKey,
    isForeign: ([tx]) => `${tx} > ${feedHead}`,
    edgeAlias: 'notification',
    fields: {
      cursor: {
        codec: string,
        nullable: false,
        description:
          'Continues here, with another page or a stream: nothing is lost or repeated between the two.',
        sql: ({ end, after, isLast }) => {
          if (isLast) return `${feedHead}::text || '.0'`
          return `coalesce(${end}, ${after.length > 0 ? after.join(` || '.' || `) : `'0.0'`})`
        },
      },
      hasMore: {
        codec: boolean,
        nullable: false,
        description: 'Whether more is stored behind cursor.',
        deprecated: 'Use pageInfo.hasNextPage. Removed after 2027-11-30.',
        sql: ({ hasNext }) => hasNext,
      },
    },
    description:
      'An account’s feed: the latest part, or what follows a cursor. after: "earliest" starts at the beginning.',
  }
}

export const feedOfAccount = feedPage(`${entries} WHERE f.account = ac.address AND ${isSettled}`)

export const feedOfAddress = feedPage(({ account }: { account: Address }) => ({
  ranges: [Prisma.sql`${raw(entries)} WHERE f.account = ${bytea(account)} AND ${raw(isSettled)}`],
}))

const cursor = derived(string, `f.tx || '.' || f.id`, '')

/** The selection of an edge as an object, for streams. */
export function edgeSelection(edge: Selection): Selected[] {
  return edge.selection.map((part) => {
    if (part.field === '__typename') return part
    if (part.field === 'cursor') return { ...part, is: cursor }
    return { ...part, is: { kind: 'same', model: () => notification, description: '' } }
  })
}

/** The model of an edge; `edgeSelection` brings its fields. */
export const feedEdge = { name: 'NotificationEdge', description: '', fields: {} }
