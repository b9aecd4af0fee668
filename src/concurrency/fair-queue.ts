/** So much of everybody's together, and of one key's. */
interface Limit {
  most: number
  perKey: number
}

export interface FairQueueLimits {
  running: Limit
  waiting: Limit
  /** How long one waits for a turn, in milliseconds. Without it as long as it takes. */
  waitMs?: number
  /** What is thrown where there is no turn. */
  refusal(why: string): Error
}

/** Is done in the turn of whoever asked for it, at `since` by `performance.now`. */
type Work<T> = (since: number) => Promise<T>

/**
 * Waits under a key for one work. Under whichever key the turn comes first it begins, for all who wait for it
 * then and ask for it until it is done.
 * @throws `refusal` at once when too many wait already, and when there is no turn in time; and what the work
 * throws
 */
export type QueuedWork<T> = (key: string) => Promise<T>

/** `onOver`: when the work is done, or nobody waits for it any more. */
export type FairQueue = <T>(work: Work<T>, onOver?: () => void) => QueuedWork<T>

interface Waiter {
  key: string
  begin(): void
}

/**
 * Turns that go round the keys: whoever asks for much holds up himself, and leaves everybody else a share. p-limit and p-queue
 * know one line for all, at best with priorities, and no work that is shared under several keys.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const state = createQueues(limits)
  return (work, onOver = () => {}) => createQueuedWork(work, onOver, state, limits)
}

/**
 * Who runs, and who waits: the keys in the order of their turns, and the places of each in the order they
 * came.
 */
function createQueues({ running, waiting }: FairQueueLimits) {
  const active = new Map<string, number>()
  const queues = new Map<string, Set<Waiter>>()
  let underWay = 0
  let inQueues = 0

  const mayRun = (key: string) => underWay < running.most && (active.get(key) ?? 0) < running.perKey

  /** Its key has the next turn after all others. */
  function next(): Waiter | undefined {
    for (const [key, queue] of queues) {
      if (!mayRun(key)) continue
      queues.delete(key)
      queues.set(key, queue)
      const [waiter] = queue
      return waiter
    }
    return undefined
  }

  function end(key: string): void {
    underWay--
    const left = (active.get(key) ?? 1) - 1
    if (left > 0) active.set(key, left)
    else active.delete(key)
    for (let waiter = next(); waiter; waiter = next()) waiter.begin()
  }

  return {
    mayRun,
    isFull: (key: string) => inQueues >= waiting.most || (queues.get(key)?.size ?? 0) >= waiting.perKey,
    enter(waiter: Waiter): void {
      queues.set(waiter.key, (queues.get(waiter.key) ?? new Set()).add(waiter))
      inQueues++
    },
    leave(waiter: Waiter): void {
      const queue = queues.get(waiter.key)
      if (!queue?.delete(waiter)) return
      inQueues--
      if (queue.size === 0) queues.delete(waiter.key)
    },
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      underWay++
      active.set(key, (active.get(key) ?? 0) + 1)
      try {
        return await work()
      } finally {
        end(key)
      }
    },
  }
}

function createQueuedWork<T>(
  work: Work<T>,
  onOver: () => void,
  state: ReturnType<typeof createQueues>,
  { waitMs, refusal }: FairQueueLimits,
): QueuedWork<T> {
  const waits = new Map<string, Promise<T>>()
  const waiters = new Set<Waiter & { follow(answer: Promise<T>): void }>()
  let answer: Promise<T> | undefined

  function begin(key: string, since: number): Promise<T> {
    answer = state.run(key, () => work(since).finally(onOver))
    for (const waiter of waiters) {
      state.leave(waiter)
      waiter.follow(answer)
    }
    return answer
  }

  function wait(key: string, since: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        state.leave(waiter)
        waiters.delete(waiter)
        waits.delete(key)
        if (waiters.size === 0) onOver()
        reject(refusal('there was no turn in time'))
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      const waiter = {
        key,
        begin: () => void begin(key, since),
        follow(begun: Promise<T>) {
          clearTimeout(timer)
          resolve(begun)
        },
      }
      waiters.add(waiter)
      state.enter(waiter)
    })
  }

  return (key) => {
    const known = answer ?? waits.get(key)
    if (known) return known
    const since = performance.now()
    if (state.mayRun(key)) return begin(key, since)
    if (state.isFull(key)) {
      if (waiters.size === 0) onOver()
      return Promise.reject(refusal('too many wait for it'))
    }
    const waited = wait(key, since)
    waits.set(key, waited)
    return waited
  }
}

/**
 * Work that is done once at a time for what it is about, however many ask for it, each under a key of his
 * own.
 */
export function shareQueuedWork<T>(enqueue: FairQueue) {
  const shared = new Map<string, QueuedWork<T>>()
  return (about: string, key: string, work: Work<T>): Promise<T> => {
    const queued = shared.get(about) ?? enqueue(work, () => shared.delete(about))
    shared.set(about, queued)
    return queued(key)
  }
}
