import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Solver } from '../solver.ts'
import { matchOrders } from './matched.ts'
import { type Routed, routeAlone, routeTogether } from './routed.ts'
import { type Candidate, descendingValue, pairOf, type Task, type TokenPair } from './task.ts'

export interface BuiltInSolverOptions {
  name: string
  address: Address
  settlement: Address
  wrappedNative: Address
}

const maxProposals = 20
/** Proposals of one pair exclude each other: more of them would displace other pairs. */
const maxAlonePerPair = 3
const maxOrdersPerPair = 50
/** Orders of a pair that are matched with as many of the opposite pair. */
const maxMatchedOrders = 3

/** Routes orders through constant-product pools and matches opposite ones, without I/O. */
export function createBuiltInSolver(options: BuiltInSolverOptions): Solver {
  const { name, address, settlement, wrappedNative } = options
  return {
    name,
    address,
    async solve(auction, { pools }, signal) {
      const candidates: Candidate[] = []
      for (const step of steps({ auction, pools, settlement, wrappedNative })) {
        candidates.push(...step)
        await nextTurn()
        if (signal.aborted) break
      }
      return candidates
        .sort(descendingValue)
        .slice(0, maxProposals)
        .map(({ proposal }) => proposal)
    },
  }
}

/** The work in small steps, so that the solver can check the deadline between two of them. */
function* steps(task: Task): Generator<Candidate[]> {
  const groups = groupByPair(task)
  for (const { pair, entries } of groups.values()) {
    const alone: Routed[] = []
    for (const entry of entries) {
      const routed = routeAlone(task, entry)
      if (routed) alone.push(routed)
      yield []
    }
    alone.sort(descendingValue)
    yield alone.slice(0, maxAlonePerPair)
    yield present(routeTogether(task, alone))
    const opposite = pair.sell < pair.buy ? groups.get(directedPair(pair.buy, pair.sell)) : undefined
    for (const seller of entries.slice(0, maxMatchedOrders)) {
      for (const buyer of opposite?.entries.slice(0, maxMatchedOrders) ?? []) {
        yield present(matchOrders(task, seller, buyer))
      }
    }
  }
}

interface PairGroup {
  pair: TokenPair
  /** Most generous limits first. */
  entries: AuctionOrder[]
}

function groupByPair(task: Task): Map<string, PairGroup> {
  const groups = new Map<string, PairGroup>()
  for (const entry of task.auction.orders.toSorted(descendingGenerosity)) {
    const pair = pairOf(entry.order, task)
    const key = directedPair(pair.sell, pair.buy)
    const group = groups.get(key) ?? { pair, entries: [] }
    if (group.entries.length < maxOrdersPerPair) group.entries.push(entry)
    groups.set(key, group)
  }
  return groups
}

/** Compares limit prices, in sell atoms for a bought atom, of two orders of one pair. */
function descendingGenerosity({ order: a }: AuctionOrder, { order: b }: AuctionOrder): number {
  const [left, right] = [a.sellAmount * b.buyAmount, b.sellAmount * a.buyAmount]
  return left === right ? 0 : left > right ? -1 : 1
}

function present(candidate: Candidate | undefined): Candidate[] {
  return candidate ? [candidate] : []
}
