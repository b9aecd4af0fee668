import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import {
  available,
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
  logIndex: number
  txHash: Bytes32
}

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
 * @throws Outage when the node is unreachable, does not have the last block, refuses a single block, or contradicts itself
 */
export async function readLogs(
  rpc: Rpc,
  filter: LogFilter,
  { from, to, endHash }: LogRange,
): Promise<unknown[]> {
  return distinct(await readParts(rpc, filter, { from, to, endHash }), from, to)
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
  return distinct(rawLogs, range.from, range.to)
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

/**
 * A node may repeat logs and send them in any order. A block has one hash, and one log at each index.
 * @throws Outage for logs that contradict this, were removed, or lie outside the range
 */
function distinct(rawLogs: readonly unknown[], from: number, to: number): unknown[] {
  const blockHashes = new Map<number, Bytes32>()
  const logs = new Map<string, { place: LogPlace; content: string; item: unknown }>()
  for (const item of rawLogs) {
    const place = parsePlace(item)
    const { blockNumber, blockHash, logIndex } = place
    const content = contentOf(item)
    const key = `${blockHash} ${logIndex}`
    const isOutside = blockNumber < from || blockNumber > to || parseObject(item).removed === true
    const isContradicted =
      (blockHashes.get(blockNumber) ?? blockHash) !== blockHash ||
      (logs.get(key)?.content ?? content) !== content
    if (isOutside || isContradicted) throw new Outage(`a consistent list of the logs of block ${blockNumber}`)
    blockHashes.set(blockNumber, blockHash)
    logs.set(key, { place, content, item })
  }
  return [...logs.values()].sort((a, b) => byPlace(a.place, b.place)).map(({ item }) => item)
}

function contentOf(raw: unknown): string {
  const { address, topics, data, blockNumber, transactionHash } = parseObject(raw)
  return JSON.stringify([address, topics, data, blockNumber, transactionHash]).toLowerCase()
}

/** @throws Outage for a pending log */
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
