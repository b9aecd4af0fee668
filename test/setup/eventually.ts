import { setTimeout as pause } from 'node:timers/promises'

/** Repeats `probe` until it returns a value. @throws with `what` after the time-out */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await probe()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`never: ${what}`)
    await pause(25)
  }
}
