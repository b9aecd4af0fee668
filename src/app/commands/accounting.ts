import type { SolverAccount } from '../../domain/settlement/accounting.ts'
import { type AccountLine, accountsOf } from '../../storage/auction/accounting.ts'
import { networkIds } from '../../storage/chain/networks.ts'
import type { Db } from '../../storage/database/database.ts'

/** The flags of `tradegraph accounting`, as given. */
interface AccountingFlags {
  from?: string | undefined
  to?: string | undefined
  network?: string | undefined
}

/** Names of columns, after network, solver, token and recipient. */
const columns = {
  wins: 'wins',
  score: 'score',
  missedScore: 'missed_score',
  referenceScore: 'reference_score',
  settlements: 'settlements',
  gasUsed: 'gas_used',
  gasCost: 'gas_cost',
  revertedAttempts: 'reverted_attempts',
  revertedGas: 'reverted_gas',
  revertedGasCost: 'reverted_gas_cost',
  cancellations: 'cancellations',
  cancellationGas: 'cancellation_gas',
  cancellationGasCost: 'cancellation_gas_cost',
  networkFees: 'network_fees',
  protocolFees: 'protocol_fees',
  partnerFees: 'partner_fees',
  slippage: 'slippage',
  settlementsWithoutGas: 'settlements_without_gas',
  settlementsWithoutAmounts: 'settlements_without_amounts',
  unpricedAmounts: 'unpriced_amounts',
} satisfies Partial<Record<keyof SolverAccount, string>>

const head = ['network', 'solver', 'token', 'recipient', ...Object.values(columns)]

const incomplete =
  'the accounts are not complete: auctions of another order book, or removed by their age, count without their scores, attempts and kinds of fees'

/**
 * The accounts of a range of blocks as CSV: a row in native atoms for each solver, followed by rows in atoms
 * of each token, and of each partner with a claim.
 * @returns the reason if there is no accounting; a warning if sums lack what is not known
 */
export async function accountingCsv(
  db: Db,
  { from, to, network }: AccountingFlags,
): Promise<{ csv: string; warning: string | null } | { fault: string }> {
  const first = blockNumber(from)
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : blockNumber(to)
  if (first === undefined || last === undefined || last < first)
    return { fault: '--from and --to must be block numbers, --from not above --to' }
  const networks = await networkIds(db)
  const names = networks.map(({ name }) => name).join(', ')
  const [chosen, second] = networks.filter(({ name }) => name === (network ?? name))
  if (!chosen || second) return { fault: `--network must be one of ${names}` }
  const { solvers, lines, isComplete } = await accountsOf(db, {
    chainId: chosen.chainId,
    from: first,
    to: last,
  })
  const rows = solvers.flatMap((account) => [
    csvRow(chosen.name, account.solver, '', '', account),
    ...lines
      .filter(({ solver }) => solver === account.solver)
      .map((line: AccountLine) => csvRow(chosen.name, line.solver, line.token, line.recipient ?? '', line)),
  ])
  return { csv: [head.join(), ...rows].join('\n'), warning: isComplete ? null : incomplete }
}

/** No value needs quotation marks. */
function csvRow(network: string, solver: string, token: string, recipient: string, row: object): string {
  const values = Object.keys(columns).map((name) => String((row as Record<string, unknown>)[name] ?? ''))
  return [network, solver, token, recipient, ...values].join()
}

function blockNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
