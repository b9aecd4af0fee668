import { createWake, type Wake } from '../concurrency/wake.ts'
import { Outage } from '../domain/errors/error.ts'
import { forgetUnshown } from '../storage/auction/mirrored-competition.ts'
import {
  changingMirrored,
  countLive,
  dueAccounts,
  forgetMissing,
  liveMirrored,
  noteLooked,
  quotesDue,
  unknownLogged,
  watchChannels,
} from '../storage/order/mirror.ts'
import { createBatches } from './batches.ts'
import { createClaims, mirrorLatest, mirrorMissing, missingAtOnce } from './competitions.ts'
import {
  firstNotified,
  type MirrorServices,
  mirrorAccount,
  mirrorFees,
  mirrorQuotes,
  storedAtOnce,
} from './mirror.ts'
import { maxUids } from './order-book.ts'

/**
 * The time after which an order of a watched account or of a new trade, or a watched account, is read again.
 * With many of them, the budget of calls makes it longer. Other live orders wait for the round.
 */
const compareMs = 5_000
/**
 * The pause between two looks: the time in which the newest competition may be requested again, within these
 * limits, and the shorter limit for a long round. Orders of new trades end it.
 */
const restMs = { min: 2_000, max: 5_000 }
/** The pause between two looks for orders of earlier trades. */
const tradedMs = 4_000
/** Watched accounts of one turn, so that others have theirs. */
const maxAccounts = 4
/** The time in which all live orders are compared, if the budget of calls is enough for it. */
const roundMs = 45_000
/** The part of all calls that the round takes before watched accounts are read. */
const roundPart = 0.55
/** The part of all calls with which the round of a few orders is shorter. */
const restingPart = 0.05
/** The looks of which one reads watched accounts before the round. */
const accountsFirst = 8
/** The number up to which live orders are counted, and the interval of it. */
const counted = { max: 100_000, everyMs: 15_000 }
/** The part of all calls that reads the fees of new trades, and its calls in one look. */
const feesPart = 0.1
const maxFees = 16
/** The interval in which quotes are looked for that lists did not have. */
const quotesMs = 10_000
const missingMs = 86_400_000
/** The interval of what need not be done with each look. */
const rareMs = 60_000

interface FollowOptions extends MirrorServices {
  /** The pause between two looks; by default 2 to 5 seconds. */
  pollMs?: number
  /** Ends the pause when trades are stored, so that their orders are read at once. */
  traded?: Wake
  /** The least time between two requests for the newest competition. */
  latestEveryMs?: number
  /** The budget of calls, by which the round of live orders is planned. */
  callsPerMinute?: number
}

/**
 * Mirrors an order book until `signal` aborts: the orders of logs that the indexer stored, competitions with
 * their orders, the orders of watched accounts, and the ends of live orders that only the order book knows.
 * One process at a time may run it.
 */
export async function followOrderBook(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { db, network, log, now, latestEveryMs = 0, callsPerMinute = Number.POSITIVE_INFINITY } = options
  const { chainId } = network
  const { pollMs, traded = createWake() } = options
  const [logged, auctioned] = [createBatches('new'), createBatches('new')]
  const [live, missed] = [createBatches('live', storedAtOnce), createBatches('live')]
  const old = createBatches('live', storedAtOnce)
  const quotes = createBatches('live', maxUids, mirrorQuotes)
  const claims = createClaims(options)
  const latest: { number: bigint | undefined } = { number: undefined }
  // An order book that is away from the start counts too.
  options.meter.looked()
  const before = (ms: number) => new Date(now() - ms)
  let latestAt = Number.NEGATIVE_INFINITY
  let missedAt = Number.NEGATIVE_INFINITY
  let feesAt = now()
  let quotesAt = Number.NEGATIVE_INFINITY
  /** Old orders wait, and nothing but the time for a look keeps them from being read. */
  let isBehind = false
  let looksAgainAt = 0
  /** Trades of others than the newest may name orders whose turn has come again. */
  let tradedAt = Number.NEGATIVE_INFINITY
  const first = [
    async () => {
      if (now() - latestAt < latestEveryMs) return
      latestAt = now()
      await mirrorLatest(auctioned, { ...options, claims, latest }).catch((fault: unknown) => {
        // The first look at an order book that was away.
        if (options.orderBook.state() !== 'closed') latestAt = Number.NEGATIVE_INFINITY
        throw fault
      })
      await noteLooked(db, chainId, before(0))
      options.meter.looked()
    },
    async () => {
      if (now() < tradedAt + tradedMs) return
      const from = await firstNotified(db, options)
      if (await logged((limit) => unknownLogged(db, chainId, { limit, from }), options)) tradedAt = now()
    },
  ]
  const compareLive = (find: typeof liveMirrored) =>
    live((limit) => find(db, chainId, before(compareMs), limit), options)
  const round = createRound(options)
  const planned = async () => {
    while ((await round.isDue()) && performance.now() < looksAgainAt && !signal.aborted) {
      const isDone = await compareLive(liveMirrored)
      round.advance()
      if (isDone) return
    }
  }
  const accounts = async () => {
    for (const account of await dueAccounts(db, chainId, before(compareMs), maxAccounts))
      await mirrorAccount(account, options)
  }
  // These steps share what the other steps leave of the budget, and take turns in going first.
  const then = [
    async () => {
      const find = round.isLong() ? liveMirrored : changingMirrored
      while (!(await compareLive(find)) && performance.now() < looksAgainAt && !signal.aborted);
    },
    async () => {
      // With one batch a look, a whole history would take days.
      do isBehind = !(await old((limit) => unknownLogged(db, chainId, { limit }), options))
      while (isBehind && performance.now() < looksAgainAt && !signal.aborted)
    },
    // As often as the newest competition: an order book of few orders shows few of its competitions.
    async () => {
      if (now() - missedAt < missingAtOnce * latestEveryMs) return
      missedAt = now()
      await mirrorMissing(missed, { ...options, claims })
    },
    () => claims.compare(),
    async () => {
      const calls = Math.floor(((now() - feesAt + 1) * callsPerMinute * feesPart) / 60_000)
      if (calls === 0) return
      feesAt = now()
      await mirrorFees(Math.min(calls, maxFees), options)
    },
    async () => {
      if (now() - quotesAt < quotesMs) return
      quotesAt = now()
      const find = (limit: number) => quotesDue(db, chainId, limit)
      while (!(await quotes(find, options)) && performance.now() < looksAgainAt && !signal.aborted);
    },
  ]
  const rare = async () => {
    await forgetMissing(db, chainId, before(missingMs))
    await forgetUnshown(db, chainId, before(missingMs))
    await watchChannels(db, chainId, 5 * rareMs)
  }
  const restNow = () =>
    pollMs ?? (round.isLong() ? restMs.min : Math.min(restMs.max, Math.max(restMs.min, latestEveryMs)))
  let looks = 0
  for (let rareAt = Number.NEGATIVE_INFINITY; !signal.aborted; then.push(...then.splice(0, 1))) {
    const isDue = now() - rareAt >= rareMs
    if (isDue) rareAt = now()
    isBehind = false
    const rest = restNow()
    looksAgainAt = performance.now() + rest
    const between = ++looks % accountsFirst === 0 ? [accounts, planned] : [planned, accounts]
    for (const step of [...(isDue ? [rare] : []), ...first, ...between, ...then]) {
      if (signal.aborted) return
      await step().catch((fault: unknown) => {
        isBehind = false
        // A fault here must not end the indexer, which runs with this loop.
        if (!(fault instanceof Outage))
          return log.error('a step of the mirror failed', { network: network.name, fault: String(fault) })
        log.debug('the order book cannot be read for the moment', {
          network: network.name,
          fault: fault.message,
        })
      })
    }
    if (await traded.pause(isBehind ? 0 : rest, signal)) tradedAt = Number.NEGATIVE_INFINITY
  }
}

/**
 * Plans the comparison of live orders, two lists at a time: all of them within `roundMs`, or sooner if a few
 * calls are enough, or with a part of all calls if they are too many.
 */
function createRound({ db, network, now, callsPerMinute = Number.POSITIVE_INFINITY }: FollowOptions) {
  let nextAt = now()
  let countedAt = Number.NEGATIVE_INFINITY
  let intervalMs = roundMs
  let lists = 1
  const msOf = (part: number) => 60_000 / (callsPerMinute * part)
  return {
    /** Reports whether the round takes over half of its part of the calls: it also uses what others leave. */
    isLong: () => roundMs / lists < 2 * msOf(roundPart),
    async isDue(): Promise<boolean> {
      if (now() - countedAt >= counted.everyMs) {
        countedAt = now()
        lists = Math.max(1, Math.ceil((await countLive(db, network.chainId, counted.max)) / maxUids))
        const listMs = Math.max(Math.min(roundMs / lists, msOf(restingPart)), msOf(roundPart))
        intervalMs = Math.min(2, lists) * listMs
      }
      return now() >= nextAt
    },
    /** Counts two lists. What could not be compared in time is compared later, but not all at once. */
    advance(): void {
      nextAt = Math.max(nextAt, now() - compareMs) + intervalMs
    },
  }
}
