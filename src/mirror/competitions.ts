import type { MirroredCompetition } from '../domain/auction/competition.ts'
import { auctionKey } from '../domain/auction/key.ts'
import { createLruCache } from '../domain/derived.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { isObject } from '../outside/http-json.ts'
import { storeRound } from '../storage/auction/current-auction.ts'
import {
  dueCompetitions,
  insertMirroredCompetition,
  isCompetitionStored,
  noteNewest,
  noteRequested,
  noteSettled,
  noteUnshown,
  postponeCompetition,
  type SettledBy,
  settlementsOf,
} from '../storage/auction/mirrored-competition.ts'
import { unknownAmong } from '../storage/order/mirror.ts'
import type { MirrorBatch } from './batches.ts'
import { type MirrorServices, mirrorOrders } from './mirror.ts'
import { auctionedIn } from './order-book.ts'
import { readCompetition } from './read-competition.ts'

/** Competitions between two looks that are requested; earlier ones are read if a settlement names them. */
const maxBehind = 300
/** Missing competitions that one look requests. */
export const missingAtOnce = 4

interface MissingServices extends MirrorServices {
  claims: Claims
}

interface CompetitionServices extends MissingServices {
  /** The newest competition that is stored with all its orders. */
  latest: { number: bigint | undefined }
}

/**
 * Reads the newest competition and the orders that it names, and notes those since the last one as missing.
 * @throws Outage when the order book, its budget or the database is not available
 */
export async function mirrorLatest(mirror: MirrorBatch, services: CompetitionServices): Promise<void> {
  const { db, network, orderBook, meter, now, latest } = services
  const { chainId } = network
  const body = await orderBook.latestCompetition('new')
  if (body === undefined || isLatest(body, latest)) return
  const competition = readCompetition(body, chainId)
  if (!competition) {
    meter.competitions('malformed')
    await mirrorSome(auctionedIn(body) ?? [], mirror, services)
    return
  }
  const skipped = await noteNewest(db, competition, maxBehind)
  if (skipped > 0) meter.competitions('skipped', skipped)
  if (await isCompetitionStored(db, competition)) {
    if (await mirrorSome(competition.orders, mirror, services)) latest.number = competition.number
    return
  }
  if (!(await storeCompetition(competition, mirror, services))) return
  latest.number = competition.number
  await storeRound(db, { chainId, at: new Date(now()) })
}

const isLatest = (body: unknown, { number }: CompetitionServices['latest']) =>
  number !== undefined && isObject(body) && body.auctionId === Number(number)

/**
 * Requests missing competitions: those between the ones that were the newest, and those that
 * settlements on chain name. One that the order book does not show is requested three times.
 */
export async function mirrorMissing(mirror: MirrorBatch, services: MissingServices): Promise<void> {
  const { db, network } = services
  const { chainId } = network
  await noteSettled(db, chainId)
  for (const number of await dueCompetitions(db, chainId, missingAtOnce)) {
    try {
      await mirrorNumber(number, mirror, services)
    } catch (fault) {
      await postponeCompetition(db, { chainId, number })
      throw fault
    }
  }
}

async function mirrorNumber(number: bigint, mirror: MirrorBatch, services: MissingServices): Promise<void> {
  const { db, network, orderBook, meter } = services
  const { chainId } = network
  const body = await orderBook.competition(number, 'live')
  const competition = body === undefined ? undefined : readCompetition(body, chainId)
  if (competition?.number === number) {
    await storeCompetition(competition, mirror, services)
    return
  }
  meter.competitions(body === undefined ? 'missing' : 'malformed')
  await noteUnshown(db, { chainId, number })
}

/** Orders of a competition that one request of a client reads. */
const maxRead = 256

/**
 * Reads a competition for a client. One with many orders that are not stored is noted as missing: the process
 * that follows the order book reads it.
 * @returns false if its orders are to be read first
 * @throws Outage; Refusal RateLimited
 */
export async function mirrorNumbered(number: bigint, services: MirrorServices): Promise<boolean> {
  const { db, network, orderBook } = services
  const { chainId } = network
  if (await isCompetitionStored(db, { chainId, number })) return true
  const body = await orderBook.competition(number, 'client')
  const competition = body === undefined ? undefined : readCompetition(body, chainId)
  if (competition?.number !== number) return true
  await noteRequested(db, competition)
  const unknown = await unknownAmong(db, chainId, competition.orders)
  if (unknown.length > maxRead) return false
  try {
    await mirrorOrders(unknown, 'client', services)
  } catch (fault) {
    if (fault instanceof Refusal) return false
    throw fault
  }
  await db.transaction((tx) => insertMirroredCompetition(tx, competition))
  return true
}

/** @returns false if more of its orders are to be read first */
async function storeCompetition(
  competition: MirroredCompetition,
  mirror: MirrorBatch,
  services: MissingServices,
): Promise<boolean> {
  const { db, meter, claims } = services
  if (!(await mirrorSome(competition.orders, mirror, services))) return false
  const isNew = await db.transaction((tx) => insertMirroredCompetition(tx, competition))
  if (!isNew) return true
  meter.competitions('stored')
  claims.add(competition)
  return true
}

/** Lists of orders that one look reads for a competition. */
const maxLists = 8

/** Mirrors those of these orders that are not stored, up to so many lists. @returns whether none is left */
async function mirrorSome(
  uids: MirroredCompetition['orders'],
  mirror: MirrorBatch,
  services: MirrorServices,
): Promise<boolean> {
  for (let lists = 0; lists < maxLists; lists++)
    if (await mirror(() => unknownAmong(services.db, services.network.chainId, uids), services)) return true
  return false
}

/** Settlements that an order book named, until the chain shows them: what is stored comes from the chain. */
interface Claims {
  add(competition: MirroredCompetition): void
  /**
   * Counts those that the chain shows to be of another solver, auction, or orders. A settlement that names no
   * auction, or whose solver is not known, contradicts nothing.
   */
  compare(): Promise<void>
}

const maxClaims = 1_000

export function createClaims({ db, network, meter }: MirrorServices): Claims {
  type Claim = Pick<MirroredCompetition['solutions'][number], 'solver'> & { txHash: Bytes32; number: bigint }
  const waiting = createLruCache<string, Claim>({ max: maxClaims })
  return {
    add({ number, solutions }) {
      for (const { uid, solver, txHash } of solutions)
        if (txHash !== null) waiting.set(`${number}:${uid}`, { number, solver, txHash })
    },
    async compare() {
      if (waiting.size === 0) return
      const hashes = [...waiting.values()].map(({ txHash }) => txHash)
      const settlements = await settlementsOf(db, network.chainId, hashes)
      for (const [claim, { number, solver, txHash }] of [...waiting.entries()]) {
        const found = settlements.filter((row) => row.txHash === txHash)
        if (found.length === 0) continue
        waiting.delete(claim)
        const key = auctionKey(network.chainId, number)
        const isShown = (row: SettledBy) =>
          row.solver === solver &&
          (row.auctionId === key || (row.auctionId === null && row.calledAuction === null))
        if (!found.some(isShown)) meter.competitions('contradicts')
      }
    },
  }
}
