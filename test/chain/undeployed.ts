import { AbiCoder } from 'ethers'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'

/**
 * Deploys the code that follows a salt, at its CREATE2 address. It exists on nearly every chain, and on every
 * fresh local one.
 */
export const deployer = address('0x4e59b44847b379578588920ca78fbf26c0b4956c')

/** ERC-6492: a signature with the call that deploys its account. */
export function wrapSignature(factory: Address, factoryCall: Hex, signature: Hex): Hex {
  const types = ['address', 'bytes', 'bytes']
  const held = AbiCoder.defaultAbiCoder().encode(types, [factory, factoryCall, signature])
  return `${held}${'6492'.repeat(16)}` as Hex
}
