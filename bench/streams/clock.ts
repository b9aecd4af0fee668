/** Returns milliseconds of the machine's monotonic clock, which all processes share. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}
