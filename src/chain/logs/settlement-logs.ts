import { type Address, address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import { type OrderUid, toOrderUid } from '../../domain/order/uid.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { settlementAbi } from '../settlement/abi.ts'
import { type LogPlace, parsePlace } from './logs.ts'

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
export const settlementEvents = eventNames.flatMap((name) => {
  const topic = settlementAbi.getEvent(name)?.topicHash
  return topic ? parseHash(topic) : []
})

/** `undefined` for an event that is none of ours, `malformed` for a form that only another contract can have written. */
export function parseSettlementLog(raw: unknown): SettlementLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const place = parsePlace(item)
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
