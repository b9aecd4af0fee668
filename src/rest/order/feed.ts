import { z } from 'zod'
import { orderEventLabels } from '../../domain/order/event.ts'
import { orderClasses, orderKinds } from '../../domain/order/order.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { checkLimit } from '../../graphql/paging.ts'
import type { GetApiV1FeedResult } from '../documents.generated.ts'
import type { Operations, Parameter } from '../openapi/operation.ts'
import { pageParameters } from '../openapi/parameters.ts'
import { sample } from '../openapi/sample.ts'
import { selected } from '../openapi/selected.ts'
import { readPage } from '../routing/request.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'

const eventFields = 'label reason detail source txHash timestamp'
const orderFields =
  'uid owner receiver sellToken { address } buyToken { address } sellAmount buyAmount validTo kind class partiallyFillable creationDate status executedSellAmount executedBuyAmount appCode referrer'
const tradeFields =
  'blockNumber logIndex txHash sellAmount sellAmountBeforeFees buyAmount auctionId executedProtocolFees { amount token { address } }'
const entryFields =
  `cursor isRemoved eventId event { ${eventFields} } order { ${orderFields} } trade { ${tradeFields} }` as const

type Entry = GetApiV1FeedResult['bookEvents']['nodes'][number]

export const feedEvent = selected('BookEvent', 'cursor isRemoved eventId', {
  event: selected('OrderEvent', eventFields).nullable().meta({
    description: 'The event. Null if a later one of its kind replaced it, or if it was removed by its age.',
  }),
  order: selected('Order', orderFields)
    .nullable()
    .meta({ description: 'The order as it is now. Null if it is no longer stored.' }),
  trade: selected('Trade', tradeFields)
    .nullable()
    .meta({ description: 'The trade of an event `traded`, also when a reorg undid it.' }),
})

export const feedPage = z.object({
  events: z.array(feedEvent).meta({ description: 'Events in the order of their cursors.' }),
  cursor: z.string().meta({ description: 'The `after` of the next page.' }),
  hasMore: z.boolean().meta({ description: 'True if the next page should be read at once.' }),
})

/** Conditions by the name of their parameter, which may be repeated. */
const conditions = {
  label: { of: z.enum(orderEventLabels), description: 'Events of this type.' },
  owner: { of: addressField, description: 'Orders of this account.' },
  token: { of: addressField, description: 'Orders that sell or buy this token.' },
  appCode: { of: z.string(), description: 'Orders of this application.' },
  referrer: { of: z.string(), description: 'Orders whose appData document names this affiliate code.' },
  class: { of: z.enum(orderClasses), description: 'Only orders of this class.' },
  kind: { of: z.enum(orderKinds), description: 'Only orders with this side fixed.' },
} as const

type Condition = keyof typeof conditions

const values = <Value extends z.ZodType>(of: Value) =>
  z.array(of).max(100, 'may be repeated 100 times').optional()

const filterSchema = z.object({
  label: values(conditions.label.of),
  owner: values(conditions.owner.of),
  token: values(conditions.token.of),
  appCode: values(conditions.appCode.of),
  referrer: values(conditions.referrer.of),
  class: values(conditions.class.of),
  kind: values(conditions.kind.of),
})

function readFilter(query: RestRequest['query']) {
  const names = Object.keys(conditions) as Condition[]
  const given = names.flatMap((name) => (query.has(name) ? [[name, query.getAll(name)] as const] : []))
  const { label, owner, token, appCode, referrer, ...filter } = parseInput(
    filterSchema,
    Object.fromEntries(given),
  )
  return {
    labels: label,
    owners: owner,
    tokens: token,
    appCodes: appCode,
    referrers: referrer,
    classes: filter.class,
    kinds: filter.kind,
  }
}

export const feedRoutes: Route[] = [
  route({
    on: 'GET /api/v1/feed',
    run: `query ($network: NetworkName!, $filter: BookFilter, $after: String, $first: Int!) {
      bookEvents(network: $network, filter: $filter, after: $after, first: $first) {
        cursor nodes { ${entryFields} } pageInfo { hasNextPage }
      }
    }`,
    variables: ({ network, query }) => {
      const { limit: first } = readPage(query)
      checkLimit(first, 'InvalidLimit')
      const after = query.get('after')
      return { network, filter: readFilter(query), after: after === 'earliest' ? null : after, first }
    },
    answer: ({ bookEvents: { cursor, nodes, pageInfo } }) => ({
      events: nodes.map(writeEntry),
      cursor,
      hasMore: pageInfo.hasNextPage,
    }),
    access: { to: 'bookFeed' },
    isPersonal: true,
    stream: route({
      on: 'GET /api/v1/feed',
      run: `subscription ($network: NetworkName!, $filter: BookFilter, $after: String) {
        bookEvents(network: $network, filter: $filter, after: $after) { ${entryFields} }
      }`,
      variables: ({ network, query }) => ({ network, filter: readFilter(query), after: query.get('after') }),
      answer: ({ bookEvents }) => writeEntry(bookEvents),
      idOf: ({ bookEvents }) => bookEvents.cursor,
    }),
  }),
]

function writeEntry({ order, trade, ...entry }: Entry) {
  return {
    ...entry,
    order: order && { ...order, sellToken: order.sellToken.address, buyToken: order.buyToken.address },
    trade: trade && {
      ...trade,
      executedProtocolFees: trade.executedProtocolFees.map(({ amount, token }) => ({
        amount,
        token: token.address,
      })),
    },
  }
}

const repeated = Object.fromEntries(
  Object.entries(conditions).map(([name, { of, description }]): [string, Parameter] => [
    name,
    { description: `${description} May be repeated: one of them is enough.`, schema: z.array(of).max(100) },
  ]),
)

const sampleEvent = {
  cursor: '13',
  isRemoved: false,
  eventId: '6',
  event: {
    label: 'created',
    reason: null,
    detail: null,
    source: null,
    txHash: null,
    timestamp: '2027-01-15T07:43:20Z',
  },
  order: {
    uid: '0x77fe722b95c945e5622ee572f53d0437b4d59cf2dfe86d997f1d878fee3f4849f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b1',
    owner: sample.trader,
    receiver: sample.trader,
    sellToken: sample.weth,
    buyToken: sample.usdc,
    sellAmount: '1000000000000000000',
    buyAmount: '2900000000',
    validTo: 1_800_001_201,
    kind: 'sell',
    class: 'limit',
    partiallyFillable: false,
    creationDate: '2027-01-15T07:43:20Z',
    status: 'open',
    executedSellAmount: '0',
    executedBuyAmount: '0',
    appCode: null,
    referrer: null,
  },
  trade: null,
}

export const feedOperations: Operations = {
  'GET /api/v1/feed': {
    id: 'bookFeed',
    summary: 'Events of all orders, oldest first',
    description: [
      'A page of the feed of the book. Go on with its `cursor` as `after` while `hasMore`; under a filter a page may have few events, or none, all the same. The setting `BOOK_FEED_ACCESS` decides who may read it. An event that a reorg undid comes again with `isRemoved` and the same `eventId`. Behind events that are no longer kept it is refused with `FeedGap`, whose `data` has the `cursor` to go on from.',
      'With `Accept: text/event-stream` it is a stream of such events, without an end: each has its cursor as `id`, and a client that returns with `Last-Event-ID` or `lastEventId` goes on behind it. Without either and without `after` it begins now. An event named `error` has the body of an error.',
    ].join('\n\n'),
    query: {
      after: {
        description: 'The cursor to go on behind, or `earliest`: the first event that is kept.',
        schema: z.string().regex(/^([0-9]{1,19}|earliest)$/),
      },
      limit: pageParameters.limit as Parameter,
      ...repeated,
    },
    answers: { 200: { description: 'Events, and where to go on.', schema: feedPage } },
    codes: ['FeatureDisabled', 'Unauthorized', 'InvalidLimit', 'FeedGap'],
    examples: {
      first: {
        summary: 'The first event of an account',
        query: { owner: sample.trader, after: 'earliest', limit: '1' },
        answer: { events: [sampleEvent], cursor: '13', hasMore: true },
      },
      malformed: {
        summary: 'No cursor',
        query: { after: 'newest' },
        refused: ['InvalidParameter', 'after must be a cursor of a feed, or "earliest"'],
      },
    },
  },
}
