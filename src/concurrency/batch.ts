import DataLoader from 'dataloader'

interface BatchOptions {
  /** The maximum number of items in one run. */
  maxBatch: number
  /** The maximum number of concurrent runs. */
  concurrency: number
}

/**
 * Turns a function of many items into one of a single item. Items that arrive while `concurrency` runs are in
 * progress share the next run; otherwise a run starts at once. `run` returns results in the order of the
 * items: an Error rejects only its item, a throw rejects the whole batch. p-limit is not used: it limits
 * promises, and the `dispatch` of DataLoader returns none.
 */
export function batch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { maxBatch, concurrency }: BatchOptions,
): (item: Item) => Promise<Result> {
  const queue: (() => void)[] = []
  let running = 0

  /**
   * Dispatches after the current cycle of the event loop, so that requests that arrived together share a
   * batch.
   */
  function start(dispatch: () => void): void {
    running++
    setImmediate(dispatch)
  }

  const loader = new DataLoader<Item, Result>(
    async (items) => {
      try {
        return await run(items)
      } finally {
        running--
        const next = queue.shift()
        if (next) start(next)
      }
    },
    {
      cache: false,
      maxBatchSize: maxBatch,
      batchScheduleFn: (dispatch) => (running < concurrency ? start(dispatch) : void queue.push(dispatch)),
    },
  )
  return (item) => loader.load(item)
}
