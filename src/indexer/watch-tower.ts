import type { Block } from '../chain/chain.ts'
import type { PollProgrammatic } from '../chain/order/programmatic-poll.ts'
import { toAppDataInput } from '../domain/app-data/document.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Shortage } from '../domain/notification/notification.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { OrderData, OrderUid } from '../domain/order/order.ts'
import type { TradeableOrder } from '../domain/programmatic/abi.ts'
import { paramsId } from '../domain/programmatic/params.ts'
import {
  again,
  type PollOutcome,
  type PollResult,
  type PollTime,
  partPlaced,
  pollFailed,
  type Rhythm,
} from '../domain/programmatic/poll.ts'
import { decodeInput } from '../domain/programmatic/static-input.ts'
import { twapAt, twapPart, twapSchedule } from '../domain/programmatic/twap.ts'
import { orderUid } from '../domain/signing/signing.ts'
import { plain } from '../domain/text/readable.ts'
import { recordShortPart, type ShortPart } from '../notifications/programmatic.ts'
import { readBookedParts } from '../storage/chain/programmatic.ts'
import {
  type DuePoll,
  duePolls,
  lastProgrammaticChange,
  storePoll,
} from '../storage/chain/programmatic-polls.ts'
import type { Database } from '../storage/database/database.ts'
import { timeOf } from './block-range.ts'
import { createPoll, type Poll, repeat } from './chain-stream.ts'

/** The measures of the watch tower. */
export interface TowerMeter {
  polled(result: PollResult): void
  /** A part is new in the book. */
  placed(): void
  /** The seconds for which the oldest order that is polled now has been due. */
  late(seconds: number): void
}

export interface WatchTowerOptions {
  network: Network
  db: Database
  log: Log
  head(): Promise<Block>
  poll: PollProgrammatic
  /** Places an order as for a client. @throws Refusal; Outage */
  place(creation: OrderCreation): Promise<OrderUid>
  /** Owners whose orders are polled at a time. */
  atOnce: number
  meter: TowerMeter
  /** Default: by the network's block time. */
  rhythm?: Poll
}

/** Orders of one owner that are polled in a turn, one after the other. */
const perOwner = 8
/** An owner whose turn takes longer waits for the next one with the rest. */
const maxTurnMs = 5_000
const maxReasonLength = 300

/**
 * Polls programmatic orders that are due, and places their parts. Each owner has a turn: hostile code delays
 * its own owner's orders, and occupies one place. Runs until `signal` aborts. One process at a time may run
 * it. Never throws.
 */
export async function runWatchTower(options: WatchTowerOptions, signal: AbortSignal): Promise<void> {
  const { network, log } = options
  const poll = options.rhythm ?? createPoll(Math.min(1_000, Math.max(200, network.blockTimeMs / 4)))
  const what = 'programmatic orders cannot be polled for the moment'
  const turns = new Map<Address, Promise<void>>()
  await repeat(createStep(options, turns, signal), { poll, log, what, network: network.name }, signal)
  await Promise.all(turns.values())
}

/** Begins the turns of owners with orders that are due. Returns whether there may be more. */
function createStep(
  options: WatchTowerOptions,
  turns: Map<Address, Promise<void>>,
  signal: AbortSignal,
): () => Promise<boolean> {
  const { network, db, log, atOnce, meter } = options
  /** The state at which nothing was due: the head, and the last change of a programmatic order. */
  let idle: string | undefined

  async function turn(orders: readonly DuePoll[], head: Block): Promise<void> {
    const began = performance.now()
    for (const order of orders) {
      if (signal.aborted || performance.now() - began > maxTurnMs) return
      const { outcome, short, isNewPart } = await pollOne(order, head, options)
      if (short)
        await db.transaction(async (tx) => {
          const isStored = await storePoll(tx, order, head, outcome, isNewPart)
          if (isStored) await recordShortPart(tx, network.chainId, short, timeOf(head))
        })
      else await storePoll(db, order, head, outcome, isNewPart)
      meter.polled(outcome.result)
    }
  }

  return async () => {
    const head = await options.head()
    const state = `${head.hash} ${await lastProgrammaticChange(db)}`
    if (state === idle) return false
    const free = atOnce - turns.size
    const due = await duePolls(db, network.chainId, {
      ...{ at: head, busy: [...turns.keys()], perOwner, limit: free * perOwner },
    })
    if (due.length === 0 && turns.size === 0) idle = state
    meter.late(Math.max(0, ...due.map(({ dueAt }) => (dueAt > 0 ? head.timestamp - dueAt : 0))))
    for (const [owner, orders] of [...byOwner(due)].slice(0, free)) {
      const ended = turn(orders, head)
        .catch((fault) => {
          const level = fault instanceof Outage ? 'warn' : 'error'
          log[level]('a programmatic order was not polled', { owner, fault: String(fault) })
        })
        .finally(() => turns.delete(owner))
      turns.set(owner, ended)
    }
    if (turns.size < atOnce) return false
    await Promise.race(turns.values())
    return true
  }
}

function byOwner(due: readonly DuePoll[]): Map<Address, DuePoll[]> {
  const owners = new Map<Address, DuePoll[]>()
  for (const order of due) {
    const orders = owners.get(order.owner)
    if (orders) orders.push(order)
    else owners.set(order.owner, [order])
  }
  return owners
}

/** A poll. */
interface Polled {
  outcome: PollOutcome
  /** True if the last poll was of an earlier part. */
  isNewPart?: boolean
  /** The part, if funds are missing for it and the last poll did not find that. */
  short?: ShortPart | undefined
}

/** @throws Outage if the database does not answer */
async function pollOne(order: DuePoll, at: Block, options: WatchTowerOptions): Promise<Polled> {
  const { network } = options
  const { owner, params, proof, last } = order
  const rhythm: Rhythm = {
    ...{ at, blockTime: network.blockTimeMs / 1_000 },
    repeats: new Map(last ? [[last.result, last.repeats + 1]] : []),
  }
  let isNewPart = false
  const decoded = decodeInput(network.chainId, params)
  if (decoded.type === 'TWAP' && decoded.input) {
    const schedule = twapSchedule(decoded.input, BigInt(order.context ?? 0))
    if ('fault' in schedule) return { outcome: { result: 'ended', reason: schedule.fault, next: null } }
    const answer = twapAt(schedule, at.timestamp)
    if (answer.state !== 'part') {
      const time = 'next' in answer ? answer.next : null
      const result = time === null ? 'ended' : 'waiting'
      const outcome = {
        result,
        reason: answer.message,
        next: time === null ? null : { time, block: null },
      } as const
      return { outcome, isNewPart: last !== null && last.result !== 'waiting' }
    }
    const { part } = answer
    rhythm.window = { end: part.validTo, after: twapPart(schedule, part.index + 1)?.validFrom ?? null }
    isNewPart = last !== null && last.result !== 'waiting' && last.time < part.validFrom
    if (last && last.time < part.validFrom) rhythm.repeats = new Map()
    const uid = orderUid(network, part.order, owner)
    if (await isBooked(uid, at, options)) return { outcome: partPlaced(rhythm, part.validTo), isNewPart }
  } else if (order.endsAt !== null && order.endsAt < at.timestamp)
    return { outcome: { result: 'ended', reason: null, next: null } }
  let made: OrderData | undefined
  try {
    const answer = await options.poll(owner, params, proof)
    if ('part' in answer) {
      made = answer.part.order
      return { outcome: await placePart(owner, answer.part, rhythm, options), isNewPart }
    }
    if ('fault' in answer) return { outcome: pollFailed(answer.fault, rhythm), isNewPart }
    return { outcome: again('failed', exceededTexts[answer.exceeded], rhythm), isNewPart }
  } catch (fault) {
    // Once too little time is left, the reason of the part is the one before.
    const isLate = fault instanceof Refusal && lateCodes.includes(fault.code)
    const inPart = last && rhythm.window && rhythm.repeats.size > 0
    if (isLate && inPart) return { outcome: again(last.result, last.reason, rhythm), isNewPart }
    const outcome = refusedPart(fault, rhythm, options)
    const shortage = shortageOf(fault)
    const isKnown = rhythm.repeats.has(outcome.result)
    if (!made || !shortage || isKnown) return { outcome, isNewPart }
    const uid = orderUid(network, made, owner)
    return { outcome, isNewPart, short: { owner, hash: paramsId(params), uid, order: made, shortage } }
  }
}

/** The funds that are missing, if that is why a part was refused. */
function shortageOf(fault: unknown): Shortage | undefined {
  if (!(fault instanceof Refusal) || !fault.data) return undefined
  const missing = BigInt(String(fault.data.need ?? 0)) - BigInt(String(fault.data.have ?? 0))
  if (fault.code === 'InsufficientBalance') return { balance: missing, allowance: 0n }
  if (fault.code === 'InsufficientAllowance') return { balance: 0n, allowance: missing }
  return undefined
}

/** The refusals of a part whose time has run out. */
const lateCodes: readonly RefusalCode[] = ['InsufficientValidTo', 'OrderExpired']

const exceededTexts = { time: 'takes too long', size: 'returns too much' }

/** Reports whether a part is or was in the book: it is never placed again. */
async function isBooked(uid: OrderUid, at: PollTime, { db }: WatchTowerOptions): Promise<boolean> {
  const [booked] = await readBookedParts(db, [uid], at.timestamp)
  return booked !== undefined && (booked.inBook !== null || booked.isFilled || booked.isInvalidated)
}

/** Places the part as a client would, with the hash of its document alone. */
async function placePart(
  owner: Address,
  { order, signature }: TradeableOrder,
  rhythm: Rhythm,
  options: WatchTowerOptions,
): Promise<PollOutcome> {
  const uid = orderUid(options.network, order, owner)
  if (await isBooked(uid, rhythm.at, options)) return partPlaced(rhythm, order.validTo)
  try {
    await options.place({
      ...{ ...order, appData: toAppDataInput(order.appData), from: owner, signature },
      ...{ signingScheme: 'eip1271', quoteId: null, fullBalanceCheck: false },
    })
    options.meter.placed()
  } catch (fault) {
    if (!(fault instanceof Refusal && fault.code === 'DuplicatedOrder')) throw fault
  }
  return partPlaced(rhythm, order.validTo)
}

function refusedPart(fault: unknown, rhythm: Rhythm, { log }: WatchTowerOptions): PollOutcome {
  if (fault instanceof Outage) return again('unavailable', fault.message, rhythm)
  if (!(fault instanceof Refusal)) {
    log.error('a part of a programmatic order cannot be placed', { fault: String(fault) })
    return again('failed', 'a fault of the service', rhythm)
  }
  const reason = plain(`${fault.code}: ${fault.message}`).slice(0, maxReasonLength)
  return again(resultOfCode[fault.code] ?? 'refused', reason, rhythm)
}

const resultOfCode: Partial<Record<RefusalCode, PollResult>> = {
  InsufficientBalance: 'insufficientBalance',
  InsufficientAllowance: 'insufficientAllowance',
  Unavailable: 'unavailable',
}
