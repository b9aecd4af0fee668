import { Interface } from 'ethers'
import { readAbi } from '../evm/abi-reader.ts'
import type { Hex } from '../evm/hex.ts'
import type { OrderData } from '../order/order.ts'
import { readOrder } from './encoded-order.ts'

const params = '(address handler, bytes32 salt, bytes staticInput)'
const proof = '(uint256 location, bytes data)'
const order =
  '(address sellToken, address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, uint32 validTo, bytes32 appData, uint256 feeAmount, bytes32 kind, bool partiallyFillable, bytes32 sellTokenBalance, bytes32 buyTokenBalance)'

/** The contract of conditional orders. `remove` writes no log, and neither does `create` without dispatch. */
export const composableCowAbi = new Interface([
  'function domainSeparator() view returns (bytes32)',
  'function roots(address owner) view returns (bytes32)',
  'function singleOrders(address owner, bytes32 id) view returns (bool)',
  'function swapGuards(address owner) view returns (address)',
  'function cabinet(address owner, bytes32 ctx) view returns (bytes32)',
  `function hash(${params} params) pure returns (bytes32)`,
  `function create(${params} params, bool dispatch)`,
  `function createWithContext(${params} params, address factory, bytes data, bool dispatch)`,
  `function setRoot(bytes32 root, ${proof} proof)`,
  `function setRootWithContext(bytes32 root, ${proof} proof, address factory, bytes data)`,
  'function remove(bytes32 id)',
  'function setSwapGuard(address swapGuard)',
  `function getTradeableOrderWithSignature(address owner, ${params} params, bytes offchainInput, bytes32[] proof) view returns (${order} order, bytes signature)`,
  'function isValidSafeSignature(address safe, address sender, bytes32 hash, bytes32 domainSeparator, bytes32 typeHash, bytes encodeData, bytes payload) view returns (bytes4)',
  `event ConditionalOrderCreated(address indexed owner, ${params} params)`,
  `event MerkleRootSet(address indexed owner, bytes32 root, ${proof} proof)`,
  'event SwapGuardSet(address indexed owner, address swapGuard)',
])

/** The errors of these contracts and handlers, and those of Solidity itself. */
export const programmaticErrors = new Interface([
  'error OrderNotValid(string message)',
  'error PollTryNextBlock(string message)',
  'error PollTryAtBlock(uint256 at, string message)',
  'error PollTryAtEpoch(uint256 at, string message)',
  'error PollNever(string message)',
  'error SingleOrderNotAuthed()',
  'error ProofNotAuthed()',
  'error SwapGuardRestricted()',
  'error InvalidHandler()',
  'error InvalidFallbackHandler()',
  'error InterfaceNotSupported()',
  'error InvalidHash()',
  'error Error(string message)',
  'error Panic(uint256 code)',
])

/** A part with its signature, as `getTradeableOrderWithSignature` returns it. */
export interface TradeableOrder {
  order: OrderData
  signature: Hex
}

/** @returns undefined for malformed data, or an order that the settlement contract does not know */
export function decodeTradeableOrder(returned: Hex, maxSignatureSize: number): TradeableOrder | undefined {
  return readAbi(returned, (outer) => ({ order: readOrder(outer), signature: outer.bytes(maxSignatureSize) }))
}
