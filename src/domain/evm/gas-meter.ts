/** Counts the gas that the node runs for one client, at one price; empty, it counts nothing. */
export interface GasMeter {
  /**
   * Counts gas before the node is asked to run that much.
   * @throws Refusal RateLimited
   */
  takeGas?(gas: bigint): void
  /** Counts gas that the node has run. */
  addGas?(gas: bigint): void
}
