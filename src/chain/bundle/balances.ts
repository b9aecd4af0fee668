import { encodeTuple, word } from '../../domain/evm/abi.ts'
import { type Address, address, nativeMarker, zeroAddress } from '../../domain/evm/address.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { BalanceChange } from '../../domain/evm/simulation.ts'
import type { Call, CallResult, RawLog } from './simulate-v1.ts'

/** A balance that a log may have changed. */
interface Holding {
  account: Address
  token: Address
}

interface BundleBalances {
  /** The increase of balances since before the first transaction, by transaction. */
  changes: BalanceChange[][]
  /** True, by transaction, if the changes include all balances that logs name. */
  complete: boolean[]
}

const [transfer, deposit, withdrawal] = [
  'Transfer(address,address,uint256)',
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
].map(keccakText)
const balanceOf = '0x70a08231'
const probeGas = 200_000

/**
 * Reads balances as the tokens report them before and after each transaction. The bundle runs a second time,
 * with calls of `balanceOf` between its transactions. Logs only determine which balances are read.
 * @param run on the same state as before @param most maximum number of balances
 */
export async function readBundleBalances(
  calls: readonly Call[],
  results: readonly CallResult[],
  max: number,
  run: (calls: readonly Call[]) => Promise<CallResult[]>,
): Promise<BundleBalances> {
  const touched = results.map(({ logs }) => holdingsIn(logs))
  const all = new Map(touched.flatMap((holdings) => [...holdings]))
  const asked = new Map([...all].slice(0, max))
  const complete = touched.map((holdings) => [...holdings.keys()].every((key) => asked.has(key)))
  const probes = [
    asked,
    ...touched.map((holdings) => new Map([...holdings].filter(([key]) => asked.has(key)))),
  ]
  const answers = asked.size > 0 ? await run(interleaved(calls, probes)) : []

  const before = new Map<string, bigint>()
  const now = new Map<string, BalanceChange>()
  const changes: BalanceChange[][] = []
  let place = 0
  for (const [index, holdings] of probes.entries()) {
    // The transaction comes before the reads that follow it.
    if (index > 0 && asked.size > 0) place++
    for (const [key, { account, token }] of holdings) {
      const balance = balanceIn(answers[place++])
      if (index === 0 && balance !== undefined) before.set(key, balance)
      const earlier = before.get(key)
      if (index > 0 && balance !== undefined && earlier !== undefined)
        now.set(key, { account, token, change: balance - earlier })
    }
    if (index === 0) continue
    for (const [account, change] of results[index - 1]?.native ?? []) {
      const key = keyOf({ account, token: nativeMarker })
      now.set(key, { account, token: nativeMarker, change: (now.get(key)?.change ?? 0n) + change })
    }
    changes.push([...now.values()].filter(({ change }) => change !== 0n))
  }
  return { changes, complete: complete.map((_, index) => complete.slice(0, index + 1).every(Boolean)) }
}

function interleaved(calls: readonly Call[], probes: readonly ReadonlyMap<string, Holding>[]): Call[] {
  return probes.flatMap((holdings, index) => {
    const call = calls[index - 1]
    return [...(call ? [call] : []), ...[...holdings.values()].map(toProbe)]
  })
}

function toProbe({ account, token }: Holding): Call {
  const input = `${balanceOf}${encodeTuple([word(account)])}` as const
  return { from: zeroAddress, to: token, input, value: 0n, gas: probeGas }
}

function balanceIn(result: CallResult | undefined): bigint | undefined {
  return result?.succeeds && hexSize(result.output) >= 32 ? BigInt(result.output.slice(0, 66)) : undefined
}

function keyOf({ account, token }: Holding): string {
  return `${account}:${token}`
}

function holdingsIn(logs: readonly RawLog[]): Map<string, Holding> {
  const holdings = new Map<string, Holding>()
  for (const { address: token, topics } of logs) {
    const [event, ...named] = topics
    const accounts =
      event === transfer
        ? named.slice(0, 2)
        : event === deposit || event === withdrawal
          ? named.slice(0, 1)
          : []
    for (const topic of accounts) {
      const account = address(`0x${topic.slice(26)}`)
      if (account !== zeroAddress) holdings.set(keyOf({ account, token }), { account, token })
    }
  }
  return holdings
}
