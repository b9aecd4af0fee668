/** A source of random numbers, the same ones for each seed. */
export function createRandom(seed: number) {
  let state = seed | 0
  /** In [0, 1). */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    /** Small numbers as often as large ones. */
    between: (min: number, max: number) => Math.round(min * (max / min) ** next()),
    shuffled<T>(list: readonly T[]): T[] {
      const rest = [...list]
      return Array.from(list, () => rest.splice(below(rest.length), 1)[0] as T)
    },
  }
}

export type Random = ReturnType<typeof createRandom>
