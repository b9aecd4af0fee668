import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { TooLarge } from '../rpc/post.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { isTimeout, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'

interface Call {
  to: unknown
  input: unknown
}

/** The number of calls above which a trace is not read. */
const maxCalls = 10_000

/**
 * The `settle` calls of a transaction that did not revert, in order; undefined if the node does not trace, or
 * not in time.
 * @throws Outage if the node is unavailable
 */
export async function tracedSettlements(
  rpc: Rpc,
  settlement: Address,
  txHash: Bytes32,
): Promise<DecodedSettlement[] | undefined> {
  const calls = (await byCallTracer(rpc, txHash)) ?? (await byTraceModule(rpc, txHash))
  return calls
    ?.filter(({ to }) => typeof to === 'string' && to.toLowerCase() === settlement)
    .flatMap(({ input }) => decodeSettle(parseHex(input)) ?? [])
}

async function byCallTracer(rpc: Rpc, txHash: Bytes32): Promise<Call[] | undefined> {
  const trace = await traced(rpc, 'debug_traceTransaction', [txHash, { tracer: 'callTracer' }])
  if (trace === undefined) return undefined
  const calls: Call[] = []
  const open: unknown[] = [trace]
  while (open.length > 0) {
    const { error, type, to, input, calls: inner = [] } = parseObject(open.pop())
    if (error !== undefined) continue
    if (type === 'CALL') calls.push({ to, input })
    open.push(...parseList(inner).toReversed())
    if (calls.length > maxCalls || open.length > maxCalls) return undefined
  }
  return calls
}

/** Reads the calls by the trace module. Calls inside a failed call are reverted with it. */
async function byTraceModule(rpc: Rpc, txHash: Bytes32): Promise<Call[] | undefined> {
  const trace = await traced(rpc, 'trace_transaction', [txHash])
  if (trace === undefined) return undefined
  const failed: string[] = []
  return parseList(trace)
    .slice(0, maxCalls)
    .flatMap((item) => {
      const { action, error, traceAddress } = parseObject(item)
      const place = `${parseList(traceAddress).join('.')}.`
      if (error !== undefined && error !== null) failed.push(place === '.' ? '' : place)
      if (failed.some((prefix) => place.startsWith(prefix))) return []
      const { callType, to, input } = parseObject(action)
      return callType === 'call' ? [{ to, input }] : []
    })
}

async function traced(rpc: Rpc, method: string, params: unknown[]): Promise<unknown> {
  try {
    return (await rpc.call(method, params)) ?? undefined
  } catch (fault) {
    const isTooLarge = fault instanceof Error && fault.cause instanceof TooLarge
    if (fault instanceof RpcError || isTimeout(fault) || isTooLarge) return undefined
    throw fault
  }
}
