import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { AuctionMeter } from '../../auctions/meter.ts'
import type { IndexerMeter } from '../../indexer/progress.ts'
import type { HoldingsMeter } from '../../indexer/settlement-holdings.ts'
import type { TowerMeter } from '../../indexer/watch-tower.ts'
import type { MirrorMeter } from '../../mirror/mirror.ts'
import { networkGauge } from './network-gauge.ts'

/** Metrics of one process's loops. Gauges have no series for networks that it does not lead. */
export interface LoopMetrics {
  auctions(network: string): AuctionMeter
  indexer(network: string): IndexerMeter
  holdings(network: string): HoldingsMeter
  mirror(network: string): MirrorMeter
  tower(network: string): TowerMeter
  /** Notes whether this process leads a loop: it measures only loops that it leads. */
  led(loop: Loop, network: string, leads: boolean): void
}

export type Loop = 'indexer' | 'auctions' | 'tower'

interface Newest {
  /** Unix milliseconds of the newest auction. */
  auctionAt?: number | undefined
  standings?: ReadonlyMap<string, number> | undefined
  inspection?: { logs: boolean; storage: boolean } | undefined
  held?: { tokens: number; value: bigint } | undefined
  blocksBehind?: number | undefined
  /** Rate over the last minute. */
  blocksPerSecond?: number | undefined
  secondsLeft?: number | undefined
  /** Time of the newest stored block, in Unix seconds. */
  blockTime?: number | undefined
  holdings?: Holdings | undefined
  /** Settlements that are stored by their logs alone. */
  unread?: number | undefined
  withoutSolver?: number | undefined
  /** Unix milliseconds when the order book that is followed was last read. */
  readAt?: number | undefined
  /** How long the longest has been due that the watch tower polled last, in seconds. */
  pollsLate?: number | undefined
}

/** Holdings and rights of the settlement contract. */
type Holdings = Partial<Parameters<HoldingsMeter['known']>[0] & Parameters<HoldingsMeter['moved']>[0]>

/** Values that a process no longer measures once it loses the lead of a loop. */
const lost: Record<Loop, Newest> = {
  indexer: {
    blocksBehind: undefined,
    blockTime: undefined,
    blocksPerSecond: undefined,
    secondsLeft: undefined,
    holdings: undefined,
    unread: undefined,
    withoutSolver: undefined,
    readAt: undefined,
  },
  auctions: { auctionAt: undefined, standings: undefined, inspection: undefined, held: undefined },
  tower: { pollsLate: undefined },
}

const phaseBuckets = [0.01, 0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60]
const depthBuckets = [1, 2, 4, 8, 16, 32, 64]

export function createLoopMetrics(registry: Registry, now: () => number): LoopMetrics {
  const registers = [registry]
  const newest = new Map<string, Newest>()
  const update = (network: string, news: Newest) => newest.set(network, { ...newest.get(network), ...news })
  registerGauges(registry, newest, now)
  const { phases, answers, settlements, losses } = auctionSeries(registers)
  const { leads, reorgs, oddLogs, mirrored, competitions, unknownMembers } = processSeries(registers)
  const { polls, parts } = towerSeries(registers)
  return {
    auctions: (network) => ({
      began: () => update(network, { auctionAt: now() }),
      took: (phase, milliseconds) => phases.observe({ network, phase }, milliseconds / 1_000),
      stand: (standings) => update(network, { standings: countEach(standings) }),
      answered: (solver, answer) => answers.inc({ network, solver, answer }),
      settled: (outcome) => settlements.inc({ network, outcome }),
      lost: (solver) => losses.inc({ network, solver }),
      inspects: (inspection) => update(network, { inspection }),
      holds: (tokens, value) => update(network, { held: { tokens, value } }),
    }),
    indexer: (network) => ({
      stored: ({ blocksBehind, blocksPerSecond, secondsLeft, timestamp }) =>
        update(network, {
          blocksBehind,
          blocksPerSecond,
          blockTime: timestamp,
          secondsLeft: secondsLeft ?? undefined,
        }),
      reorganised: (depth) => reorgs.observe({ network }, depth),
      waits: (waiting) => update(network, { ...waiting }),
      oddLog: (what) => oddLogs.inc({ network, what }),
    }),
    holdings(network) {
      const add = (news: Holdings) =>
        update(network, { holdings: { ...newest.get(network)?.holdings, ...news } })
      return { known: add, moved: add }
    },
    mirror: (network) => ({
      looked: () => update(network, { readAt: now() }),
      stored: (count) => mirrored.inc({ network, outcome: 'stored' }, count),
      compared: (count) => mirrored.inc({ network, outcome: 'compared' }, count),
      unknownMembers: (count) => unknownMembers.inc({ network }, count),
      missing: (count) => mirrored.inc({ network, outcome: 'missing' }, count),
      refused: (fault) => mirrored.inc({ network, outcome: fault }),
      competitions: (outcome, count = 1) => competitions.inc({ network, outcome }, count),
      unverified: (what) => mirrored.inc({ network, outcome: `unverified_${what}` }),
    }),
    tower: (network) => ({
      polled: (result) => polls.inc({ network, result }),
      placed: () => parts.inc({ network }),
      late: (pollsLate) => update(network, { pollsLate }),
    }),
    led(loop, network, isLeading) {
      leads.set({ loop, network }, isLeading ? 1 : 0)
      if (isLeading) return
      update(network, lost[loop])
    },
  }
}

function auctionSeries(registers: Registry[]) {
  const phases = new Histogram({
    name: 'tradegraph_auction_phase_duration_seconds',
    help: 'Time of one phase: assemble, solve (each round), simulate (with its rounds of solving), record, settle (each winner).',
    labelNames: ['network', 'phase'],
    buckets: phaseBuckets,
    registers,
  })
  const answers = new Counter({
    name: 'tradegraph_solver_answers_total',
    help: 'Answers of a solver: ok, refused (a solution broke a rule), failed, late.',
    labelNames: ['network', 'solver', 'answer'],
    registers,
  })
  const settlements = new Counter({
    name: 'tradegraph_settlements_total',
    help: 'Ended attempts to settle: success, timeout, withdrawn (all its orders were cancelled), failed.',
    labelNames: ['network', 'outcome'],
    registers,
  })
  const losses = new Counter({
    name: 'tradegraph_settlement_losses_total',
    help: 'Mined settlements that left the settlement contract with too little of a token, by solver.',
    labelNames: ['network', 'solver'],
    registers,
  })
  return { phases, answers, settlements, losses }
}

function towerSeries(registers: Registry[]) {
  const polls = new Counter({
    name: 'tradegraph_programmatic_polls_total',
    help: 'Polls of programmatic orders by the watch tower, by result, as GraphQL names them.',
    labelNames: ['network', 'result'],
    registers,
  })
  const parts = new Counter({
    name: 'tradegraph_programmatic_parts_placed_total',
    help: 'Parts of programmatic orders that the watch tower placed.',
    labelNames: ['network'],
    registers,
  })
  return { polls, parts }
}

function processSeries(registers: Registry[]) {
  const leads = new Gauge({
    name: 'tradegraph_leading',
    help: '1 if this process leads a loop of a network, 0 while it stands by.',
    labelNames: ['loop', 'network'],
    registers,
  })
  const reorgs = new Histogram({
    name: 'tradegraph_indexer_reorg_depth_blocks',
    help: 'Reorgs by the number of blocks that they undid.',
    labelNames: ['network'],
    buckets: depthBuckets,
    registers,
  })
  const mirrored = new Counter({
    name: 'tradegraph_mirrored_orders_total',
    help: 'Orders of an order book that is followed: stored, compared (stored before), missing there, or not believed: malformed, digest (not its UID), signature (not its owner’s). Of the stored ones: unverified_document (not that of its hash), unverified_account (the smart account has not confirmed its signature).',
    labelNames: ['network', 'outcome'],
    registers,
  })
  const competitions = new Counter({
    name: 'tradegraph_mirrored_competitions_total',
    help: 'Competitions of an order book that is followed: stored, missing (requested and not shown), malformed, skipped (too many since the last one), contradicts (settlements that are others on chain).',
    labelNames: ['network', 'outcome'],
    registers,
  })
  const unknownMembers = new Counter({
    name: 'tradegraph_mirrored_unknown_members_total',
    help: 'Members of orders of an order book that is followed that this program does not know, and leaves out.',
    labelNames: ['network'],
    registers,
  })
  const oddLogs = new Counter({
    name: 'tradegraph_indexer_odd_logs_total',
    help: 'Irregular logs: placed (without an index or a transaction, stored by their receipt or at the end of their block), skipped (impossible for the contract, or of no block), missed (left out by the node, which had them when it was asked again).',
    labelNames: ['network', 'what'],
    registers,
  })
  return { leads, reorgs, oddLogs, mirrored, competitions, unknownMembers }
}

/** Gauges that are computed when they are read. */
function registerGauges(registry: Registry, newest: ReadonlyMap<string, Newest>, now: () => number): void {
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    values: (of: Newest) => [labels: Record<string, string>, value: number][],
  ) =>
    networkGauge(registry, { name, help, labelNames }, function* () {
      for (const [network, of] of newest)
        for (const [labels, value] of values(of)) yield [{ network, ...labels }, value]
    })
  /** Registers a gauge with one value for each network. */
  const single = (name: string, help: string, value: (of: Newest) => number | undefined) =>
    gauge(name, help, [], (of) => {
      const measured = value(of)
      return measured === undefined ? [] : [[{}, measured]]
    })
  const since = (time: number | undefined) => (time === undefined ? undefined : (now() - time) / 1_000)
  single(
    'tradegraph_auction_age_seconds',
    'Time since the newest auction began, in the process that leads. Auctions without orders count.',
    ({ auctionAt }) => since(auctionAt),
  )
  single(
    'tradegraph_order_book_age_seconds',
    'Time since the order book that the network follows was last read, in the process that leads.',
    ({ readAt }) => since(readAt),
  )
  single(
    'tradegraph_programmatic_polls_late_seconds',
    'How long the longest has been due of the programmatic orders that the watch tower polls next, by the time of the block.',
    ({ pollsLate }) => pollsLate,
  )
  gauge(
    'tradegraph_auction_orders',
    'Orders of the newest auction by standing: in_auction, or the reason why they are left out.',
    ['standing'],
    ({ standings = new Map() }) => [...standings].map(([standing, count]) => [{ standing }, count]),
  )
  gauge(
    'tradegraph_settlement_inspection',
    '1 if the node shows an effect of outside solvers’ settlements, else 0. Without logs these solvers are left out, without storage only known calls pass.',
    ['effect'],
    ({ inspection = {} }) =>
      Object.entries(inspection).map(([effect, isShown]) => [{ effect }, Number(isShown)]),
  )
  single(
    'tradegraph_settlement_held_tokens',
    'Held tokens, worth more than GUARD_MIN_VALUE, which every settlement of an outside solver compares.',
    ({ held }) => held?.tokens,
  )
  single(
    'tradegraph_settlement_held_value',
    'Value of these tokens if they were sold, in native coins.',
    ({ held }) => held && Number(held.value) / 1e18,
  )
  single(
    'tradegraph_indexer_blocks_behind',
    'Blocks between the last stored one and the newest one of the node.',
    ({ blocksBehind }) => blocksBehind,
  )
  single(
    'tradegraph_indexer_blocks_per_second',
    'Blocks stored per second, over the last minute.',
    ({ blocksPerSecond }) => blocksPerSecond,
  )
  single(
    'tradegraph_indexer_seconds_left',
    'Time until the index has caught up, at the rate of the minute before the newest stored block. Absent while it does not move.',
    ({ secondsLeft }) => secondsLeft,
  )
  single(
    'tradegraph_indexer_block_age_seconds',
    'Time since the newest stored block, by its timestamp. It grows while the node is away.',
    ({ blockTime }) => since(blockTime && blockTime * 1_000),
  )
  single(
    'tradegraph_settlement_tokens',
    'Tokens that the settlement contract received, by their logs.',
    ({ holdings }) => holdings?.tokens,
  )
  single(
    'tradegraph_settlement_rights',
    'Existing rights over holdings of the settlement contract that it gave to others: allowances, operators, delegations.',
    ({ holdings }) => holdings?.rights,
  )
  single(
    'tradegraph_settlement_holdings_blocks_behind',
    'Blocks between the newest one of the node and the last one with known receipts and rights of the settlement contract.',
    ({ holdings }) => holdings?.blocksBehind,
  )
  single(
    'tradegraph_settlement_holdings_missed',
    '1 if some of it is missing, over the limit or in an unreadable block, else 0.',
    ({ holdings: { missedBlock } = {} }) =>
      missedBlock === undefined ? undefined : Number(missedBlock !== null),
  )
  single(
    'tradegraph_indexer_unread_settlements',
    'Settlements stored by their logs alone, since no node knows their transactions.',
    ({ unread }) => unread,
  )
  single(
    'tradegraph_indexer_settlements_without_solver',
    'Settlements that another contract called and whose solver is not known, because the node has no trace of them.',
    ({ withoutSolver }) => withoutSolver,
  )
}

function countEach(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
