import { Interface } from 'ethers'
import type { Hook } from '../app-data/document.ts'
import { word } from '../evm/abi.ts'
import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { Interaction } from '../order/order.ts'
import type { Path } from '../routing/route.ts'

const hooksAbi = new Interface([
  'function execute((address target, bytes callData, uint256 gasLimit)[] hooks)',
])

const guardAbi = new Interface([
  'function note(address[] tokens)',
  'function check(address[] tokens, int256[] least)',
])

/**
 * The selectors of `transfer(address,uint256)` and so on. These calls are encoded by hand, because the ABI
 * library takes longer than the search for the route.
 */
const selectors = { transfer: 'a9059cbb', approve: '095ea7b3', swap: '022c0d9f', withdraw: '2e1a7d4d' }

export function transferCall(token: Address, to: Address, amount: bigint): Interaction {
  return call(token, 'transfer', [to, amount])
}

export function approveCall(token: Address, spender: Address, amount: bigint): Interaction {
  return call(token, 'approve', [spender, amount])
}

/** The call that swaps. The pool must have received the input before. One of the amounts is 0. */
export function swapCall(pool: Address, amount0Out: bigint, amount1Out: bigint, to: Address): Interaction {
  // The last argument is empty bytes: offset and length.
  return call(pool, 'swap', [amount0Out, amount1Out, to, 0x80n, 0n])
}

export function unwrapCall(wrappedNative: Address, amount: bigint): Interaction {
  return call(wrappedNative, 'withdraw', [amount])
}

/** The call by which the trampoline runs the hooks in this order, each with its own gas limit. */
export function hooksCall(trampoline: Address, hooks: readonly Hook[]): Interaction {
  return { target: trampoline, value: 0n, callData: hooksAbi.encodeFunctionData('execute', [hooks]) as Hex }
}

/**
 * The call by which the guard contract stores its caller's balance of each token for the rest of the
 * transaction.
 */
export function balanceNote(guard: Address, tokens: readonly Address[]): Interaction {
  return { target: guard, value: 0n, callData: guardAbi.encodeFunctionData('note', [tokens]) as Hex }
}

/**
 * The call that reverts unless its caller's balance of each token has grown by at least the given amount
 * since the note. A negative amount allows a decrease.
 */
export function balanceCheck(guard: Address, least: readonly (readonly [Address, bigint])[]): Interaction {
  const values = [least.map(([token]) => token), least.map(([, amount]) => amount)]
  return { target: guard, value: 0n, callData: guardAbi.encodeFunctionData('check', values) as Hex }
}

function call(
  target: Address,
  name: keyof typeof selectors,
  values: readonly (Address | bigint)[],
): Interaction {
  return { target, value: 0n, callData: `0x${selectors[name]}${values.map(word).join('')}` }
}

/**
 * The calls for paths in sequence: the settlement pays the first pool, each pool pays the next, the last pays
 * the settlement.
 */
export function routeCalls(paths: readonly Path[], settlement: Address): Interaction[] {
  return paths.flatMap(({ hops }) => [
    transferCall(hops[0].tokenIn, hops[0].pool.address, hops[0].amountIn),
    ...hops.map(({ pool, tokenOut, amountOut }, index) => {
      const [amount0, amount1] = tokenOut === pool.token0 ? [amountOut, 0n] : [0n, amountOut]
      return swapCall(pool.address, amount0, amount1, hops[index + 1]?.pool.address ?? settlement)
    }),
  ])
}
