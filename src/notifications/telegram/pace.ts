import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/log.ts'
import type { TakenTurn } from '../channels/sender.ts'

/** At most one message to a chat in an interval. */
export interface Pace {
  /** Takes the chat’s next turn, unless that is later than in `withinMs`. */
  take(chat: string, withinMs: number): TakenTurn
}

/** Chats that were written to; above this the ones that were least recently are forgotten. */
const maxChats = 10_000

export function createPace(intervalMs: number, now: Clock): Pace {
  const next = new LRUCache<string, number>({ max: maxChats })
  return {
    take(chat, withinMs) {
      const at = Math.max(now(), next.get(chat) ?? 0)
      const waitMs = at - now()
      const isTaken = waitMs <= withinMs
      if (isTaken) next.set(chat, at + intervalMs)
      return { isTaken, waitMs }
    },
  }
}
