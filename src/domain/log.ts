/**
 * A structured log. The message is for operators, the fields are for machines. It never contains secrets or
 * whole bodies.
 */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** Shows the progress of long work on a terminal. Absent where lines are kept. */
  progress?: ((message: string, done: number, total: number) => void) | undefined
}

/** The wall clock, in milliseconds since 1970. It is a parameter, so that tests can set it. */
export type Clock = () => number

/** Converts to whole Unix seconds, the unit of `validTo` and of block timestamps. */
export const unixSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
