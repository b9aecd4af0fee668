import DataLoader from 'dataloader'
import { derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { partStatus } from '../../domain/programmatic/status.ts'
import type { PartStatus } from '../../domain/programmatic/statuses.ts'
import { endedParts, type TwapPart, twapPart } from '../../domain/programmatic/twap.ts'
import { readBookedParts } from '../../storage/chain/programmatic.ts'
import { discreteOrders, generators } from '../../storage/composable/lists.ts'
import {
  countStrays,
  type ListPage,
  type ListRow,
  readPages,
  readPostedEnds,
} from '../../storage/composable/read.ts'
import { type ProgrammaticRow, programmaticRowFields } from '../../storage/models/programmatic.ts'
import { toRow } from '../../storage/query/json.ts'
import type { Context } from '../context/context.ts'
import { partUid, type Terms, termsOf } from '../order/programmatic-terms.ts'

/** A programmatic order with what follows from its input. */
interface Generator {
  id: string
  eventId: string
  createdAt: string
  blockNumber: string
  terms: Terms
}

interface Facts {
  id: string
  row: Readonly<Record<string, unknown>>
  blockNumber: string
  createdAt: string
}

export const generatorOf = derivedOnce((row: ListRow): Generator => {
  const { row: stored, ...facts } = row.facts as Facts
  const terms = termsOf(toRow<ProgrammaticRow>(programmaticRowFields, stored))
  return { ...facts, eventId: String(row.eventId), terms }
})

/** The values of a request that statements need. */
export function environmentOf({ networks, now }: Context) {
  const chainIds = networks.all.flatMap(({ network }) => (network.conditionalOrders ? [network.chainId] : []))
  return { chainIds, now: unixSeconds(now()) }
}

/** The decoded input, with amounts and times as indexers write them; null where it does not decode. */
export function decodedParamsOf({ terms, createdAt }: Generator): Record<string, unknown> | null {
  const { decoded, schedule } = terms
  if (!decoded.input) return null
  const members = Object.entries(decoded.input).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ])
  const params: Record<string, unknown> = Object.fromEntries(members)
  // The word in the contract is the time of the creating block, which stands for the word until it is read.
  if (decoded.type === 'TWAP' && params.t0 === '0') params.t0 = schedule ? String(schedule.start) : createdAt
  return params
}

interface PartPage {
  limit: number
  offset: number
  isDescending: boolean
}

/** A page of numbers from 0 to `total`, in an order, without those that are left out, which are ascending. */
function pageOf(
  total: number,
  { limit, offset, isDescending }: PartPage,
  left: readonly number[] = [],
): number[] {
  const skipped = isDescending ? left.map((number) => total - 1 - number).reverse() : left
  const numbers: number[] = []
  let place = offset
  let next = 0
  for (; next < skipped.length && (skipped[next] as number) <= place; next++) place++
  for (; numbers.length < limit && place < total; place++) {
    if (skipped[next] === place) next++
    else numbers.push(isDescending ? total - 1 - place : place)
  }
  return numbers
}

const partRow = (generator: Generator, part: TwapPart, orderUid: OrderUid): ListRow => ({
  orderUid,
  chainId: generator.terms.chainId,
  conditionalOrderGeneratorId: generator.eventId,
  sellAmount: String(part.order.sellAmount),
  buyAmount: String(part.order.buyAmount),
  feeAmount: '0',
  validTo: part.validTo,
  creationDate: generator.createdAt,
})

const endsLoader = derivedOnce(
  (context: Context) =>
    new DataLoader<string, number[]>(async (ids) => {
      context.proceed()
      return readPostedEnds(context.db, ids, unixSeconds(context.now()))
    }),
)

/** The parts of a TWAP that can still be placed, in the order of their times. */
export async function candidatesOf(
  generator: Generator,
  page: PartPage,
  context: Context,
): Promise<ListPage> {
  const { schedule, removedBlock } = generator.terms
  if (!schedule || removedBlock !== null) return { rows: [], hasMore: false, total: 0 }
  const first = endedParts(schedule, unixSeconds(context.now()))
  const total = schedule.signableParts - first
  const t = Number(schedule.input.t)
  const firstEnd = (twapPart(schedule, 0)?.validTo ?? 0) + first * t
  const posted = [...new Set(await endsLoader(context).load(generator.id))].flatMap((end) => {
    const place = (end - firstEnd) / t
    return Number.isInteger(place) && place >= 0 && place < total ? [place] : []
  })
  const places = pageOf(total, { ...page, limit: page.limit + 1 }, posted)
  const rows = places.slice(0, page.limit).flatMap((place) => {
    const part = twapPart(schedule, first + place)
    if (!part) return []
    const row = partRow(generator, part, partUid(generator.terms, part, context))
    return [{ ...row, possibleValidAfterTimestamp: String(part.validFrom) }]
  })
  return { rows, hasMore: places.length > page.limit, total: total - posted.length }
}

const straysLoader = derivedOnce(
  (context: Context) =>
    new DataLoader<Generator, number>(async (orders) => {
      context.proceed()
      return countStrays(
        context.db,
        orders.map(({ id, terms: { schedule } }) => ({ id, schedule })),
      )
    }),
)

/** The number of parts: those that are known in advance, and orders of the book that are none of these. */
export async function countParts(generator: Generator, context: Context): Promise<number> {
  const known = generator.terms.schedule?.signableParts ?? 0
  return known + (await straysLoader(context).load(generator))
}

/** The maximum number of orders of the book that no present terms make. */
const maxStrays = 1_000

const partFields = Object.keys(discreteOrders.fields)

/** All parts of a programmatic order by their ends, whether or not they are placed. */
export async function partsOf(generator: Generator, page: PartPage, context: Context): Promise<ListPage> {
  const { schedule } = generator.terms
  const environment = environmentOf(context)
  const list = {
    fields: partFields,
    orderBy: 'sortKey',
    counts: false,
    offset: 0,
    isDescending: false,
    limit: maxStrays,
  }
  const read = async (query: object, terms = schedule) => {
    context.proceed()
    const all = { ...list, ...query, ...(terms && { strays: terms }) }
    const [found] = await readPages(context.db, discreteOrders, all, environment, [generator.id])
    return found ?? { rows: [], hasMore: false, total: 0 }
  }
  if (!schedule) return read({ ...page, counts: true })
  const strays = await read({})
  if (strays.hasMore)
    throw new Refusal('QueryTooComplex', `more than ${maxStrays} orders are no parts of its present terms`)
  const t = Number(schedule.input.t)
  const firstEnd = twapPart(schedule, 0)?.validTo ?? 0
  // Places that orders have among the parts: none ends with a part.
  const byPlace = new Map(
    strays.rows.map((row, before) => {
      const partsBefore = Math.max(0, Math.floor((Number(row.validTo) - firstEnd) / t) + 1)
      return [before + Math.min(schedule.signableParts, partsBefore), row] as const
    }),
  )
  const strayPlaces = [...byPlace.keys()]
  const total = schedule.signableParts + strayPlaces.length
  const places = pageOf(total, { ...page, limit: page.limit + 1 })
  const shown = places.slice(0, page.limit).flatMap((place): (TwapPart | ListRow)[] => {
    const stray = byPlace.get(place)
    const part = twapPart(schedule, place - strayPlaces.filter((other) => other < place).length)
    return stray ? [stray] : part ? [part] : []
  })
  const rows = await bookedRows(generator, shown, context)
  return { rows, hasMore: places.length > page.limit, total }
}

/** The statuses of parts that the book lacks. */
const unplacedStatuses: Record<PartStatus, string> = {
  filled: 'fulfilled',
  cancelled: 'cancelled',
  expired: 'expired',
  scheduled: 'unconfirmed',
  notPosted: 'unconfirmed',
  open: 'unconfirmed',
}

const isComputed = (part: TwapPart | ListRow): part is TwapPart => 'order' in part

/** Rows of parts, from the book where it has them. */
async function bookedRows(generator: Generator, shown: readonly (TwapPart | ListRow)[], context: Context) {
  const named = shown.map((part) =>
    isComputed(part) ? { part, uid: partUid(generator.terms, part, context) } : { row: part },
  )
  const known = named.flatMap((one) => ('uid' in one ? [one.uid] : []))
  const environment = environmentOf(context)
  context.proceed()
  const where = { orderUid_in: known }
  const query = {
    where,
    fields: partFields,
    isDescending: false,
    limit: known.length,
    offset: 0,
    counts: false,
  }
  const [booked] = await readPages(context.db, discreteOrders, query, environment, [generator.id])
  const byUid = new Map(booked?.rows.map((row) => [String(row.orderUid), row]))
  const missing = known.filter((uid) => !byUid.has(uid))
  const facts = await readBookedParts(context.db, missing, environment.now)
  const factsByUid = new Map(missing.map((uid, index) => [uid, facts[index]]))
  return named.map((one): ListRow => {
    if ('row' in one) return one.row
    const { part, uid } = one
    const row = byUid.get(uid)
    if (row) return row
    const { isFilled = false, isInvalidated = false } = factsByUid.get(uid) ?? {}
    const { validFrom, validTo } = part
    const isAuthorised = generator.terms.removedBlock === null
    const { now } = environment
    const facts = { validFrom, validTo, isFilled, isInvalidated, isAuthorised, inBook: null, now }
    const status = unplacedStatuses[partStatus(facts)]
    const executed = isFilled ? null : '0'
    return {
      ...partRow(generator, part, uid),
      status,
      sortKey: `${String(validTo).padStart(10, '0')}:${uid}:${generator.terms.chainId}`,
      executedSellAmount: executed,
      executedBuyAmount: executed,
      executedFee: executed,
    }
  })
}

/** The programmatic order of an event id. */
export async function findGenerator(
  eventId: string,
  chainId: unknown,
  context: Context,
): Promise<Generator | undefined> {
  context.proceed()
  const where = { eventId, ...(chainId !== undefined && { chainId }) }
  const query = { where, fields: [], isDescending: false, limit: 1, offset: 0, counts: false }
  const [page] = await readPages(context.db, generators, query, environmentOf(context))
  const [row] = page?.rows ?? []
  return row && generatorOf(row)
}
