import { minOf } from '../../domain/amount.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import { available, parseHash, parseIndex, parseObject, parseQuantity, parseResponse } from '../rpc/wire.ts'

/** Fees that a transaction sent now offers, in wei for one unit of gas. */
export interface Fees {
  baseFee: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

const defaultPriorityFee = 10n ** 9n

/** The newest block, and the fees for the next one. */
export interface Head {
  number: number
  hash: Bytes32
  fees: Fees
}

/** The fees suffice until the base fee has doubled, which takes at least six full blocks. @throws Outage */
export async function readFees(rpc: Rpc): Promise<Fees> {
  const { block, priority } = await readLatest(rpc)
  return toFees(block, priority)
}

/** In one round trip. @throws Outage */
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

/** Gas price that a transaction with these fees pays in a block with this base fee. */
export function effectiveGasPrice({ baseFee, maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint {
  return minOf(maxFeePerGas, baseFee + maxPriorityFeePerGas)
}

/** Fees with which a node replaces a pending transaction: at least an eighth above the old ones, rounded up. */
export function replacementFees(old: Fees, current: Fees): Fees {
  const bump = (before: bigint, now: bigint) => {
    const least = before + before / 8n + 1n
    return now > least ? now : least
  }
  return {
    baseFee: current.baseFee,
    maxFeePerGas: bump(old.maxFeePerGas, current.maxFeePerGas),
    maxPriorityFeePerGas: bump(old.maxPriorityFeePerGas, current.maxPriorityFeePerGas),
  }
}
