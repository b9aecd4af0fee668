import { formatUnits, maxOf, minOf } from '../../domain/amount.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import { available, parseHash, parseIndex, parseObject, parseQuantity, parseResponse } from '../rpc/wire.ts'

const gwei = 10n ** 9n
const maxSteps = { first: 4, last: 8 }

/** The history of a transaction from block to block, as text for the owners of its orders. */
export interface SubmissionLog {
  /** Adds a step. An immediate repetition is left out. */
  add(block: number, what: string): void
  /** Returns the text. It is bounded: steps in the middle are left out. */
  text(): string
}

/** Creates a history. @param before the record of another process */
export function createSubmissionLog(before = ''): SubmissionLog {
  const steps = before === '' ? [] : before.split('; ')
  let last = ''
  return {
    add(block, what) {
      if (what === last) return
      last = what
      steps.push(`block ${block}: ${what.replaceAll('; ', ', ')}`)
      if (steps.length > maxSteps.first + maxSteps.last + 1) steps.splice(maxSteps.first, 2, '…')
    },
    text: () => steps.join('; '),
  }
}

/** Formats gwei with three digits after the point, rounded down. */
export function inGweiDown(wei: bigint): string {
  return formatUnits((wei * 1_000n) / gwei, 3)
}

/** The offer of a transaction, in wei for one unit of gas. */
export interface OfferedFees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** The fees that a transaction sent now offers. */
export interface Fees extends OfferedFees {
  baseFee: bigint
}

const defaultPriorityFee = 10n ** 9n

/** The newest block, and the fees for the next one. */
export interface Head {
  number: number
  hash: Bytes32
  fees: Fees
}

/**
 * Reads the fees, which suffice until the base fee has doubled. That takes at least six full blocks.
 * @throws Outage
 */
export async function readFees(rpc: Rpc): Promise<Fees> {
  const { block, priority } = await readLatest(rpc)
  return toFees(block, priority)
}

/** Reads the head in one round trip. @throws Outage */
export async function readHead(rpc: Rpc): Promise<Head> {
  const { block, priority } = await readLatest(rpc)
  return { number: parseIndex(block.number), hash: parseHash(block.hash), fees: toFees(block, priority) }
}

async function readLatest(rpc: Rpc) {
  const [block, priority] = await available(
    rpc.batch([
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_maxPriorityFeePerGas' },
    ]),
  )
  return { block: parseObject(parseResponse(block)), priority }
}

function toFees(block: Record<string, unknown>, priority: RpcResponse | undefined): Fees {
  const baseFee = parseQuantity(block.baseFeePerGas ?? '0x0')
  const maxPriorityFeePerGas =
    priority && 'value' in priority ? parseQuantity(priority.value) : defaultPriorityFee
  return { baseFee, maxPriorityFeePerGas, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas }
}

/** The gas price that a transaction with these fees pays in a block with this base fee. */
export function effectiveGasPrice({ baseFee, maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint {
  return minOf(maxFeePerGas, baseFee + maxPriorityFeePerGas)
}

/** The same fees, but at most `cap`; undefined if the base fee alone exceeds it. */
export function cappedFees(
  { baseFee, maxFeePerGas, maxPriorityFeePerGas }: Fees,
  cap: bigint,
): OfferedFees | undefined {
  if (baseFee > cap) return undefined
  const capped = minOf(maxFeePerGas, cap)
  return { maxFeePerGas: capped, maxPriorityFeePerGas: minOf(maxPriorityFeePerGas, capped) }
}

/** The reason why nothing is sent at this price. */
export function tooDearText(gasPrice: bigint, cap: bigint): string {
  return `gas costs ${inGweiDown(gasPrice)} gwei, and a settlement may offer ${inGweiDown(cap)}`
}

/**
 * The fees with which a node replaces a pending transaction: at least an eighth above the old ones, rounded
 * up.
 * @returns undefined if they exceed `cap`
 */
export function replacementFees(
  old: OfferedFees,
  current: OfferedFees,
  cap: bigint,
): OfferedFees | undefined {
  const min = raisedUp(old.maxFeePerGas)
  if (min > cap) return undefined
  const maxFeePerGas = maxOf(min, minOf(current.maxFeePerGas, cap))
  const priority = maxOf(raisedUp(old.maxPriorityFeePerGas), current.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: minOf(priority, maxFeePerGas) }
}

function raisedUp(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}
