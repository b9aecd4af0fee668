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
  isFailure,
  type PollOutcome,
  type PollTime,
  partPlaced,
  pollFailed,
  type Rhythm,
} from '../domain/programmatic/poll.ts'
import { decodeInput } from '../domain/programmatic/static-input.ts'
import type { PollResult } from '../domain/programmatic/statuses.ts'
import { twapAt, twapPart, twapSchedule } from '../domain/programmatic/twap.ts'
import { orderUid } from '../domain/signing/signing.ts'
import { plain } from '../domain/text/readable.ts'
import { recordShortPart, type ShortPart } from '../notifications/programmatic.ts'
import { readBookedParts } from '../storage/chain/programmatic.ts'
import {
  type DuePoll,
  duePolls,
  lanes,
  lastProgrammaticChange,
  type PollLane,
  type Rank,
  storePoll,
} from '../storage/chain/programmatic-polls.ts'
import {
  countPolls,
  releaseStored,
  reserveStored,
  type SpentBudget,
  type TowerBudgets,
} from '../storage/chain/tower-uses.ts'
import type { Database } from '../storage/database/database.ts'
import { orderRowBytes } from '../storage/order/insert.ts'
import { timeOf } from './block-range.ts'
import { createPoll, type HeadPoll, repeat } from './chain-stream.ts'

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
  /** Places an order as for a client; one lane does not wait for the other. @throws Refusal; Outage */
  place(creation: OrderCreation, lane: PollLane): Promise<OrderUid>
  /** Owners whose orders are polled at a time, in each lane. */
  atOnce: number
  budgets: TowerBudgets
  meter: TowerMeter
  /** Default: by the network's block time. */
  rhythm?: HeadPoll
}

/** Orders of an owner that a turn polls, one after another, once a part of the owner was placed; else one. */
const perOwner = 8
/** An owner whose turn takes longer waits for the next one with the rest. */
const maxTurnMs = 5_000
const maxReasonLength = 300

/** The places that a rank and lower ones may have: one is kept for the first rank, half for the first two. */
const placesOf: Record<Rank, (atOnce: number) => number> = {
  placed: (atOnce) => atOnce,
  new: (atOnce) => Math.max(1, atOnce - 1),
  failing: (atOnce) => Math.max(1, Math.floor(atOnce / 2)),
}

/** Turns in progress, by their owners. */
type Turns = Map<Address, { rank: Rank; ended: Promise<void> }>

/**
 * Polls programmatic orders that are due, and places their parts. Parts that are known by arithmetic have a
 * lane of their own: they wait for no handler. Each owner has a turn in a lane: hostile code delays its own
 * owner's orders, and occupies one place. Runs until `signal` aborts. One process at a time may run it. Never
 * throws.
 */
export async function runWatchTower(options: WatchTowerOptions, signal: AbortSignal): Promise<void> {
  const { network, log } = options
  const poll = options.rhythm ?? createPoll(Math.min(1_000, Math.max(200, network.blockTimeMs / 4)))
  const what = 'programmatic orders cannot be polled for the moment'
  const late = new Map<PollLane, number>()
  await Promise.all(
    lanes.map(async (lane) => {
      const turns: Turns = new Map()
      const onLate = (seconds: number) => {
        late.set(lane, seconds)
        options.meter.late(Math.max(...late.values()))
      }
      let resting: Promise<void> | undefined
      const rest = () => {
        resting ??= poll(0, signal).finally(() => {
          resting = undefined
        })
        return resting
      }
      const step = createStep(options, { lane, turns, onLate, rest }, signal)
      await repeat(step, { poll, log, what, network: network.name }, signal)
      await Promise.all([...turns.values()].map(({ ended }) => ended))
    }),
  )
}

interface LaneState {
  lane: PollLane
  turns: Turns
  onLate(seconds: number): void
  /** Waits as between two steps; those who wait at the same time wait together. */
  rest(): Promise<void>
}

/** Begins the turns of owners with orders of a lane that are due. Returns whether there may be more. */
function createStep(
  options: WatchTowerOptions,
  { lane, turns, onLate, rest }: LaneState,
  signal: AbortSignal,
): () => Promise<boolean> {
  const { network, db, log, atOnce, meter } = options
  const { chainId } = network
  /** The state at which nothing was due: the head, and the last change of a programmatic order. */
  let idle: string | undefined

  async function turn(owner: Address, orders: readonly DuePoll[], head: Block): Promise<void> {
    const began = performance.now()
    const took = () => performance.now() - began
    let [polls, placed, failed] = [0, 0, 0]
    try {
      for (const order of orders) {
        if (signal.aborted || took() > maxTurnMs || (polls > 0 && order.rank !== 'placed')) return
        polls++
        const { outcome, short, isNewPart, isPlaced } = await pollOne(order, head, lane, options)
        if (isPlaced) placed++
        if (short)
          await db.transaction(async (tx) => {
            const isStored = await storePoll(tx, order, head, outcome, isNewPart)
            if (isStored) await recordShortPart(tx, chainId, short, timeOf(head))
          })
        else await storePoll(db, order, head, outcome, isNewPart)
        meter.polled(outcome.result)
        if (isFailure(outcome.result)) {
          failed++
          return
        }
      }
    } finally {
      await countPolls(db, chainId, { owner, polls, placed, failed, took: took() })
    }
  }

  /** Reports whether a turn of this rank may begin while others are in progress. */
  function hasPlace(rank: Rank): boolean {
    const running = [...turns.values()]
    const [others, failing] = [
      running.filter((each) => each.rank !== 'placed').length,
      running.filter((each) => each.rank === 'failing').length,
    ]
    if (running.length >= placesOf.placed(atOnce)) return false
    if (rank === 'placed') return true
    if (others >= placesOf.new(atOnce)) return false
    return rank === 'new' || failing < placesOf.failing(atOnce)
  }

  return async () => {
    const head = await options.head()
    const state = `${head.hash} ${await lastProgrammaticChange(db)}`
    if (state === idle) return false
    const busy = [...turns.keys()]
    const due = await duePolls(db, chainId, {
      lane,
      at: head,
      busy,
      perOwner,
      limit: (atOnce - busy.length) * perOwner,
    })
    // A turn that ends during the statement leaves orders that it did not see.
    if (due.length === 0 && busy.length === 0) idle = state
    onLate(Math.max(0, ...due.map(({ dueAt }) => (dueAt > 0 ? head.timestamp - dueAt : 0))))
    for (const [owner, orders] of byOwner(due)) {
      const rank = orders[0]?.rank ?? 'failing'
      if (!hasPlace(rank)) continue
      const ended = turn(owner, orders, head)
        .catch((fault) => {
          const level = fault instanceof Outage ? 'warn' : 'error'
          log[level]('a programmatic order was not polled', { owner, fault: String(fault) })
        })
        .finally(() => turns.delete(owner))
      turns.set(owner, { rank, ended })
    }
    if (turns.size === 0) return false
    // What comes meanwhile may have a place although others are occupied.
    const isFull = turns.size >= atOnce
    await Promise.race([...[...turns.values()].map(({ ended }) => ended), ...(isFull ? [] : [rest()])])
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
  /** True if its part is new in the book. */
  isPlaced?: boolean
}

/** @throws Outage if the database does not answer */
async function pollOne(
  order: DuePoll,
  at: Block,
  lane: PollLane,
  options: WatchTowerOptions,
): Promise<Polled> {
  const { network } = options
  const { owner, params, proof, last } = order
  const rhythm: Rhythm = {
    at,
    blockTime: network.blockTimeMs / 1_000,
    last: last ? { result: last.result, repeats: last.repeats + 1 } : undefined,
    failures: order.failures,
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
    // What failed before the part does not delay it.
    rhythm.failures = 0
    if (last && last.time < part.validFrom) rhythm.last = undefined
    const uid = orderUid(network, part.order, owner)
    if (await isBooked(uid, at, options)) return { outcome: partPlaced(rhythm, part.validTo), isNewPart }
  } else if (order.endsAt !== null && order.endsAt < at.timestamp)
    return { outcome: { result: 'ended', reason: null, next: null } }
  let made: OrderData | undefined
  try {
    const answer = await options.poll(owner, params, proof)
    if ('part' in answer) {
      made = answer.part.order
      return { ...(await placePart(owner, answer.part, rhythm, lane, options)), isNewPart }
    }
    if ('fault' in answer) return { outcome: pollFailed(answer.fault, rhythm), isNewPart }
    return { outcome: again('failed', exceededTexts[answer.exceeded], rhythm), isNewPart }
  } catch (fault) {
    // Once too little time is left, the reason of the part is the one before.
    const isLate = fault instanceof Refusal && lateCodes.includes(fault.code)
    const inPart = last && rhythm.window && rhythm.last
    if (isLate && inPart) return { outcome: again(last.result, last.reason, rhythm), isNewPart }
    const outcome = refusedPart(fault, rhythm, options)
    const shortage = shortageOf(fault)
    const isKnown = rhythm.last?.result === outcome.result
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

const spentTexts: Record<SpentBudget, string> = {
  owner: 'the owner has used its budget of parts that are placed in a day',
  tower:
    'all owners together have used the budget of parts in a day, or the half for those who have not traded',
}

/**
 * Places the part as a client would, with the hash of its document alone, within the budgets of what is
 * stored. @throws Refusal; Outage
 */
async function placePart(
  owner: Address,
  { order, signature }: TradeableOrder,
  rhythm: Rhythm,
  lane: PollLane,
  options: WatchTowerOptions,
): Promise<Pick<Polled, 'outcome' | 'isPlaced'>> {
  const { network, db, budgets } = options
  const uid = orderUid(network, order, owner)
  const outcome = partPlaced(rhythm, order.validTo)
  if (await isBooked(uid, rhythm.at, options)) return { outcome }
  const stored = { owner, bytes: orderRowBytes + (signature.length - 2) / 2 }
  const spent = await reserveStored(db, network.chainId, stored, budgets)
  if (spent) return { outcome: again('refused', spentTexts[spent], rhythm) }
  const creation: OrderCreation = {
    ...order,
    appData: toAppDataInput(order.appData),
    from: owner,
    signature,
    signingScheme: 'eip1271',
    quoteId: null,
    fullBalanceCheck: false,
  }
  try {
    await options.place(creation, lane)
  } catch (fault) {
    await releaseStored(db, network.chainId, stored)
    if (fault instanceof Refusal && fault.code === 'DuplicatedOrder') return { outcome }
    throw fault
  }
  options.meter.placed()
  return { outcome, isPlaced: true }
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
