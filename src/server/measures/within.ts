import { setTimeout as pause } from 'node:timers/promises'

/** Undefined where the promise fails, or takes longer. */
export function within<Value>(
  milliseconds: number,
  promise: Promise<Value> | undefined,
): Promise<Value | undefined> {
  const late = pause(milliseconds, undefined, { ref: false })
  return Promise.race([promise?.catch(() => undefined), late])
}
