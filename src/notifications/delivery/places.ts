import type { ChannelKind } from '../../domain/notification/channel.ts'
import type { Lane } from '../../storage/channels/queue.ts'

/** Turns of one kind at the same time, to receivers that were quick the last times. */
const maxQuick = 64
/** To those that were slow. */
const maxSlow = 64
/** With those that are waited for: they have left their place among the quick ones. An attempt is a connection and little more. */
const maxTurns = 512

/** A turn's place among those of its kind. */
export interface Place {
  /** Its receiver has not answered yet: the place among the quick ones goes to another. */
  yield(): void
  leave(): void
}

/** Where turns of this process take place. Kinds have places of their own, and slow receivers take none from quick ones. */
export function createPlaces(kinds: readonly ChannelKind[]) {
  const taken = new Map(kinds.map((kind) => [kind, { quick: 0, slow: 0, waited: 0 }]))
  const lanes = (): Lane[] =>
    [...taken].flatMap(([kind, { quick, slow, waited }]) => [
      { kind, isSlow: false, places: Math.min(maxQuick - quick, maxTurns - quick - slow - waited) },
      { kind, isSlow: true, places: Math.min(maxSlow - slow, maxTurns - maxQuick - slow - waited) },
    ])
  return {
    free: () => lanes().filter(({ places }) => places > 0),
    /** Whether a lane has no place left. */
    isFull: () => lanes().some(({ places }) => places <= 0),
    take(kind: ChannelKind, isSlow: boolean): Place {
      const counts = taken.get(kind)
      if (!counts) throw new RangeError(`no places for ${kind}`)
      let lane: keyof typeof counts = isSlow ? 'slow' : 'quick'
      counts[lane]++
      return {
        yield() {
          if (lane !== 'quick') return
          counts[lane]--
          lane = 'waited'
          counts[lane]++
        },
        leave() {
          counts[lane]--
        },
      }
    },
  }
}
