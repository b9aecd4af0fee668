import { pino } from 'pino'
import type { Log } from '../domain/log.ts'

/** JSON lines on stderr; stdout is for the output of commands. */
export function createLog(level: string): Log {
  const logger = pino({ level, base: null }, pino.destination(2))
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  }
}
