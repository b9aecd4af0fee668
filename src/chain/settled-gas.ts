import { minOf } from '../domain/amount.ts'
import { gasUnits } from '../domain/gas.ts'
import { type Hex, hexToBytes } from '../domain/hex.ts'

/** Every transaction, before its calldata. */
const transactionBase = 21_000n
const zeroByte = 4n
const otherByte = 16n
/** What asking the overridden allow-list takes, in place of the real one. */
const fakeSolverCheck = 2_700n
/** What a balance refunds that was zero, beyond what one refunds that was not: both end as they began. */
const emptyRefund = 17_100n
/** Refunds are a fifth of the gas at most (EIP-3529). */
const refundShare = 5n

export interface MeasuredSettlement {
  /** Gas units of the call to the settlement contract. */
  measured: bigint
  calldata: Hex
  /** How many of the two tokens the settlement contract had nothing of before. */
  emptyBalances: number
}

/** Gas units of the whole transaction. Refunds can't be seen from inside of a call: those that are known to come are taken off. */
export function settledGas({ measured, calldata, emptyBalances }: MeasuredSettlement): bigint {
  const used = transactionBase + calldataGas(calldata) + measured + gasUnits.solverCheck - fakeSolverCheck
  const refunds = gasUnits.refunds + BigInt(emptyBalances) * emptyRefund
  return used - minOf(refunds, used / refundShare)
}

function calldataGas(calldata: Hex): bigint {
  const bytes = hexToBytes(calldata)
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  return zeros * zeroByte + (BigInt(bytes.length) - zeros) * otherByte
}
