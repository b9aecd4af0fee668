import { Interface } from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'
import { type Hex, toHex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import { type OrderData, type OrderUid, toOrderUid, unpackOrderUid } from '../../domain/order/order.ts'
import { orderUid } from '../../domain/signing/signing.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogPosition, parseLogPosition } from './logs.ts'
import type { InvalidationLog } from './settlement-logs.ts'

/** The log of a user who placed an order of the contract `owner`, which answers for its signature. */
export interface PlacementLog extends LogPosition {
  type: 'placement'
  orderUid: OrderUid
  owner: Address
  sender: Address
  order: OrderData
  signature: Hex
  /** The quote id as the user wrote it: it may be any number. */
  quoteId: bigint
  /** The time when the contract stops answering for the order, in Unix seconds. */
  userValidTo: number
}

/** The log of the contract returning the unsold part of an expired order. */
interface RefundLog extends LogPosition {
  type: 'refund'
  orderUid: OrderUid
  refunder: Address
}

/**
 * A log of the contract. An invalidation is like the settlement contract's: by the user, before the order
 * expires.
 */
export type EthFlowLog = PlacementLog | RefundLog | InvalidationLog

const orderTuple = 'address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount'
const data = `(${orderTuple}, bytes32 appData, uint256 feeAmount, uint32 validTo, bool partiallyFillable, int64 quoteId)`

/** The functions and events of the contract that the service uses. */
export const ethFlowAbi = new Interface([
  `function invalidateOrder(${data} order)`,
  `event OrderPlacement(address indexed sender, (address sellToken, ${orderTuple}, uint32 validTo, bytes32 appData, uint256 feeAmount, bytes32 kind, bool partiallyFillable, bytes32 sellTokenBalance, bytes32 buyTokenBalance) order, (uint8 scheme, bytes data) signature, bytes data)`,
  'event OrderInvalidation(bytes orderUid)',
  'event OrderRefund(bytes orderUid, address indexed refunder)',
])

const eventNames = ['OrderPlacement', 'OrderInvalidation', 'OrderRefund'] as const
export const ethFlowEvents = eventNames.flatMap((name) => {
  const topic = ethFlowAbi.getEvent(name)?.topicHash
  return topic ? parseHash(topic) : []
})

/**
 * Parses a log.
 * @returns undefined for an unknown event, `malformed` for data that the contract cannot have written
 */
export function parseEthFlowLog(
  raw: unknown,
  network: Pick<Network, 'chainId' | 'settlement'>,
): EthFlowLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const contract = parseHex(item.address, 20)
  const topics = parseList(item.topics).map((topic) => parseHash(topic))
  const event = ethFlowAbi.getEvent(topics[0] ?? '')
  if (!event) return undefined
  try {
    const args = ethFlowAbi.decodeEventLog(event, parseHex(item.data), topics)
    const place = parseLogPosition(item)
    if (event.name === 'OrderPlacement') return toPlacement(args, contract, place, network) ?? 'malformed'
    const uid = toOrderUid(String(args.orderUid))
    if (!uid || unpackOrderUid(uid).owner !== contract) return 'malformed'
    return event.name === 'OrderInvalidation'
      ? { type: 'invalidation', ...place, owner: contract, orderUid: uid }
      : { type: 'refund', ...place, orderUid: uid, refunder: address(args.refunder) }
  } catch (fault) {
    if (fault instanceof RangeError || fault instanceof TypeError) return 'malformed'
    if (fault instanceof Error && 'code' in fault) return 'malformed'
    throw fault
  }
}

const kinds = { sell: keccakText('sell'), buy: keccakText('buy') }
const erc20 = keccakText('erc20')

function toPlacement(
  // biome-ignore lint/suspicious/noExplicitAny: decoded values have the types of the event
  args: any,
  owner: Address,
  place: LogPosition,
  network: Pick<Network, 'chainId' | 'settlement'>,
): PlacementLog | undefined {
  const { order: placed, signature } = args
  const kind = placed.kind === kinds.sell ? 'sell' : placed.kind === kinds.buy ? 'buy' : undefined
  const more = toHex(args.data, 12)
  const isErc20 = placed.sellTokenBalance === erc20 && placed.buyTokenBalance === erc20
  if (!kind || !more || !isErc20 || signature.scheme !== 0n) return undefined
  const order: OrderData = {
    sellToken: address(placed.sellToken),
    buyToken: address(placed.buyToken),
    receiver: address(placed.receiver),
    sellAmount: placed.sellAmount,
    buyAmount: placed.buyAmount,
    validTo: Number(placed.validTo),
    appData: placed.appData,
    feeAmount: placed.feeAmount,
    kind,
    partiallyFillable: placed.partiallyFillable,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  return {
    type: 'placement',
    ...place,
    orderUid: orderUid(network, order, owner),
    owner,
    sender: address(args.sender),
    order,
    signature: signature.data,
    quoteId: BigInt.asIntN(64, BigInt(more.slice(0, 18))),
    userValidTo: Number.parseInt(more.slice(18), 16),
  }
}
