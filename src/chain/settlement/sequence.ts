import { Interface } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { encodeBytes, encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { gasUnits, maxTransactionGas } from '../../domain/settlement/gas.ts'
import { settlementSequenceCode } from '../bytecode.generated.ts'
import { revertDataText, revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isExecutionFault, parseHex, parseQuantity, toQuantity } from '../rpc/wire.ts'

/** The base gas of a transaction, before its calldata. */
const transactionBase = 21_000n
const zeroByte = 4n
const nonZeroByte = 16n
/** The gas of the solver check against the overridden allow-list. */
const fakeSolverCheck = 2_700n

/**
 * The gas units of the whole transaction. Storage refunds are not subtracted: a settlement that keeps its fee
 * leaves the balances of both tokens changed.
 * @param callGas measured gas of the call to the settlement contract
 */
export function settledGas(callGas: bigint, calldata: Hex): bigint {
  return intrinsicGas(calldata) + callGas + gasUnits.solverCheck - fakeSolverCheck
}

/**
 * The minimum gas limit of a transaction with this calldata (EIP-7623), which counts its bytes two and a half
 * times.
 */
export function floorGas(calldata: Hex): bigint {
  return transactionBase + ((intrinsicGas(calldata) - transactionBase) * 5n) / 2n
}

/** The gas of a transaction with this calldata before it does anything. */
export function intrinsicGas(calldata: Hex): bigint {
  const bytes = hexToBytes(calldata)
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length)
  return transactionBase + zeros * zeroByte + (BigInt(bytes.length) - zeros) * nonZeroByte
}

/** A call of the settlement contract by a solver's account. */
export interface SettlementCall {
  sender: Address
  calldata: Hex
  /** The maximum gas of the call, without the base gas of its transaction. */
  gas: bigint
}

/** The gas that the call used, or the reason for its failure. */
export type Simulation = { gas: bigint } | { revert: string }

/** The settlements that are sent and not yet mined, and simulations of others after them. */
export interface SettlementSequence {
  /** Adds a settlement after those that are already sent. @returns a function that removes it */
  add(call: SettlementCall): () => void
  isEmpty(): boolean
  /** Returns the settlements that are sent and not yet mined, in order. */
  sent(): readonly SettlementCall[]
  /**
   * Simulates the calls at the newest block after the sent settlements. Each runs on the state that the
   * previous ones leave; a failed one changes nothing.
   * @param gasPrice the price of a unit of gas, in wei, whatever the accounts have: contracts can read it
   * @throws Outage if the node does not answer, or does not support state overrides
   */
  simulate(calls: readonly SettlementCall[], gasPrice: bigint): Promise<Simulation[]>
}

const sequenceAbi = new Interface([
  'function run((address sender, address target, uint256 gas, bytes data)[] calls) returns ((bool ran, bool success, uint256 gas, bytes revertData)[] results)',
])
const runSelector = sequenceAbi.getFunction('run')?.selector as Hex

interface Result {
  ran: boolean
  success: boolean
  gas: bigint
  revertData: string
}

/** Creates a sequence. @param maxGas of one settlement: one that uses more counts as failed */
export function createSettlementSequence(
  rpc: Rpc,
  { settlement }: Network,
  maxGas = maxTransactionGas,
): SettlementSequence {
  const sent = new Set<SettlementCall>()
  return {
    add(call) {
      sent.add(call)
      return () => void sent.delete(call)
    },
    isEmpty: () => sent.size === 0,
    sent: () => [...sent],
    async simulate(calls, gasPrice) {
      const [first] = calls
      if (!first) return []
      const all = [...sent, ...calls]
      const overrides = Object.fromEntries(
        all.map(({ sender }) => [
          sender,
          { code: settlementSequenceCode, ...payer(sender, gasPrice)[sender] },
        ]),
      )
      const { sender } = first
      const call = { from: sender, to: sender, data: encodeRun(all, settlement), ...pricedCall(gasPrice) }
      const returned = await available(rpc.call('eth_call', [call, 'latest', overrides]))
      const simulations = decodeRun(parseHex(returned), all.length).slice(-calls.length)
      return simulations.map((simulation, index) => {
        if ('revert' in simulation) return simulation
        const gas = intrinsicGas(calls[index]?.calldata ?? '0x') + simulation.gas
        return gas > maxGas ? { revert: tooMuchGas(gas, maxGas) } : simulation
      })
    },
  }
}

export function tooMuchGas(gas: bigint, maxGas: bigint): string {
  return `it uses ${gas} gas, and a settlement may use ${maxGas}`
}

/** The call of `SettlementSequence` that runs the settlements in sequence. */
export function encodeRun(calls: readonly SettlementCall[], target: Address): Hex {
  const encoded = calls.map(({ sender, gas, calldata }) => ({
    dynamic: encodeTuple([word(sender), word(target), word(gas), { dynamic: encodeBytes(calldata) }]),
  }))
  return `${runSelector}${encodeTuple([{ dynamic: encodeList(encoded) }])}`
}

function decodeRun(returned: Hex, count: number): Simulation[] {
  const results = decodeResults(returned)
  if (results.length !== count)
    throw new Outage('the network node', new Error('it applies no state overrides'))
  return results.map(({ ran, success, gas, revertData }) => {
    if (success) return { gas }
    return { revert: ran ? revertDataText(parseHex(revertData)) : 'no gas is left to simulate it' }
  })
}

function decodeResults(returned: Hex): Result[] {
  try {
    return sequenceAbi.decodeFunctionResult('run', returned)[0]
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

interface DryRunState {
  /** The block; the newest by default. */
  block?: number
  /** Overrides the settlement contract's native balance. */
  balance?: bigint | undefined
  /** The price of a unit of gas, in wei, whatever the account has; 0 by default. */
  gasPrice?: bigint | undefined
}

/** The member of a call that pays this for a unit of gas: contracts can read it. */
export function pricedCall(gasPrice: bigint | undefined): { gasPrice?: Hex } {
  return gasPrice === undefined ? {} : { gasPrice: toQuantity(gasPrice) }
}

/** The override with which the account can pay for a call at this price. */
export function payer(account: Address, gasPrice: bigint | undefined): Record<Address, { balance: Hex }> {
  return gasPrice === undefined ? {} : { [account]: { balance: toQuantity(manyCoins) } }
}

const manyCoins = 2n ** 96n

/**
 * Simulates a settlement alone, with this much gas.
 * @returns the reason why it reverts; undefined if it does not
 * @throws Outage if the node reports neither
 */
export type DryRun = (calldata: Hex, gas: bigint, state?: DryRunState) => Promise<string | undefined>

/** Creates a simulation of settlements from the account `from`. It needs no key of the account. */
export function createDryRun(rpc: Rpc, settlement: Address, from: Address): DryRun {
  return async (data, gas, { block, balance, gasPrice } = {}) => {
    const blockTag = block === undefined ? 'latest' : toQuantity(block)
    const call = { from, to: settlement, data, gas: toQuantity(gas), ...pricedCall(gasPrice) }
    const overrides = {
      ...(balance !== undefined && { [settlement]: { balance: toQuantity(balance) } }),
      ...payer(from, gasPrice),
    }
    const more = Object.keys(overrides).length > 0 ? [overrides] : []
    try {
      await rpc.call('eth_call', [call, blockTag, ...more])
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
