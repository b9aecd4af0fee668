import { Outage } from '../../domain/errors/error.ts'
import { type Bytes32, type Hex, toHex } from '../../domain/evm/hex.ts'
import { type RpcAnswer, RpcError } from './rpc.ts'

/** The node's spelling of a number: hex without leading zeros. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

/** @throws Outage when the node's answer is not a quantity */
export function parseQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw malformed('quantity', value)
  return BigInt(value)
}

/** For block numbers, timestamps and indices. @throws Outage when it is not a quantity that a number holds exactly */
export function parseIndex(value: unknown): number {
  const index = Number(parseQuantity(value))
  if (!Number.isSafeInteger(index)) throw malformed('index', value)
  return index
}

/** @throws Outage when the node's answer is not hex, or not `bytes` long */
export function parseHex(value: unknown, bytes?: number): Hex {
  const hex = typeof value === 'string' && value.startsWith('0x') ? toHex(value, bytes) : undefined
  if (hex === undefined) throw malformed('hex', value)
  return hex
}

export function parseHash(value: unknown): Bytes32 {
  return parseHex(value, 32)
}

/** @throws Outage when the node's answer is not an object */
export function parseObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('object', value)
  return value as Record<string, unknown>
}

/** @throws Outage when the node's answer is not a list */
export function parseList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw malformed('list', value)
  return value
}

/** One answer of a batch, where a refusal counts as an outage. @throws Outage */
export function parseAnswer(answer: RpcAnswer | undefined): unknown {
  if (answer && 'value' in answer) return answer.value
  throw new Outage('the network node', answer?.error)
}

/**
 * What a contract returned. `undefined` when it reverted, which says something about the contract;
 * any other refusal says something about the node.
 * @throws Outage
 */
export function parseReturn(answer: RpcAnswer): Hex | undefined {
  if ('error' in answer && isExecutionFault(answer.error)) return undefined
  return parseHex(parseAnswer(answer))
}

const executionFault =
  /revert|evm error|out of gas|gas required exceeds|invalid opcode|invalid jump|stack (over|under)flow|vm execution/i

/** Whether an error tells of the contract code that ran, not of the node. Code 3 is the standard's; nodes differ in the rest. */
export function isExecutionFault(error: unknown): error is RpcError {
  return error instanceof RpcError && (error.code === 3 || executionFault.test(error.message))
}

/** Out of time, here or at the node. */
export function isTimeout(fault: unknown): boolean {
  if (fault instanceof RpcError) return /timeout|timed out|aborted/i.test(fault.message)
  return fault instanceof Outage && fault.cause instanceof Error && fault.cause.name === 'TimeoutError'
}

/** A node that refuses a read is as good as a node that is away. Other faults stay what they are. */
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
