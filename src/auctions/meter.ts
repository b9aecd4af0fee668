type AuctionPhase = 'assemble' | 'solve' | 'simulate' | 'record' | 'settle'
/** `refused`: at least one of its solutions broke a rule. `late`: nothing came in time. */
type AnswerMeasure = 'ok' | 'refused' | 'failed' | 'late'

/** Figures of one network's auctions for its operator. */
export interface AuctionMeter {
  /** An auction begins: orders are looked at, even if there are none. */
  began(): void
  took(phase: AuctionPhase, milliseconds: number): void
  /** Takes the standing of each examined order: in the auction, or the reason why not. */
  stand(standings: Iterable<string>): void
  answered(solver: string, answer: AnswerMeasure): void
  settled(outcome: 'success' | 'timeout' | 'withdrawn' | 'failed'): void
  /** A mined settlement left the settlement contract with less of a token than it had to. */
  lost(solver: string): void
  /** Takes which effects of outside solvers' settlements the node shows. */
  inspects(support: { logs: boolean; storage: boolean }): void
  /**
   * Tokens that these settlements compare, and what the settlement contract holds of them, in native atoms.
   */
  holds(tokens: number, value: bigint): void
}

/** Measures a phase, also one that fails. */
export async function timed<T>(
  { meter }: { meter: AuctionMeter },
  phase: AuctionPhase,
  run: () => Promise<T>,
): Promise<T> {
  const started = performance.now()
  try {
    return await run()
  } finally {
    meter.took(phase, performance.now() - started)
  }
}
