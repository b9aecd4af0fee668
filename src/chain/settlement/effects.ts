import { Interface } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { word } from '../../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { approveCall, balanceCheck, balanceNote } from '../../domain/settlement/calldata.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import {
  type Call,
  type CallResult,
  isMissingMethod,
  NotOffered,
  type RawLog,
  runByMethod,
  TooLong,
  toLog,
} from '../bundle/simulate-v1.ts'
import { runByTraces } from '../bundle/traces.ts'
import { balanceProbeCode, settlementSequenceCode } from '../bytecode.generated.ts'
import { revertText, unreadText } from '../rpc/revert.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import {
  asOutage,
  available,
  isExecutionFault,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  parseQuantity,
  parseResponse,
  parseReturn,
  toQuantity,
} from '../rpc/wire.ts'
import { encodeSettle } from './call.ts'
import { footprintTracer } from './footprint-tracer.ts'
import {
  encodeRun,
  intrinsicGas,
  type SettlementCall,
  type SettlementSequence,
  tooMuchGas,
} from './sequence.ts'
import { callTracer } from './trace.ts'

/** The settlement contract's balance of a token around a settlement, in atoms. */
export interface BalanceChange {
  before: bigint
  after: bigint
}

/** The effects of a settlement that succeeds in a simulation. */
export interface Observation {
  /** The gas of its transaction. */
  gas: bigint
  logs: readonly RawLog[]
  /**
   * The settlement contract's balances of the requested tokens, without those that do not answer as a token.
   */
  balances: ReadonlyMap<Address, BalanceChange>
  /** The remaining allowances of the requested ones, in order. */
  allowances: readonly bigint[]
}

/** An allowance of the settlement contract. */
interface Approval {
  token: Address
  spender: Address
}

/** The amounts by which one settlement calls `approve` of an allowance. */
export interface GivenApproval extends Approval {
  amounts: readonly bigint[]
}

/** A slot of a contract. */
export interface ContractSlot {
  contract: Address
  slot: Bytes32
}

/** A changed slot that belongs to the settlement contract: see `footprintTracer`. */
export interface KeyedWrite extends ContractSlot {
  before: Bytes32
  after: Bytes32
  /**
   * The selectors of the calls of the contract that wrote it, each list from the outer to the inner calls.
   */
  callers: readonly (readonly Hex[])[]
}

/** A mined transaction. */
export interface MinedPlace {
  txHash: Bytes32
  block: number
}

/** The place where a settlement reverts. */
interface RevertPlace {
  /** The target of the settlement contract's own call; null if none of them reverts. */
  called: Address | null
  /** The contract that reverts. */
  by: Address | null
}

/** A call, with the selectors of the code that it runs: its own, and those of delegated calls in it. */
export interface TracedUse {
  contract: Address
  selectors: readonly Hex[]
}

/** A read of a slot that belongs to the settlement contract and is not zero: see `footprintTracer`. */
export interface KeyedRead extends ContractSlot {
  /** The calls that led to it: from the settlement contract's own to that of `contract`. */
  path: readonly TracedUse[]
  /** True if the value names the settlement contract. */
  names: boolean
}

/** The use of the storage that contracts keep for the settlement contract. */
export interface Footprint {
  writes: readonly KeyedWrite[]
  reads: readonly KeyedRead[]
}

/** The methods of a node for simulations. */
interface EffectSupport {
  /** True with `eth_simulateV1`, or `debug_traceCall` with the standard tracers: balances and logs. */
  logs: boolean
  /** True with `debug_traceCall` and tracers in JavaScript: storage. */
  storage: boolean
}

/** Simulates single settlements at the newest block, each after those that are sent and not yet mined. */
export interface SettlementEffects {
  /** Returns the node's methods, cached for some minutes. @throws Outage */
  support(): Promise<EffectSupport>
  /** Returns the effects. @throws NotOffered if the node has neither method; Outage */
  observe(
    call: SettlementCall,
    tokens: readonly Address[],
    approvals?: readonly Approval[],
  ): Promise<Observation | { revert: string }>
  /**
   * Returns the footprint.
   * @throws NotOffered if the node runs no tracer in JavaScript, or not to the end; Outage
   */
  footprint(call: SettlementCall): Promise<Footprint>
  /**
   * Returns the slots that hold the settlement contract's balance of their contract, or one of these
   * allowances: the view follows two other values of the slot. Each view has one slot at most.
   * @throws Outage
   */
  viewedSlots(
    slots: readonly ContractSlot[],
    approvals: readonly Approval[],
  ): Promise<{ balances: ContractSlot[]; allowances: ContractSlot[] }>
  /**
   * Returns the approvals that are allowances of amounts: `allowance` is just as high after `approve`, and 0
   * after an `approve` of 0. One that only ends is an allowance where it ends something.
   * @throws NotOffered; Outage
   */
  realAllowances(approvals: readonly GivenApproval[]): Promise<GivenApproval[]>
  /**
   * Returns true if the guard contract cannot read the token in a settlement that does nothing else: in a
   * simulation, or with the gas price and in the block of a transaction, by default those of now.
   * @throws NotOffered; Outage
   */
  isUnreadable(sender: Address, token: Address, mined?: MinedPlace): Promise<boolean>
  /**
   * Returns where a settlement reverts, in a simulation or in its transaction; undefined if the node traces
   * no calls, or it passes. @throws Outage
   */
  revertPlace(call: SettlementCall, mined?: MinedPlace): Promise<RevertPlace | undefined>
  /** Returns the footprint of a mined transaction, with all settlements in it. @throws as `footprint` */
  minedFootprint(txHash: Bytes32): Promise<Footprint>
  /**
   * Returns the call that a mined transaction makes, and its logs.
   * @throws Outage, also if the node does not know it
   */
  minedCall(
    txHash: Bytes32,
  ): Promise<{ to: Hex | null; input: Hex; gasUsed: bigint; logs: readonly RawLog[] }>
  /**
   * Returns allowances of the settlement contract at the newest block, in order; 0 if a token returns none.
   * @throws Outage
   */
  allowances(approvals: readonly Approval[]): Promise<bigint[]>
}

interface EffectsOptions {
  rpc: Rpc
  network: Pick<Network, 'settlement' | 'vaultRelayer' | 'hooksTrampoline' | 'balanceGuard'>
  sequence: Pick<SettlementSequence, 'sent'>
  maxGas?: bigint
  timeoutMs: number
}

/** An unused account. */
const probe = address('0x0000000000000000000000000000000070726f62')
const tokenAbi = new Interface([
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
])
/** Values that replace one in a trial: each fits into 64 bits, and no right has both. */
const otherValues = [0x1f3d_5b79_8642n, 0x2a4c_6e80_1357_9bdfn] as const
const probeAbi = new Interface([
  'function read(address owner, address[] tokens) view returns (uint256[] words)',
])
/**
 * The gas for 500 tokens with usual balances, several times over. Less is left for the last tokens if earlier
 * ones use up theirs.
 */
const probeGas = 20_000_000
/** The time for which the node's methods are cached. A node may be replaced. */
const supportMs = 300_000
/** The gas of a settlement that only reads one balance twice: several times what a usual token takes. */
const aloneGas = 3_000_000n
/** The gas for one call of a token. */
const readGas = 200_000
/** The gas for a call in the sequence, and the code around it. */
const sequenceGas = 100_000n

export function createSettlementEffects({
  rpc,
  network,
  sequence,
  maxGas = maxTransactionGas,
  timeoutMs,
}: EffectsOptions): SettlementEffects {
  const { settlement, vaultRelayer, hooksTrampoline, balanceGuard } = network
  const ignored = [vaultRelayer, hooksTrampoline, ...(balanceGuard ? [balanceGuard] : [])]
  const code = { [probe]: balanceProbeCode }

  /** The call of a settlement. Its gas limit is that of the call, without the base gas of a transaction. */
  const settleCall = ({ sender: from, calldata: input, gas }: SettlementCall): Call => ({
    from,
    to: settlement,
    input,
    value: 0n,
    gas: Number(gas + intrinsicGas(input)),
  })
  const probeCall = (tokens: readonly Address[]): Call => ({
    from: probe,
    to: probe,
    input: probeAbi.encodeFunctionData('read', [settlement, tokens]) as Hex,
    value: 0n,
    gas: probeGas,
  })

  const allowanceRead = ({ token, spender }: Approval): Call => ({
    from: probe,
    to: token,
    input: tokenAbi.encodeFunctionData('allowance', [settlement, spender]) as Hex,
    value: 0n,
    gas: readGas,
  })

  async function run(calls: readonly Call[]): Promise<CallResult[]> {
    try {
      return await runByMethod(rpc, calls, undefined, code)
    } catch (fault) {
      if (!(fault instanceof NotOffered)) throw fault
      const { number, timestamp } = parseObject(
        await available(rpc.call('eth_getBlockByNumber', ['latest', false])),
      )
      const head = { number: parseIndex(number), time: parseIndex(timestamp) }
      const deadline = performance.now() + timeoutMs
      const traced = await runByTraces(calls, { rpc, head, results: true, deadline, code })
      return traced.flatMap(({ result }) => result ?? [])
    }
  }

  /** Runs the tracer. @throws NotOffered, also for a node that follows it only in part */
  async function traced(method: string, params: readonly unknown[], all: boolean): Promise<Footprint> {
    const tracer = footprintTracer(settlement, ignored, all)
    const options = { tracer, timeout: `${timeoutMs}ms` }
    const [subject, ...place] = params
    const overrides = place.length > 1 ? { stateOverrides: place[1] } : {}
    const given = place.length > 0 ? [subject, place[0]] : [subject]
    try {
      return toFootprint(await rpc.call(method, [...given, { ...options, ...overrides }]))
    } catch (fault) {
      if (fault instanceof RpcError) throw new NotOffered(fault.message, isMissingMethod(fault))
      throw fault
    }
  }

  let known: { support: EffectSupport; until: number } | undefined

  return {
    async support() {
      if (known && performance.now() < known.until) return known.support
      const nothing: Call = { from: probe, to: probe, input: '0x', value: 0n, gas: 100_000 }
      const [logs, storage] = await Promise.all([
        isOffered(() => run([nothing])),
        isOffered(() => rpc.call('debug_traceCall', [{ to: probe }, 'latest', { tracer: emptyTracer }])),
      ])
      const support = { logs, storage }
      known = { support, until: performance.now() + supportMs }
      return support
    },

    async observe(call, tokens, approvals = []) {
      const asked = probeCall(tokens)
      const sent = sequence.sent().map(settleCall)
      const results = await run([...sent, asked, settleCall(call), asked, ...approvals.map(allowanceRead)])
      const [before, settled, after, ...left] = results.slice(sent.length)
      if (!before || !settled || !after) throw new NotOffered('not as many results as calls')
      if (!settled.succeeds) return { revert: settled.error ?? 'reverted' }
      const gas = BigInt(settled.gasUsed)
      if (gas > maxGas) return { revert: tooMuchGas(gas, maxGas) }
      const balances = changesOf(tokens, toWords(before), toWords(after))
      return { gas, logs: settled.logs, balances, allowances: left.map(({ output }) => firstWord(output)) }
    },

    async isUnreadable(sender, token, mined) {
      if (!balanceGuard) return false
      const interactions = [
        [balanceNote(balanceGuard, [token])],
        [],
        [balanceCheck(balanceGuard, [[token, 0n]])],
      ] as const
      const none = { tokens: [], clearingPrices: [], trades: [] }
      const calldata = encodeSettle({ ...none, interactions, auctionId: 0n })
      const simulated = settleCall({ sender, calldata, gas: aloneGas })
      const results = await run([...sequence.sent().map(settleCall), simulated])
      if (results.at(-1)?.error === unreadText(token)) return true
      const { from, to, input, gas } = simulated
      const price = mined
        ? parseObject(await available(rpc.call('eth_getTransactionByHash', [mined.txHash]))).gasPrice
        : await available(rpc.call('eth_gasPrice'))
      const gasPrice = toQuantity(parseQuantity(price))
      const call = { from, to, input, data: input, gas: toQuantity(gas), gasPrice }
      const place = mined ? toQuantity(mined.block) : 'latest'
      try {
        await rpc.call('eth_call', [call, place, { [sender]: { balance: toQuantity(2n ** 100n) } }])
        return false
      } catch (fault) {
        if (!isExecutionFault(fault)) throw asOutage(fault)
        return revertText(fault) === unreadText(token)
      }
    },

    async revertPlace(call, mined) {
      const { from, to, input, gas } = settleCall(call)
      const simulated = { from, to, input, data: input, gas: toQuantity(gas) }
      try {
        const traced = mined
          ? await rpc.call('debug_traceTransaction', [mined.txHash, callTracer])
          : await rpc.call('debug_traceCall', [simulated, 'latest', callTracer])
        return placeOf(parseObject(traced))
      } catch (fault) {
        if (fault instanceof RpcError) return undefined
        throw fault
      }
    },

    footprint(call) {
      const from = call.sender
      const sent = sequence.sent()
      if (sent.length === 0) {
        const { to, input, gas } = settleCall(call)
        return traced(
          'debug_traceCall',
          [{ from, to, input, data: input, gas: toQuantity(gas) }, 'latest'],
          false,
        )
      }
      // One call also runs the settlements before it, as `sequence.simulate` does.
      const all = [...sent, call]
      const overrides = Object.fromEntries(
        all.map(({ sender }) => [sender, { code: settlementSequenceCode }]),
      )
      const input = encodeRun(all, settlement)
      const limit = all.reduce((sum, one) => sum + one.gas + sequenceGas, 1_000_000n)
      const whole = { from, to: from, input, data: input, gas: toQuantity((limit * 8n) / 7n) }
      return traced('debug_traceCall', [whole, 'latest', overrides], false)
    },

    async minedCall(txHash) {
      const [transaction, receipt] = await available(
        rpc.batch([
          { method: 'eth_getTransactionByHash', params: [txHash] },
          { method: 'eth_getTransactionReceipt', params: [txHash] },
        ]),
      )
      const { to, input } = parseObject(parseResponse(transaction))
      const { gasUsed, logs } = parseObject(parseResponse(receipt))
      return {
        to: to == null ? null : parseHex(to, 20),
        input: parseHex(input),
        gasUsed: parseQuantity(gasUsed),
        logs: parseList(logs).map(toLog),
      }
    },

    async viewedSlots(slots, approvals) {
      const balance = tokenAbi.encodeFunctionData('balanceOf', [settlement]) as Hex
      const trials = slots.flatMap((place) => [
        { place, view: balance },
        ...approvals
          .filter(({ token }) => token === place.contract)
          .map((approval) => ({ place, view: allowanceRead(approval).input })),
      ])
      if (trials.length === 0) return { balances: [], allowances: [] }
      const calls = trials.flatMap(({ place: { contract, slot }, view: data }) =>
        otherValues.map((value) => ({
          method: 'eth_call',
          params: [
            { to: contract, data, gas: toQuantity(readGas) },
            'latest',
            { [contract]: { stateDiff: { [slot]: `0x${word(value)}` } } },
          ],
        })),
      )
      const responses = await available(rpc.batch(calls))
      const following = trials.filter((_, index) =>
        otherValues.every((value, place) => {
          const response = responses[otherValues.length * index + place]
          return response !== undefined && firstWord(parseReturn(response) ?? '0x') === value
        }),
      )
      const alone = following.filter(
        ({ place, view }) =>
          following.filter((one) => one.view === view && one.place.contract === place.contract).length === 1,
      )
      return {
        balances: alone.flatMap(({ place, view }) => (view === balance ? [place] : [])),
        allowances: alone.flatMap(({ place, view }) => (view === balance ? [] : [place])),
      }
    },

    async realAllowances(approvals) {
      if (approvals.length === 0) return []
      const trials = approvals.map((approval) => {
        const { token, spender, amounts } = approval
        const given = [...new Set(amounts)].filter((amount) => amount > 0n)
        const values = [0n, ...given.flatMap((amount) => [amount, 0n])]
        const read = allowanceRead(approval)
        const calls = values.flatMap((amount) => [
          { ...read, from: settlement, input: approveCall(token, spender, amount).callData },
          read,
        ])
        return { approval, values, isRaised: given.length > 0, calls: [read, ...calls] }
      })
      const results = await run([...sequence.sent().map(settleCall), ...trials.flatMap(({ calls }) => calls)])
      let at = sequence.sent().length
      return trials.flatMap(({ approval, values, isRaised, calls }) => {
        const [first, ...rest] = results.slice(at, at + calls.length)
        at += calls.length
        const isAsGiven = values.every((amount, index) => {
          const [approved, read] = rest.slice(2 * index, 2 * index + 2)
          return approved?.succeeds && read?.succeeds && firstWord(read.output) === amount
        })
        return isAsGiven && (isRaised || firstWord(first?.output ?? '0x') > 0n) ? [approval] : []
      })
    },

    async allowances(approvals) {
      const calls = approvals.map((approval) => {
        const { to, input } = allowanceRead(approval)
        return { method: 'eth_call', params: [{ to, data: input }, 'latest'] }
      })
      const responses = await available(rpc.batch(calls))
      return responses.map((response) => firstWord(parseReturn(response) ?? '0x'))
    },

    minedFootprint: (txHash) => traced('debug_traceTransaction', [txHash], true),
  }
}

/** Follows the revert down to the call that made it: each outer call passes on the same data. */
function placeOf(top: Record<string, unknown>): RevertPlace | undefined {
  if (top.error == null) return undefined
  const failing = (call: Record<string, unknown>) =>
    parseList(call.calls ?? [])
      .map(parseObject)
      .findLast(({ error, output }) => error != null && output === call.output)
  let at = failing(top)
  const called = at?.to == null ? null : parseHex(at.to, 20)
  let by = called
  for (; at; at = failing(at)) by = at.to == null ? null : parseHex(at.to, 20)
  return { called, by }
}

/** The first word of the output; 0 for less than a word. */
function firstWord(output: Hex): bigint {
  return hexSize(output) >= 32 ? BigInt(output.slice(0, 66)) : 0n
}

const emptyTracer = '{ step: function () {}, fault: function () {}, result: function () { return 1 } }'

async function isOffered(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (fault) {
    if (fault instanceof NotOffered || fault instanceof RpcError || fault instanceof TooLong) return false
    throw fault
  }
}

/** The words of a probe. @throws NotOffered if the node did not run its code */
function toWords({ succeeds, output }: CallResult): readonly bigint[] {
  if (!succeeds || output === '0x') throw new NotOffered('it applies no state overrides')
  try {
    return [...probeAbi.decodeFunctionResult('read', output)[0]]
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

function changesOf(
  tokens: readonly Address[],
  before: readonly bigint[],
  after: readonly bigint[],
): Map<Address, BalanceChange> {
  const at = (words: readonly bigint[], index: number) =>
    words[2 * index] === 1n ? words[2 * index + 1] : undefined
  return new Map(
    tokens.flatMap((token, index): [Address, BalanceChange][] => {
      const [first, last] = [at(before, index), at(after, index)]
      if (first === undefined) return []
      // A token that no longer answers has nothing that could be taken out again.
      return [[token, { before: first, after: last ?? 0n }]]
    }),
  )
}

/** Parses a footprint. @throws NotOffered if the tracer did not see everything */
function toFootprint(value: unknown): Footprint {
  const { writes, reads, settlements, isWhole } = parseObject(value)
  if (isWhole !== true) throw new NotOffered('more than is followed')
  if (settlements === 0) throw new NotOffered('the trace has no settlement')
  return {
    writes: parseList(writes).map((item) => {
      const [contract, slot, before, after, callers] = parseList(item)
      return {
        contract: parseHex(contract, 20),
        slot: parseHash(slot),
        before: parseHash(before),
        after: parseHash(after),
        callers: parseList(callers).map((one) =>
          String(one)
            .split(' ')
            .map((selector) => parseHex(selector)),
        ),
      }
    }),
    reads: parseList(reads).map((item) => {
      const [path, slot, names] = parseList(item)
      const uses = String(path).split('>').map(toUse)
      const contract = uses.at(-1)?.contract ?? zeroAddress
      return { contract, slot: parseHash(slot), path: uses, names: names === true }
    }),
  }
}

function toUse(text: string): TracedUse {
  const [contract, ...selectors] = text.split(' ')
  return { contract: parseHex(contract, 20), selectors: selectors.map((selector) => parseHex(selector)) }
}
