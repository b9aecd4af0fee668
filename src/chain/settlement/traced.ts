import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { TooLarge } from '../rpc/post.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { isTimeout, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'

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

/** The reason why a trace is not known: the node does not trace at all, or not this time, or not in this form. */
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
