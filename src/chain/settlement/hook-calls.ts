import type { Address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize, toHex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { HookCall, RanHooks } from '../../domain/settlement/hooks.ts'
import { oneLine, revertDataText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isQuantity } from '../rpc/wire.ts'
import { decodeForeign } from './call.ts'
import {
  callTracer,
  fromFrames,
  isAddress,
  type TracedCall,
  type TraceFault,
  traced,
  traceTransaction,
} from './trace.ts'

/** The hooks that one settlement ran; null if they cannot be distinguished. */
export type SettledHooks = RanHooks | null

type Contracts = Pick<Network, 'settlement' | 'hooksTrampoline'>

/** The hooks that the settlements of a mined transaction ran, by settlement. @throws Outage */
export async function minedHooks(
  rpc: Rpc,
  network: Contracts,
  txHash: Bytes32,
): Promise<{ settlements: SettledHooks[] } | { fault: TraceFault }> {
  const trace = await traceTransaction(rpc, txHash)
  return 'fault' in trace ? trace : { settlements: hooksIn(trace.calls, network) }
}

/** The hooks that a simulated settlement runs; null if the node does not show them. @throws Outage */
export async function simulatedHooks(
  rpc: Rpc,
  network: Contracts,
  [call, block, stateOverrides]: readonly [call: object, block: string, overrides: object],
): Promise<SettledHooks> {
  const options = { ...callTracer, stateOverrides }
  const trace = await traced(rpc, 'debug_traceCall', [call, block, options], fromFrames)
  return 'fault' in trace ? null : (hooksIn(trace.calls, network)[0] ?? null)
}

/**
 * Finds the calls that the trampoline makes for the settlement contract. Calls of the same target by others
 * are no hooks.
 */
function hooksIn(calls: readonly TracedCall[], { settlement, hooksTrampoline }: Contracts): SettledHooks[] {
  const indices = [...calls.keys()].filter((index) => calls[index]?.isCall)
  const called = (parent: number, to?: Address) =>
    indices.filter((index) => {
      const call = calls[index]
      return call?.parent === parent && (to === undefined || isAddress(call.to, to))
    })
  const gasFaults = outOfGasInside(calls)
  return indices
    .filter((index) => !calls[index]?.isReverted && isAddress(calls[index]?.to, settlement))
    .map((settle) => {
      const stages = decodeForeign(hexOf(calls[settle]?.input))?.interactions
      // Each interaction of a settlement is a call that succeeded, or the settlement would have failed.
      const stageOf = stages?.flatMap((stage, number) =>
        stage.flatMap(({ target }) => (target === hooksTrampoline ? [number] : [])),
      )
      const runs = called(settle, hooksTrampoline)
      if (!stageOf || stageOf.length !== runs.length) return null
      const inStage = (stage: number) =>
        runs
          .filter((_, index) => stageOf[index] === stage)
          .flatMap((run) => called(run))
          .flatMap((index) => toHookCall(calls[index], gasFaults.has(index)) ?? [])
      return { pre: inStage(0), post: inStage(2) }
    })
}

/** The calls with a call inside that ran out of gas. */
function outOfGasInside(calls: readonly TracedCall[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (const call of calls)
    if (isOutOfGas(call))
      for (let at = call.parent; at >= 0 && !found.has(at); at = calls[at]?.parent ?? -1) found.add(at)
  return found
}

const isOutOfGas = ({ error }: TracedCall) => error !== null && /out ?of ?gas/i.test(error)

function toHookCall(call: TracedCall | undefined, ranOutInside: boolean): HookCall | undefined {
  const target = typeof call?.to === 'string' ? toHex(call.to, 20) : undefined
  if (!call || !target) return undefined
  const { input, gas, gasUsed, error } = call
  return {
    target,
    callData: hexOf(input),
    gas: gasOf(gas),
    gasUsed: gasOf(gasUsed),
    failure:
      error === null
        ? null
        : {
            reason: reasonOf(error, call.output),
            outOfGas: isOutOfGas(call) ? 'itself' : ranOutInside ? 'inside' : null,
          },
  }
}

const hexOf = (value: unknown): Hex => (typeof value === 'string' && toHex(value)) || '0x'

/** The largest gas that is stored. */
const maxGas = 2n ** 63n - 1n

function gasOf(value: unknown): bigint | null {
  const gas = isQuantity(value) ? BigInt(value) : null
  return gas !== null && gas <= maxGas ? gas : null
}

/** The contract's answer, or a fault of its code in the node's words; null for a revert without an answer. */
function reasonOf(error: string, output: unknown): string | null {
  const data = hexOf(output)
  if (hexSize(data) > 0) return revertDataText(data)
  return /revert/i.test(error) ? null : oneLine(error)
}
