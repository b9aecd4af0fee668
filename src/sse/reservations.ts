import type { StreamChannel } from './channel.ts'
import type { Kept } from './elsewhere.ts'

/** A stream that a client reserved (PUT), or opened, for the results of several operations. */
interface Reservation {
  channel: StreamChannel
  /** Releases its slot of the quota. */
  release: () => void
}

interface Reservations {
  add(token: string, reservation: Reservation): void
  get(token: string): Reservation | undefined
  tokens(): string[]
  /** Notes that an operation was started on it. */
  use(token: string): void
  /** Returns the reason against giving its stream to another process; undefined if there is none. */
  kept(token: string): Kept | undefined
  /** The client opened the stream: the reservation stays until `end`. */
  open(token: string): void
  end(token: string): void
  close(): void
}

/**
 * Calls `onDropped` for each reservation that was not opened within `reservedMs`, and for each at `close`;
 * calls
 * `onEnded` for each that ends.
 */
export function createReservations(
  reservedMs: number,
  { onDropped, onEnded }: { onDropped(token: string): void; onEnded(token: string): void },
): Reservations {
  const reservations = new Map<string, Reservation & { timer: NodeJS.Timeout; kept: Kept | undefined }>()

  function end(token: string): void {
    const reservation = reservations.get(token)
    if (!reservation) return
    reservations.delete(token)
    clearTimeout(reservation.timer)
    reservation.channel.close()
    reservation.release()
    onEnded(token)
  }

  return {
    add(token, reservation) {
      const timer = setTimeout(() => {
        end(token)
        onDropped(token)
      }, reservedMs)
      reservations.set(token, { ...reservation, timer, kept: undefined })
    },
    get: (token) => reservations.get(token),
    tokens: () => [...reservations.keys()],
    use(token) {
      const reservation = reservations.get(token)
      if (reservation) reservation.kept ??= 'used'
    },
    kept: (token) => reservations.get(token)?.kept,
    open(token) {
      const reservation = reservations.get(token)
      if (!reservation) return
      clearTimeout(reservation.timer)
      reservation.kept = 'open'
    },
    end,
    close() {
      for (const token of [...reservations.keys()]) {
        end(token)
        onDropped(token)
      }
    },
  }
}
