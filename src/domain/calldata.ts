import { Interface } from 'ethers'
import type { Address } from './address.ts'
import type { Hook } from './app-data.ts'
import type { Hex } from './hex.ts'
import type { Interaction } from './order.ts'

const calls = new Interface([
  'function transfer(address to, uint256 amount)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function withdraw(uint256 amount)',
  'function execute((address target, bytes callData, uint256 gasLimit)[] hooks)',
])

export function transferCall(token: Address, to: Address, amount: bigint): Interaction {
  return call(token, 'transfer', [to, amount])
}

/** A pool pays out of what it was sent before this call. One of the amounts is 0. */
export function swapCall(pool: Address, amount0Out: bigint, amount1Out: bigint, to: Address): Interaction {
  return call(pool, 'swap', [amount0Out, amount1Out, to, '0x'])
}

export function unwrapCall(wrappedNative: Address, amount: bigint): Interaction {
  return call(wrappedNative, 'withdraw', [amount])
}

/** Hooks run from the trampoline, in this order, each within its own gas. */
export function hooksCall(trampoline: Address, hooks: readonly Hook[]): Interaction {
  return call(trampoline, 'execute', [hooks])
}

function call(target: Address, name: string, values: readonly unknown[]): Interaction {
  return { target, value: 0n, callData: calls.encodeFunctionData(name, values) as Hex }
}
