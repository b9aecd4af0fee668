import {
  type Ask,
  type ChainSettlement,
  type Contracts,
  readLost,
  readSettlements,
  type UsedGas,
} from './chain.ts'
import { feesOfTrade } from './fees.ts'
import type { Competition, Records } from './records.ts'

// The accounts of `tradegraph accounting`, computed from a chain's logs, receipts and calldata and from the
// service's competitions, without the program's code.

export interface Question {
  ask: Ask
  contracts: Contracts
  records: Records
  network: string
  from: number
  to: number
  blockTimeMs: number
}

const columns = [
  'wins',
  'score',
  'missed_score',
  'reference_score',
  'settlements',
  'gas_used',
  'gas_cost',
  'reverted_attempts',
  'reverted_gas',
  'reverted_gas_cost',
  'cancellations',
  'cancellation_gas',
  'cancellation_gas_cost',
  'network_fees',
  'protocol_fees',
  'partner_fees',
  'slippage',
  'settlements_without_gas',
  'settlements_without_amounts',
  'unpriced_amounts',
] as const
const kinds = ['network_fees', 'protocol_fees', 'partner_fees', 'slippage'] as const
type Kind = (typeof kinds)[number]

interface Amount {
  kind: Kind
  /** The group of amounts that are summed before their value is rounded. */
  group: string
  recipient: string
  token: string
  amount: bigint
}

/** Returns the CSV of the range. */
export async function accountingFromChain(question: Question): Promise<string> {
  const { ask, contracts, records, network, from, to, blockTimeMs } = question
  const competitions = await records.competitions(from, to)
  const accounts = new Map<string, Record<string, bigint>>()
  const add = (key: readonly string[], column: string, amount: bigint) => {
    const row = accounts.get(key.join()) ?? {}
    row[column] = (row[column] ?? 0n) + amount
    accounts.set(key.join(), row)
  }
  const starts = [...competitions.values()].map(({ auctionStartBlock }) => auctionStartBlock)
  const head = Number(await ask('eth_blockNumber', []))
  const start = Math.min(...starts, head)
  const late = Math.ceil((6 * 3_600_000) / blockTimeMs)
  const settled = (await readSettlements(ask, contracts, start, head)).flatMap((settlement) => {
    const solution = solutionOf(settlement, competitions, late)
    return solution ? [{ settlement, ...solution }] : []
  })

  for (const competition of competitions.values()) {
    const seen = new Set<string>()
    for (const solution of competition.solutions.toSorted((a, b) => a.ranking - b.ranking)) {
      if (!solution.isWinner) continue
      const { solverAddress: solver, score, referenceScore } = solution
      const inTime = settled.some(
        (each) => each.solution === solution && each.settlement.block <= competition.auctionDeadlineBlock,
      )
      add([solver, '', ''], 'wins', 1n)
      add([solver, '', ''], inTime ? 'score' : 'missed_score', BigInt(score))
      if (!seen.has(solver)) add([solver, '', ''], 'reference_score', BigInt(referenceScore ?? 0))
      seen.add(solver)
    }
  }
  for (const { settlement, competition, solver } of settled) {
    add([solver, '', ''], 'settlements', 1n)
    add([solver, '', ''], 'gas_used', settlement.gasUsed)
    add([solver, '', ''], 'gas_cost', settlement.gasUsed * settlement.gasPrice)
    for (const { kind, recipient, token, amount, value } of await amountsOf(
      settlement,
      competition,
      question,
    )) {
      add([solver, token, recipient], kind, amount)
      if (value === undefined) add([solver, '', ''], 'unpriced_amounts', 1n)
      else add([solver, '', ''], kind, value)
    }
  }
  const winners = [...competitions.values()].flatMap(({ solutions }) =>
    solutions.flatMap(({ isWinner, solverAddress }) => (isWinner ? [solverAddress] : [])),
  )
  const { reverted, cancellations } = await readLost(ask, contracts, new Set(winners), start, head)
  const countLost = (sender: string, kind: 'reverted' | 'cancellation', { gasUsed, gasPrice }: UsedGas) => {
    add([sender, '', ''], kind === 'reverted' ? 'reverted_attempts' : 'cancellations', 1n)
    add([sender, '', ''], `${kind}_gas`, gasUsed)
    add([sender, '', ''], `${kind}_gas_cost`, gasUsed * gasPrice)
  }
  for (const { sender, auctionId, ...gas } of reverted)
    if (competitions.has(auctionId)) countLost(sender, 'reverted', gas)
  // Nonces follow each other: a transfer ended the first winner that is nowhere on chain.
  const unsettled = [...competitions.values()]
    .flatMap((competition) => competition.solutions.map((solution) => ({ competition, solution })))
    .filter(({ solution }) => solution.isWinner && settled.every((each) => each.solution !== solution))
    .toSorted((a, b) => a.competition.auctionDeadlineBlock - b.competition.auctionDeadlineBlock)
  for (const { sender, block, ...gas } of cancellations) {
    const index = unsettled.findIndex(
      ({ competition, solution }) =>
        solution.solverAddress === sender && competition.auctionStartBlock < block,
    )
    if (index >= 0) countLost(sender, 'cancellation', gas)
    if (index >= 0) unsettled.splice(index, 1)
  }
  return csvOf(network, accounts)
}

function csvOf(network: string, accounts: ReadonlyMap<string, Record<string, bigint>>): string {
  const rows = [...accounts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, row]) => {
      const isTotal = key.endsWith(',,')
      const shown = columns.map((column) =>
        isTotal || (kinds as readonly string[]).includes(column) ? String(row[column] ?? 0n) : '',
      )
      return [network, key, ...shown].join()
    })
  return [['network', 'solver', 'token', 'recipient', ...columns].join(), ...rows].join('\n')
}

function solutionOf(
  { call, trades, block, caller, sender }: ChainSettlement,
  competitions: ReadonlyMap<bigint, Competition>,
  late: number,
) {
  const competition = call && competitions.get(call.auctionId)
  if (!competition || block > competition.auctionDeadlineBlock + late) return undefined
  const solution = competition.solutions.find(
    ({ solverAddress, orders }) =>
      [caller, sender].includes(solverAddress) &&
      orders.length === trades.length &&
      orders.every(({ id, sellAmount, buyAmount }) =>
        trades.some(({ uid, sell, buy }) => uid === id && `${sell}` === sellAmount && `${buy}` === buyAmount),
      ),
  )
  return solution && { competition, solution, solver: solution.solverAddress }
}

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const unit = 10n ** 18n

/** Returns sums of fees and slippage, with their values, rounded down. */
async function amountsOf(
  settlement: ChainSettlement,
  competition: Competition,
  { records, contracts }: Question,
): Promise<(Amount & { value: bigint | undefined })[]> {
  const { prices } = competition.auction
  const settledForm = (token: string) => (token === native ? contracts.wrappedNative : token)
  const fees: Amount[] = []
  for (const [index, trade] of (settlement.call?.trades ?? []).entries()) {
    const uid = settlement.trades[index]?.uid ?? ''
    const { policies, recipients, quoted } = await records.terms(uid, BigInt(competition.auctionId))
    const { network, byPolicy } = feesOfTrade(trade, policies, quoted)
    const surplusToken = settledForm(trade.kind === 'sell' ? trade.buyToken : trade.sellToken)
    const sold = { token: settledForm(trade.sellToken), amount: network }
    fees.push({ kind: 'network_fees', group: '', recipient: '', ...sold })
    for (const [place, amount] of byPolicy.entries()) {
      const recipient = recipients[place - (policies.length - recipients.length)] ?? ''
      const kind = recipient ? 'partner_fees' : 'protocol_fees'
      fees.push({ kind, group: policies[place]?.kind ?? '', recipient, token: surplusToken, amount })
    }
  }
  const left = [...settlement.flows, ...fees.map(({ token, amount }) => ({ token, amount: -amount }))]
  const slippage = left.map((each) => ({ kind: 'slippage' as const, group: '', recipient: '', ...each }))
  const sums = new Map<string, Amount>()
  for (const each of [...fees, ...slippage]) {
    const key = [each.kind, each.group, each.recipient, each.token].join()
    const sum = sums.get(key) ?? { ...each, amount: 0n }
    sums.set(key, { ...sum, amount: sum.amount + each.amount })
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== 0n)
    .map((sum) => {
      const price = prices[sum.token]
      return { ...sum, value: price === undefined ? undefined : floor(sum.amount * BigInt(price), unit) }
    })
}

const floor = (a: bigint, b: bigint) => a / b - (a < 0n && a % b !== 0n ? 1n : 0n)
