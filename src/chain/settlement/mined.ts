import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { TokenChanges } from '../../domain/settlement/accounting.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseHash, parseIndex, parseObject, parseQuantity, parseResponse } from '../rpc/wire.ts'
import { decodeSettle } from './call.ts'
import { type FindOptions, findTransactions, type LoggedTransaction } from './find-transactions.ts'
import type { SettleCall, SettlementTracer, Untraced } from './trace.ts'

/** A mined transaction with settlements. */
export interface MinedSettlements {
  /** The block that its receipt names. */
  blockHash: Bytes32
  /**
   * The `settle` calls that did not revert, in order, one for each logged settlement; or why they are not
   * known.
   */
  calls: readonly SettleCall[] | Untraced
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

/** A transaction with the number of its logged settlements. */
export interface SettledTransaction extends LoggedTransaction {
  settlements: number
}

export interface MinedOptions extends FindOptions {
  tracer: SettlementTracer
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

/**
 * Reads transactions whose logs are known, by hash, without those that no node knows. The calldata of a call
 * of the settlement contract is its settlement. A transaction with another call, or with more settlements, is
 * traced.
 * @throws Outage
 */
export async function minedSettlements(
  options: MinedOptions,
  logged: readonly SettledTransaction[],
): Promise<Map<Bytes32, MinedSettlements>> {
  const { network, tracer } = options
  const found = await findTransactions(options, logged)
  const mined = new Map<Bytes32, MinedSettlements>()
  for (const { sent, receipt } of found) {
    const { hash, sender, to, input, gasPrice } = sent
    const blockHash = receipt?.blockHash ?? sent.blockHash
    const count = logged.find(({ txHash }) => txHash === hash)?.settlements
    const isDirect = to === network.settlement && count === 1
    mined.set(hash, {
      blockHash,
      calls: isDirect
        ? [{ callers: [sender], call: decodeSettle(input) }]
        : await tracedCalls(tracer, { hash, blockHash }, count),
      gasUsed: receipt?.gasUsed ?? null,
      effectiveGasPrice: receipt ? (receipt.effectiveGasPrice ?? gasPrice) : null,
      changes: receipt?.changes ?? null,
    })
  }
  return mined
}

/** Traces a transaction. Another number of settlements than of logs counts as malformed. */
async function tracedCalls(
  tracer: SettlementTracer,
  transaction: { hash: Bytes32; blockHash: Bytes32 },
  count: number | undefined,
): Promise<readonly SettleCall[] | Untraced> {
  const calls = await tracer.settleCalls(transaction)
  return typeof calls === 'string' || calls.length === count ? calls : 'malformed'
}
