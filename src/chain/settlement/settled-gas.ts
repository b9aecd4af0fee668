import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'

/** Base gas of a transaction, before its calldata. */
const transactionBase = 21_000n
const zeroByte = 4n
const nonZeroByte = 16n
/** Gas of the solver check against the overridden allow-list. */
const fakeSolverCheck = 2_700n

/**
 * Gas units of the whole transaction. Storage refunds are not subtracted: a settlement that keeps its fee leaves the balances of both
 * tokens changed.
 * @param callGas measured gas of the call to the settlement contract
 */
export function settledGas(callGas: bigint, calldata: Hex): bigint {
  return intrinsicGas(calldata) + callGas + gasUnits.solverCheck - fakeSolverCheck
}

/** The minimum gas limit of a transaction with this calldata (EIP-7623): two and a half times as much for its bytes. */
export function floorGas(calldata: Hex): bigint {
  return transactionBase + ((intrinsicGas(calldata) - transactionBase) * 5n) / 2n
}

/** Gas of a transaction with this calldata before it does anything. */
export function intrinsicGas(calldata: Hex): bigint {
  const bytes = hexToBytes(calldata)
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  return transactionBase + zeros * zeroByte + (BigInt(bytes.length) - zeros) * nonZeroByte
}
