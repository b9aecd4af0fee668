import { type Address, address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { type OrderUid, toOrderUid } from '../../domain/order/order.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { settlementAbi } from '../settlement/call.ts'
import { type LogPosition, parseLogPosition } from './logs.ts'

/** A trade with amounts in atoms; `sellAmount` includes the signed fee. */
export interface TradeLog extends LogPosition {
  type: 'trade'
  owner: Address
  sellToken: Address
  buyToken: Address
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  orderUid: OrderUid
}

/**
 * The log that ends a settlement: it owns the trades between it and the previous settlement log of its block.
 */
export interface SettledLog extends LogPosition {
  type: 'settlement'
  solver: Address
}

export interface InvalidationLog extends LogPosition {
  type: 'invalidation'
  owner: Address
  orderUid: OrderUid
}

export interface PresignatureLog extends LogPosition {
  type: 'presignature'
  owner: Address
  orderUid: OrderUid
  signed: boolean
}

export type SettlementLog = TradeLog | SettledLog | InvalidationLog | PresignatureLog

const eventNames = ['Trade', 'Settlement', 'OrderInvalidated', 'PreSignature'] as const
export const settlementEvents = eventNames.map((name) => parseHash(settlementAbi.getEvent(name)?.topicHash))
export const [tradeEvent] = settlementEvents as [Bytes32, ...Bytes32[]]

/**
 * Parses a log.
 * @returns undefined for an unknown event, `malformed` for data that the settlement contract cannot have
 *   written
 */
export function parseSettlementLog(raw: unknown): SettlementLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const place = parseLogPosition(item)
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
  place: LogPosition,
): SettlementLog | undefined {
  const account = args.owner ?? args.solver
  if (typeof account !== 'string') return undefined
  if (event === 'Settlement') return { type: 'settlement', ...place, solver: address(account) }
  const orderUid = toOrderUid(String(args.orderUid))
  if (!orderUid) return undefined
  const orderLog = { ...place, owner: address(account), orderUid }
  if (event === 'OrderInvalidated') return { type: 'invalidation', ...orderLog }
  if (event === 'PreSignature') return { type: 'presignature', ...orderLog, signed: args.signed === true }
  return {
    type: 'trade',
    ...orderLog,
    sellToken: address(String(args.sellToken)),
    buyToken: address(String(args.buyToken)),
    sellAmount: BigInt(String(args.sellAmount)),
    buyAmount: BigInt(String(args.buyAmount)),
    feeAmount: BigInt(String(args.feeAmount)),
  }
}
