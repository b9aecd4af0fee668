/** Counts what event streams do. The metrics read it. */
export interface StreamMeter {
  open: number
  delivered: number
  /** Times that a stream waited because its client was over its cost units. */
  rests: number
  /** Streams that the service ended, by reason. */
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
