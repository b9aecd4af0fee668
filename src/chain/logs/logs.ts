import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Rpc } from '../rpc/rpc.ts'
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
  addresses: readonly Address[]
  /** Any of these as the first topic. */
  events: readonly Bytes32[]
}

/**
 * Raw logs of these contracts in a block range, both ends included. A range that the node refuses is halved until it is accepted. Block
 * `to` is read in the same batch, so by the same node: a node that lags behind returns the logs that it has, without an error.
 * @throws Outage when the node is unreachable, does not have `to`, or refuses a single block
 */
export async function readLogs(rpc: Rpc, filter: LogFilter, from: number, to: number): Promise<unknown[]> {
  const [fromBlock, toBlock] = [toQuantity(from), toQuantity(to)]
  const { addresses: address, events } = filter
  const [end, logs] = await available(
    rpc.batch([
      { method: 'eth_getBlockByNumber', params: [toBlock, false] },
      { method: 'eth_getLogs', params: [{ address, fromBlock, toBlock, topics: [events] }] },
    ]),
  )
  if (parseResponse(end) === null) throw new Outage(`block ${to}`)
  if (!logs || 'value' in logs || from >= to) return parseList(parseResponse(logs))
  const middle = Math.floor((from + to) / 2)
  const lower = await readLogs(rpc, filter, from, middle)
  return lower.concat(await readLogs(rpc, filter, middle + 1, to))
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
