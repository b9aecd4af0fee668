import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'

/** The base gas of a transaction, before its calldata. */
const transactionBase = 21_000n
const zeroByte = 4n
const nonZeroByte = 16n
/** The gas of the solver check against the overridden allow-list. */
const fakeSolverCheck = 2_700n

/**
 * The gas units of the whole transaction. Storage refunds are not subtracted: a settlement that keeps its fee
 * leaves the balances of both tokens changed.
 * @param callGas measured gas of the call to the settlement contract
 */
export function settledGas(callGas: bigint, calldata: Hex): bigint {
  return intrinsicGas(calldata) + callGas + gasUnits.solverCheck - fakeSolverCheck
}

/**
 * The minimum gas limit of a transaction with this calldata (EIP-7623), which counts its bytes two and a half
 * times.
 */
export function floorGas(calldata: Hex): bigint {
  return transactionBase + ((intrinsicGas(calldata) - transactionBase) * 5n) / 2n
}

/** The gas of a transaction with this calldata before it does anything. */
export function intrinsicGas(calldata: Hex): bigint {
  const bytes = hexToBytes(calldata)
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  return transactionBase + zeros * zeroByte + (BigInt(bytes.length) - zeros) * nonZeroByte
}
