import { Refusal } from '../domain/errors/error.ts'

/** Limits open streams, in total and for each client. */
export interface Quota {
  /** Takes a slot. @returns a function that releases it. @throws Refusal RateLimited, or Unavailable where the process has no slot */
  take(client: string): () => void
}

/** Clients that were refused together come back apart. */
const retryAfterMs = () => 2_000 + Math.floor(Math.random() * 4_000)

export function createQuota({ perClient, total }: { perClient: number; total: number }): Quota {
  const openByClient = new Map<string, number>()
  let open = 0

  return {
    take(client) {
      const openOfClient = openByClient.get(client) ?? 0
      const data = { limit: 'streams', retryAfterMs: retryAfterMs() }
      if (openOfClient >= perClient)
        throw new Refusal('RateLimited', 'too many streams of this client are open', { data })
      if (open >= total)
        throw new Refusal('Unavailable', 'too many streams are open here: try again later', { data })
      openByClient.set(client, openOfClient + 1)
      open++
      let released = false
      return () => {
        if (released) return
        released = true
        open--
        const remaining = (openByClient.get(client) ?? 1) - 1
        if (remaining > 0) openByClient.set(client, remaining)
        else openByClient.delete(client)
      }
    },
  }
}
