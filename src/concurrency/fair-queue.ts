/** So much of everybody's together, and of one key's. */
interface Most {
  most: number
  perKey: number
}

export interface TurnLimits {
  running: Most
  waiting: Most
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
export type Job<T> = (key: string) => Promise<T>

/** `onOver`: when the work is done, or nobody waits for it any more. */
export type Turns = <T>(work: Work<T>, onOver?: () => void) => Job<T>

interface Place {
  key: string
  begin(): void
}

/**
 * Turns that go round the keys: whoever asks for much holds up himself, and leaves everybody else a share. p-limit and p-queue
 * know one line for all, at best with priorities, and no work that is shared under several keys.
 */
export function createTurns(limits: TurnLimits): Turns {
  const ring = createRing(limits)
  return (work, onOver = () => {}) => createJob(work, onOver, ring, limits)
}

/**
 * Who runs, and who waits: the keys in the order of their turns, and the places of each in the order they
 * came.
 */
function createRing({ running, waiting }: TurnLimits) {
  const active = new Map<string, number>()
  const queues = new Map<string, Set<Place>>()
  let underWay = 0
  let inQueues = 0

  const mayRun = (key: string) => underWay < running.most && (active.get(key) ?? 0) < running.perKey

  /** Its key has the next turn after all others. */
  function next(): Place | undefined {
    for (const [key, queue] of queues) {
      if (!mayRun(key)) continue
      queues.delete(key)
      queues.set(key, queue)
      const [place] = queue
      return place
    }
    return undefined
  }

  function end(key: string): void {
    underWay--
    const left = (active.get(key) ?? 1) - 1
    if (left > 0) active.set(key, left)
    else active.delete(key)
    for (let place = next(); place; place = next()) place.begin()
  }

  return {
    mayRun,
    isFull: (key: string) => inQueues >= waiting.most || (queues.get(key)?.size ?? 0) >= waiting.perKey,
    enter(place: Place): void {
      queues.set(place.key, (queues.get(place.key) ?? new Set()).add(place))
      inQueues++
    },
    leave(place: Place): void {
      const queue = queues.get(place.key)
      if (!queue?.delete(place)) return
      inQueues--
      if (queue.size === 0) queues.delete(place.key)
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

function createJob<T>(
  work: Work<T>,
  onOver: () => void,
  ring: ReturnType<typeof createRing>,
  { waitMs, refusal }: TurnLimits,
): Job<T> {
  const waits = new Map<string, Promise<T>>()
  const places = new Set<Place & { follow(answer: Promise<T>): void }>()
  let answer: Promise<T> | undefined

  function begin(key: string, since: number): Promise<T> {
    answer = ring.run(key, () => work(since).finally(onOver))
    for (const place of places) {
      ring.leave(place)
      place.follow(answer)
    }
    return answer
  }

  function wait(key: string, since: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        ring.leave(place)
        places.delete(place)
        waits.delete(key)
        if (places.size === 0) onOver()
        reject(refusal('there was no turn in time'))
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      const place = {
        key,
        begin: () => void begin(key, since),
        follow(begun: Promise<T>) {
          clearTimeout(timer)
          resolve(begun)
        },
      }
      places.add(place)
      ring.enter(place)
    })
  }

  return (key) => {
    const known = answer ?? waits.get(key)
    if (known) return known
    const since = performance.now()
    if (ring.mayRun(key)) return begin(key, since)
    if (ring.isFull(key)) {
      if (places.size === 0) onOver()
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
export function shareTurns<T>(inTurn: Turns) {
  const jobs = new Map<string, Job<T>>()
  return (about: string, key: string, work: Work<T>): Promise<T> => {
    const job = jobs.get(about) ?? inTurn(work, () => jobs.delete(about))
    jobs.set(about, job)
    return job(key)
  }
}
