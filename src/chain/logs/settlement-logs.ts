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

interface PresignatureLog extends LogPosition {
  type: 'presignature'
  owner: Address
  orderUid: OrderUid
  signed: boolean
}

export type SettlementLog = TradeLog | SettledLog | InvalidationLog | PresignatureLog

const eventNames = ['Trade', 'Settlement', 'OrderInvalidated', 'PreSignature'] as const
export const settlementEvents = eventNames.map((name) => parseHash(settlementAbi.getEvent(name)?.topicHash))
export const [tradeEvent] = settlementEvents as [Bytes32, ...Bytes32[]]
const nameOf = new Map(settlementEvents.map((topic, index) => [topic, eventNames[index]]))

/**
 * Parses a log.
 * @returns undefined for an unknown event, `malformed` for data that the settlement contract cannot have
 *   written
 */
export function parseSettlementLog(raw: unknown): SettlementLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const place = parseLogPosition(item)
  const topics = parseList(item.topics).map((topic) => parseHash(topic))
  const event = nameOf.get(topics[0] ?? '0x')
  if (!event) return undefined
  const data = parseHex(item.data)
  const decoded = () => toSettlementLog(event, decode(event, topics, data), place)
  return usualLog(event, topics, data, place) ?? decoded() ?? 'malformed'
}

const accountTopic = /^0x0{24}([0-9a-f]{40})$/
/** Two addresses, three amounts, and the place, the length and the padding of 56 bytes. */
const tradeData =
  /^0x0{24}([0-9a-f]{40})0{24}([0-9a-f]{40})([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{64})0{62}c00{62}38([0-9a-f]{112})0{16}$/

/**
 * Parses settlements and trades as the contract writes them, without the decoder, which took a third of the
 * indexer's time.
 * @returns undefined for any other log
 */
function usualLog(
  event: (typeof eventNames)[number],
  topics: readonly Hex[],
  data: Hex,
  place: LogPosition,
): SettlementLog | undefined {
  const account = topics.length === 2 && accountTopic.exec(topics[1] ?? '')?.[1]
  if (!account) return undefined
  const named = hex(account)
  if (event === 'Settlement' && data === '0x') return { type: 'settlement', ...place, solver: named }
  const words = event === 'Trade' && tradeData.exec(data)
  if (!words) return undefined
  const [sellToken, buyToken, sellAmount, buyAmount, feeAmount, orderUid] = words.slice(1).map(hex)
  if (!sellToken || !buyToken || !sellAmount || !buyAmount || !feeAmount || !orderUid) return undefined
  return {
    type: 'trade',
    ...place,
    owner: named,
    orderUid,
    sellToken,
    buyToken,
    sellAmount: BigInt(sellAmount),
    buyAmount: BigInt(buyAmount),
    feeAmount: BigInt(feeAmount),
  }
}

const hex = (digits: string): Hex => `0x${digits}`

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
