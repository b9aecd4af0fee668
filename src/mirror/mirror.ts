import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { CheckAccountSignature } from '../chain/order/contract-signature.ts'
import type { ReadInvalidated, ReadPresignatures } from '../chain/order/presignatures.ts'
import { chunksOf } from '../chain/rpc/rpc.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { type Clock, type Log, unixSeconds } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { isInvalidated, type OrderUid, unpackOrderUid } from '../domain/order/order.ts'
import { isFulfilled } from '../domain/order/status.ts'
import { appendCancelled, recordCancelled, recordLogged, type TradeRules } from '../notifications/record.ts'
import type { RecentTokens } from '../notifications/token-pairs.ts'
import { OutsideFault, Throttled } from '../outside/fault.ts'
import { findCheckpoint } from '../storage/chain/indexed-logs.ts'
import type { Database, Db, Tx } from '../storage/database/database.ts'
import { appendEvents } from '../storage/order/events.ts'
import {
  findListing,
  type Listing,
  noteListing,
  notifiedMs,
  requestHistory,
} from '../storage/order/histories.ts'
import { insertOrders, storeReportedQuotes } from '../storage/order/insert.ts'
import {
  expireBefore,
  firstBlocksOf,
  noteAccountRead,
  noteMirrored,
  noteMissing,
  noteQuotesRead,
  unknownTradeBlocks,
  unreadPresignatures,
  unsignedAmong,
} from '../storage/order/mirror.ts'
import { findOrderIds, findOrdersById, storeCancellations } from '../storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../storage/order/progress.ts'
import { feesDue, noteFeesRead, storeReportedFees } from '../storage/order/reported-fees.ts'
import { maxOrders, maxUids, type OrderBook, type OrdersPage, type Priority } from './order-book.ts'
import {
  creationDateOf,
  type MirroredOrder,
  type MirrorFault,
  readMirrored,
  uidOf,
  unknownMembers,
} from './read-order.ts'
import { readTrade } from './read-trades.ts'
import type { StoredBodies } from './stored-bodies.ts'

/** A client for which orders are read that were not stored. They are removed when they were not used. */
export interface MirrorClient {
  /** The client, as limits count it. */
  key: string
  /** @throws Refusal RateLimited while the client has stored as much as it may */
  checkRoom(): void
  /** Counts an order that is stored for the client, with the bytes of its texts. */
  addStored(textBytes: number): void
}

export interface MirrorServices extends Pick<TradeRules, 'leastImprovement'> {
  network: Network
  db: Database
  orderBook: OrderBook
  now: Clock
  log: Log
  meter: MirrorMeter
  /** Verifies the signatures of smart accounts by our own node. */
  checkSignature: CheckAccountSignature
  readPresignatures: ReadPresignatures
  readInvalidated: ReadInvalidated
  /** Undefined for orders that are found. */
  client?: MirrorClient
  /** Bodies that were stored before: one that has not changed is not verified and written again. */
  storedBodies?: StoredBodies
  /** The reader of an import. */
  read?: ReadOrders
  /** Reads tokens for messages of notifications, without those that cannot be read. Never rejects. */
  describeTokens(addresses: readonly Address[]): Promise<RecentTokens>
  /** The times of blocks; of none if they cannot be read soon. Never rejects. */
  blockTimes(numbers: readonly number[]): Promise<ReadonlyMap<number, Date>>
}

/** The orders that an import has read: one that others have moved to the next page counts once. */
interface ReadOrders {
  has(uid: OrderUid): boolean
  set(uid: OrderUid, isRead: true): unknown
}

/** The order book of a network, as clients read of it. */
export const titleOf = ({ name }: Pick<Network, 'name'>) => `the order book of ${name}`

export interface MirrorMeter {
  /** The order book has answered to the process that follows it. */
  looked(): void
  /** Orders that were stored, or compared with the stored ones. */
  stored(count: number): void
  compared(count: number): void
  /** Orders that the order book returned, and that cannot be true. */
  refused(fault: MirrorFault): void
  /** An order that was stored with another document than its own, or without a word of its smart account. */
  unverified(what: 'document' | 'account'): void
  /** UIDs that the order book does not know. */
  missing(count: number): void
  competitions(outcome: CompetitionOutcome, count?: number): void
  /** Members of its orders that this program does not know, and leaves out. */
  unknownMembers(count: number): void
}

/**
 * What became of a competition: `missing` was not shown, `skipped` was never requested, and `contradicts`
 * counts settlements that are others on chain.
 */
type CompetitionOutcome = 'stored' | 'missing' | 'malformed' | 'skipped' | 'contradicts'

/** Orders of one transaction, from two requests. With more, other orders would wait for its locks. */
export const storedAtOnce = 2 * maxUids
/** Orders that are verified before other work has its turn. */
const readAtOnce = 16
/** Time to store an order together with other orders. Over ten times the usual, for a slow database. */
const msPerOrder = 100

/**
 * Requests the orders of these UIDs, and stores or compares them. Those that a list leaves out are requested
 * one by one, and remembered as missing.
 * @throws Outage when the order book, its budget or the database is not available
 */
export async function mirrorOrders(
  uids: readonly OrderUid[],
  priority: Priority,
  services: MirrorServices,
): Promise<void> {
  const { orderBook, db, network, meter } = services
  for (const part of chunksOf(uids, storedAtOnce)) {
    const lists = chunksOf(part, maxUids)
    const answers = await Promise.allSettled(
      lists.map(async (uids) => (uids.length > 1 ? orderBook.ordersByUids(uids, priority) : [])),
    )
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const stored = await storeShownOrders(found, part, services)
    const left = lists.flatMap((uids, index) => (answers[index]?.status === 'fulfilled' ? uids : []))
    // What a list has of an order, and was refused, is not requested and counted once more.
    const refused = new Set(uidsIn(found))
    for (const uid of left.filter((uid) => !stored.has(uid))) {
      if (!refused.has(uid)) {
        const body = await orderBook.order(uid, priority)
        if ((await storeShownOrders(body === undefined ? [] : [body], [uid], services)).size > 0) continue
        if (body === undefined) meter.missing(1)
      }
      await noteMissing(db, network.chainId, [uid])
    }
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  }
}

/** Stores what the order book says of the fees of trades. */
export async function storeFees(
  bodies: readonly unknown[],
  { db, network }: Pick<MirrorServices, 'db' | 'network'>,
): Promise<void> {
  await storeReportedFees(
    db,
    network.chainId,
    bodies.flatMap((body) => readTrade(body) ?? []),
  )
}

/** Reads the fees of new trades, of some orders at most. @throws Outage */
export async function mirrorFees(limit: number, services: MirrorServices): Promise<void> {
  const { db, network, orderBook } = services
  for (const orderUid of await feesDue(db, network.chainId, limit)) {
    await storeFees(await orderBook.tradesOf({ orderUid }, 'live'), services)
    await noteFeesRead(db, network.chainId, orderUid)
  }
}

/** Reads the quotes of orders that came in lists, which have none. @throws like `mirrorOrders` */
export async function mirrorQuotes(
  uids: readonly OrderUid[],
  priority: Priority,
  services: MirrorServices,
): Promise<void> {
  const { db, network, orderBook } = services
  const found = await storeShownOrders(await orderBook.ordersByUids(uids, priority), uids, services)
  // An order book drops old orders from its answer. Those would be one call each.
  await noteQuotesRead(db, network.chainId, uids, found)
}

function uidsIn(bodies: readonly unknown[]): OrderUid[] {
  return bodies.flatMap((body) => uidOf(body) ?? [])
}

/** A page of an account's orders as the order book has it. */
interface AccountPage {
  count: number
  isLast: boolean
  /** The creation dates of its first and its last order; null without one. */
  newest: Date | null
  oldest: Date | null
}

async function mirrorPage(
  owner: Address,
  page: OrdersPage,
  priority: Priority,
  services: MirrorServices,
): Promise<AccountPage> {
  const found = await services.orderBook.ordersOf(owner, page, priority)
  const { read } = services
  const unread = found.filter((body) => !uidsIn([body]).some((uid) => read?.has(uid)))
  await storeShownOrders(unread, undefined, services)
  for (const uid of uidsIn(found)) read?.set(uid, true)
  const dates = found.flatMap((body) => creationDateOf(body) ?? [])
  return {
    count: found.length,
    isLast: found.length < page.limit,
    newest: dates[0] ?? null,
    oldest: dates.at(-1) ?? null,
  }
}

/** An account with more orders is never listed to the end for a client. */
const maxListed = 100_000

/**
 * Mirrors the newest orders of an account, up to those that were read before, or one page of an account that
 * was never read.
 * @param size orders in one request
 * @param pages requests at most
 * @returns whether the whole list has been read; `mirrorOlder` reads the rest
 * @throws Outage
 */
export async function mirrorNewest(
  owner: Address,
  { size, pages }: { size: number; pages: number },
  priority: Priority,
  services: MirrorServices,
): Promise<boolean> {
  const { db, network, now } = services
  const { listedTo, running } = await findListing(db, network.chainId, owner)
  const known = running?.newest ?? listedTo
  const readAt = new Date(now())
  const note = async (listing: Listing) => {
    await noteListing(db, network, owner, { ...listing, readAt })
    return listing.running === null
  }
  let newest: Date | null = null
  for (let offset = 0, page = 0; page < pages; page++) {
    const read = await mirrorPage(owner, { offset, limit: size }, priority, services)
    offset += read.count
    newest ??= read.newest ?? new Date(0)
    if (read.isLast) return note({ listedTo: newest, running: null })
    const isMet = known !== null && read.oldest !== null && read.oldest < known
    if (isMet)
      return note(running ? { listedTo, running: { ...running, newest } } : { listedTo: newest, running })
    if (known === null || page === pages - 1) return note({ listedTo, running: { newest, offset } })
  }
  return false
}

/**
 * Mirrors older orders of an account, where the last reading of its list ended.
 * @param pages requests at most
 * @returns whether the whole list has been read
 * @throws Outage
 */
export async function mirrorOlder(
  owner: Address,
  pages: number,
  priority: Priority,
  services: MirrorServices,
): Promise<boolean> {
  const { db, network } = services
  for (let page = 0; page < pages; page++) {
    const { listedTo, running } = await findListing(db, network.chainId, owner)
    if (!running) return true
    const { newest, offset } = running
    if (priority !== 'history' && offset >= maxListed) return false
    const read = await mirrorPage(owner, { offset, limit: maxOrders }, priority, services)
    const isEnd = read.isLast || (listedTo !== null && read.oldest !== null && read.oldest < listedTo)
    await noteListing(
      db,
      network,
      owner,
      isEnd
        ? { listedTo: newest, running: null }
        : { listedTo, running: { newest, offset: offset + read.count } },
    )
    if (isEnd) return true
  }
  return false
}

/** The newest orders of a watched account: orders in one request, and requests. */
const watchedPage = { size: 100, pages: 10 }

/**
 * Reads the newest orders of a watched account, and a page of older ones until its list was read to the end.
 * Its older trades are read later.
 * @throws Outage
 */
export async function mirrorAccount(owner: Address, services: MirrorServices): Promise<void> {
  const { db, network, now } = services
  const at = new Date(now())
  try {
    if (!(await mirrorNewest(owner, watchedPage, 'watched', services)))
      await mirrorOlder(owner, 1, 'watched', services)
  } catch (fault) {
    // An account that cannot be listed waits for its next turn, so that it does not keep others out.
    if (fault instanceof OutsideFault && !(fault instanceof Throttled))
      await noteAccountRead(db, network.chainId, owner, at)
    throw fault
  }
  await requestHistory(db, network.chainId, owner, network.firstBlock)
  await noteAccountRead(db, network.chainId, owner, at)
}

/**
 * Stores those of these bodies that are true, and applies the cancellations that they report.
 * @param expected the UIDs that were requested: others are not believed
 * @returns the UIDs of the stored orders, also of those that were stored before
 */
export async function storeShownOrders(
  bodies: readonly unknown[],
  expected: readonly OrderUid[] | undefined,
  services: MirrorServices,
): Promise<Set<OrderUid>> {
  const { network, meter, storedBodies } = services
  const believed = expected && new Set(expected)
  const unchanged = (await storedBodies?.noteUnchanged(bodies)) ?? new Set()
  const isUnchanged = (body: unknown) => {
    const uid = unchanged.size > 0 ? uidOf(body) : undefined
    return uid !== undefined && unchanged.has(uid)
  }
  const unknown = bodies.reduce<number>((sum, body) => sum + unknownMembers(body), 0)
  if (unknown > 0) meter.unknownMembers(unknown)
  const read: MirroredOrder[] = []
  for (const [index, body] of bodies.entries()) {
    if (isUnchanged(body)) continue
    // Signatures take time: others have their turn meanwhile.
    if (index % readAtOnce === readAtOnce - 1) await nextTurn()
    const one = readMirrored(body, network)
    if ('fault' in one) meter.refused(one.fault)
    else if (believed?.has(one.order.uid) !== false) read.push(one)
  }
  meter.compared(unchanged.size)
  const orders = [...new Map(read.map((each) => [each.order.uid, each])).values()]
  const stored = await storeRead(orders, { ...services, haveQuotes: expected !== undefined })
  storedBodies?.remember(
    bodies,
    read.filter(({ order }) => stored.has(order.uid)),
  )
  return new Set([...unchanged, ...stored])
}

/** Bodies of lists of accounts and transactions have no quotes. */
type StoreServices = MirrorServices & { haveQuotes: boolean }

async function storeRead(orders: readonly MirroredOrder[], services: StoreServices): Promise<Set<OrderUid>> {
  const { db, meter } = services
  if (orders.length === 0) return new Set()
  const tokens = await services.describeTokens(
    orders.flatMap(({ order }) => [order.sellToken, order.buyToken]),
  )
  const uids = orders.map(({ order }) => order.uid)
  const [signed, presigned, invalidated] = await Promise.all([
    readSignatures(orders, services),
    readPresigned(orders, services),
    readInvalidated(orders, services),
  ])
  const storeWith = (read: Pick<Findings, 'times' | 'lateFrom'>, mayLack: boolean) =>
    db
      .transaction(
        (tx) => store(tx, orders, { signed, presigned, invalidated, ...read, mayLack, tokens }, services),
        msPerOrder * orders.length,
      )
      .catch((fault: unknown) => {
        if (fault instanceof Outage || fault instanceof Refusal) throw fault
        return { fault }
      })
  let result = await storeWith(await readTimes(uids, services), false)
  if ('fault' in result && result.fault instanceof TimeUnread)
    result = await storeWith(await readTimes(uids, services), true)
  if ('fault' in result) return storeEach(orders, services, result.fault)
  const { inserted, known } = result
  meter.stored(inserted.length)
  meter.compared(known)
  for (const { order, report } of inserted) {
    const { unverifiedDocument } = report
    services.client?.addStored(Buffer.byteLength(order.fullAppData ?? unverifiedDocument ?? ''))
    if (unverifiedDocument !== null) meter.unverified('document')
    if (order.signingScheme === 'eip1271' && !signed.get(order.uid)) meter.unverified('account')
  }
  return new Set(uids)
}

/** Stores orders one by one after a fault that one of them causes: that order is left out. */
async function storeEach(
  orders: readonly MirroredOrder[],
  services: StoreServices,
  fault: unknown,
): Promise<Set<OrderUid>> {
  if (orders.length === 1) {
    services.log.error('an order cannot be stored', { uid: orders[0]?.order.uid, fault: String(fault) })
    services.meter.refused('malformed')
    return new Set()
  }
  const stored = new Set<OrderUid>()
  for (const order of orders) for (const uid of await storeRead([order], services)) stored.add(uid)
  return stored
}

/** The first block of the last milliseconds; above all blocks until the chain is indexed: all is old. */
async function firstWithin(
  ms: number,
  db: Db,
  { network }: Pick<MirrorServices, 'network'>,
): Promise<number> {
  const head = (await findCheckpoint(db, network.chainId))?.head
  return head === undefined ? Number.MAX_SAFE_INTEGER : head - Math.ceil(ms / network.blockTimeMs)
}

/** The first block whose facts are notified. */
export const firstNotified = (db: Db, services: Pick<MirrorServices, 'network'>): Promise<number> =>
  firstWithin(notifiedMs, db, services)

/** The age of a trade from which it has the time of its block, and not that of now. */
const lateMs = 5_000

/** The times of blocks with trades of these orders that are late: those before `lateFrom`. */
async function readTimes(
  uids: readonly OrderUid[],
  services: MirrorServices,
): Promise<Pick<Findings, 'times' | 'lateFrom'>> {
  const { db, network } = services
  const lateFrom = await firstWithin(lateMs, db, services)
  const late = await unknownTradeBlocks(db, network.chainId, uids, lateFrom)
  return { times: late.length > 0 ? await services.blockTimes(late) : new Map(), lateFrom }
}

const hasEnded = ({ order, isCancelled }: MirroredOrder, now: Clock) =>
  isCancelled || order.effectiveValidTo < unixSeconds(now())

/** Signatures that are checked after each answer of the order book, and the time for all of them. */
const maxChecked = 16
const checkMs = 1_000

/**
 * Checks the signatures of smart accounts that are not known to be valid, those of live orders first.
 * @returns what the contracts answered; null for one that did not in time, or while the node is away
 */
async function readSignatures(
  mirrored: readonly MirroredOrder[],
  { network, db, now, checkSignature }: MirrorServices,
): Promise<Map<OrderUid, boolean | null>> {
  const orders = new Map(
    mirrored
      .filter(({ order }) => order.signingScheme === 'eip1271')
      .toSorted((one, other) => Number(hasEnded(one, now)) - Number(hasEnded(other, now)))
      .map(({ order }) => [order.uid, order]),
  )
  const limit = maxChecked * Math.ceil(mirrored.length / maxUids)
  const due = await unsignedAmong(db, network.chainId, [...orders.keys()], limit)
  const answers = new Map<OrderUid, boolean | null>(due.map((uid) => [uid, null]))
  const checks = due.map(async (uid) => {
    const order = orders.get(uid)
    if (!order) return
    const question = { account: order.owner, digest: unpackOrderUid(uid).digest, signature: order.signature }
    const verdict = await checkSignature(question).catch(unavailable)
    if (verdict) answers.set(uid, verdict === 'valid')
  })
  if (checks.length > 0)
    await Promise.race([
      Promise.all(checks),
      pause((checkMs * limit) / maxChecked, undefined, { ref: false }),
    ])
  return new Map(answers)
}

/**
 * Reads the presignatures of live orders whose logs may be older than the first indexed block. They count
 * until a log is indexed, and are read once: later changes are indexed.
 * @returns those that the node reports in time
 */
async function readPresigned(
  mirrored: readonly MirroredOrder[],
  { network, db, now, readPresignatures }: MirrorServices,
): Promise<ReadonlyMap<OrderUid, boolean>> {
  const live = mirrored.filter((each) => each.order.signingScheme === 'presign' && !hasEnded(each, now))
  const due = await unreadPresignatures(
    db,
    network.chainId,
    live.map(({ order }) => order.uid),
  )
  if (due.length === 0) return new Map()
  const { indexedFrom } = await firstBlocksOf(db, network.chainId)
  return (await inTime(readPresignatures(due, indexedFrom - 1), mirrored)) ?? new Map()
}

/**
 * Reads which cancelled orders were invalidated on chain in a block that is not indexed yet: the order book
 * may have the block first. The indexer records these, with their transaction.
 * @returns those that the node reports in time
 */
async function readInvalidated(
  mirrored: readonly MirroredOrder[],
  { network, db, now, readInvalidated: read }: MirrorServices,
): Promise<ReadonlySet<OrderUid>> {
  const due = mirrored.filter(
    ({ order, isCancelled, isCancelledOffChain, isFilled }) =>
      isCancelled && !isCancelledOffChain && !isFilled && order.effectiveValidTo >= unixSeconds(now()),
  )
  const indexed = due.length > 0 ? await findCheckpoint(db, network.chainId) : null
  if (!indexed) return new Set()
  const uids = due.map(({ order }) => order.uid)
  return (await inTime(read(uids, indexed.number), mirrored)) ?? new Set()
}

/** Waits as long as these orders may take; undefined after that, and while the node is away. */
function inTime<Read>(read: Promise<Read>, { length }: readonly MirroredOrder[]): Promise<Read | undefined> {
  const late = pause(checkMs * Math.ceil(length / maxUids), undefined, { ref: false })
  return Promise.race([read.catch(unavailable), late])
}

/** A node that is away, or has too much to do, says nothing about signatures. */
function unavailable(fault: unknown): undefined {
  if (!(fault instanceof Outage || fault instanceof Refusal)) throw fault
}

interface Findings {
  signed: ReadonlyMap<OrderUid, boolean | null>
  presigned: ReadonlyMap<OrderUid, boolean>
  invalidated: ReadonlySet<OrderUid>
  times: ReadonlyMap<number, Date>
  lateFrom: number
  /** True if trades of blocks without a time are taken as trades of now. */
  mayLack: boolean
  tokens: RecentTokens
}

/** An old trade of the orders was stored after the times of their blocks were read. */
class TimeUnread extends Error {}

/** @returns those that were not stored before, and how many were */
async function store(
  tx: Tx,
  mirrored: readonly MirroredOrder[],
  { signed, presigned, invalidated, times, lateFrom, mayLack, tokens }: Findings,
  { network, now, leastImprovement, client, haveQuotes }: StoreServices,
): Promise<{ inserted: MirroredOrder[]; known: number }> {
  const { chainId } = network
  const at = new Date(now())
  const orders = mirrored.map(({ order }) => order)
  const uids = orders.map(({ uid }) => uid)
  await lockOrders(tx, uids)
  const notifiedFrom = await firstNotified(tx, { network })
  const rules: TradeRules = {
    ...(leastImprovement !== undefined && { leastImprovement }),
    notifiedFrom,
    timeOf({ blockNumber }) {
      const time = times.get(blockNumber)
      if (!time && !mayLack && blockNumber < lateFrom) throw new TimeUnread()
      return time ?? at
    },
    recentTokens: tokens,
  }
  const ids = await insertOrders(tx, orders, (tx, logged) => recordLogged(tx, logged, rules, at))
  const inserted = ids.flatMap((id) => id ?? [])
  const stored = await findOrderIds(tx, chainId, uids)
  const idsOf = (some: readonly MirroredOrder[]) => some.flatMap(({ order }) => stored.get(order.uid) ?? [])
  const cancelled = mirrored.filter(({ order, isCancelled }) => isCancelled && !invalidated.has(order.uid))
  const filled = new Set(idsOf(cancelled.filter(({ isFilled }) => isFilled)))
  await applyCancellations(tx, idsOf(cancelled), { inserted, filled, at, tokens })
  const executed = new Map(
    (await findOrdersById(tx, inserted)).map(({ uid, executedSellAmount }) => [uid, executedSellAmount]),
  )
  // Orders that were traded before the first indexed block: their trades are read later.
  const older = mirrored.filter(({ order: { uid, creationDate }, report }) => {
    const isOld = creationDate.getTime() < at.getTime() - notifiedMs
    return isOld && executed.has(uid) && (report.executedSellAmount ?? 0n) > (executed.get(uid) ?? 0n)
  })
  // Sorted, so that two transactions do not wait for each other.
  const owners = [...new Set(older.map(({ order }) => order.owner))]
    // A contract that sells coins owns the orders of all its users: the trades of one are read by themselves.
    .filter((owner) => !network.ethFlows.includes(owner))
    .toSorted()
  for (const owner of owners) await requestHistory(tx, chainId, owner, network.firstBlock)
  const traded = new Set(older.map(({ order }) => stored.get(order.uid)))
  await expireOld(tx, inserted, traded, at)
  const reports = mirrored.flatMap(({ order: { uid }, report }) => {
    const orderId = stored.get(uid)
    const isSigned = signed.get(uid)
    return orderId === undefined ? [] : [{ orderId, isSigned, presigned: presigned.get(uid), ...report }]
  })
  await noteMirrored(tx, chainId, reports, { areRequested: client !== undefined, notifiedFrom, haveQuotes })
  await storeReportedQuotes(
    tx,
    orders.flatMap(({ uid, quote }) => {
      const orderId = stored.get(uid)
      return orderId === undefined || !quote ? [] : [{ orderId, quote }]
    }),
  )
  await refreshProgress(tx, [...stored.values()])
  return {
    inserted: mirrored.filter((_, index) => ids[index] !== undefined),
    known: stored.size - inserted.length,
  }
}

/**
 * Cancels orders that the order book reports as cancelled and the chain does not. New ones are not notified.
 * An order that was filled all the same has no event: the order book does not say when it was cancelled.
 * @param filled orders that were filled, as the order book says: their trades may not be stored yet
 */
async function applyCancellations(
  tx: Tx,
  ids: readonly bigint[],
  {
    inserted,
    filled,
    at,
    tokens,
  }: { inserted: readonly bigint[]; filled: ReadonlySet<bigint>; at: Date; tokens: RecentTokens },
): Promise<void> {
  const all = (await findOrdersById(tx, ids)).filter((order) => !isInvalidated(order))
  if (all.length === 0) return
  await storeCancellations(
    tx,
    all.map(({ id }) => id),
    at,
  )
  const orders = all.filter((order) => !isFulfilled(order) && !filled.has(order.id))
  const known = orders.filter(({ id }) => !inserted.includes(id))
  const added = orders.filter(({ id }) => inserted.includes(id))
  await recordCancelled(tx, known, { by: 'api' }, at, tokens)
  await appendCancelled(tx, added, { by: 'api' }, at)
}

/**
 * Expires orders that had expired before they were read, without a notification.
 * @param traded orders with trades that are not read yet: whether they expired is not known
 */
async function expireOld(
  tx: Tx,
  ids: readonly bigint[],
  traded: ReadonlySet<bigint | undefined>,
  at: Date,
): Promise<void> {
  const expired = await expireBefore(tx, ids, unixSeconds(at.getTime() - notifiedMs))
  const known = expired.filter(({ orderId }) => !traded.has(orderId))
  await appendEvents(
    tx,
    known.map(({ orderId, validTo }) => ({
      orderId,
      label: 'expired' as const,
      reason: null,
      timestamp: new Date(validTo * 1_000),
    })),
  )
}
