import { type Address, address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, toHex, zeroWord } from '../../domain/evm/hex.ts'
import type { Rpc, RpcCall, RpcResponse } from '../rpc/rpc.ts'
import {
  isTimeout,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  parseQuantity,
  toQuantity,
} from '../rpc/wire.ts'
import {
  type Call,
  type CallResult,
  type CodeOverrides,
  failureText,
  type Head,
  NotOffered,
  type RawLog,
  type Slots,
  TooLong,
  toLog,
  toWire,
} from './simulate-v1.ts'

/** The maximum number of slots in one bundle. */
const maxSlots = 4_000
/** The maximum number of calls inside one transaction. */
const maxCalls = 20_000

interface Account {
  balance?: Hex
  nonce?: Hex
  code?: Hex
  stateDiff: Record<Bytes32, Hex>
}

interface TracedCall {
  /** The result; undefined if only the state was requested. */
  result: CallResult | undefined
  /** The slots before the first call, and after this call. */
  slots: Slots
}

interface TraceOptions {
  rpc: Rpc
  head: Head
  /** True if results are requested, not only the state. */
  results: boolean
  /** The deadline in milliseconds on the clock of `performance`. */
  deadline: number
  code?: CodeOverrides
}

/**
 * Runs calls in sequence with `debug_traceCall`, each on the state that the previous ones leave, which is
 * passed as overrides. A call that the node refuses fails, and changes nothing.
 * @throws NotOffered; TooLong at the deadline; Outage
 */
export async function runByTraces(calls: readonly Call[], options: TraceOptions): Promise<TracedCall[]> {
  const { rpc, head, results, deadline, code = {} } = options
  const blockOverrides = { number: toQuantity(head.number + 1), time: toQuantity(head.time + 1) }
  const overrides = new Map(
    Object.entries(code).map(([account, code]): [Address, Account] => [
      address(account),
      { code, stateDiff: {} },
    ]),
  )
  const slots = new Map<Address, Map<Bytes32, { before: Bytes32; after: Bytes32 }>>()
  const traced: TracedCall[] = []
  for (const call of calls) {
    if (performance.now() > deadline) throw new TooLong()
    const state = Object.fromEntries(overrides)
    const trace = (tracer: string, tracerConfig: object): RpcCall => ({
      method: 'debug_traceCall',
      params: [
        { ...toWire(call), gasPrice: '0x0' },
        toQuantity(head.number),
        { tracer, tracerConfig, stateOverrides: state, blockOverrides },
      ],
    })
    const [diff, calling] = await rpc.batch([
      trace('prestateTracer', { diffMode: true }),
      ...(results ? [trace('callTracer', { withLog: true })] : []),
    ])
    const changes = diff && 'value' in diff ? toChanges(diff.value) : undefined
    if (!changes) requireOffered(diff)
    const native = changes ? apply(changes, overrides, slots) : new Map<Address, bigint>()
    traced.push({
      result: results ? toResult(calling, native) : undefined,
      slots: new Map([...slots].map(([account, changed]) => [account, new Map(changed)])),
    })
  }
  return traced
}

/** Checks a response. @throws NotOffered unless the node refused only this call */
function requireOffered(response: RpcResponse | undefined): void {
  if (!response || !('error' in response)) throw new NotOffered('no trace')
  const { error } = response
  const isRefusedCall = /insufficient|intrinsic|nonce|sender|funds/i.test(error.message) && !isTimeout(error)
  if (!isRefusedCall) throw new NotOffered(error.message)
}

interface Changes {
  account: Address
  before: Record<string, unknown>
  after: Record<string, unknown>
}

function toChanges(value: unknown): Changes[] {
  const { pre, post } = parseObject(value)
  const [before, after] = [parseObject(pre), parseObject(post)]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((account) => ({
    account: address(parseHex(account, 20)),
    before: parseObject(before[account] ?? {}),
    after: parseObject(after[account] ?? {}),
  }))
}

/** Adds the changes of one call to the state for the next one. @returns the changes of native balances */
function apply(
  changes: readonly Changes[],
  overrides: Map<Address, Account>,
  slots: Map<Address, Map<Bytes32, { before: Bytes32; after: Bytes32 }>>,
): Map<Address, bigint> {
  const native = new Map<Address, bigint>()
  for (const { account, before, after } of changes) {
    const known = overrides.get(account) ?? { stateDiff: {} }
    if (after.balance !== undefined) {
      const balance = parseQuantity(after.balance)
      const change = balance - (before.balance === undefined ? 0n : parseQuantity(before.balance))
      if (change !== 0n) native.set(account, change)
      known.balance = toQuantity(balance)
    }
    if (after.nonce !== undefined) known.nonce = toQuantity(Number(after.nonce))
    if (after.code !== undefined) known.code = parseHex(after.code)
    const [earlier, later] = [parseObject(before.storage ?? {}), parseObject(after.storage ?? {})]
    const changed = slots.get(account) ?? new Map<Bytes32, { before: Bytes32; after: Bytes32 }>()
    // A slot that becomes zero is missing afterwards; a slot that was zero is missing before.
    for (const key of new Set([...Object.keys(earlier), ...Object.keys(later)])) {
      const slot = wordOf(key)
      const value = wordOf(later[key])
      changed.set(slot, { before: changed.get(slot)?.before ?? wordOf(earlier[key]), after: value })
      known.stateDiff[slot] = value
    }
    if (changed.size > 0) slots.set(account, changed)
    overrides.set(account, known)
  }
  const count = [...slots.values()].reduce((sum, { size }) => sum + size, 0)
  if (count > maxSlots) throw new NotOffered('more slots than are followed')
  return native
}

function wordOf(value: unknown): Bytes32 {
  if (value === undefined || value === null) return zeroWord
  const digits = parseHex(value).slice(2)
  return toHex(`0x${digits.padStart(64, '0')}`, 32) ?? zeroWord
}

function toResult(response: RpcResponse | undefined, native: ReadonlyMap<Address, bigint>): CallResult {
  if (!response || 'error' in response) {
    const error = response ? response.error.message.slice(0, 200) : 'not run'
    return { succeeds: false, error, gasUsed: 0, output: '0x', logs: [], native: new Map() }
  }
  const top = parseObject(response.value)
  const output = top.output === undefined ? '0x' : parseHex(top.output)
  const succeeds = top.error === undefined || top.error === null
  return {
    succeeds,
    error: succeeds ? null : failureText(output, top.error, false),
    gasUsed: parseIndex(top.gasUsed),
    output,
    logs: succeeds ? logsIn(top) : [],
    native: succeeds ? native : new Map(),
  }
}

/** The logs of calls that did not fail, in order. */
function logsIn(top: Record<string, unknown>): RawLog[] {
  const found: { log: RawLog; index: number }[] = []
  const open = [top]
  for (let call = open.pop(), seen = 1; call; call = open.pop(), seen++) {
    if (seen > maxCalls) throw new NotOffered('more calls than are followed')
    if (call.error !== undefined && call.error !== null) continue
    for (const item of parseList(call.logs ?? [])) {
      const { index } = parseObject(item)
      found.push({ log: toLog(item), index: index === undefined ? found.length : parseIndex(index) })
    }
    open.push(...parseList(call.calls ?? []).map(parseObject))
  }
  return found.sort((one, other) => one.index - other.index).map(({ log }) => log)
}
