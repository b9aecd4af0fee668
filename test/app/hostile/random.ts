/** A seeded source of numbers: the same plan in every run. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  /** In [0, 1). */
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    /** Small numbers as often as large ones. */
    between: (least: number, most: number) => Math.round(least * (most / least) ** next()),
    shuffled<T>(list: readonly T[]): T[] {
      const rest = [...list]
      return Array.from(list, () => rest.splice(below(rest.length), 1)[0] as T)
    },
  }
}

export type Random = ReturnType<typeof createRandom>
