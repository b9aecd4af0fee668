import DataLoader from 'dataloader'

interface BatchOptions {
  /** Items of one run, at most. */
  maxBatch: number
  /** Runs under way at a time. */
  concurrency: number
}

/**
 * Makes of a question about many things one about a single thing: what is asked while the runs before are under way goes
 * into the next run together. When nothing is under way, nothing waits.
 * p-limit has no part in it: it waits for a promise, and what DataLoader hands over to be started gives none.
 * `run` answers in the order of the items: an Error in an item's place is its own, a throw is everybody's.
 */
export function batch<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
  { maxBatch, concurrency }: BatchOptions,
): (item: Item) => Promise<Answer> {
  const waiting: (() => void)[] = []
  let underWay = 0

  /** At the end of the turn: requests that came in together are still on their way here. */
  function start(dispatch: () => void): void {
    underWay++
    setImmediate(dispatch)
  }

  const loader = new DataLoader<Item, Answer>(
    async (items) => {
      try {
        return await run(items)
      } finally {
        underWay--
        const next = waiting.shift()
        if (next) start(next)
      }
    },
    {
      cache: false,
      maxBatchSize: maxBatch,
      batchScheduleFn: (dispatch) => (underWay < concurrency ? start(dispatch) : void waiting.push(dispatch)),
    },
  )
  return (item) => loader.load(item)
}
