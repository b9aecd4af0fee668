import { setTimeout as pause } from 'node:timers/promises'
import type { Block } from '../chain/chain.ts'
import { createWake, type Wake } from '../concurrency/wake.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Indexed } from '../storage/chain/indexed-logs.ts'
import {
  type AcceptsUnread,
  type BlockRange,
  ChainMoved,
  type ChainPosition,
  type ChainReads,
  type Checkpoint,
  hasUnread,
  isChainFault,
  loadOf,
  maxLogs,
  RangeTooFull,
  readNewBlocks,
  readOldBlocks,
  TransactionsUnread,
} from './block-range.ts'

/**
 * Waits before the next poll of the chain; ends early when the signal aborts. `failures` is the number of
 * failures in a row.
 */
export type HeadPoll = (failures: number, signal: AbortSignal) => Promise<void>

const maxPauseMs = 30_000

/** Waits `intervalMs`; after each failure twice as long, up to half a minute. */
export function createPoll(intervalMs: number): HeadPoll {
  return (failures, signal) =>
    pause(Math.max(intervalMs, Math.min(maxPauseMs, intervalMs * 2 ** failures)), undefined, {
      signal,
    }).catch(() => undefined)
}

/** The indexer as seen by the work that reads up to its stored block. */
export interface IndexerView {
  /** Returns null before the first stored block. */
  indexed(): Promise<Indexed | null>
  /** Waits before the next look at the stored block. */
  poll: HeadPoll
}

/**
 * Passes each move of the indexer on to its followers in this process, so that they poll no checkpoint.
 * @param maxWaitMs the maximum wait for a move: followers have other work too, such as retries
 */
export function createIndexerMoves(maxWaitMs: number) {
  const retry = createPoll(maxWaitMs)
  let last: Indexed | null = null
  const followers: Wake[] = []
  return {
    moved(to: Indexed | null): void {
      last = to
      for (const follower of followers) follower.wake()
    },
    follow(): IndexerView {
      const follower = createWake()
      followers.push(follower)
      return {
        indexed: async () => last,
        poll: async (failures, signal) =>
          void (failures > 0 ? await retry(failures, signal) : await follower.pause(maxWaitMs, signal)),
      }
    },
  }
}

interface BlockPollOptions {
  /** The pause while a block is due. */
  intervalMs: number
  /** The maximum time between two blocks that is waited for. */
  blockTimeMs: number
  now: Clock
}

/** Returns a poll that waits until a block is due after the last one of `seen`, and then at intervals. */
export function createBlockPoll({ intervalMs, blockTimeMs, now }: BlockPollOptions) {
  let last: Block | undefined
  let dueAt = Number.NEGATIVE_INFINITY
  return {
    seen(head: Block): Block {
      if (last?.hash === head.hash) return head
      const blocks = last ? head.number - last.number : 0
      const gapMs = last && blocks > 0 ? ((head.timestamp - last.timestamp) * 1_000) / blocks : 0
      dueAt = Math.min(now(), head.timestamp * 1_000) + Math.min(blockTimeMs, gapMs)
      last = head
      return head
    },
    poll: ((failures, signal) => {
      const pauseMs = failures === 0 ? Math.max(intervalMs, dueAt - now()) : intervalMs
      return createPoll(pauseMs)(failures, signal)
    }) satisfies HeadPoll,
  }
}

interface Repetition {
  poll: HeadPoll
  log: Log
  /** The warning for a fault. */
  what: string
  network: string
}

/** Repeats a step. Polls after a fault, and after a step that leaves no work. Never throws. */
export async function repeat(
  step: () => Promise<boolean>,
  { poll, log, what, network }: Repetition,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const hasMore = await step()
      failures = 0
      if (!hasMore) await poll(0, signal)
    } catch (fault) {
      const isUsual = isChainFault(fault)
      if (failures++ === 0 || !isUsual)
        log[isUsual ? 'warn' : 'error'](what, { network, fault: String(fault) })
      await poll(failures, signal)
    }
  }
}

export type ChainStep =
  /** Everything above `to` is undone. */
  | { type: 'reorg'; to: ChainPosition }
  /** The chain continues from the last step to the last of `blocks`. `head` is the newest known block. */
  | ({ type: 'blocks'; head: number } & BlockRange)
  /** Final: this block and earlier ones are never undone. Only yielded for blocks that were followed. */
  | { type: 'finalize'; number: number }

export interface ChainStreamOptions {
  chain: ChainReads
  /** The consumer's checkpoint; null before the first. */
  from: Checkpoint | null
  /** First block to follow. */
  firstBlock: number
  /** The hash that the consumer stored for a block; `undefined` if none. */
  storedHash: (number: number) => Promise<Bytes32 | undefined>
  finalityBlocks: number
  /** Maximum number of blocks in one read of logs. */
  maxRange: number
  poll: HeadPoll
  /** Waits for the next poll after the newest block too. By default it looks at once. */
  restsAtHead?: boolean
  signal: AbortSignal
  log: Log
  /**
   * Successive polls with a head below the last block, after which the chain counts as shortened and not as
   * seen by a lagging node. Default 20.
   */
  maxLooksBehind?: number
}

/** Looks in a row that end at an unreadable transaction before its block is taken by its logs. */
const maxUnreadLooks = 3

/**
 * Streams the chain from the consumer's checkpoint on, until `signal` aborts. The consumer stores a step
 * before it requests the next. If the node lags behind, contradicts itself or is down, the stream waits and
 * tries again.
 */
export async function* streamChain(options: ChainStreamOptions): AsyncGenerator<ChainStep, void> {
  const { chain, firstBlock, finalityBlocks, maxRange, poll, signal, log } = options
  const origin: ChainPosition = { number: firstBlock - 1, hash: null }
  let last: ChainPosition = options.from ?? origin
  let finalized = origin.number
  let range = maxRange
  let looksBehind = 0
  let failures = 0
  let unreadLooks = 0
  /** The last final blocks had transactions that no node knows: others are not waited for. */
  let isTolerant = false
  const consistent: NonNullable<ChainReads['consistent']> = chain.consistent ?? ((use) => use())

  while (!signal.aborted) {
    try {
      const { head, position, next } = await consistent(() =>
        look(options, last, range, {
          new: range === 1 && unreadLooks >= maxUnreadLooks ? 'all' : 'none',
          old: range === 1 && unreadLooks >= maxUnreadLooks ? 'all' : isTolerant ? 'unknown' : 'none',
        }),
      )
      looksBehind = position === 'behind' ? looksBehind + 1 : 0
      if (position === 'forked' || looksBehind > (options.maxLooksBehind ?? 20)) {
        const highest = Math.min(last.number, head.number)
        const to = (await consistent(() => commonAncestor(options, highest))) ?? origin
        const undone = to.number < last.number
        last = to
        finalized = Math.min(finalized, to.number)
        looksBehind = 0
        if (undone) yield { type: 'reorg', to }
      } else if (next) {
        last = next.blocks.at(-1) ?? last
        if (hasUnread(next)) isTolerant = true
        else if (next.settlements.size > 0) isTolerant = false
        yield { type: 'blocks', ...next, head: head.number }
        const horizon = Math.min(last.number, head.number - finalityBlocks)
        if (horizon > finalized) {
          finalized = horizon
          yield { type: 'finalize', number: finalized }
        }
        if (loadOf(next.logs) * 2 <= maxLogs) range = Math.min(maxRange, range * 2)
        if (options.restsAtHead && last.number === head.number) await poll(0, signal)
      } else {
        await poll(0, signal)
      }
      failures = 0
      unreadLooks = 0
    } catch (fault) {
      if (fault instanceof RangeTooFull) {
        range = Math.max(1, range >> 1)
        continue
      }
      const isUnread = fault instanceof TransactionsUnread
      if (!isUnread && !isChainFault(fault)) throw fault
      if (isUnread) unreadLooks++
      // The node may time out for many blocks, but not for fewer.
      range = Math.max(1, range >> (isUnread ? 4 : 1))
      failures++
      log.warn('the chain cannot be followed for the moment', { failures, fault: fault.message })
      await poll(failures, signal)
    }
  }
}

/** Accepted unread settlements of new blocks, and of final ones. */
type Accepts = Record<'new' | 'old', AcceptsUnread>

/** The newest block, and the blocks to read next if it is ahead. */
async function look(options: ChainStreamOptions, last: ChainPosition, range: number, accepts: Accepts) {
  const head = await options.chain.head()
  const { position, known = [] } = await compare(options, last, head)
  const next =
    position === 'ahead' ? await readNext(options, last, [...known, head], range, accepts) : undefined
  return { head, position, next }
}

/**
 * The position of `head` relative to `last`, and the block after `last` if it was read. `behind`: lower, and
 * in the followed chain as far as stored hashes show. A lagging node and a shortened chain look the same.
 */
async function compare(
  { chain, storedHash }: ChainStreamOptions,
  last: ChainPosition,
  head: Block,
): Promise<{ position: 'ahead' | 'level' | 'behind' | 'forked'; known?: Block[] }> {
  if (head.number < last.number) {
    const hash = await storedHash(head.number)
    return { position: hash === undefined || hash === head.hash ? 'behind' : 'forked' }
  }
  if (head.number === last.number)
    return { position: last.hash === null || head.hash === last.hash ? 'level' : 'forked' }
  if (last.hash === null) return { position: 'ahead' }
  // The next block names its parent.
  const isNext = head.number === last.number + 1
  const next = isNext ? head : await chain.block(last.number + 1)
  if (!next) throw new ChainMoved(`block ${last.number + 1} is missing below the head`)
  if (next.parentHash !== last.hash) return { position: 'forked' }
  return { position: 'ahead', known: isNext ? [] : [next] }
}

/** The newest block at or below `from` whose stored hash is that of the chain. */
async function commonAncestor(
  { chain, storedHash, firstBlock }: ChainStreamOptions,
  from: number,
): Promise<Checkpoint | undefined> {
  for (let number = from; number >= firstBlock; number--) {
    const hash = await storedHash(number)
    if (hash === undefined) continue
    const block = await chain.block(number)
    if (!block) throw new ChainMoved(`block ${number} is missing below the head`)
    if (block.hash === hash) return { number, hash }
  }
  return undefined
}

function readNext(
  { chain, finalityBlocks }: ChainStreamOptions,
  last: ChainPosition,
  known: readonly Block[],
  range: number,
  accepts: Accepts,
): Promise<BlockRange> {
  const head = known.at(-1)?.number ?? last.number
  const horizon = head - finalityBlocks
  return last.number < horizon
    ? readOldBlocks(chain, last, Math.min(horizon, last.number + range), accepts.old)
    : readNewBlocks(chain, last, Math.min(head, last.number + range), accepts.new, known)
}
