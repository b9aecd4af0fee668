import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, toHex } from '../../domain/evm/hex.ts'
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

export interface LogPosition {
  blockNumber: number
  blockHash: Bytes32
  /** The index; a log without a valid one has that of its receipt, or a place behind all: see `placed`. */
  logIndex: number
  /** The transaction; for a log without one, the hash of its block. */
  txHash: Bytes32
}

/** A log that lacked its place, that counts for nothing, or that the node left out first. */
export type OddLog = 'placed' | 'skipped' | 'missed'

/** Receives such a log as the node sent it. */
export type NoteOddLog = (what: OddLog, raw: unknown) => void

export interface LogFilter {
  /** The contracts; any if left out. */
  addresses?: readonly Address[]
  /** The first topic: any of these. */
  events: readonly Bytes32[]
  /** The topics that follow; a list matches each of its items, null any. */
  indexed?: readonly (Bytes32 | readonly Bytes32[] | null)[]
}

/** A block range, both ends included. */
export interface LogRange {
  from: number
  to: number
  /** The hash of block `to`, if known. */
  endHash?: Bytes32 | undefined
  /** Headers of blocks of the range: logs that they announce and that do not come are asked for again. */
  headers?: readonly { number: number; hash: Bytes32; logsBloom?: Hex | undefined }[]
}

/**
 * Reads raw logs of these contracts in a block range, both ends included, sorted by place and without
 * duplicates. A range that the node refuses is halved until it is accepted.
 * @param noteOdd for logs that got a place or a transaction here
 * @throws Outage if the node is unreachable, does not have the last block, refuses a single block, or
 *   contradicts itself
 */
export async function readLogs(
  rpc: Rpc,
  filter: LogFilter,
  { from, to, endHash }: LogRange,
  noteOdd?: NoteOddLog,
): Promise<unknown[]> {
  const logs = distinct(await readParts(rpc, filter, { from, to, endHash }), from, to, noteOdd)
  return placed(await withReceipts(rpc, logs), noteOdd)
}

/**
 * Reads raw logs that match one of the filters in a block range, both ends included, sorted by place and
 * without duplicates, in one request.
 * @throws Outage as `readLogs` does, also if the node refuses the range
 */
export async function readLogsAtOnce(
  rpc: Rpc,
  filters: readonly LogFilter[],
  range: LogRange,
): Promise<unknown[]> {
  const { answers } = await ask(rpc, filters, range)
  const rawLogs = answers.flatMap((logs) => parseList(parseResponse(logs)))
  return placed(distinct(rawLogs, range.from, range.to, undefined), undefined)
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
 * Sends the filters. Block `to` is read in the same batch, so by the same node: a node that lags behind, or
 * is on another branch, returns the logs that it has, without an error.
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

/** The hash of block `number` on the branch of block `to`, from one node. */
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

/** The hash of a block. @throws Outage if the node does not have the block, or has another at its height */
function hashIn(response: RpcResponse | undefined, number: number, expected?: Bytes32): Bytes32 {
  const block = parseResponse(response)
  const hash = block === null ? undefined : parseHash(parseObject(block).hash)
  if (hash === undefined || (expected ?? hash) !== hash) throw new Outage(`block ${expected ?? number}`)
  return hash
}

/** A log of a block. It may lack a valid index, and a transaction if the node names none. */
interface FoundLog extends Omit<LogPosition, 'logIndex' | 'txHash'> {
  logIndex: number | undefined
  txHash: Bytes32 | undefined
  /** The index as the node sent it, if any. */
  index: bigint
  /** Its place in its receipt, for a log without a valid index; 0 if that is unknown. */
  rank: number
  content: string
  item: Record<string, unknown>
}

/**
 * Removes duplicates: a node may repeat logs and send them in any order. A block has one hash, and one log at
 * each index. Leaves out logs that a node says to be in no block, or no longer.
 * @throws Outage for logs that contradict this, or lie outside the range
 */
function distinct(
  rawLogs: readonly unknown[],
  from: number,
  to: number,
  noteOdd: NoteOddLog | undefined,
): FoundLog[] {
  const blockHashes = new Map<number, Bytes32>()
  const logs = new Map<string, FoundLog>()
  for (const raw of rawLogs) {
    if (isOfNoBlock(raw)) {
      noteOdd?.('skipped', raw)
      continue
    }
    const found = toFound(raw)
    const { blockNumber, blockHash, logIndex, content } = found
    const key = `${blockHash} ${logIndex ?? content}`
    const isOutside = blockNumber < from || blockNumber > to
    const isContradicted =
      (blockHashes.get(blockNumber) ?? blockHash) !== blockHash ||
      (logs.get(key)?.content ?? content) !== content
    if (isOutside || isContradicted) throw new Outage(`a consistent list of the logs of block ${blockNumber}`)
    blockHashes.set(blockNumber, blockHash)
    logs.set(key, found)
  }
  return [...logs.values()]
}

/**
 * The first place for malformed logs: far more than the logs of a block, and far less than the limit of the
 * column for the index.
 */
const oddPlaces = 2 ** 30
/** A value above all possible indices. */
const noIndex = 2n ** 256n

/** Reports whether the log is pending, or a reorganisation removed it. */
function isOfNoBlock(raw: unknown): boolean {
  const { removed, blockHash } = parseObject(raw)
  return removed === true || blockHash === null
}

/** Parses a log. @throws Outage */
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
    // A log at a place of its own is distinguished from other logs by its content and by the index that the
    // node sent.
    content: JSON.stringify([
      address,
      topics,
      data,
      blockNumber,
      transactionHash,
      ...(isOdd ? [logIndex ?? null] : []),
    ]).toLowerCase(),
    index,
    rank: 0,
    item,
  }
}

/** Transactions whose receipts are read for the places of their logs. */
const maxReceipts = 100

/**
 * Gives logs without a valid index the places that they have in the receipts of their transactions. The logs
 * of a transaction have consecutive indices, so that one valid index there suffices for all of them. A
 * receipt that the node does not have, or of another block, says nothing.
 * @throws Outage
 */
async function withReceipts(rpc: Rpc, logs: readonly FoundLog[]): Promise<FoundLog[]> {
  const odd = logs.filter(({ logIndex, txHash }) => logIndex === undefined && txHash !== undefined)
  const hashes = [...new Set(odd.map(({ txHash }) => txHash))].slice(0, maxReceipts)
  if (hashes.length === 0) return [...logs]
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const responses = await available(rpc.batch(calls))
  const receipts = new Map(
    hashes.map((hash, place) => {
      const response = responses[place]
      return [hash, response && 'value' in response ? placesIn(response.value) : []]
    }),
  )
  const taken = new Set<FoundPlace>()
  const isTaken = new Set(logs.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
  return logs.map((log) => {
    if (log.logIndex !== undefined || log.txHash === undefined) return log
    const place = receipts
      .get(log.txHash)
      ?.find((each) => !taken.has(each) && each.blockHash === log.blockHash && each.body === bodyOf(log.item))
    if (!place) return log
    taken.add(place)
    const key = `${log.blockHash} ${place.logIndex}`
    const logIndex = isTaken.has(key) ? undefined : place.logIndex
    isTaken.add(key)
    return { ...log, logIndex, rank: place.rank }
  })
}

/** The place of a log by its receipt. */
interface FoundPlace {
  blockHash: unknown
  body: string
  rank: number
  logIndex: number | undefined
}

function placesIn(receipt: unknown): FoundPlace[] {
  if (!isReceipt(receipt)) return []
  const { logs, blockHash } = receipt
  const items = logs.filter((item) => typeof item === 'object' && item !== null)
  const valid = items.findIndex(({ logIndex }) => isQuantity(logIndex) && BigInt(logIndex) < oddPlaces)
  const first = valid < 0 ? undefined : parseIndex(items[valid]?.logIndex) - valid
  return items.map((item, rank) => ({
    blockHash,
    body: bodyOf(item),
    rank,
    logIndex: first === undefined || first < 0 ? undefined : first + rank,
  }))
}

/** A receipt that cannot be read says nothing: its logs stay at the end of their block. */
const isReceipt = (value: unknown): value is { logs: Record<string, unknown>[]; blockHash: unknown } =>
  typeof value === 'object' && value !== null && 'logs' in value && Array.isArray(value.logs)

const bodyOf = ({ address, topics, data }: Record<string, unknown>) =>
  JSON.stringify([address, topics, data]).toLowerCase()

/**
 * Sorts logs by their places. On some chains logs belong to no transaction, or have an index near 2^32, also
 * in receipts. Such logs are the last of their block, sorted by their place in the receipt, index and
 * content, so that the order does not depend on the node. A log without a transaction has the hash of its
 * block instead, as some nodes do themselves.
 */
function placed(logs: readonly FoundLog[], noteOdd: NoteOddLog | undefined): unknown[] {
  const odd = logs.filter(({ logIndex }) => logIndex === undefined)
  const ranks = new Map<FoundLog, number>()
  const ofBlock = new Map<number, number>()
  for (const log of inOddOrder(odd)) {
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
    .sort(byLogPosition)
    .map(({ item, logIndex, txHash }) => ({
      ...item,
      logIndex: toQuantity(logIndex),
      transactionHash: txHash,
    }))
}

/** Sorts logs without valid indices: those of a transaction follow each other as in its receipt. */
function inOddOrder(logs: readonly FoundLog[]): FoundLog[] {
  const byIndex = logs.toSorted((a, b) =>
    a.index === b.index ? (a.content < b.content ? -1 : 1) : a.index < b.index ? -1 : 1,
  )
  const ofTransaction = new Map<string, FoundLog[]>()
  for (const log of byIndex) {
    const key = log.txHash ?? log.content
    ofTransaction.set(key, [...(ofTransaction.get(key) ?? []), log])
  }
  return [...ofTransaction.values()].flatMap((each) => each.toSorted((a, b) => a.rank - b.rank))
}

/**
 * The logs of a receipt in order, each in its transaction, whatever index and transaction they name.
 * @throws Outage
 */
export function receiptLogs({ transactionHash, logs }: Record<string, unknown>): Record<string, unknown>[] {
  return parseList(logs).map((raw, index) => ({
    ...parseObject(raw),
    transactionHash,
    logIndex: toQuantity(index),
  }))
}

/** The place of a log as `readLogs` and `receiptLogs` return it. @throws Outage for a pending log */
export function parseLogPosition(raw: unknown): LogPosition {
  const item = parseObject(raw)
  return {
    blockNumber: parseIndex(item.blockNumber),
    blockHash: parseHash(item.blockHash),
    logIndex: parseIndex(item.logIndex),
    txHash: parseHash(item.transactionHash),
  }
}

/** A place among the logs of a chain. */
export type LogPlace = Pick<LogPosition, 'blockNumber' | 'logIndex'>

export function byLogPosition(a: LogPlace, b: LogPlace): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
