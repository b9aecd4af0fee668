/** Whether an outside solver deserves that auctions wait for it. */
export interface Punctuality {
  isPunctual(): boolean
  answered(inTime: boolean): void
}

const mostOwed = 64

/**
 * At first it has to answer once in time, so one that never answers delays no auction. Each time that it is late, it has to answer twice as
 * often as before.
 */
export function createPunctuality(): Punctuality {
  let price = 1
  let owed = 1
  let inARow = 0
  return {
    isPunctual: () => owed === 0,
    answered(inTime) {
      if (!inTime) {
        // While it is not waited for, being late costs nothing, and so it adds nothing.
        if (owed === 0) price = Math.min(2 * price, mostOwed)
        owed = price
        inARow = 0
        return
      }
      owed = Math.max(0, owed - 1)
      if (++inARow >= 8 * price) price = 1
    },
  }
}
