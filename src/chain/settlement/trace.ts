import { LRUCache } from 'lru-cache'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { TooLarge } from '../rpc/post.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { isTimeout, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type DecodedSettlement, decodeSettle, settleSelector } from './call.ts'

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

/** The reason why a trace is not known: the node never traces, not this time, or not in this form. */
export type TraceFault = 'notOffered' | 'failed' | 'tooLarge' | 'malformed'

/** The calls of a transaction in the order in which they begin, or why they are not known. */
type Trace = { calls: TracedCall[] } | { fault: TraceFault }

/** The number of calls above which a trace is not read. */
const maxCalls = 10_000

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
      from,
      to,
      input,
      gas,
      gasUsed,
      output,
      parent: next.parent,
      isCall: type === 'CALL',
      error: errorOf(error),
      isReverted: false,
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
      from,
      to,
      input,
      gas,
      gasUsed,
      output,
      parent: place.length === 0 ? -1 : (indices.get(place.slice(0, -1).join('.')) ?? -1),
      isCall: callType === 'call',
      error: errorOf(error),
      isReverted: false,
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

/** A call of the settlement contract that did not revert. */
export interface SettleCall {
  /**
   * The accounts on the path from the transaction's sender to the call, each once, the sender first. The last
   * one called the settlement contract.
   */
  callers: readonly [Address, ...Address[]]
  /** Undefined for calldata that cannot be read. */
  call: DecodedSettlement | undefined
}

/**
 * Finds the calls of `settle` that did not revert, in order. A delegated call is none: it runs in another
 * contract's name.
 * @throws Outage for a malformed trace
 */
function settleCallsIn(calls: readonly TracedCall[], settlement: Address): SettleCall[] {
  return calls.flatMap((traced) => {
    const { isCall, isReverted, to, input } = traced
    if (!isCall || isReverted || !isAddress(to, settlement)) return []
    const calldata = parseHex(input)
    if (!calldata.startsWith(settleSelector)) return []
    return [{ callers: callersOf(traced, calls), call: decodeSettle(calldata) }]
  })
}

function callersOf(traced: TracedCall, calls: readonly TracedCall[]): SettleCall['callers'] {
  const path = [toAccount(traced.from)]
  for (let outer = calls[traced.parent]; outer; outer = calls[outer.parent]) path.push(toAccount(outer.from))
  const [sender = toAccount(traced.from), ...others] = new Set(path.reverse())
  return [sender, ...others]
}

const toAccount = (value: unknown) => address(parseHex(value, 20))

/** Finds settlements in traces, within a rate. */
export interface SettlementTracer {
  /**
   * Returns the `settle` calls of a mined transaction, or why they are not known: `busy` above the rate.
   * @throws Outage if the node is unavailable
   */
  settleCalls(transaction: { hash: Bytes32; blockHash: Bytes32 }): Promise<SettleCall[] | Untraced>
}

export type Untraced = TraceFault | 'busy'

/** Each trace makes the node run a transaction again. */
const tracesPerSecond = 10
const burst = 20
/** The pauses after which a node that does not trace, or did not in time, is tried again. */
const pauseMs = { notOffered: 60_000, failed: 5_000 }
/** The calldata of kept settlements, in characters: a settlement is read again when its competition comes. */
const keptSize = 16 * 2 ** 20

export function createSettlementTracer(options: {
  rpc: Rpc
  settlement: Address
  now: Clock
  log: Log
}): SettlementTracer {
  const { rpc, settlement, now, log } = options
  const kept = new LRUCache<string, SettleCall[]>({ max: 1_000, maxSize: keptSize })
  let tracedUntil = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY
  let isOffered = true
  return {
    async settleCalls({ hash, blockHash }) {
      const key = `${hash}${blockHash}`
      const known = kept.get(key)
      if (known) return known
      if (now() < pausedUntil) return isOffered ? 'busy' : 'notOffered'
      const next = Math.max(tracedUntil, now() - (burst * 1_000) / tracesPerSecond) + 1_000 / tracesPerSecond
      if (next > now()) return 'busy'
      tracedUntil = next
      const trace = await traceTransaction(rpc, hash)
      if ('fault' in trace) {
        const { fault } = trace
        if (fault === 'notOffered' && isOffered)
          log.warn('the node does not trace: settlements through other contracts wait for one that does')
        if (fault === 'failed' || fault === 'notOffered') pausedUntil = now() + pauseMs[fault]
        isOffered = fault !== 'notOffered'
        return fault
      }
      isOffered = true
      try {
        const calls = settleCallsIn(trace.calls, settlement)
        const inputs = trace.calls.filter(({ to }) => isAddress(to, settlement)).map(({ input }) => input)
        kept.set(key, calls, { size: inputs.reduce<number>((sum, input) => sum + String(input).length, 1) })
        return calls
      } catch (fault) {
        if (fault instanceof Outage) return 'malformed'
        throw fault
      }
    },
  }
}
