import { Prisma } from '../generated/client.ts'
import { hexText, string } from '../query/codec.ts'
import {
  type Facet,
  type FacetSource,
  type FeedSource,
  facets,
  feedHead,
  gapEnd,
  hasGap,
  parsePosition,
} from '../query/feed-source.ts'
import type { PageRows, PageSource } from '../query/model.ts'
import type { PageKey } from '../query/page-key.ts'

/**
 * Values of facets, each list with one or more: an entry meets the filter if it has one of each. A filter is
 * the key of its readers, so it has one text: see `filterKey`.
 */
export type FeedFilter = Readonly<Partial<Record<Facet, readonly string[]>>>

/** The text of a filter, equal for filters with equal meaning. */
export function filterKey(filter: FeedFilter): string {
  const lists = facets.flatMap((facet) => {
    const values = filter[facet]
    return values ? [[facet, [...new Set(values)].sort()] as const] : []
  })
  return JSON.stringify(Object.fromEntries(lists))
}

/** Compiles filters to checks of an entry, which is given as the text of `facetsSql`. */
export function createMatchers(): (key: string) => (entry: string) => boolean {
  // Every filter is asked about the same entry in turn.
  const textsOf = latest((entry) => JSON.parse(entry) as (string | null)[][])
  return (key) => {
    const filter = JSON.parse(key) as FeedFilter
    const wanted = facets.flatMap((facet, index) => {
      const values = filter[facet]
      return values ? [{ index, values: new Set<string | null>(values) }] : []
    })
    return (entry) => {
      const texts = textsOf(entry)
      return wanted.every(({ index, values }) => texts[index]?.some((text) => values.has(text)))
    }
  }
}

function latest<Value>(derive: (text: string) => Value): (text: string) => Value {
  let last: { text: string; value: Value } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, value: derive(text) }
    return last.value
  }
}

/** SQL for the facets of an entry as JSON, in the order of `facets`. */
export const facetsSql = ({ texts }: FacetSource) =>
  `json_build_array(${facets.map((facet) => `json_build_array(${texts[facet].join(', ')})`).join(', ')})::text`

/** SQL condition: `f` and its joined rows meet a filter. @param filter SQL for it as JSONB */
export const meetsSql = ({ texts }: FacetSource, filter: string) =>
  facets
    .map((facet) => {
      const list = `${filter} -> '${facet}'`
      return `(${list} IS NULL OR jsonb_exists_any(${list}, ARRAY[${texts[facet].join(', ')}]))`
    })
    .join(' AND ')

/** Entries that one page looks at under a filter: the page may be short, and the next page goes on there. */
export const feedScan = 5_000

/** SQL condition for entry `f` alone; undefined for a filter that all entries meet. */
function filterCondition(of: FacetSource, filter: FeedFilter): Prisma.Sql | undefined {
  const key = filterKey(filter)
  if (key === '{}') return undefined
  const meets = Prisma.raw(meetsSql(of, 'xw.filter'))
  return Prisma.sql`(SELECT ${meets} FROM (SELECT ${key}::jsonb AS filter) xw ${Prisma.raw(of.joins)})`
}

/** The order of lists by their places in a feed: cursors are places, as streams have them. */
export const placeKey = (alias: string): PageKey => ({
  letter: '',
  parts: [{ sql: `${alias}.place`, type: 'number' }],
  order: 'ASC',
  parse: (cursor, argument) => [parsePosition(cursor, argument)],
})

/** Refusals of a place in feeds with filters: see `PageRows.faults`. */
export const placeFaults = (...names: ('book' | 'trade' | 'programmatic')[]) =>
  feedFaults(names.map((name) => ({ name, keyType: 'filter' })))

/** Refusals of a place: see `PageRows.faults`. */
export const feedFaults =
  (sources: readonly Pick<FeedSource, 'name' | 'keyType'>[]): NonNullable<PageRows['faults']> =>
  ([place = ''], key) => [
    [`${place} > ${feedHead}`, 'c'],
    [
      sources.map((source) => hasGap(source, key, place)).join(' OR '),
      'e',
      `greatest(${sources.map((source) => gapEnd(source, key)).join(', ')})`,
    ],
  ]

/** The entries of a feed after a place, oldest first. */
export const feedList = (source: FeedSource & { facets: FacetSource }, description: string): PageRows => ({
  kind: 'page',
  model: () => source.entry,
  rows: ({ filter }: { filter: FeedFilter }): PageSource => {
    const condition = filterCondition(source.facets, filter)
    return { ranges: [Prisma.raw(source.rows)], ...(condition && { scan: { limit: feedScan, condition } }) }
  },
  key: placeKey('f'),
  faults: feedFaults([source]),
  fields: {
    cursor: {
      codec: string,
      nullable: false,
      description: 'The place of the end of the page, also of an empty one: goes on here, or with a stream.',
      // The end of the list is the present: a client that reads on from it has missed nothing.
      sql: ({ end, hasNext, after: [place = '0'], isOpen }) =>
        `CASE WHEN ${isOpen} AND NOT ${hasNext} THEN ${feedHead}::text ELSE coalesce(${end}, ${place}::text) END`,
    },
  },
  description,
})

/** Texts of order `xo`, which may be missing. Its network and label are those of the entry. */
export const orderFacets = {
  owner: [hexText('xo.owner'), hexText('xo.onchain_user')],
  token: [hexText('xo.sell_token'), hexText('xo.buy_token')],
  sellToken: [hexText('xo.sell_token')],
  buyToken: [hexText('xo.buy_token')],
  class: ['xo.class'],
  kind: ['xo.kind'],
  appCode: ['xo.app_code'],
  referrer: ['xo.referrer_code'],
}
