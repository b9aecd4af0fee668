// Winner selection as the protocol defines it, with none of the program's code.

export interface Entry {
  solver: string
  score: bigint
  /** By directed pair. */
  pairs: ReadonlyMap<string, bigint>
}

export interface Selection<E> {
  winners: E[]
  filteredOut: E[]
  /** Of each winning solver. */
  references: Map<string, bigint>
}

/** @param entries in the order in which ties are decided */
export function selectWinners<E extends Entry>(entries: readonly E[], maxWinners: number): Selection<E> {
  const ranked = entries.toSorted((a, b) => Number(b.score > a.score) - Number(b.score < a.score))
  const best = new Map<string, bigint>()
  for (const { pairs, score } of ranked) {
    const [pair] = pairs.keys()
    if (pairs.size === 1 && pair !== undefined && score > (best.get(pair) ?? 0n)) best.set(pair, score)
  }
  const isFair = ({ pairs }: E) =>
    pairs.size === 1 || [...pairs].every(([pair, score]) => score >= (best.get(pair) ?? 0n))
  const kept = ranked.filter(isFair)
  const winners = take(kept, maxWinners)
  const references = new Map(
    winners.map(({ solver }) => {
      const without = take(
        kept.filter((other) => other.solver !== solver),
        maxWinners,
      )
      return [solver, without.reduce((sum, { score }) => sum + score, 0n)]
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
