import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { TokenChanges } from '../../domain/settlement/accounting.ts'
import { TooLarge } from '../rpc/post.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import {
  available,
  isTimeout,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  parseQuantity,
  parseResponse,
} from '../rpc/wire.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'
import {
  type FindOptions,
  findTransactions,
  type LoggedTransaction,
  type SentTransaction,
} from './find-transactions.ts'

/** A call of a trace. Values are those of the node, and not checked. */
export interface TracedCall {
  /** The index of the calling call; -1 for the transaction's own. */
  parent: number
  /** True for a plain call, and false for others, such as delegated ones. */
  isCall: boolean
  from: unknown
  to: unknown
  input: unknown
  /** The gas that was forwarded. */
  gas: unknown
  gasUsed: unknown
  output: unknown
  /** The node's text; null for a call that did not fail. */
  error: string | null
  /** True if the call, or a call around it, failed, so that its effects are reverted. */
  isReverted: boolean
}

/**
 * The reason why a trace is not known: the node does not trace at all, or not this time, or not in this form.
 */
export type TraceFault = 'notOffered' | 'failed' | 'tooLarge' | 'malformed'

/** The calls of a transaction in the order in which they begin, or why they are not known. */
export type Trace = { calls: TracedCall[] } | { fault: TraceFault }

/** The number of calls above which a trace is not read. */
const maxCalls = 10_000

/**
 * The `settle` calls of a transaction that did not revert, in order; undefined if the node does not trace, or
 * not in time.
 * @throws Outage if the node is unavailable, or its trace malformed
 */
export async function tracedSettlements(
  rpc: Rpc,
  settlement: Address,
  txHash: Bytes32,
): Promise<DecodedSettlement[] | undefined> {
  const trace = await traceTransaction(rpc, txHash)
  if ('fault' in trace) {
    if (trace.fault !== 'malformed') return undefined
    throw new Outage('the network node', new TypeError('a malformed trace'))
  }
  return trace.calls
    .filter(({ isCall, isReverted, to }) => isCall && !isReverted && isAddress(to, settlement))
    .flatMap(({ input }) => decodeSettle(parseHex(input)) ?? [])
}

export const isAddress = (value: unknown, address: Address): boolean =>
  typeof value === 'string' && value.toLowerCase() === address

/** Traces a transaction, by the trace module if the node has no call tracer. @throws Outage */
export async function traceTransaction(rpc: Rpc, txHash: Bytes32): Promise<Trace> {
  const byTracer = await traced(rpc, 'debug_traceTransaction', [txHash, callTracer], fromFrames)
  if ('calls' in byTracer || byTracer.fault === 'tooLarge') return byTracer
  const byModule = await traced(rpc, 'trace_transaction', [txHash], fromList)
  return 'fault' in byModule && byModule.fault === 'notOffered' ? byTracer : byModule
}

export const callTracer = { tracer: 'callTracer' }

/** Runs a method that traces. @throws Outage */
export async function traced(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
  toCalls: (trace: unknown) => TracedCall[] | undefined,
): Promise<Trace> {
  try {
    const trace = (await rpc.call(method, params)) ?? undefined
    if (trace === undefined) return { fault: 'failed' }
    return read(trace, toCalls)
  } catch (fault) {
    if (fault instanceof Error && fault.cause instanceof TooLarge) return { fault: 'tooLarge' }
    if (fault instanceof RpcError) return { fault: isNotOffered(fault) ? 'notOffered' : 'failed' }
    if (isTimeout(fault)) return { fault: 'failed' }
    throw fault
  }
}

function read(trace: unknown, toCalls: (trace: unknown) => TracedCall[] | undefined): Trace {
  try {
    const calls = toCalls(trace)
    return calls ? { calls } : { fault: 'tooLarge' }
  } catch (fault) {
    if (fault instanceof Outage) return { fault: 'malformed' }
    throw fault
  }
}

/** Reports whether the node never traces. One that lacks the transaction or its block may have it later. */
const isNotOffered = ({ code, message }: RpcError) =>
  code === -32601 || /method|unsupported|not supported/i.test(message)

/** Reads the nested frames of the call tracer; undefined if there are too many. */
export function fromFrames(trace: unknown): TracedCall[] | undefined {
  const calls: TracedCall[] = []
  const open = [{ frame: trace, parent: -1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { error, type, calls: inner = [], ...call } = parseObject(next.frame)
    const { from, to, input, gas, gasUsed, output } = call
    const index = calls.length
    calls.push({
      ...{ from, to, input, gas, gasUsed, output, parent: next.parent },
      ...{ isCall: type === 'CALL', error: errorOf(error), isReverted: false },
    })
    for (const frame of parseList(inner).toReversed()) open.push({ frame, parent: index })
    if (calls.length > maxCalls || open.length > maxCalls) return undefined
  }
  return withReverts(calls)
}

/** Reads the list of the trace module, in which each call has its place; undefined if it is too long. */
function fromList(trace: unknown): TracedCall[] | undefined {
  const items = parseList(trace)
  if (items.length > maxCalls) return undefined
  const indices = new Map<string, number>()
  const calls = items.map((item, index): TracedCall => {
    const { action, result, error, traceAddress } = parseObject(item)
    const place = parseList(traceAddress)
    indices.set(place.join('.'), index)
    const { callType, from, to, input, gas } = parseObject(action)
    const { gasUsed, output } = parseObject(result ?? {})
    return {
      ...{ from, to, input, gas, gasUsed, output },
      parent: place.length === 0 ? -1 : (indices.get(place.slice(0, -1).join('.')) ?? -1),
      ...{ isCall: callType === 'call', error: errorOf(error), isReverted: false },
    }
  })
  return withReverts(calls)
}

const errorOf = (error: unknown): string | null =>
  error === undefined || error === null ? null : String(error).slice(0, 200)

/** Calls inside a failed call are reverted with it. A caller comes before its calls. */
function withReverts(calls: TracedCall[]): TracedCall[] {
  for (const call of calls) call.isReverted = call.error !== null || calls[call.parent]?.isReverted === true
  return calls
}

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
