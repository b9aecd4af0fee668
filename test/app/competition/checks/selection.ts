// The protocol's winner selection, without the program's code.

export interface Entry {
  solver: string
  score: bigint
  /** Scores by directed pair. */
  pairs: ReadonlyMap<string, bigint>
  /** The solvers of winners after which a solution cannot be settled; without one of them it counts. */
  failsAfter?: readonly string[] | undefined
}

interface Selection<E> {
  winners: E[]
  filteredOut: E[]
  /** Reference scores by winning solver. */
  references: Map<string, bigint>
}

/** @param entries in the order that decides ties */
export function selectWinners<E extends Entry>(entries: readonly E[], maxWinners: number): Selection<E> {
  const ranked = entries.toSorted((a, b) => Number(b.score > a.score) - Number(b.score < a.score))
  const best = new Map<string, bigint>()
  for (const { pairs } of ranked.filter((entry) => entry.pairs.size === 1 && !entry.failsAfter)) {
    for (const [pair, score] of pairs) if (score > (best.get(pair) ?? 0n)) best.set(pair, score)
  }
  const isFair = ({ pairs }: E) =>
    pairs.size === 1 || [...pairs].every(([pair, score]) => score >= (best.get(pair) ?? 0n))
  const kept = ranked.filter(isFair)
  const winners = take(
    kept.filter(({ failsAfter }) => !failsAfter),
    maxWinners,
  )
  const references = new Map(
    winners.map(({ solver }) => {
      const others = kept.filter(
        (other) => other.solver !== solver && (other.failsAfter?.includes(solver) ?? true),
      )
      return [solver, take(others, maxWinners).reduce((sum, { score }) => sum + score, 0n)]
    }),
  )
  return { winners, filteredOut: ranked.filter((entry) => !isFair(entry)), references }
}

function take<E extends Entry>(kept: readonly E[], maxWinners: number): E[] {
  const used = new Set<string>()
  const taken: E[] = []
  for (const entry of kept) {
    if (taken.length === maxWinners || [...entry.pairs.keys()].some((pair) => used.has(pair))) continue
    for (const pair of entry.pairs.keys()) used.add(pair)
    taken.push(entry)
  }
  return taken
}
