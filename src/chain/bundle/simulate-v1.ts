import { type Address, address, nativeMarker } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { revertDataText } from '../rpc/revert.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import {
  isTimeout,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  toQuantity,
} from '../rpc/wire.ts'

/** A call in a sequence of calls. Each runs on the state that the previous one leaves. */
export interface Call {
  from: Address
  to: Address
  input: Hex
  value: bigint
  gas: number
}

export interface RawLog {
  address: Address
  topics: Bytes32[]
  data: Hex
}

/** The result of a call. */
export interface CallResult {
  succeeds: boolean
  /** The reason for the failure; null if it succeeds. */
  error: string | null
  gasUsed: number
  /** The returned data. */
  output: Hex
  logs: RawLog[]
  /** The changes of accounts' native balances, in atoms. */
  native: ReadonlyMap<Address, bigint>
}

/** Storage by account and slot. */
export type Slots = ReadonlyMap<Address, ReadonlyMap<Bytes32, { before: Bytes32; after: Bytes32 }>>

export interface Head {
  number: number
  /** The time in Unix seconds. */
  time: number
}

/** The code that replaces accounts' own code during the calls. */
export type CodeOverrides = Readonly<Record<Address, Hex>>

/** The error of a bundle that exceeds its time limit. */
export class TooLong extends Error {}

/**
 * The error of a node that cannot run the sequence of calls in this way: it has no such method, or refuses
 * one of the calls as a whole.
 */
export class NotOffered extends Error {
  /** True if the node has no such method. */
  readonly isMissing: boolean

  constructor(message: string, isMissing = false) {
    super(message)
    this.isMissing = isMissing
  }
}

const transfer = keccakText('Transfer(address,address,uint256)')
/** The gas limit of the block. It exceeds that of real blocks, because each call has its own limit. */
const blockGas = toQuantity(2 ** 40)
/** The size above which revert data contains no readable message. */
const maxRevertBytes = 4_096

/**
 * Runs calls with `eth_simulateV1` in a block after `head`, or after the newest block.
 * @throws NotOffered; Outage
 */
export async function runByMethod(
  rpc: Rpc,
  calls: readonly Call[],
  head?: Head,
  code: CodeOverrides = {},
): Promise<CallResult[]> {
  const place = head && { number: toQuantity(head.number + 1), time: toQuantity(head.time + 1) }
  const block = {
    blockOverrides: { ...place, gasLimit: blockGas },
    stateOverrides: Object.fromEntries(Object.entries(code).map(([account, code]) => [account, { code }])),
    calls: calls.map(toWire),
  }
  const options = { blockStateCalls: [block], traceTransfers: true, validation: false }
  const answer = await rpc
    .call('eth_simulateV1', [options, head ? toQuantity(head.number) : 'latest'])
    .catch((fault: unknown) => {
      if (fault instanceof RpcError && !isTimeout(fault))
        throw new NotOffered(fault.message, isMissingMethod(fault))
      throw fault
    })
  const [{ calls: results } = { calls: undefined }] = parseList(answer).map(parseObject)
  const list = parseList(results)
  if (list.length !== calls.length) throw new NotOffered('not as many results as calls')
  return list.map((item, index) => toResult(item, calls[index]?.gas ?? 0))
}

/** Reports whether the method is missing, by the standard's code or by the messages of other nodes. */
export function isMissingMethod({ code, message }: RpcError): boolean {
  return code === -32601 || /unsupported|not (supported|found|available)|does not exist/i.test(message)
}

export function toWire({ from, to, input, value, gas }: Call) {
  // Nodes differ in the name that they read.
  return { from, to, input, data: input, value: toQuantity(value), gas: toQuantity(gas) }
}

function toResult(item: unknown, gas: number): CallResult {
  const { status, gasUsed, returnData, logs, error } = parseObject(item)
  const succeeds = parseIndex(status) === 1
  const output = parseHex(returnData)
  const all = succeeds ? parseList(logs).map(toLog) : []
  return {
    succeeds,
    error: succeeds ? null : failureText(output, error, parseIndex(gasUsed) === gas),
    gasUsed: parseIndex(gasUsed),
    output,
    logs: all.filter(({ address }) => address !== nativeMarker),
    native: nativeChanges(all.filter(({ address }) => address === nativeMarker)),
  }
}

export function toLog(item: unknown): RawLog {
  const { address: account, topics, data } = parseObject(item)
  return {
    address: address(parseHex(account, 20)),
    topics: parseList(topics).map(parseHash),
    data: parseHex(data),
  }
}

/** Messages of nodes that give no reason. */
const saysNothing = /^(vm )?execution (error|failed|reverted)\b/i

/**
 * The contract's message if it left one, otherwise the node's.
 * @param fault an error object or a text
 * @param usedAll true if all of its gas was used
 */
export function failureText(output: CallResult['output'], fault: unknown, usedAll: boolean): string {
  const size = hexSize(output)
  if (size > 0 && size <= maxRevertBytes) return revertDataText(output)
  const message = typeof fault === 'object' && fault !== null && 'message' in fault ? fault.message : fault
  if (typeof message === 'string' && message !== '' && !saysNothing.test(message))
    return message.slice(0, 200)
  return usedAll ? 'out of gas' : 'reverted'
}

/** The changes of native balances. Nodes report transfers of the native coin as logs of this address. */
function nativeChanges(logs: readonly RawLog[]): Map<Address, bigint> {
  const changes = new Map<Address, bigint>()
  for (const { topics, data } of logs) {
    const [event, from, to] = topics
    if (event !== transfer || !from || !to || hexSize(data) !== 32) continue
    const value = BigInt(data)
    for (const [topic, change] of [
      [from, -value],
      [to, value],
    ] as const) {
      const account = address(`0x${topic.slice(26)}`)
      changes.set(account, (changes.get(account) ?? 0n) + change)
    }
  }
  return changes
}
