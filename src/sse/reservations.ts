import type { Backpressure } from './backpressure.ts'

/** A stream that a client announced, or opened, for the results of several requests. */
interface Reservation {
  backpressure: Backpressure
  /** Gives its place in the quota back. */
  release: () => void
}

interface Reservations {
  add(token: string, reservation: Reservation): void
  get(token: string): Reservation | undefined
  /** Its client has come: it stays until it is ended. */
  open(token: string): void
  end(token: string): void
  close(): void
}

/** Who announces a stream and does not open it in time is forgotten, and `dropped` is told. */
export function createReservations(keptMs: number, dropped: (token: string) => void): Reservations {
  const held = new Map<string, Reservation & { timer: NodeJS.Timeout }>()

  function end(token: string): void {
    const reservation = held.get(token)
    if (!reservation) return
    held.delete(token)
    clearTimeout(reservation.timer)
    reservation.backpressure.close()
    reservation.release()
  }

  return {
    add(token, reservation) {
      const timer = setTimeout(() => {
        end(token)
        dropped(token)
      }, keptMs)
      held.set(token, { ...reservation, timer })
    },
    get: (token) => held.get(token),
    open: (token) => clearTimeout(held.get(token)?.timer),
    end,
    close() {
      for (const token of [...held.keys()]) {
        end(token)
        dropped(token)
      }
    },
  }
}
