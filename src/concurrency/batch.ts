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

interface FairBatchOptions {
  /** The maximum number of items in one run. */
  maxBatch: number
  /** The maximum number of concurrent runs. */
  concurrency: number
  /** The maximum number of waiting items, of all clients together. */
  maxWaiting: number
  /** Creates the error for further items. */
  refusal(): Error
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(fault: unknown): void
}

/**
 * Turns a function of many items into one of a single item, like `batch`. A run takes one item from each
 * client in turn: a client with many items delays only itself, and simultaneous items still share a run.
 * `run` returns results in the order of the items: an Error rejects only its item, a throw rejects the whole
 * run.
 */
export function fairBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { maxBatch, concurrency, maxWaiting, refusal }: FairBatchOptions,
): (client: string, item: Item) => Promise<Result> {
  /** The queues of clients, in the order of their turns. */
  const queues = new Map<string, Waiting<Item, Result>[]>()
  let waiting = 0
  let running = 0

  function take(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = []
    while (taken.length < maxBatch) {
      const [next] = queues
      if (!next) break
      const [client, queue] = next
      queues.delete(client)
      const first = queue.shift()
      if (first) taken.push(first)
      if (queue.length > 0) queues.set(client, queue)
    }
    waiting -= taken.length
    return taken
  }

  async function runNext(): Promise<void> {
    const taken = take()
    try {
      const results = await run(taken.map(({ item }) => item))
      for (const [index, { resolve, reject }] of taken.entries()) {
        const result = results[index]
        if (result === undefined || result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (fault) {
      for (const { reject } of taken) reject(fault)
    }
    running--
    start()
  }

  /** Runs after the current cycle of the event loop, so that requests that arrived together share a run. */
  function start(): void {
    if (running >= concurrency || waiting === 0) return
    running++
    setImmediate(() => void runNext())
  }

  return (client, item) =>
    new Promise((resolve, reject) => {
      if (waiting >= maxWaiting) return reject(refusal())
      const queue = queues.get(client) ?? []
      queue.push({ item, resolve, reject })
      queues.set(client, queue)
      waiting++
      start()
    })
}
