import { setTimeout as pause } from 'node:timers/promises'
import { type BadName, badNames } from './bad/engines.ts'
import { type AccountingResults, type Books, checkAccounting } from './checks/accounting.ts'
import { type BadResults, checkBad } from './checks/bad.ts'
import { type BalanceResults, checkBalances, readKept } from './checks/balances.ts'
import { checkCompetitions, type SelectionResults } from './checks/competitions.ts'
import { checkEndings, type EndingResults, readReports, untilEnded } from './checks/endings.ts'
import type { Failure } from './checks/failures.ts'
import type { Ground } from './ground.ts'
import type { Crowd } from './orders/crowd.ts'
import { placeAll } from './orders/place.ts'
import type { Plan } from './orders/plan.ts'

interface RoundOptions {
  plans: readonly Plan[]
  /** The time in which the orders are placed. */
  seconds: number
  /** The additional time for their ends. */
  restMs: number
  /** Accounts of outside solvers, by name. */
  accounts: Record<string, string>
  /** The maximum number of winners of one auction. */
  maxWinners: number
  /** Failures, which grow while the program runs. */
  failures: readonly Failure[]
  books: Books
  signal: AbortSignal
}

interface RoundResults {
  placed: number
  endings: EndingResults
  selection: SelectionResults
  balances: BalanceResults
  accounting: AccountingResults
  /** Results of bad solvers, if there are any. */
  bad?: BadResults
  /** Settlements by solver. */
  settled: Record<string, number>
  faults: string[]
}

/** Places the orders, waits for their ends, and checks the outcome and the settlement contract. */
export async function runRound(
  ground: Ground,
  crowd: Crowd,
  { plans, seconds, restMs, accounts, maxWinners, failures, books, signal }: RoundOptions,
): Promise<RoundResults> {
  const before = await readKept(ground)
  const { placed, faults } = await placeAll(ground, crowd, plans, seconds, signal)
  await untilEnded(ground, placed, restMs, signal)
  await untilQuiet(ground, signal)
  const reports = await readReports(ground, placed)
  const endings = checkEndings(placed, reports)
  const balances = await checkBalances(ground, before)
  const selection = await checkCompetitions(ground, { reports, maxWinners, failures })
  const accounting = await checkAccounting(ground, books, signal)
  const hasBad = badNames.every((name) => accounts[name] !== undefined)
  const bad = hasBad
    ? await checkBad(ground, accounts as Record<BadName, string>, balances.solvers)
    : undefined
  return {
    placed: placed.length,
    endings,
    selection,
    balances,
    accounting,
    ...(bad && { bad }),
    settled: byName(balances.solvers, accounts),
    faults: [
      ...faults,
      ...endings.faults,
      ...selection.faults,
      ...balances.faults,
      ...accounting.faults,
      ...(bad?.faults ?? []),
    ],
  }
}

const quietBlocks = 4

/** Waits until sent transactions are mined and indexed. */
async function untilQuiet({ rpc }: Ground, signal: AbortSignal): Promise<void> {
  const block = async () => Number(await rpc.call<string>('eth_blockNumber'))
  const last = (await block()) + quietBlocks
  while (!signal.aborted && (await block()) < last) await pause(200)
}

function byName(solvers: Record<string, number>, accounts: Record<string, string>): Record<string, number> {
  const names = new Map(Object.entries(accounts).map(([name, account]) => [account, name]))
  return Object.fromEntries(
    Object.entries(solvers).map(([account, count]) => [names.get(account) ?? 'built-in', count]),
  )
}
