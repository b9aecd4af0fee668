/** Who asks: what every door knows of a request before it reads what is asked. */
export interface Caller {
  requestId: string
  /** Limits count under this key: an address, or the network that one household or machine has for itself. */
  client: string
  /** What came as `Authorization: Bearer …` or `X-API-Key`. */
  apiKey: string | undefined
  /**
   * When an attempt began that this request repeats and whose answer nobody kept: what it did may stand.
   * Absent for a request that is the first of its kind.
   */
  interruptedAt?: Date
  /** Says that a part of what was asked for failed for the moment: the answer is none to keep. */
  markIncomplete?(): void
  /** Writes a header on the answer, in place of what it said before. */
  setHeader(name: string, value: string): void
}
