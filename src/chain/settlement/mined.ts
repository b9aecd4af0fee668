import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { TokenChanges } from '../../domain/settlement/account.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseHash, parseIndex, parseObject, parseQuantity, parseResponse } from '../rpc/wire.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'
import {
  type FindOptions,
  findTransactions,
  type LoggedTransaction,
  type SentTransaction,
} from './find-transactions.ts'
import { tracedSettlements } from './traced.ts'

/** A mined transaction with settlements. */
export interface MinedSettlements {
  sender: Address
  /** The block that its receipt names. */
  blockHash: Bytes32
  /** The `settle` calls that did not revert, in order; empty if they cannot be known. */
  calls: readonly DecodedSettlement[]
  /** The gas used; null if the node gives no readable receipt. */
  gasUsed: bigint | null
  /** The price in wei of one unit of gas; null if the node does not report it. */
  effectiveGasPrice: bigint | null
  /**
   * The changes of the contract's tokens by each settlement, in order. Logs up to a settlement's own log
   * belong to it; logs after the last one do too. Null if the logs cannot be read, or are too many. The
   * changes come from logs alone; `balanceChanges` differs and explains why. The native coin counts as its
   * wrapped form, because unwrapping is no change.
   */
  changes: readonly TokenChanges[] | null
}

export interface MinedOptions extends FindOptions {
  /** The client for traces, without retries: a trace can take a node long. */
  traceRpc: Rpc
  /**
   * Returns those of the accounts that may send settlements of the service through other contracts, as of
   * this block.
   */
  solversAmong(senders: readonly Address[], block: number): Promise<ReadonlySet<Address>>
}

/** The cost of a transaction that is in a block. */
export interface MinedGas {
  isReverted: boolean
  gas: bigint
  gasPrice: bigint | null
  block: number
  blockHash: Bytes32
}

/** Reads costs in the order of the hashes; null for transactions that are in no block. @throws Outage */
export async function minedGas(rpc: Rpc, txHashes: readonly Bytes32[]): Promise<(MinedGas | null)[]> {
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }))
  const responses = await available(rpc.batch(calls))
  return responses.map((response) => {
    const receipt = parseResponse(response)
    if (receipt === null) return null
    const { status, gasUsed, effectiveGasPrice, blockNumber, blockHash } = parseObject(receipt)
    return {
      isReverted: parseQuantity(status) === 0n,
      gas: parseQuantity(gasUsed),
      gasPrice: effectiveGasPrice == null ? null : parseQuantity(effectiveGasPrice),
      block: parseIndex(blockNumber),
      blockHash: parseHash(blockHash),
    }
  })
}

/** The maximum number of traces. Each makes the node execute a transaction again. */
const maxTraces = 20

/**
 * Reads transactions whose logs are known, by hash, without those that no node knows. The calldata of calls
 * to the settlement contract contains their settlements. Other transactions are traced, if their sender is a
 * solver.
 * @throws Outage
 */
export async function minedSettlements(
  options: MinedOptions,
  logged: readonly LoggedTransaction[],
): Promise<Map<Bytes32, MinedSettlements>> {
  const found = await findTransactions(options, logged)
  const traced = await traceWrapped(
    options,
    found.map(({ sent }) => sent),
  )
  return new Map(
    found.map(({ sent, receipt }) => {
      const { hash, blockHash, sender, to, input, gasPrice } = sent
      const direct = to === options.network.settlement ? decodeSettle(input) : undefined
      return [
        hash,
        {
          sender,
          blockHash: receipt?.blockHash ?? blockHash,
          calls: direct ? [direct] : (traced.get(hash) ?? []),
          gasUsed: receipt?.gasUsed ?? null,
          effectiveGasPrice: receipt ? (receipt.effectiveGasPrice ?? gasPrice) : null,
          changes: receipt?.changes ?? null,
        },
      ]
    }),
  )
}

async function traceWrapped(
  { traceRpc, network, solversAmong, log }: MinedOptions,
  sent: readonly SentTransaction[],
): Promise<Map<Bytes32, DecodedSettlement[]>> {
  const traces = new Map<Bytes32, DecodedSettlement[]>()
  const wrapped = sent.filter(({ to }) => to !== network.settlement)
  if (wrapped.length === 0) return traces
  const senders = [...new Set(wrapped.map(({ sender }) => sender))]
  const solvers = await solversAmong(senders, Math.min(...wrapped.map(({ block }) => block)))
  const ours = wrapped.filter(({ sender }) => solvers.has(sender))
  for (const { hash } of ours.slice(0, maxTraces)) {
    const calls = await tracedSettlements(traceRpc, network.settlement, hash)
    if (calls) traces.set(hash, calls)
    else log.warn('a settlement through another contract is not attributed: no trace', { txHash: hash })
  }
  if (ours.length > maxTraces)
    log.warn('too many settlements through other contracts', { count: ours.length })
  return traces
}
