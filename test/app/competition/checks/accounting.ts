import { setTimeout as pause } from 'node:timers/promises'
import { askNode } from '../../../../bench/accounting/chain.ts'
import { accountingFromChain } from '../../../../bench/accounting/from-chain.ts'
import { createRecords } from '../../../../bench/accounting/records.ts'
import { ask, type Ground } from '../ground.ts'

/** The service's records of a run. */
export interface Books {
  rpcUrl: string
  /** Returns the output of `tradegraph accounting --from 0 --to`. */
  accounts(to: number): Promise<string>
  /** Returns the output of `tradegraph auction export`. */
  exported(auctionId: bigint): Promise<string | undefined>
}

export interface AccountingResults {
  /** Lines of the CSV. */
  lines: number
  /** Sums over all solvers, by column. */
  sums: Record<string, bigint>
  faults: string[]
}

const pollMs = 250
/** Blocks for the indexer to pass the last deadline. */
const spareBlocks = 2

/**
 * Compares the accounts of all auctions line by line with those that a script computes from the chain and the
 * exported auctions.
 */
export async function checkAccounting(
  ground: Ground,
  { rpcUrl, accounts, exported }: Books,
  signal: AbortSignal,
): Promise<AccountingResults> {
  const { network } = ground.market
  const latest = await ask(ground, '/api/v2/solver_competition/latest')
  const to: number = latest.body.auctionDeadlineBlock
  const head = async () => Number(await ground.rpc.call<string>('eth_blockNumber'))
  while (!signal.aborted && (await head()) < to + spareBlocks) await pause(pollMs)
  const computed = await accountingFromChain({
    ask: askNode(rpcUrl),
    contracts: network,
    records: createRecords(`${ground.url}/${network.name}`, exported),
    network: network.name,
    from: 0,
    to,
    blockTimeMs: network.blockTimeMs,
  })
  const [told, fromChain] = [(await accounts(to)).split('\n'), computed.split('\n')]
  const only = (lines: readonly string[], others: readonly string[]) =>
    lines.filter((line) => !others.includes(line))
  return {
    lines: told.length - 1,
    sums: sumsOf(told),
    faults: [
      ...only(told, fromChain).map((line) => `accounting: the chain does not say ${line}`),
      ...only(fromChain, told).map((line) => `accounting: the service does not say ${line}`),
    ],
  }
}

/** Sums the rows of solvers, which name no token. */
function sumsOf([head = '', ...lines]: readonly string[]): Record<string, bigint> {
  const [, , , , ...columns] = head.split(',')
  const rows = lines.map((line) => line.split(',')).filter(([, , token]) => token === '')
  return Object.fromEntries(
    columns.map((column, index) => [
      column,
      rows.reduce((sum, row) => sum + BigInt(row[index + 4] ?? 0), 0n),
    ]),
  )
}
