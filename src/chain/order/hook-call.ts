import { maxOf, minOf } from '../../domain/amount.ts'
import type { Hook } from '../../domain/app-data/document.ts'
import type { Network } from '../../domain/network/network.ts'
import { createContractCallQueue } from '../rpc/contract-call-queue.ts'
import { revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isExecutionFault, toQuantity } from '../rpc/wire.ts'
import { floorGas, intrinsicGas } from '../settlement/settled-gas.ts'

/**
 * Calls a hook alone at the newest block.
 * @returns the reason why it reverts; undefined if it does not, or the node gives no answer
 */
export type CallHook = (hook: Hook) => Promise<string | undefined>

export interface HookCallOptions {
  /** The client of the node. Its timeout limits a hook's code. It must not retry. */
  rpc: Rpc
  network: Pick<Network, 'hooksTrampoline'>
  limits: {
    /** The maximum gas units of a hook, whatever it requests. */
    interactionGas: bigint
    /** The number of concurrent calls, one for each target. Three times as many may wait. */
    atOnce: number
  }
}

/**
 * Creates the call. The trampoline ignores a hook's revert data, so the hook is called directly, in the same
 * way as by the trampoline.
 */
export function createHookCall({ rpc, network, limits }: HookCallOptions): CallHook {
  const enqueue = createContractCallQueue(limits.atOnce)

  async function call({ target, callData, gasLimit }: Hook): Promise<string | undefined> {
    const allowed = intrinsicGas(callData) + minOf(gasLimit, limits.interactionGas)
    const gas = toQuantity(maxOf(allowed, floorGas(callData)))
    try {
      await rpc.call('eth_call', [
        { from: network.hooksTrampoline, to: target, data: callData, gas },
        'latest',
      ])
      return undefined
    } catch (fault) {
      return isExecutionFault(fault) ? revertText(fault) : undefined
    }
  }

  return (hook) => enqueue(() => call(hook))(hook.target).catch(() => undefined)
}
