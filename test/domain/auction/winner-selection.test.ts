import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Solution } from '../../../src/domain/auction/solution.ts'
import { selectWinners } from '../../../src/domain/auction/winner-selection.ts'
import { numbered } from '../../fakes/order.ts'

const [ab, bc, cd] = ['a>b', 'b>c', 'c>d'] as const

function solution(solver: string, scores: Record<string, bigint>): Solution {
  const pairScores = new Map(Object.entries(scores))
  return {
    solver: numbered(solver),
    proposal: { prices: new Map(), trades: [], interactions: [], gas: 0n },
    executions: [],
    score: [...pairScores.values()].reduce((sum, score) => sum + score, 0n),
    pairScores,
  }
}

const solutions: fc.Arbitrary<Solution[]> = fc.array(
  fc
    .record({
      solver: fc.constantFrom('01', '02', '03'),
      pairs: fc.uniqueArray(fc.constantFrom(ab, bc, cd), { minLength: 1 }),
      scores: fc.array(fc.bigInt({ min: 1n, max: 9n }), { minLength: 3, maxLength: 3 }),
    })
    .map(({ solver, pairs, scores }) =>
      solution(solver, Object.fromEntries(pairs.map((pair, index) => [pair, scores[index] ?? 1n]))),
    ),
  { maxLength: 6 },
)

it('drops a batch that scores less on a pair than the best solution for that pair alone', () => {
  const batch = solution('01', { [ab]: 10n, [bc]: 5n })
  const better = solution('02', { [ab]: 11n })
  const worse = solution('02', { [ab]: 10n })
  expect(outline(selectWinners([batch, better], 9))).toEqual([
    { score: 11n, isWinner: true, filteredOut: false, referenceScore: 0n },
    { score: 15n, isWinner: false, filteredOut: true, referenceScore: null },
  ])
  expect(outline(selectWinners([batch, worse], 9))).toEqual([
    { score: 15n, isWinner: true, filteredOut: false, referenceScore: 10n },
    { score: 10n, isWinner: false, filteredOut: false, referenceScore: null },
  ])
})

it('a batch with one pair of a winner does not win', () => {
  const list = [
    solution('01', { [ab]: 9n }),
    solution('02', { [ab]: 4n, [bc]: 4n }),
    solution('03', { [bc]: 3n }),
  ]
  expect(
    selectWinners(list, 9).map(({ score, isWinner, filteredOut }) => [score, isWinner, filteredOut]),
  ).toEqual([
    [9n, true, false],
    [3n, true, false],
    [8n, false, true],
  ])
  const equal = [solution('01', { [ab]: 4n, [cd]: 5n }), solution('02', { [ab]: 4n, [bc]: 4n })]
  expect(selectWinners(equal, 9).map(({ isWinner }) => isWinner)).toEqual([true, false])
})

it('equal solutions keep their order', () => {
  const list = ['01', '02', '03'].map((solver) => solution(solver, { [ab]: 5n }))
  expect(selectWinners(list, 9).map(({ solver }) => solver)).toEqual(list.map(({ solver }) => solver))
})

it('solutions on disjoint pairs win together, also of one solver, up to the limit', () => {
  const list = [solution('01', { [ab]: 3n }), solution('01', { [bc]: 2n }), solution('02', { 'b>a': 1n })]
  expect(selectWinners(list, 9).map(({ isWinner }) => isWinner)).toEqual([true, true, true])
  expect(selectWinners(list, 2).map(({ isWinner }) => isWinner)).toEqual([true, true, false])
  expect(selectWinners(list, 9).map(({ referenceScore }) => referenceScore)).toEqual([1n, 1n, 5n])
})

it('solutions with equal scores keep the given order', () => {
  const [first, second] = [solution('01', { [ab]: 3n }), solution('02', { [ab]: 3n })]
  expect(selectWinners([first, second], 9)[0]?.solver).toBe(first.solver)
  expect(selectWinners([second, first], 9)[0]?.solver).toBe(second.solver)
})

it('the next best wins instead of a solution that cannot be settled, and that one is not called unfair', () => {
  const [best, next] = [solution('01', { [ab]: 5n }), solution('02', { [ab]: 3n })]
  const ranked = selectWinners([best, next], 9, new Map([[best.proposal, new Set()]]))
  expect(outline(ranked)).toEqual([
    { score: 3n, isWinner: true, filteredOut: false, referenceScore: 0n },
    { score: 5n, isWinner: false, filteredOut: false, referenceScore: null },
  ])
})

it('a solution that cannot be settled bars no batch', () => {
  const [batch, better] = [solution('01', { [ab]: 1n, [bc]: 5n }), solution('02', { [ab]: 2n })]
  const ranked = selectWinners([batch, better], 9, new Map([[better.proposal, new Set()]]))
  expect(ranked[0]).toMatchObject({ score: 6n, isWinner: true, filteredOut: false })
})

it("what fails after a solver's winner counts as settled without that solver", () => {
  const [first, second, third] = [
    solution('01', { [ab]: 5n }),
    solution('02', { [bc]: 3n }),
    solution('03', { [cd]: 2n }),
  ]
  const unusable = new Map([[second.proposal, new Set([first.solver])]])
  const ranked = selectWinners([first, second, third], 9, unusable)
  expect(outline(ranked)).toEqual([
    { score: 5n, isWinner: true, filteredOut: false, referenceScore: 5n },
    { score: 2n, isWinner: true, filteredOut: false, referenceScore: 5n },
    { score: 3n, isWinner: false, filteredOut: false, referenceScore: null },
  ])
})

/** Each solution may be unusable: by itself, or after winners of one solver. */
const obstacles = fc.array(fc.constantFrom('usable', '', '01', '02', '03'), { minLength: 6, maxLength: 6 })

it('the selection is fair, disjoint, complete and greedy', () => {
  fc.assert(
    fc.property(solutions, obstacles, fc.integer({ min: 1, max: 4 }), (list, obstacle, maxWinners) => {
      const unusable = new Map(
        list.flatMap(({ proposal }, index) =>
          obstacle[index] === 'usable'
            ? []
            : [[proposal, new Set(obstacle[index] ? [numbered(obstacle[index])] : [])] as const],
        ),
      )
      const usable = list.filter(({ proposal }) => !unusable.has(proposal))
      const ranked = selectWinners(list, maxWinners, unusable)
      expect(ranked.map(({ uid, ranking }) => [uid, ranking])).toEqual(
        list.map((_, index) => [index, index + 1]),
      )
      expect(ranked.map(({ score }) => score).sort()).toEqual(list.map(({ score }) => score).sort())
      for (const item of ranked) expect(item.filteredOut).toBe(!isFairByHand(item, usable))

      const winners = ranked.filter(({ isWinner }) => isWinner)
      const pairs = winners.flatMap(({ pairScores }) => [...pairScores.keys()])
      expect(new Set(pairs).size).toBe(pairs.length)
      expect(winners.some(({ filteredOut }) => filteredOut)).toBe(false)
      expect(winners.length <= maxWinners).toBe(true)
      expect(winners.some(({ proposal }) => unusable.has(proposal))).toBe(false)
      const group = ranked.map(({ isWinner, filteredOut }) => (isWinner ? 0 : filteredOut ? 2 : 1))
      expect(group).toEqual(group.toSorted())
      const losers = ranked.filter(({ isWinner, filteredOut }) => !isWinner && !filteredOut)
      for (const loser of losers.filter(({ proposal }) => !unusable.has(proposal))) {
        const stronger = winners.filter(({ score }) => score >= loser.score)
        const blocked = stronger.some(({ pairScores }) =>
          [...pairScores.keys()].some((pair) => loser.pairScores.has(pair)),
        )
        expect(blocked || winners.length === maxWinners).toBe(true)
      }
      for (const winner of winners) {
        const others = list
          .filter(({ proposal }) => unusable.get(proposal)?.has(winner.solver) ?? true)
          .filter((item) => item.solver !== winner.solver && isFairByHand(item, usable))
        const without = selectByHand(others, maxWinners)
        expect(winner.referenceScore).toBe(without)
      }
    }),
  )
})

/** No pair gets less than the best solution for this pair alone offers. */
function isFairByHand({ pairScores }: Solution, list: Solution[]): boolean {
  if (pairScores.size === 1) return true
  return [...pairScores].every(([pair, score]) =>
    list.every((other) => other.pairScores.size > 1 || !other.pairScores.has(pair) || other.score <= score),
  )
}

/** Takes the best remaining solution and drops all that share a pair with it. */
function selectByHand(list: Solution[], maxWinners: number): bigint {
  const sorted = list.toSorted((a, b) => Number(b.score - a.score))
  let left = sorted
  let sum = 0n
  for (let taken = 0; taken < maxWinners; taken++) {
    const [next] = left
    if (!next) break
    sum += next.score
    left = left.filter(({ pairScores }) => ![...pairScores.keys()].some((pair) => next.pairScores.has(pair)))
  }
  return sum
}

function outline(ranked: ReturnType<typeof selectWinners>) {
  return ranked.map(({ score, isWinner, filteredOut, referenceScore }) => ({
    score,
    isWinner,
    filteredOut,
    referenceScore,
  }))
}
