import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import { selectWinners } from '../../domain/auction/winner-selection.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Solver } from '../solver.ts'
import { clear } from './clear.ts'
import {
  type DirectedPair,
  directedPairs,
  findRings,
  largestBatch,
  oppositeOf,
  ordersOfRing,
  type Prospect,
  prospectsOf,
} from './pairs-and-rings.ts'
import { type Candidate, pairKey, type Task } from './task.ts'

interface BuiltInSolverOptions {
  name: string
  address: Address
  settlement: Address
  wrappedNative: Address
}

const maxProposals = 20
const maxRingAttempts = 3
/**
 * The number of orders of a directed pair that are also proposed alone, in case the batch cannot be settled.
 */
const maxAlone = 3

/**
 * Creates the built-in solver. It clears orders of a pair, or of a few tokens, at one price for each token,
 * and sends the rest through pools. Without I/O.
 */
export function createBuiltInSolver(options: BuiltInSolverOptions): Solver {
  const { name, address, settlement, wrappedNative } = options
  return {
    name,
    address,
    async solve(auction, { pools }, signal) {
      const candidates: Candidate[] = []
      for (const step of steps({ auction, pools, settlement, wrappedNative }, candidates)) {
        if (step) candidates.push(step)
        await nextTurn()
        if (signal.aborted) break
      }
      return ranked(candidates, address)
    },
  }
}

/** The work in small steps, so that the solver can check the deadline between two of them. */
function* steps(task: Task, found: readonly Candidate[]): Generator<Candidate | undefined> {
  const pairs = directedPairs(task)
  yield undefined
  for (const pair of pairs.values()) yield* directedSteps(task, prospectsOf(task, pair, undefined), pair)
  for (const pair of pairs.values()) {
    const opposite = oppositeOf(pairs, pair)
    if (!opposite || pair.sell > pair.buy) continue
    const both = [...prospectsOf(task, pair, opposite), ...prospectsOf(task, opposite, pair)]
    yield betterTogether(clear(task, [pair.sell, pair.buy], largestBatch(both)), found)
  }
  for (const ring of findRings(task, pairs)) {
    yield* ringSteps(task, ring.tokens, ordersOfRing(pairs, ring), found)
  }
}

/**
 * Searches a ring. It leaves out a pair that is worth less in the ring than alone, because that would keep
 * the ring from winning.
 */
function* ringSteps(
  task: Task,
  tokens: readonly Address[],
  entries: readonly AuctionOrder[],
  found: readonly Candidate[],
) {
  let members = entries
  for (let attempt = 0; attempt < maxRingAttempts; attempt++) {
    const candidate = clear(task, tokens, members)
    const poor = candidate && poorPairs(candidate, found)
    if (!poor || poor.size === 0) {
      yield betterTogether(candidate, found)
      return
    }
    members = members.filter(({ order }) => !poor.has(pairKey(order, task)))
    yield undefined
  }
}

function poorPairs({ pairValues }: Candidate, found: readonly Candidate[]): Set<string> {
  const poor = new Set<string>()
  for (const { pairValues: alone, value } of found) {
    const [key = ''] = alone.keys()
    if (alone.size === 1 && value > (pairValues.get(key) ?? value)) poor.add(key)
  }
  return poor
}

/** Sends the orders of one direction through pools: together, and the most valuable ones alone. */
function* directedSteps(task: Task, prospects: readonly Prospect[], { sell, buy }: DirectedPair) {
  const batch = largestBatch(prospects)
  const tokens = sell === buy ? [sell] : [sell, buy]
  if (batch.length > 1) yield clear(task, tokens, batch)
  for (const { entry } of prospects.slice(0, maxAlone)) yield clear(task, tokens, [entry])
}

/** Returns the candidate; undefined if its pairs are worth more in candidates of their own. */
function betterTogether(
  candidate: Candidate | undefined,
  found: readonly Candidate[],
): Candidate | undefined {
  if (!candidate) return undefined
  const { pairValues, value } = candidate
  let others = 0n
  const taken = new Set<string>()
  for (const other of found.toSorted(descendingValue)) {
    const keys = [...other.pairValues.keys()]
    if (!keys.every((key) => pairValues.has(key) && !taken.has(key))) continue
    for (const key of keys) taken.add(key)
    others += other.value
  }
  return taken.size === 0 || value > others ? candidate : undefined
}

/**
 * The proposals, starting with those that would win without other solvers: the value of a pair alone must not
 * keep its own combination out.
 */
function ranked(candidates: readonly Candidate[], solver: Address): Proposal[] {
  const solutions = candidates.map(({ proposal, value, pairValues }) => ({
    solver,
    proposal,
    executions: [],
    score: value,
    pairScores: pairValues,
  }))
  return selectWinners(solutions, maxProposals)
    .filter(({ filteredOut }) => !filteredOut)
    .slice(0, maxProposals)
    .sort((a, b) => (a.score === b.score ? 0 : a.score > b.score ? -1 : 1))
    .map(({ proposal }) => proposal)
}

function descendingValue(a: Candidate, b: Candidate): number {
  return a.value === b.value ? 0 : a.value > b.value ? -1 : 1
}
