import { Outage } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TokenChanges } from '../../domain/settlement/account.ts'
import { receiptLogs } from '../logs/logs.ts'
import { parseSettlementLog } from '../logs/settlement-logs.ts'
import { TooLarge } from '../rpc/post.ts'
import type { Rpc } from '../rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseIndex,
  parseObject,
  parseQuantity,
  parseResponse,
} from '../rpc/wire.ts'
import { loggedChanges } from './balance-changes.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'
import { tracedSettlements } from './traced.ts'

/** A transaction with settlements, as it was mined. */
export interface MinedSettlements {
  sender: Address
  /** That its receipt names. */
  blockHash: Bytes32
  /** The `settle` calls that did not revert, in their order; empty where they cannot be known. */
  calls: readonly DecodedSettlement[]
  /** null where the node gives no receipt that can be read. */
  gasUsed: bigint | null
  /** Wei for one unit of gas; null where the node does not say. */
  effectiveGasPrice: bigint | null
  /**
   * What each settlement changed of the contract's tokens, in their order: logs up to a settlement's own are its, and those behind the
   * last one too. null where the logs cannot be read, or are too many. By logs alone, unlike `balanceChanges`, which says why; the native
   * coin counts as its wrapped form, since unwrapping is no change.
   */
  changes: readonly TokenChanges[] | null
}

export interface MinedOptions {
  rpc: Rpc
  /** Without retries: a trace can take a node long. */
  traceRpc: Rpc
  network: Pick<Network, 'settlement' | 'wrappedNative'>
  /** Which of these accounts may send settlements of the service through other contracts, as of this block. */
  solversAmong(senders: readonly Address[], block: number): Promise<ReadonlySet<Address>>
  log: Log
}

/** What a transaction that is in a block cost. */
export interface MinedGas {
  isReverted: boolean
  gas: bigint
  gasPrice: bigint | null
  block: number
  blockHash: Bytes32
}

/** In the order of the hashes; null for those that are in no block. @throws Outage */
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

/** Receipts of one request; one of them may have megabytes of logs. */
const receiptsAtOnce = 10
const maxLogs = 10_000
/** Each makes the node execute a transaction again. */
const maxTraces = 20

/**
 * Transactions whose logs are known, by hash. Those to the settlement contract say in their calldata what they settle; others are traced,
 * if their sender is a solver.
 * @throws Outage for a transaction that the node does not know: it has a log, so it exists
 */
export async function minedSettlements(
  options: MinedOptions,
  txHashes: readonly Bytes32[],
): Promise<Map<Bytes32, MinedSettlements>> {
  const sent = await readTransactions(options.rpc, txHashes)
  const receipts = await readReceipts(options, txHashes)
  const traced = await traceWrapped(options, sent)
  return new Map(
    sent.map(({ hash, blockHash, sender, to, input, gasPrice }) => {
      const direct = to === options.network.settlement ? decodeSettle(input) : undefined
      const receipt = receipts.get(hash)
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

interface SentTransaction {
  hash: Bytes32
  block: number
  blockHash: Bytes32
  sender: Address
  to: Hex | null
  input: Hex
  /** What a mined transaction paid, where the receipt does not say. */
  gasPrice: bigint | null
}

async function readTransactions(rpc: Rpc, txHashes: readonly Bytes32[]): Promise<SentTransaction[]> {
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionByHash', params: [txHash] }))
  const responses = await available(rpc.batch(calls))
  return txHashes.map((txHash, index) => {
    const transaction = parseResponse(responses[index])
    const { hash, blockNumber, blockHash, from, to, input, gasPrice } =
      transaction === null ? {} : parseObject(transaction)
    if (hash === undefined || parseHash(hash) !== txHash) throw new Outage(`transaction ${txHash}`)
    return {
      hash: txHash,
      block: parseIndex(blockNumber),
      blockHash: parseHash(blockHash),
      sender: parseHex(from, 20),
      to: to == null ? null : parseHex(to, 20),
      input: parseHex(input),
      gasPrice: gasPrice == null ? null : parseQuantity(gasPrice),
    }
  })
}

type ReadReceipt = Pick<MinedSettlements, 'blockHash' | 'gasUsed' | 'effectiveGasPrice' | 'changes'>

async function readReceipts(
  options: MinedOptions,
  txHashes: readonly Bytes32[],
): Promise<Map<Bytes32, ReadReceipt>> {
  const receipts = new Map<Bytes32, ReadReceipt>()
  for (let start = 0; start < txHashes.length; start += receiptsAtOnce) {
    const part = txHashes.slice(start, start + receiptsAtOnce)
    for (const [hash, receipt] of await readPart(options, part)) receipts.set(hash, receipt)
  }
  return receipts
}

/** Receipts that are too large together are read one by one; what is too large alone stays unknown. */
async function readPart(
  options: MinedOptions,
  txHashes: readonly Bytes32[],
): Promise<(readonly [Bytes32, ReadReceipt])[]> {
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }))
  try {
    const responses = await available(options.rpc.batch(calls))
    return txHashes.map(
      (txHash, index) => [txHash, toReceipt(parseResponse(responses[index]), txHash, options)] as const,
    )
  } catch (fault) {
    if (!(fault instanceof Outage && fault.cause instanceof TooLarge)) throw fault
    if (txHashes.length > 1) {
      const parts = []
      for (const txHash of txHashes) parts.push(...(await readPart(options, [txHash])))
      return parts
    }
    options.log.warn('a receipt is too large to be read', { txHash: txHashes[0] })
    return []
  }
}

function toReceipt(raw: unknown, txHash: Bytes32, { network, log }: MinedOptions): ReadReceipt {
  const receipt = raw === null ? {} : parseObject(raw)
  const { transactionHash, blockHash, gasUsed, effectiveGasPrice } = receipt
  if (transactionHash === undefined || parseHash(transactionHash) !== txHash)
    throw new Outage(`the receipt of transaction ${txHash}`)
  const rawLogs = receiptLogs(receipt)
  if (rawLogs.length > maxLogs) log.warn('a settlement has too many logs', { txHash, logs: rawLogs.length })
  return {
    blockHash: parseHash(blockHash),
    gasUsed: parseQuantity(gasUsed),
    effectiveGasPrice: effectiveGasPrice == null ? null : parseQuantity(effectiveGasPrice),
    changes: rawLogs.length > maxLogs ? null : changesOf(rawLogs, network),
  }
}

function changesOf(rawLogs: readonly unknown[], network: MinedOptions['network']): TokenChanges[] {
  const isEnd = (raw: unknown) => {
    const log = parseHex(parseObject(raw).address, 20) === network.settlement && parseSettlementLog(raw)
    return typeof log === 'object' && log.type === 'settlement'
  }
  const ends = rawLogs.flatMap((raw, index) => (isEnd(raw) ? [index + 1] : []))
  return ends.map((end, index) => {
    const start = ends[index - 1] ?? 0
    const changes = loggedChanges(
      rawLogs.slice(start, ends[index + 1] === undefined ? undefined : end),
      network,
    )
    const native = changes.get(nativeMarker) ?? 0n
    changes.delete(nativeMarker)
    return changes.set(network.wrappedNative, (changes.get(network.wrappedNative) ?? 0n) + native)
  })
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
