import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/log.ts'

/** At most one message to a chat in an interval. */
export interface Pace {
  /** Waits for the chat’s next turn, or until `signal` aborts. */
  turn(chat: string, signal: AbortSignal): Promise<void>
  /** Takes a turn of the chat, if it is not more than `burst` ahead. @returns whether it did */
  tryTurn(chat: string): boolean
}

/** Chats that were written to; above this the ones that were least recently are forgotten. */
const maxChats = 10_000
const burst = 4

export function createPace(intervalMs: number, now: Clock): Pace {
  const next = new LRUCache<string, number>({ max: maxChats })
  return {
    async turn(chat, signal) {
      const at = Math.max(now(), next.get(chat) ?? 0)
      next.set(chat, at + intervalMs)
      const wait = at - now()
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined)
    },
    tryTurn(chat) {
      const at = Math.max(now(), next.get(chat) ?? 0)
      if (at - now() >= burst * intervalMs) return false
      next.set(chat, at + intervalMs)
      return true
    },
  }
}
