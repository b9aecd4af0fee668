import { Interface } from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { tokenCheckCode } from '../bytecode.generated.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { toQuantity } from '../rpc/wire.ts'

/** The functions of TokenCheck.sol. */
export const tokenCheckAbi = new Interface([
  'function read(address token, address owner, address spender) view returns (bool hasBalance, uint256 balance, bool hasAllowance, uint256 allowance)',
  'function move(address token, address holder, address other, bool byAllowance) returns ((bool hasCode, bool isReadable, uint256 balance, (uint256 sent, bool done, uint256 senderBefore, uint256 senderAfter, uint256 receiverBefore, uint256 receiverAfter)[] movements) answer)',
])

/** Unused accounts. State overrides put the checking code at `checker` for a call. */
export const [checker, probe, bystander] = ['checker', 'probe', 'bystander'].map(unusedAddress) as [
  Address,
  Address,
  Address,
]

/** State overrides of one call. */
export type Overrides = Record<Address, { code?: Hex; stateDiff?: Record<Bytes32, Hex> }>

/** Creates a call of the checking code at the newest block. A node that ignores overrides returns nothing. */
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

function unusedAddress(name: string): Address {
  return address(`0x${keccakText(`tradegraph token ${name}`).slice(-40)}`)
}
