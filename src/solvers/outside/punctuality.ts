/** The decision whether auctions wait for an outside solver. */
interface Punctuality {
  isPunctual(): boolean
  answered(inTime: boolean): void
}

const maxOwed = 64

/**
 * Creates the decision. At first a solver must answer once in time, so that a solver that never answers
 * delays no auction. After each late answer it must answer twice as often as before.
 */
export function createPunctuality(): Punctuality {
  let price = 1
  let owed = 1
  let inARow = 0
  return {
    isPunctual: () => owed === 0,
    answered(inTime) {
      if (!inTime) {
        // While auctions do not wait for the solver, a late answer costs nothing, so it adds nothing.
        if (owed === 0) price = Math.min(2 * price, maxOwed)
        owed = price
        inARow = 0
        return
      }
      owed = Math.max(0, owed - 1)
      if (++inARow >= 8 * price) price = 1
    },
  }
}
