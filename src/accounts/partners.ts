import { randomBytes, randomUUID } from 'node:crypto'
import { createThrottledLog } from '../concurrency/throttled-log.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Clock, Log } from '../domain/log.ts'
import { sha256 } from '../domain/text/digest.ts'
import { type Partner, type PartnerLimits, partnerClient, partnerOf } from '../http/caller.ts'
import type { Db } from '../storage/database/database.ts'
import {
  countPartnerUse,
  findPartner,
  findValidKeys,
  insertPartnerKey,
  type PartnerKey,
  type PartnerUse,
  rotatePartnerKey,
  updatePartnerKey,
} from '../storage/partner-keys.ts'

/** The beginning of each partner's key. Scanners recognize secrets by it. */
const keyPrefix = 'tgp_'
const keyPattern = /^tgp_[\w-]{43}$/
/** Characters of the key that are stored and shown. */
const shownLength = 10
/** Keys of a service, revoked ones included. */
const maxKeys = 1_000

/** Reports whether a text has the beginning of a partner's key, valid or not. */
export function isPartnerKey(key: string | undefined): key is string {
  return key?.startsWith(keyPrefix) ?? false
}

/** A key and its text, which is shown once. */
interface PartnerKeySecret {
  partnerKey: PartnerKey
  key: string
}

function newKey(): { key: string; prefix: string; hash: Buffer } {
  const key = `${keyPrefix}${randomBytes(32).toString('base64url')}`
  return { key, prefix: key.slice(0, shownLength), hash: sha256(key) }
}

export interface PartnerTimes {
  /** The time for which a key that was read, or was not found, is not read again. */
  keptMs: number
  /** The interval at which counts are written, and open streams of revoked keys end. */
  writeMs: number
}

const defaultTimes: PartnerTimes = { keptMs: 10_000, writeMs: 10_000 }

/** Keys in memory, unknown ones included. */
const maxKept = 10_000

/** Keys of partners, their limits, and what is used with them. */
export interface Partners {
  /** @throws Outage; Refusal InvalidParameter if all keys that may exist are valid */
  create(given: PartnerLimits & { name: string }): Promise<PartnerKeySecret>
  /**
   * Gives a partner another key. The one before works for `overlapMs` more; an earlier one ends at once.
   * @throws Outage; Refusal NotFound
   */
  rotate(id: string, overlapMs: number): Promise<PartnerKeySecret>
  /** @throws Outage; Refusal NotFound */
  change(id: string, changes: Partial<PartnerLimits> & { name?: string }): Promise<PartnerKey>
  /** @throws Outage; Refusal NotFound */
  revoke(id: string): Promise<PartnerKey>
  /**
   * Finds the partner of a key, without a promise if the key is in memory.
   * @param beforeRead called before a key that is not in memory is read
   * @throws Outage, also while a key is not known because the database is away
   */
  find(key: string | undefined, beforeRead: () => void): Partner | undefined | Promise<Partner | undefined>
  /** Keeps the limits of a partner whose key another process has read. */
  note(partner: Partner): void
  /** The limits of a client that is a partner. */
  limitsOf(client: string): PartnerLimits | undefined
  countRequest(partner: Partner, units: number): void
  /** Returns the counter of events for a client that is a partner. */
  countEvents(client: string): ((units: number) => void) | undefined
  /** Calls `end` once the key of a client is revoked. @returns a function that stops watching */
  watch(client: string, end: () => void): () => void
  /** Writes the counts. */
  close(): Promise<void>
}

interface Kept {
  partner: Partner | undefined
  readAt: number
  /** The end of a key that a rotation has replaced. */
  until: number
}

export function createPartners(
  { db, now, log }: { db: Db; now: Clock; log: Log },
  times: Partial<PartnerTimes> = {},
): Partners {
  const { keptMs, writeMs } = { ...defaultTimes, ...times }
  const kept = createLruCache<string, Kept>({ max: maxKept })
  const reading = new Map<string, Promise<Partner | undefined>>()
  const limits = createLruCache<string, PartnerLimits>({ max: maxKept })
  /** When each stream of a partner was opened. */
  const watched = new Map<string, Map<() => void, number>>()
  const warn = createThrottledLog({ now, log })
  let uses = new Map<string, PartnerUse>()
  let writing = Promise.resolve()

  const note = (partner: Partner) => void limits.set(partnerClient(partner), partner.limits)

  async function read(name: string, hash: Buffer): Promise<Partner | undefined> {
    const last = kept.get(name)
    const readAt = now()
    try {
      const row = await findPartner(db, hash, new Date(readAt))
      const until = row?.until?.getTime() ?? Number.POSITIVE_INFINITY
      kept.set(name, { partner: row?.partner, readAt, until })
      if (row) note(row.partner)
      return row?.partner
    } catch (fault) {
      if (!(fault instanceof Outage) || !last?.partner || last.until <= readAt) throw fault
      // Requests do not wait for the database again until this time is over.
      last.readAt = now()
      return last.partner
    }
  }

  function use(id: string): PartnerUse {
    const known = uses.get(id) ?? { requests: 0, units: 0, events: 0, at: new Date(0) }
    uses.set(id, known)
    known.at = new Date(now())
    return known
  }

  async function write(): Promise<void> {
    const written = uses
    uses = new Map()
    if (written.size === 0) return
    await countPartnerUse(db, written).catch((fault: unknown) => {
      for (const [id, { requests, units, events }] of written) {
        const known = use(id)
        known.requests += requests
        known.units += units
        known.events += events
      }
      warn('partners: counts were not written', { fault: String(fault) })
    })
  }

  /** Ends streams of revoked keys, and those that were opened before a replaced key ended. */
  async function endRevoked(): Promise<void> {
    if (watched.size === 0) return
    const ids = [...watched.keys()]
    const keys = await findValidKeys(db, ids).catch(() => undefined)
    if (!keys) return
    const valid = new Map(keys.map((key) => [key.id, key]))
    for (const id of ids) {
      const key = valid.get(id)
      const ended = key?.previousUntil?.getTime() ?? Number.NEGATIVE_INFINITY
      if (key) limits.set(partnerClient(key), key)
      for (const [end, openedAt] of watched.get(id) ?? [])
        if (!key || (ended <= now() && openedAt < ended)) end()
    }
  }

  const timer = setInterval(() => {
    writing = writing.then(write)
    void endRevoked()
  }, writeMs).unref()

  /** Keys are read again when they are used next: this process need not wait. */
  function changed(key: PartnerKey | undefined): PartnerKey {
    for (const each of kept.values()) each.readAt = Number.NEGATIVE_INFINITY
    if (key) return key
    throw new Refusal('NotFound', 'no valid key of a partner has this id', { field: 'id' })
  }

  return {
    async create(given) {
      const { key, ...stored } = newKey()
      const row = { ...given, ...stored, id: randomUUID(), createdAt: new Date(now()) }
      const partnerKey = await insertPartnerKey(db, row, maxKeys)
      if (partnerKey) return { partnerKey, key }
      throw new Refusal('InvalidParameter', `all ${maxKeys} keys that may exist are valid: revoke one first`)
    },
    async rotate(id, overlapMs) {
      const { key, ...stored } = newKey()
      const previousUntil = new Date(now() + overlapMs)
      return { partnerKey: changed(await rotatePartnerKey(db, id, { ...stored, previousUntil })), key }
    },
    change: async (id, changes) => changed(await updatePartnerKey(db, id, changes)),
    revoke: async (id) => changed(await updatePartnerKey(db, id, { revokedAt: new Date(now()) })),
    find(key, beforeRead) {
      if (key === undefined || !keyPattern.test(key)) return undefined
      const hash = sha256(key)
      const name = hash.toString('base64')
      const known = kept.get(name)
      const at = now()
      if (known && at - known.readAt < keptMs && at < known.until) return known.partner
      const begun = reading.get(name)
      if (begun) return begun
      if (!known?.partner) beforeRead()
      const found = read(name, hash).finally(() => reading.delete(name))
      reading.set(name, found)
      return found
    },
    note,
    limitsOf: (client) => limits.get(client),
    countRequest({ id }, units) {
      const counted = use(id)
      counted.requests++
      counted.units += units
    },
    countEvents(client) {
      const id = partnerOf(client)
      if (id === undefined) return undefined
      return (units) => {
        const counted = use(id)
        counted.events++
        counted.units += units
      }
    },
    watch(client, end) {
      const id = partnerOf(client)
      if (id === undefined) return () => {}
      const ends = watched.get(id) ?? new Map()
      watched.set(id, ends.set(end, now()))
      return () => {
        ends.delete(end)
        if (ends.size === 0) watched.delete(id)
      }
    },
    async close() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
