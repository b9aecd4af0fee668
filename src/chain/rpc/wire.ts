import { Outage } from '../../domain/errors/error.ts'
import { type Bytes32, type Hex, toHex } from '../../domain/evm/hex.ts'
import { RpcError, type RpcResponse } from './rpc.ts'

/** Formats a JSON-RPC quantity: hex without leading zeros. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}

/** Parses a quantity. @throws Outage if the result is not one */
export function parseQuantity(value: unknown): bigint {
  if (!isQuantity(value)) throw malformed('quantity', value)
  return BigInt(value)
}

/**
 * Parses block numbers, timestamps and indices.
 * @throws Outage if the result is not a quantity that a number holds exactly
 */
export function parseIndex(value: unknown): number {
  const index = Number(parseQuantity(value))
  if (!Number.isSafeInteger(index)) throw malformed('index', value)
  return index
}

/** Parses hex. @throws Outage if the result is not hex, or not `bytes` long */
export function parseHex(value: unknown, bytes?: number): Hex {
  const hex = typeof value === 'string' ? toHex(value, bytes) : undefined
  if (hex === undefined) throw malformed('hex', value)
  return hex
}

export function parseHash(value: unknown): Bytes32 {
  return parseHex(value, 32)
}

/** Parses an object. @throws Outage if the result is not one */
export function parseObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('object', value)
  return value as Record<string, unknown>
}

/** Parses a list. @throws Outage if the result is not one */
export function parseList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw malformed('list', value)
  return value
}

/** The result of one call of a batch. @throws Outage, also for an error response */
export function parseResponse(response: RpcResponse | undefined): unknown {
  if (response && 'value' in response) return response.value
  throw new Outage('the network node', response?.error)
}

/**
 * The return data of a contract; undefined if it reverted.
 * @throws Outage for any other error: it is the node's fault, not the contract's
 */
export function parseReturn(response: RpcResponse): Hex | undefined {
  if ('error' in response && isExecutionFault(response.error)) return undefined
  return parseHex(parseResponse(response))
}

const executionFault =
  /revert|evm error|out of gas|gas required exceeds|invalid opcode|invalid jump|stack (over|under)flow|vm execution/i

/**
 * Reports whether the contract's code failed, not the node. Code 3 is the standard's; other codes and
 * messages differ by node.
 */
export function isExecutionFault(error: unknown): error is RpcError {
  return error instanceof RpcError && (error.code === 3 || executionFault.test(error.message))
}

/** Reports whether a fault is a timeout, here or at the node. */
export function isTimeout(fault: unknown): boolean {
  if (fault instanceof RpcError) return /timeout|timed out|aborted/i.test(fault.message)
  return fault instanceof Outage && fault.cause instanceof Error && fault.cause.name === 'TimeoutError'
}

/** Converts a node's refusal of a read to an Outage. Other faults are returned unchanged. */
export function asOutage(fault: unknown): unknown {
  return fault instanceof RpcError ? new Outage('the network node', fault) : fault
}

/** Runs a read. @throws Outage */
export async function available<T>(read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (fault) {
    throw asOutage(fault)
  }
}

function malformed(what: string, value: unknown): Outage {
  return new Outage(
    'the network node',
    new TypeError(`not a ${what}: ${JSON.stringify(value)?.slice(0, 80) ?? 'nothing'}`),
  )
}
