import type { Channel } from './channel.ts'

/** A stream that a client reserved (PUT), or opened, for the results of several operations. */
interface Reservation {
  channel: Channel
  /** Releases its slot of the quota. */
  release: () => void
}

interface Reservations {
  add(token: string, reservation: Reservation): void
  get(token: string): Reservation | undefined
  /** The client opened the stream: the reservation stays until `end`. */
  open(token: string): void
  end(token: string): void
  close(): void
}

/** @param onDropped called for a reservation that was not opened within `reservedMs`, and for each one at `close` */
export function createReservations(reservedMs: number, onDropped: (token: string) => void): Reservations {
  const reservations = new Map<string, Reservation & { timer: NodeJS.Timeout }>()

  function end(token: string): void {
    const reservation = reservations.get(token)
    if (!reservation) return
    reservations.delete(token)
    clearTimeout(reservation.timer)
    reservation.channel.close()
    reservation.release()
  }

  return {
    add(token, reservation) {
      const timer = setTimeout(() => {
        end(token)
        onDropped(token)
      }, reservedMs)
      reservations.set(token, { ...reservation, timer })
    },
    get: (token) => reservations.get(token),
    open: (token) => clearTimeout(reservations.get(token)?.timer),
    end,
    close() {
      for (const token of [...reservations.keys()]) {
        end(token)
        onDropped(token)
      }
    },
  }
}
