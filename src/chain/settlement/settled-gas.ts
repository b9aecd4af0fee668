import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'

/** Every transaction, before its calldata. */
const transactionBase = 21_000n
const zeroByte = 4n
const otherByte = 16n
/** What asking the overridden allow-list takes, in place of the real one. */
const fakeSolverCheck = 2_700n

/**
 * Gas units of the whole transaction. A settlement that keeps its fee leaves the balances of both tokens changed: nothing is given back
 * as it is for one that ends where it began.
 * @param measured of the call to the settlement contract
 */
export function settledGas(measured: bigint, calldata: Hex): bigint {
  return transactionBase + calldataGas(calldata) + measured + gasUnits.solverCheck - fakeSolverCheck
}

function calldataGas(calldata: Hex): bigint {
  const bytes = hexToBytes(calldata)
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  return zeros * zeroByte + (BigInt(bytes.length) - zeros) * otherByte
}
