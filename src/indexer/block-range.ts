import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { LogRange } from '../chain/logs/logs.ts'
import type { TradeLog } from '../chain/logs/settlement-logs.ts'
import { RpcError } from '../chain/rpc/rpc.ts'
import type { LoggedTransaction } from '../chain/settlement/find-transactions.ts'
import type { MinedGas, MinedSettlements, SettledTransaction } from '../chain/settlement/mined.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { unpackOrderUid } from '../domain/order/order.ts'

/** The chain reads of the indexer. */
export interface ChainReads {
  head(): Promise<Block>
  /** `undefined` when the chain is not that long. */
  block(number: number): Promise<Block | undefined>
  /** Sorted by block and log index. @throws Outage if the last block does not exist, or has another hash */
  logs(range: LogRange): Promise<ChainLog[]>
  settlements: ReadSettlements
  /** @throws Outage when the reads of `use` may come from several nodes. Without it they come from one. */
  consistent?<T>(use: () => Promise<T>): Promise<T>
  /** Trades of these owners in a range of blocks; absent if they are not looked for. @throws Outage */
  tradesOf?(owners: readonly Address[], range: LogRange): Promise<TradeLog[]>
  /** Gas of transactions, in the order of the hashes; null for those that are in no block. @throws Outage */
  gasOf(txHashes: readonly Bytes32[]): Promise<(MinedGas | null)[]>
}

/** Reads transactions of known settlement logs; leaves out those that no node knows. @throws Outage */
type ReadSettlements = (
  logged: readonly SettledTransaction[],
) => Promise<ReadonlyMap<Bytes32, MinedSettlements>>

export interface Checkpoint {
  number: number
  hash: Bytes32
}

/** A position in the chain; `hash` is null for the position before the first block. */
export type ChainPosition = Checkpoint | { number: number; hash: null }

/**
 * Two reads contradict each other: the chain changed in between, or several nodes behind one URL disagree.
 */
export class ChainMoved extends Error {
  override readonly name = 'ChainMoved'
}

/** The range has more logs than one transaction writes: a smaller range must be read. */
export class RangeTooFull extends Error {
  override readonly name = 'RangeTooFull'
}

/** The chain or its node is the cause, not this program. */
export function isChainFault(fault: unknown): fault is Outage | RpcError | ChainMoved {
  return fault instanceof Outage || fault instanceof RpcError || fault instanceof ChainMoved
}

/** Settlements are logged, but their transactions cannot be read, or no node knows them. */
export class TransactionsUnread extends Error {
  override readonly name = 'TransactionsUnread'
}

/**
 * Settlements that are taken by their logs alone: none, those whose transactions no node knows, or all whose
 * transactions cannot be read.
 */
export type AcceptsUnread = 'none' | 'unknown' | 'all'

/** One transaction writes this load in a few seconds. A single block may contain more. */
export const maxLogs = 10_000

export const timeOf = ({ timestamp }: Pick<Block, 'timestamp'>) => new Date(timestamp * 1_000)

/** An order with its events and notifications takes as long as several other logs. */
const heavyLog = 5

/** Successful reads after which a range that was too full is tried again at a greater length. */
const triedAgainAfter = 16

/** Lengths of block ranges up to `max`: halved after a fault, doubled after successes with few logs. */
export function createRange(max: number) {
  let range = max
  let successes = triedAgainAfter
  return {
    /** @param read returns how many logs there were. @throws its faults, but for `RangeTooFull` */
    async use(read: (range: number) => Promise<number>): Promise<void> {
      try {
        const count = await read(range)
        if (++successes < triedAgainAfter || count * 2 > maxLogs) return
        range = Math.min(max, range * 2)
      } catch (fault) {
        range = Math.max(1, range >> 1)
        if (!(fault instanceof RangeTooFull)) throw fault
        successes = 0
      }
    },
  }
}

/** Cost of writing logs; see `maxLogs`. */
export function loadOf(logs: readonly ChainLog[]): number {
  return logs.reduce((load, { type }) => load + (type === 'placement' ? heavyLog : 1), 0)
}

/** A range of blocks, with all that is read from the node about it. */
export interface BlockRange {
  /**
   * The last one is the new checkpoint. Above the finality horizon every block of the range, below it only
   * the last.
   */
  blocks: [Block, ...Block[]]
  /** All logs of the range. */
  logs: ChainLog[]
  /** Each transaction that logs a settlement, except those taken by their logs alone. */
  settlements: ReadonlyMap<Bytes32, MinedSettlements>
  /**
   * Headers of `blocks`, and of blocks that place orders, authorise programmatic ones, or invalidate one that
   * may have expired.
   */
  headers: readonly Block[]
}

const maxHeaders = 16

/**
 * Reads blocks above the finality horizon: a chain of headers that follows on `last`, and the logs of exactly
 * these blocks.
 * @param known headers that were read
 * @throws ChainMoved, RangeTooFull, TransactionsUnread
 */
export async function readNewBlocks(
  chain: ChainReads,
  last: ChainPosition,
  to: number,
  accepts: AcceptsUnread = 'none',
  known: readonly Block[] = [],
): Promise<BlockRange> {
  const first = last.number + 1
  const count = Math.min(maxHeaders, to - last.number)
  const numbers = Array.from({ length: count }, (_, index) => first + index)
  const headers = await readHeaders(chain, numbers, known)
  let parent = last.hash
  for (const { number, hash, parentHash } of headers) {
    if (parent !== null && parentHash !== parent) throw new ChainMoved(`block ${number} has another parent`)
    parent = hash
  }
  return withLogs(chain, first, headers, accepts)
}

/**
 * Reads blocks up to the finality horizon, with the last header only. Because the headers between are
 * missing, it checks after the reads that `last` is still in the chain.
 * @throws ChainMoved, RangeTooFull, TransactionsUnread
 */
export async function readOldBlocks(
  chain: ChainReads,
  last: ChainPosition,
  to: number,
  accepts: AcceptsUnread = 'none',
): Promise<BlockRange> {
  const range = await withLogs(chain, last.number + 1, [await header(chain, to)], accepts)
  if (last.hash !== null) await confirmBlock(chain, last)
  return range
}

/**
 * Reads the last header again after what else was read: logs come with their last block, but what follows may
 * be of a chain where it was replaced.
 */
async function withLogs(
  chain: ChainReads,
  from: number,
  blocks: Block[],
  accepts: AcceptsUnread,
): Promise<BlockRange> {
  const [first, ...rest] = blocks
  const end = blocks.at(-1)
  if (!first || !end) throw new RangeError('no blocks to read')
  const logs = await chain.logs({ from, to: end.number, endHash: end.hash, headers: blocks })
  if (loadOf(logs) > maxLogs && from < end.number) throw new RangeTooFull(`${logs.length} logs`)
  const late = await headersOfLate(chain, logs, blocks)
  const headers = [...blocks, ...late]
  checkHashes(logs, headers)
  const settlements = await readSettlements(chain, logs, accepts)
  checkReceipts(logs, settlements)
  if (late.length > 0 || logs.some(({ type }) => type === 'settlement')) await confirmBlock(chain, end)
  return { blocks: [first, ...rest], logs, settlements, headers }
}

async function readSettlements(
  chain: Pick<ChainReads, 'settlements'>,
  logs: readonly ChainLog[],
  accepts: AcceptsUnread,
): Promise<BlockRange['settlements']> {
  const logged = new Map<Bytes32, SettledTransaction>()
  for (const log of logs) {
    if (log.type !== 'settlement' || !hasTransaction(log)) continue
    logged.set(log.txHash, { ...log, settlements: (logged.get(log.txHash)?.settlements ?? 0) + 1 })
  }
  if (logged.size === 0) return new Map()
  try {
    const settlements = await chain.settlements([...logged.values()])
    const unknown = [...logged.keys()].filter((txHash) => !settlements.has(txHash))
    if (unknown.length > 0 && accepts === 'none')
      throw new TransactionsUnread(`no node knows ${unknown.length} transactions, such as ${unknown[0]}`)
    return settlements
  } catch (fault) {
    if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
    if (accepts === 'all') return new Map()
    throw new TransactionsUnread(fault.message, { cause: fault })
  }
}

/** A log of the block itself has the block's hash instead of a transaction's. */
export function hasTransaction({
  txHash,
  blockHash,
}: Pick<LoggedTransaction, 'txHash' | 'blockHash'>): boolean {
  return txHash !== blockHash
}

/** Checks whether some of its settlements are taken by their logs alone. */
export function hasUnread({ logs, settlements }: Pick<BlockRange, 'logs' | 'settlements'>): boolean {
  return logs.some((log) => log.type === 'settlement' && hasTransaction(log) && !settlements.has(log.txHash))
}

/**
 * Reads missing headers: they date what is placed or created on chain, and show expiry before an
 * invalidation.
 */
async function headersOfLate(
  chain: ChainReads,
  logs: readonly ChainLog[],
  blocks: readonly Block[],
): Promise<Block[]> {
  const known = new Set(blocks.map(({ number }) => number))
  const end = blocks.at(-1)?.timestamp ?? 0
  const isLate = (log: ChainLog) =>
    !known.has(log.blockNumber) &&
    (log.type === 'placement' ||
      log.type === 'creation' ||
      log.type === 'root' ||
      (log.type === 'invalidation' && unpackOrderUid(log.orderUid).validTo < end))
  return readHeaders(chain, [...new Set(logs.filter(isLate).map(({ blockNumber }) => blockNumber))])
}

function checkHashes(logs: readonly ChainLog[], headers: readonly Block[]): void {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  for (const { blockNumber, blockHash } of logs) {
    const expected = hashes.get(blockNumber)
    if (expected !== undefined && expected !== blockHash) {
      throw new ChainMoved(`a log of block ${blockNumber} is from another block`)
    }
  }
}

function checkReceipts(logs: readonly ChainLog[], settlements: BlockRange['settlements']): void {
  for (const { type, txHash, blockHash } of logs) {
    const mined = type === 'settlement' && settlements.get(txHash)
    if (mined && mined.blockHash !== blockHash)
      throw new ChainMoved(`the receipt of transaction ${txHash} is from another block`)
  }
}

async function readHeaders(
  chain: ChainReads,
  numbers: readonly number[],
  known: readonly Block[] = [],
): Promise<Block[]> {
  const knownAt = new Map(known.map((block) => [block.number, block]))
  const headers: Block[] = []
  for (let start = 0; start < numbers.length; start += maxHeaders) {
    const part = numbers.slice(start, start + maxHeaders)
    headers.push(...(await Promise.all(part.map((number) => knownAt.get(number) ?? header(chain, number)))))
  }
  return headers
}

async function header(chain: Pick<ChainReads, 'block'>, number: number): Promise<Block> {
  const block = await chain.block(number)
  if (!block) throw new ChainMoved(`block ${number} is missing below the head`)
  return block
}

/** @throws ChainMoved when this block is no longer in the chain */
export async function confirmBlock(
  chain: Pick<ChainReads, 'block'>,
  { number, hash }: Checkpoint,
): Promise<void> {
  if ((await header(chain, number)).hash !== hash) throw new ChainMoved(`block ${number} changed`)
}
