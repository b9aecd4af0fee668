import { Interface } from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { tokenCheckCode } from '../bytecode/token-check.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { toQuantity } from '../rpc/wire.ts'

/** What TokenCheck.sol answers to. */
export const tokenCheckAbi = new Interface([
  'function read(address token, address owner, address spender) view returns (bool hasBalance, uint256 balance, bool hasAllowance, uint256 allowance)',
  'function move(address token, address holder, address other, bool byAllowance) returns ((bool hasCode, bool isReadable, uint256 balance, (uint256 sent, bool done, uint256 senderBefore, uint256 senderAfter, uint256 receiverBefore, uint256 receiverAfter)[] movements) answer)',
])

/** Accounts of nobody's. The checking code stands at `checker` during a call, and nowhere else. */
export const [checker, probe, bystander] = ['checker', 'probe', 'bystander'].map(nobody) as [
  Address,
  Address,
  Address,
]

/** What is put over the state for one call. */
export type Overrides = Record<Address, { code?: Hex; stateDiff?: Record<Bytes32, Hex> }>

/** A call of the checking code on the newest block. Without the code, as on a node that ignores overrides, nothing is returned. */
export function tokenCheckCall(
  method: 'read' | 'move',
  values: readonly unknown[],
  gas: bigint,
  overrides: Overrides = {},
): RpcCall {
  const call = { to: checker, data: tokenCheckAbi.encodeFunctionData(method, values), gas: toQuantity(gas) }
  return {
    method: 'eth_call',
    params: [call, 'latest', { ...overrides, [checker]: { code: tokenCheckCode } }],
  }
}

function nobody(name: string): Address {
  return address(`0x${keccakText(`tradegraph token ${name}`).slice(-40)}`)
}
