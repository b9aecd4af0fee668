import { setTimeout as pause } from 'node:timers/promises'

/** Mutants make tests wait for what never comes: their runner sets less. */
const patienceMs = Number(process.env.TEST_PATIENCE_MS ?? 45_000)

/**
 * Repeats `probe`, less often the longer it waits, until it returns a value.
 * @throws with `what` after the time-out
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = patienceMs,
): Promise<T> {
  const began = performance.now()
  for (;;) {
    const answer = await probe()
    if (answer) return answer
    const waited = performance.now() - began
    if (waited > timeoutMs) throw new Error(`never: ${what}`)
    await pause(Math.min(20 + waited / 8, 400))
  }
}
