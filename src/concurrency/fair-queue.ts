interface Limit {
  /** The limit of all keys together. */
  max: number
  perKey: number
}

export interface FairQueueLimits {
  running: Limit
  waiting: Limit
  /** The maximum wait for a slot, in milliseconds. Without it there is no timeout. */
  waitMs?: number
  /** Creates the error for callers that get no slot. */
  refusal(why: string): Error
}

/**
 * A piece of work.
 * @param since when the caller whose slot is used entered the queue, by `performance.now`
 */
type Work<T> = (since: number) => Promise<T>

/**
 * Waits in the queue of a key for one piece of work. The work begins with the first slot that any of its keys
 * gets. Its result is for all callers that wait then or ask before it ends.
 * @throws `refusal` at once if too many callers wait, and if no slot is free in time; errors of the work
 */
type QueuedWork<T> = (key: string) => Promise<T>

/** Queues work. @param onEnd called when the work has ended, or no caller waits for it any more */
export type FairQueue = <T>(work: Work<T>, onEnd?: () => void) => QueuedWork<T>

interface Waiter {
  key: string
  begin(): void
}

/**
 * Creates a queue that serves its keys round-robin: a client with many requests delays only itself. p-limit
 * and p-queue have one queue for all, at best with priorities, and no work that several keys share.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const queues = createQueues(limits)
  return (work, onEnd = () => {}) => createQueuedWork(work, onEnd, queues, limits)
}

/**
 * Counts running work, and keeps waiters: keys in the order of their next slot, waiters of a key first in,
 * first out.
 */
function createQueues({ running, waiting }: FairQueueLimits) {
  const runningByKey = new Map<string, number>()
  const waitersByKey = new Map<string, Set<Waiter>>()
  let totalRunning = 0
  let totalWaiting = 0

  const mayRun = (key: string) => totalRunning < running.max && (runningByKey.get(key) ?? 0) < running.perKey

  /** Returns the next waiter, and moves its key behind all others. */
  function nextWaiter(): Waiter | undefined {
    for (const [key, queue] of waitersByKey) {
      if (!mayRun(key)) continue
      waitersByKey.delete(key)
      waitersByKey.set(key, queue)
      const [waiter] = queue
      return waiter
    }
    return undefined
  }

  function end(key: string): void {
    totalRunning--
    const remaining = (runningByKey.get(key) ?? 1) - 1
    if (remaining > 0) runningByKey.set(key, remaining)
    else runningByKey.delete(key)
    for (let waiter = nextWaiter(); waiter; waiter = nextWaiter()) waiter.begin()
  }

  return {
    mayRun,
    isFull: (key: string) =>
      totalWaiting >= waiting.max || (waitersByKey.get(key)?.size ?? 0) >= waiting.perKey,
    enter(waiter: Waiter): void {
      waitersByKey.set(waiter.key, (waitersByKey.get(waiter.key) ?? new Set()).add(waiter))
      totalWaiting++
    },
    leave(waiter: Waiter): void {
      const queue = waitersByKey.get(waiter.key)
      if (!queue?.delete(waiter)) return
      totalWaiting--
      if (queue.size === 0) waitersByKey.delete(waiter.key)
    },
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      totalRunning++
      runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
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
  onEnd: () => void,
  queues: ReturnType<typeof createQueues>,
  { waitMs, refusal }: FairQueueLimits,
): QueuedWork<T> {
  const waitingByKey = new Map<string, Promise<T>>()
  const waiters = new Set<Waiter & { follow(answer: Promise<T>): void }>()
  let answer: Promise<T> | undefined

  function begin(key: string, since: number): Promise<T> {
    answer = queues.run(key, () => work(since).finally(onEnd))
    for (const waiter of waiters) {
      queues.leave(waiter)
      waiter.follow(answer)
    }
    return answer
  }

  function wait(key: string, since: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queues.leave(waiter)
        waiters.delete(waiter)
        waitingByKey.delete(key)
        if (waiters.size === 0) onEnd()
        reject(refusal('no slot was free in time'))
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
      queues.enter(waiter)
    })
  }

  return (key) => {
    const pending = answer ?? waitingByKey.get(key)
    if (pending) return pending
    const since = performance.now()
    if (queues.mayRun(key)) return begin(key, since)
    if (queues.isFull(key)) {
      if (waiters.size === 0) onEnd()
      return Promise.reject(refusal('too many wait for it'))
    }
    const pendingWait = wait(key, since)
    waitingByKey.set(key, pendingWait)
    return pendingWait
  }
}

/**
 * Runs work at most once at a time for each subject. Clients that request the same subject share it; each
 * waits in the queue of its own key, with its own timeout.
 */
export function shareQueuedWork<T>(enqueue: FairQueue) {
  const shared = new Map<string, QueuedWork<T>>()
  return (subject: string, key: string, work: Work<T>): Promise<T> => {
    const queued = shared.get(subject) ?? enqueue(work, () => shared.delete(subject))
    shared.set(subject, queued)
    return queued(key)
  }
}
