import { type Address, address } from '../domain/address.ts'
import { Outage } from '../domain/error.ts'
import type { Bytes32, Hex } from '../domain/hex.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import { type OrderUid, toOrderUid } from '../domain/order-uid.ts'
import type { Rpc } from './rpc.ts'
import { settlementAbi } from './settlement-abi.ts'
import {
  available,
  parseAnswer,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  toQuantity,
} from './wire.ts'

interface LogPlace {
  blockNumber: number
  blockHash: Bytes32
  logIndex: number
  txHash: Bytes32
}

/** Amounts in atoms; `sellAmount` holds the signed fee part. */
export interface TradeLog extends LogPlace {
  type: 'trade'
  owner: Address
  sellToken: Address
  buyToken: Address
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  orderUid: OrderUid
}

/** Ends a settlement: the trades of its block between it and the settlement log before it are its own. */
export interface SettledLog extends LogPlace {
  type: 'settlement'
  solver: Address
}

export interface InvalidationLog extends LogPlace {
  type: 'invalidation'
  owner: Address
  orderUid: OrderUid
}

export interface PresignatureLog extends LogPlace {
  type: 'presignature'
  owner: Address
  orderUid: OrderUid
  signed: boolean
}

export type SettlementLog = TradeLog | SettledLog | InvalidationLog | PresignatureLog

const eventNames = ['Trade', 'Settlement', 'OrderInvalidated', 'PreSignature'] as const
const topics = eventNames.map((name) => settlementAbi.getEvent(name)?.topicHash)

/**
 * What the settlement contract logged in these blocks, both ends included, by block and log index.
 * A range that the node refuses is halved until it is taken. Logs of other events, and logs that this
 * contract cannot have written, are left out.
 * @throws Outage when the node is away, has not got `toBlock`, or refuses a single block
 */
export async function settlementLogs(
  { rpc, network, log }: { rpc: Rpc; network: Network; log: Log },
  fromBlock: number,
  toBlock: number,
): Promise<SettlementLog[]> {
  const raw = await rawLogs(rpc, network.settlement, fromBlock, toBlock)
  const logs = raw.flatMap((item) => {
    const parsed = parseSettlementLog(item)
    if (parsed === 'malformed') log.warn('skipped a malformed settlement log', { log: item })
    return typeof parsed === 'object' ? [parsed] : []
  })
  return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

/** The batch keeps both calls on one node: one that lags behind answers a range above its head with what it has. */
async function rawLogs(rpc: Rpc, settlement: Address, from: number, to: number): Promise<unknown[]> {
  const [fromBlock, toBlock] = [toQuantity(from), toQuantity(to)]
  const [end, logs] = await available(
    rpc.batch([
      { method: 'eth_getBlockByNumber', params: [toBlock, false] },
      { method: 'eth_getLogs', params: [{ address: settlement, fromBlock, toBlock, topics: [topics] }] },
    ]),
  )
  if (parseAnswer(end) === null) throw new Outage(`block ${to}`)
  if (!logs || 'value' in logs || from >= to) return parseList(parseAnswer(logs))
  const middle = Math.floor((from + to) / 2)
  const lower = await rawLogs(rpc, settlement, from, middle)
  return lower.concat(await rawLogs(rpc, settlement, middle + 1, to))
}

/** `undefined` for an event that is none of ours, `malformed` for a form that only another contract can have written. */
export function parseSettlementLog(raw: unknown): SettlementLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const place = {
    blockNumber: parseIndex(item.blockNumber),
    blockHash: parseHash(item.blockHash),
    logIndex: parseIndex(item.logIndex),
    txHash: parseHash(item.transactionHash),
  }
  const topics = parseList(item.topics).map((topic) => parseHash(topic))
  const event = settlementAbi.getEvent(topics[0] ?? '')
  if (!event) return undefined
  return toSettlementLog(event.name, decode(event.name, topics, parseHex(item.data)), place) ?? 'malformed'
}

function decode(event: string, topics: Hex[], data: Hex): Record<string, unknown> {
  try {
    return settlementAbi.decodeEventLog(event, data, topics).toObject()
  } catch {
    return {}
  }
}

function toSettlementLog(
  event: string,
  args: Record<string, unknown>,
  place: LogPlace,
): SettlementLog | undefined {
  const who = args.owner ?? args.solver
  if (typeof who !== 'string') return undefined
  if (event === 'Settlement') return { type: 'settlement', ...place, solver: address(who) }
  const orderUid = toOrderUid(String(args.orderUid))
  if (!orderUid) return undefined
  const owned = { ...place, owner: address(who), orderUid }
  if (event === 'OrderInvalidated') return { type: 'invalidation', ...owned }
  if (event === 'PreSignature') return { type: 'presignature', ...owned, signed: args.signed === true }
  return {
    type: 'trade',
    ...owned,
    sellToken: address(String(args.sellToken)),
    buyToken: address(String(args.buyToken)),
    sellAmount: BigInt(String(args.sellAmount)),
    buyAmount: BigInt(String(args.buyAmount)),
    feeAmount: BigInt(String(args.feeAmount)),
  }
}
