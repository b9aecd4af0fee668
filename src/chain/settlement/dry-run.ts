import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import { revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, isExecutionFault, parseQuantity, toQuantity } from '../rpc/wire.ts'
import type { Simulation } from './sequence.ts'

export interface DryRunState {
  /** The block; the newest by default. */
  block?: number
  /** Overrides the settlement contract's native balance. */
  balance?: bigint | undefined
}

/**
 * Simulates a settlement alone, with this much gas.
 * @returns the reason why it reverts; undefined if it does not
 * @throws Outage if the node reports neither
 */
export type DryRun = (calldata: Hex, gas: bigint, state?: DryRunState) => Promise<string | undefined>

/** Creates a simulation of settlements from the account `from`. It needs no key of the account. */
export function createDryRun(rpc: Rpc, settlement: Address, from: Address): DryRun {
  return async (data, gas, { block, balance } = {}) => {
    const blockTag = block === undefined ? 'latest' : toQuantity(block)
    const call = [{ from, to: settlement, data, gas: toQuantity(gas) }, blockTag]
    const overrides = balance === undefined ? [] : [{ [settlement]: { balance: toQuantity(balance) } }]
    try {
      await rpc.call('eth_call', [...call, ...overrides])
      return undefined
    } catch (fault) {
      if (isExecutionFault(fault)) return revertText(fault)
      throw asOutage(fault)
    }
  }
}

/**
 * Creates an estimate of the gas of a settlement's transaction, or of the reason why it reverts.
 * @throws Outage if the node reports neither
 */
export function createEstimate(rpc: Rpc, to: Address, from: Address): (calldata: Hex) => Promise<Simulation> {
  return async (data) => {
    try {
      return { gas: parseQuantity(await rpc.call('eth_estimateGas', [{ from, to, data }])) }
    } catch (fault) {
      if (isExecutionFault(fault)) return { revert: revertText(fault) }
      throw asOutage(fault)
    }
  }
}
