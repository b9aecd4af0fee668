import { Refusal } from '../domain/errors/error.ts'
import { heldMs, type SharedStreams } from '../outside/redis/shared.ts'

/** Limits open streams, in total and for each client. */
export interface Quota {
  /** Takes a slot. @returns its release. @throws Refusal RateLimited, or Unavailable if none is free */
  take(client: string): Promise<() => void>
  /** Reports released slots to other processes, without the pause. */
  tell(): Promise<void>
  /** Stops reports to other processes. */
  stop(): void
}

/** Clients that were refused together retry at different times. */
const retryAfterMs = () => 2_000 + Math.floor(Math.random() * 4_000)

const maxBatch = 500
/** Streams that end together are reported together. */
const pauseMs = 50

interface QuotaLimits {
  perClient: number
  total: number
  /** Returns the limit of a client that has one of its own. */
  ownLimit?: ((client: string) => number | null | undefined) | undefined
}

/** @param shared counts a client's streams at all processes; without it only those of this process count */
export function createQuota({ perClient, total, ownLimit }: QuotaLimits, shared?: SharedStreams): Quota {
  const common = perClient === Number.POSITIVE_INFINITY ? undefined : shared
  const openByClient = new Map<string, number>()
  let open = 0
  const changed = new Set<string>()
  const repeating = common && setInterval(() => report(openByClient.keys()), heldMs / 3).unref()

  async function report(clients: Iterable<string>): Promise<void> {
    const counts = [...clients].map((client) => [client, openByClient.get(client) ?? 0] as const)
    const batches = Array.from({ length: Math.ceil(counts.length / maxBatch) }, (_, index) =>
      counts.slice(index * maxBatch, (index + 1) * maxBatch),
    )
    await Promise.all(batches.map((batch) => common?.hold(batch).catch(() => {})))
  }

  function tell(): Promise<void> {
    const clients = [...changed]
    changed.clear()
    return report(clients)
  }

  function tellSoon(client: string): void {
    if (!common) return
    changed.add(client)
    if (changed.size > 1) return
    setTimeout(tell, pauseMs).unref()
  }

  function release(client: string): void {
    open--
    const remaining = (openByClient.get(client) ?? 1) - 1
    if (remaining > 0) openByClient.set(client, remaining)
    else openByClient.delete(client)
    tellSoon(client)
  }

  return {
    tell,
    stop: () => clearInterval(repeating),
    async take(client) {
      const openOfClient = openByClient.get(client) ?? 0
      const data = { limit: 'streams', retryAfterMs: retryAfterMs() }
      const tooMany = () => new Refusal('RateLimited', 'too many streams of this client are open', { data })
      const limit = ownLimit?.(client) ?? perClient
      if (openOfClient >= limit) throw tooMany()
      if (open >= total)
        throw new Refusal('Unavailable', 'too many streams are open here: try again later', { data })
      openByClient.set(client, openOfClient + 1)
      open++
      const isWithin = await common?.open(client, openOfClient, limit).catch(() => true)
      if (isWithin === false) {
        release(client)
        throw tooMany()
      }
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        release(client)
      }
    },
  }
}
