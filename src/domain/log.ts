/** Structured log. The message is for operators, the fields are for machines. Never secrets, never whole bodies. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** Wall clock, in milliseconds since 1970. A parameter, so that a test can set it. */
export type Clock = () => number

/** Whole Unix seconds, the unit of `validTo` and of block timestamps. */
export const unixSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
