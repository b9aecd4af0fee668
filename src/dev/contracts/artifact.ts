import type { InterfaceAbi } from 'ethers'
import type { Hex } from '../../domain/evm/hex.ts'

/** A compiled contract. `deployedBytecode` is the code on chain if the contract has no immutable values. */
export interface Artifact {
  contractName: string
  abi: Exclude<InterfaceAbi, string>
  bytecode: Hex
  deployedBytecode: Hex
}
