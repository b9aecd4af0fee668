/** The counters of event streams. The metrics read them. */
export interface StreamMeter {
  open: number
  delivered: number
  /** The number of times that a stream waited because its client exceeded its cost units. */
  rests: number
  /** The streams that the service ended, by reason. */
  readonly ends: Map<string, number>
  ended(reason: string): void
}

export function createStreamMeter(): StreamMeter {
  const ends = new Map<string, number>()
  return {
    open: 0,
    delivered: 0,
    rests: 0,
    ends,
    ended: (reason) => void ends.set(reason, (ends.get(reason) ?? 0) + 1),
  }
}
