import type { InterfaceAbi } from 'ethers'
import type { Hex } from '../../domain/evm/hex.ts'

/** A compiled contract. `deployedBytecode` is what stands on the chain where there are no immutable values to fill in. */
export interface Artifact {
  contractName: string
  abi: Exclude<InterfaceAbi, string>
  bytecode: Hex
  deployedBytecode: Hex
}
