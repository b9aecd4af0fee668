import { Interface } from 'ethers'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import {
  type BundleSimulation,
  type BundleTransaction,
  bundleLimits,
  type DecodedEvent,
  type SimulatedLog,
  type SimulatedTransaction,
  type StorageChange,
} from '../../domain/evm/simulation.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { TooLarge } from '../rpc/post.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, isTimeout, parseIndex, parseObject } from '../rpc/wire.ts'
import { settlementAbi } from '../settlement/call.ts'
import { readBundleBalances } from './balances.ts'
import {
  type Call,
  type CallResult,
  type Head,
  NotOffered,
  type RawLog,
  runByMethod,
  type Slots,
  TooLong,
} from './simulate-v1.ts'
import { runByTraces } from './traces.ts'

/**
 * The events of tokens, pools, wrapped coins and the settlement contract. They are recognised by their form:
 * any contract may emit them.
 */
const known = [
  new Interface([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Deposit(address indexed account, uint256 value)',
    'event Withdrawal(address indexed account, uint256 value)',
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    'event Sync(uint112 reserve0, uint112 reserve1)',
    'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  ]),
  settlementAbi,
]
/** The size above which data is shown undecoded. */
const maxDecodedBytes = 4_096

function withEvent(log: RawLog): SimulatedLog {
  return { ...log, event: decode(log) }
}

function decode({ topics, data }: RawLog): DecodedEvent | null {
  if (hexSize(data) > maxDecodedBytes) return null
  for (const abi of known) {
    try {
      const parsed = abi.parseLog({ topics: [...topics], data })
      if (!parsed) continue
      const { name, fragment, args } = parsed
      return {
        name,
        arguments: fragment.inputs.map(({ name: argument, type }, index) => ({
          name: argument,
          type,
          value: textOf(args[index]),
        })),
      }
    } catch {
      // The log has another event with the same name and types, such as one with other members indexed.
    }
  }
  return null
}

/** The text of a value, with addresses and bytes in lowercase, as elsewhere. */
function textOf(value: unknown): string {
  const text = String(value)
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text
}

/**
 * Runs transactions on the state of the newest block without sending them. Each runs on the state that the
 * previous one leaves.
 * @throws Refusal QueryTooComplex if they take too long or write too much, InvalidParameter if the node
 *   refuses them as a whole, FeatureDisabled if it has no method for it; Outage if it does not answer, or too
 *   many wait
 */
type SimulateBundle = (
  transactions: readonly BundleTransaction[],
  client: string,
) => Promise<BundleSimulation>

interface BundleOptions {
  /**
   * The client of the node. Its timeout limits each run. It must not retry, and must limit the size of
   * responses.
   */
  rpc: Rpc
  /** The number of concurrent bundles, one for each client. Eight times as many may wait. */
  atOnce?: number
  /** The time in milliseconds after which a bundle starts no further step. */
  limitMs?: number
}

/** The maximum number of logs in the result of a bundle, and of bytes of their data. */
const maxLogs = 500
const maxLogBytes = 131_072
/** The maximum number of balances to read. A trace takes two round trips for each. */
const maxBalances = { byMethod: 64, byTraces: 16 }

export function createBundleSimulation({ rpc, atOnce = 2, limitMs = 10_000 }: BundleOptions): SimulateBundle {
  const queue = createFairQueue({
    running: { max: atOnce, perKey: 1 },
    waiting: { max: 8 * atOnce, perKey: 4 },
    waitMs: limitMs,
    refusal: (why) => new Outage('the simulation of bundles', new Error(why)),
  })

  async function simulate(transactions: readonly BundleTransaction[]): Promise<BundleSimulation> {
    const deadline = performance.now() + limitMs
    const head = await readHead(rpc)
    const calls = toCalls(transactions)
    const runner = await firstRun(rpc, calls, head, deadline)
    const balances = await readBundleBalances(calls, runner.results, runner.maxBalances, runner.again)
    const slots = runner.slots ?? (await storageOf(rpc, calls, head, deadline))
    const logs = runner.results.map(boundedLogs())
    return {
      block: head.number,
      transactions: runner.results.map((result, index): SimulatedTransaction => {
        const { succeeds, error, gasUsed } = result
        const kept = logs[index] ?? []
        return {
          succeeds,
          error,
          gasUsed,
          logs: kept.map(withEvent),
          hasAllLogs: kept.length === result.logs.length,
          balances: balances.changes[index] ?? [],
          hasAllBalances: balances.complete[index] ?? true,
          storage: slots ? changesIn(slots[index]) : null,
        }
      }),
    }
  }

  return (transactions, client) => queue(() => bounded(rpc, () => simulate(transactions)))(client)
}

interface Runner {
  results: CallResult[]
  /** The slots; undefined if the results came without storage. */
  slots?: Slots[]
  maxBalances: number
  again(calls: readonly Call[]): Promise<CallResult[]>
}

async function firstRun(rpc: Rpc, calls: readonly Call[], head: Head, deadline: number): Promise<Runner> {
  try {
    return {
      results: await runByMethod(rpc, calls, head),
      maxBalances: maxBalances.byMethod,
      again: (more) => runByMethod(rpc, more, head),
    }
  } catch (fault) {
    if (!(fault instanceof NotOffered)) throw fault
    return byTraces(rpc, calls, head, deadline, fault)
  }
}

/**
 * Runs the bundle by traces, if the node has no method for it, or refuses one of the transactions as a whole.
 */
async function byTraces(
  rpc: Rpc,
  calls: readonly Call[],
  head: Head,
  deadline: number,
  refused: NotOffered,
): Promise<Runner> {
  const run = async (more: readonly Call[]) => runByTraces(more, { rpc, head, results: true, deadline })
  const resultsOf = (traced: Awaited<ReturnType<typeof run>>) =>
    traced.map(({ result }) => {
      if (!result) throw new TypeError('a trace without the result that was asked for')
      return result
    })
  try {
    const traced = await run(calls)
    return {
      results: resultsOf(traced),
      slots: traced.map(({ slots }) => slots),
      maxBalances: maxBalances.byTraces,
      again: async (more) => resultsOf(await run(more)),
    }
  } catch (fault) {
    if (!(fault instanceof NotOffered)) throw fault
    if (refused.isMissing)
      throw new Refusal('FeatureDisabled', 'this needs a node with eth_simulateV1 or debug_traceCall')
    throw new Refusal(
      'InvalidParameter',
      `transactions are refused by the node: ${refused.message.slice(0, 200)}`,
      {
        field: 'transactions',
      },
    )
  }
}

/** The storage changes; null if the node does not trace, not in time, or returns too much. */
async function storageOf(
  rpc: Rpc,
  calls: readonly Call[],
  head: Head,
  deadline: number,
): Promise<Slots[] | null> {
  try {
    const traced = await runByTraces(calls, { rpc, head, results: false, deadline })
    return traced.map(({ slots }) => slots)
  } catch (fault) {
    if (fault instanceof NotOffered || fault instanceof TooLong || fault instanceof Outage) return null
    throw fault
  }
}

async function readHead(rpc: Rpc): Promise<Head> {
  const { number, timestamp } = parseObject(
    await available(rpc.call('eth_getBlockByNumber', ['latest', false])),
  )
  return { number: parseIndex(number), time: parseIndex(timestamp) }
}

/** Converts transactions to calls. Those without a limit share the rest of the bundle's limit. */
function toCalls(transactions: readonly BundleTransaction[]): Call[] {
  const given = transactions.reduce((sum, { gas }) => sum + (gas ?? 0), 0)
  const open = transactions.filter(({ gas }) => gas === null).length
  const share = Math.floor((bundleLimits.gas - given) / Math.max(open, 1))
  const max = Math.min(share, Number(maxTransactionGas - 1n))
  return transactions.map(({ gas, ...call }) => ({ ...call, gas: gas ?? max }))
}

/** Returns a function that keeps logs of each list until the limit is reached. */
function boundedLogs() {
  let [logs, bytes] = [0, 0]
  return (result: CallResult): CallResult['logs'] =>
    result.logs.filter(({ data }) => {
      if (logs >= maxLogs || bytes + hexSize(data) > maxLogBytes) return false
      logs++
      bytes += hexSize(data)
      return true
    })
}

function changesIn(slots: Slots = new Map()): StorageChange[] {
  return [...slots].flatMap(([account, changed]) =>
    [...changed]
      .filter(([, { before, after }]) => before !== after)
      .map(([slot, values]) => ({ account, slot, ...values })),
  )
}

/**
 * Runs work and distinguishes a bundle that is too much for the node from a node that does not answer, by
 * sending another request.
 */
async function bounded<T>(rpc: Rpc, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (fault) {
    const isTooLarge = fault instanceof Outage && fault.cause instanceof TooLarge
    if (fault instanceof TooLong || isTimeout(fault)) {
      await available(rpc.call('eth_chainId'))
      throw new Refusal('QueryTooComplex', 'the transactions do not end in time', { field: 'transactions' })
    }
    if (isTooLarge)
      throw new Refusal('QueryTooComplex', 'the transactions log or return more than is read', {
        field: 'transactions',
      })
    throw fault
  }
}
