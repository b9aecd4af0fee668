import { type DestinationStream, pino } from 'pino'
import type { Log } from '../../domain/log.ts'
import { workIds } from '../../outside/telemetry/work.ts'
import { createRedaction } from './secrets.ts'

/** JSON lines on stderr, without secrets; stdout is for the output of commands. */
export function createLog(
  level: string,
  secrets: readonly string[] = [],
  to: DestinationStream = pino.destination(2),
): Log {
  const redacted = createRedaction(secrets)
  const destination = { write: (line: string) => to.write(redacted(line)) }
  const logger = pino({ level, base: null, mixin: () => ({ ...workIds() }) }, destination)
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  }
}
