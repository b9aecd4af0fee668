import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import {
  available,
  isQuantity,
  parseHash,
  parseIndex,
  parseList,
  parseObject,
  parseResponse,
  toQuantity,
} from '../rpc/wire.ts'

export interface LogPlace {
  blockNumber: number
  blockHash: Bytes32
  /** Of a log whose index no log has, a place behind all others of its block: see `placed`. */
  logIndex: number
  /** Of a log without a transaction, the hash of its block. */
  txHash: Bytes32
}

/** Called with a log as the node sent it, when it is not what logs are. */
export type NoteOddLog = (what: 'placed' | 'skipped', raw: unknown) => void

export interface LogFilter {
  /** Of any contract where it is left out. */
  addresses?: readonly Address[]
  /** Any of these as the first topic. */
  events: readonly Bytes32[]
  /** The topics that follow; null is any. */
  indexed?: readonly (Bytes32 | null)[]
}

/** Both ends included. */
export interface LogRange {
  from: number
  to: number
  /** Hash of block `to`, if it is known. */
  endHash?: Bytes32 | undefined
}

/**
 * Raw logs of these contracts in a block range, both ends included, by place, each once. A range that the node refuses is halved until
 * it is accepted.
 * @param noteOdd for logs that got a place or a transaction here
 * @throws Outage when the node is unreachable, does not have the last block, refuses a single block, or contradicts itself
 */
export async function readLogs(
  rpc: Rpc,
  filter: LogFilter,
  { from, to, endHash }: LogRange,
  noteOdd?: NoteOddLog,
): Promise<unknown[]> {
  const logs = distinct(await readParts(rpc, filter, { from, to, endHash }), from, to)
  return placed(logs, noteOdd)
}

/**
 * Raw logs that match one of the filters in a block range, both ends included, by place, each once, in one request.
 * @throws Outage as `readLogs` does, also when the node refuses the range
 */
export async function readLogsAtOnce(
  rpc: Rpc,
  filters: readonly LogFilter[],
  range: LogRange,
): Promise<unknown[]> {
  const { answers } = await ask(rpc, filters, range)
  const rawLogs = answers.flatMap((logs) => parseList(parseResponse(logs)))
  return placed(distinct(rawLogs, range.from, range.to), undefined)
}

async function readParts(rpc: Rpc, filter: LogFilter, { from, to, endHash }: LogRange): Promise<unknown[]> {
  const { hash, answers } = await ask(rpc, [filter], { from, to, endHash })
  const [logs] = answers
  if (!logs || 'value' in logs || from >= to) return parseList(parseResponse(logs))
  const middle = Math.floor((from + to) / 2)
  const middleHash = await hashBelow(rpc, middle, { to, hash })
  const lower = await readParts(rpc, filter, { from, to: middle, endHash: middleHash })
  return lower.concat(await readParts(rpc, filter, { from: middle + 1, to, endHash: hash }))
}

/**
 * Block `to` is read in the same batch, so by the same node: a node that lags behind, or is on another branch, returns the logs that it
 * has, without an error.
 */
async function ask(rpc: Rpc, filters: readonly LogFilter[], { from, to, endHash }: LogRange) {
  const [fromBlock, toBlock] = [toQuantity(from), toQuantity(to)]
  const [end, ...answers] = await available(
    rpc.batch([
      { method: 'eth_getBlockByNumber', params: [toBlock, false] },
      ...filters.map(({ addresses: address, events, indexed = [] }) => ({
        method: 'eth_getLogs',
        params: [{ address, fromBlock, toBlock, topics: [events, ...indexed] }],
      })),
    ]),
  )
  return { hash: hashIn(end, to, endHash), answers }
}

/** The hash of block `number` on the branch of block `to`, by one node. */
async function hashBelow(
  rpc: Rpc,
  number: number,
  { to, hash }: { to: number; hash: Bytes32 },
): Promise<Bytes32> {
  const headers = [number, to].map((block) => ({
    method: 'eth_getBlockByNumber',
    params: [toQuantity(block), false],
  }))
  const [wanted, end] = await available(rpc.batch(headers))
  hashIn(end, to, hash)
  return hashIn(wanted, number)
}

/** @throws Outage when the node does not have the block, or another one */
function hashIn(response: RpcResponse | undefined, number: number, expected?: Bytes32): Bytes32 {
  const block = parseResponse(response)
  const hash = block === null ? undefined : parseHash(parseObject(block).hash)
  if (hash === undefined || (expected ?? hash) !== hash) throw new Outage(`block ${expected ?? number}`)
  return hash
}

/** A log of a block. Without an index that a log can have, or without a transaction, where the node names none. */
interface FoundLog extends Omit<LogPlace, 'logIndex' | 'txHash'> {
  logIndex: number | undefined
  txHash: Bytes32 | undefined
  /** As the node says it, if at all. */
  index: bigint
  content: string
  item: Record<string, unknown>
}

/**
 * A node may repeat logs and send them in any order. A block has one hash, and one log at each index.
 * @throws Outage for logs that contradict this, were removed, or lie outside the range
 */
function distinct(rawLogs: readonly unknown[], from: number, to: number): FoundLog[] {
  const blockHashes = new Map<number, Bytes32>()
  const logs = new Map<string, FoundLog>()
  for (const raw of rawLogs) {
    const found = toFound(raw)
    const { blockNumber, blockHash, logIndex, content, item } = found
    const key = `${blockHash} ${logIndex ?? content}`
    const isOutside = blockNumber < from || blockNumber > to || item.removed === true
    const isContradicted =
      (blockHashes.get(blockNumber) ?? blockHash) !== blockHash ||
      (logs.get(key)?.content ?? content) !== content
    if (isOutside || isContradicted) throw new Outage(`a consistent list of the logs of block ${blockNumber}`)
    blockHashes.set(blockNumber, blockHash)
    logs.set(key, found)
  }
  return [...logs.values()]
}

/** Far more than the logs of a block, and far less than the column of a log's index holds. */
const oddPlaces = 2 ** 30
/** Above all that a node can say. */
const noIndex = 2n ** 256n

/** @throws Outage for a pending log */
function toFound(raw: unknown): FoundLog {
  const item = parseObject(raw)
  const { address, topics, data, blockNumber, transactionHash, logIndex } = item
  const index = isQuantity(logIndex) ? BigInt(logIndex) : noIndex
  const isOdd = index >= oddPlaces
  return {
    blockNumber: parseIndex(blockNumber),
    blockHash: parseHash(item.blockHash),
    logIndex: isOdd ? undefined : Number(index),
    txHash: typeof transactionHash === 'string' ? toHex(transactionHash, 32) : undefined,
    // A log at a place of its own is told apart from the others by what it says, and by what the node says of its index.
    content: JSON.stringify([
      ...[address, topics, data, blockNumber, transactionHash],
      ...(isOdd ? [logIndex ?? null] : []),
    ]).toLowerCase(),
    index,
    item,
  }
}

/**
 * Logs by their places. Some chains have logs that belong to no transaction, or an index near 2^32: of a block they are the last, in the
 * order of their indices and of what they say, which does not depend on the order in which a node sends them; and what has no transaction has the hash of its
 * block instead, as some nodes say by themselves.
 */
function placed(logs: readonly FoundLog[], noteOdd: NoteOddLog | undefined): unknown[] {
  const odd = logs.filter(({ logIndex }) => logIndex === undefined)
  const sorted = odd.toSorted((a, b) =>
    a.index === b.index ? (a.content < b.content ? -1 : 1) : a.index < b.index ? -1 : 1,
  )
  const ranks = new Map<FoundLog, number>()
  const ofBlock = new Map<number, number>()
  for (const log of sorted) {
    const rank = ofBlock.get(log.blockNumber) ?? 0
    ranks.set(log, oddPlaces + rank)
    ofBlock.set(log.blockNumber, rank + 1)
  }
  return logs
    .map((log) => {
      if (log.logIndex === undefined || log.txHash === undefined) noteOdd?.('placed', log.item)
      const logIndex = log.logIndex ?? ranks.get(log) ?? oddPlaces
      return { ...log, logIndex, txHash: log.txHash ?? log.blockHash }
    })
    .sort(byPlace)
    .map(({ item, logIndex, txHash }) => ({
      ...item,
      logIndex: toQuantity(logIndex),
      transactionHash: txHash,
    }))
}

/** The logs of a receipt in their order, each of its transaction, whatever index and transaction they name. @throws Outage */
export function receiptLogs({ transactionHash, logs }: Record<string, unknown>): Record<string, unknown>[] {
  return parseList(logs).map((raw, index) => ({
    ...parseObject(raw),
    ...{ transactionHash, logIndex: toQuantity(index) },
  }))
}

/** The place of a log as `readLogs` and `receiptLogs` return it. @throws Outage for a pending log */
export function parsePlace(raw: unknown): LogPlace {
  const item = parseObject(raw)
  return {
    blockNumber: parseIndex(item.blockNumber),
    blockHash: parseHash(item.blockHash),
    logIndex: parseIndex(item.logIndex),
    txHash: parseHash(item.transactionHash),
  }
}

export function byPlace(a: LogPlace, b: LogPlace): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
