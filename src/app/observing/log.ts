import { randomBytes } from 'node:crypto'
import { type DestinationStream, pino } from 'pino'
import { tokenPrefix } from '../../accounts/sign-in.ts'
import type { Log } from '../../domain/log.ts'
import { plain } from '../../domain/text/readable.ts'
import { createMask, minSecretLength, secretsOfUrl } from '../../domain/text/secrets.ts'
import { workIds } from '../../outside/telemetry/work.ts'
import { type AccessLog, createAccessLog } from '../../server/access-log.ts'
import type { Settings } from '../settings.ts'
import { bar, type Screen, showLine } from './progress.ts'

/** Members of the settings that hold a secret, by the end of their name. */
const secretName = /(key|secret|token|password)$/i
const publicName = /public_?key$/i
const address = /^0x[0-9a-f]{40}$/i
/** Every secret of settings and networks: keys, and secret parts of URLs. */
export function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    const isSecret = secretName.test(name) && !publicName.test(name) && !address.test(value)
    return [...(isSecret ? [value] : []), ...secretsOfUrl(value)].filter(
      ({ length }) => length >= minSecretLength,
    )
  }
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name))
  if (typeof value !== 'object' || value === null) return []
  // Each header for a receiver may be its key.
  const isHeaders = name === 'TRACES_HEADERS'
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, isHeaders ? 'key' : member))
}

/** Creates a check for keys that hold a secret of these values, or are the token of a session. */
export function ownKeyCheck(values: readonly unknown[]): (key: string) => boolean {
  const secrets = secretsIn(values)
  return (key) => key.startsWith(tokenPrefix) || secrets.some((secret) => key.includes(secret))
}

const credentials = /(\b[a-z]{2,12}:\/\/[^\s:/@"]{0,100}):[^\s/@"]{1,200}@/gi

/** Removes secrets from a line of JSON, and passwords from any URL in it. */
function createRedaction(secrets: readonly string[]): (line: string) => string {
  const mask = createMask(secrets)
  return (line) => {
    const hidden = mask(line)
    return hidden.includes('@') ? hidden.replace(credentials, '$1:[redacted]@') : hidden
  }
}

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

const { warn, error } = pino.levels.values as Record<'warn' | 'error', number>

/** Longest list that a line of text shows. */
const maxListed = 5

/** Turns a line of JSON into one for people. Control characters of a value could steer a terminal. */
function textOf(json: string): string {
  const { level, time: _, msg, ...fields } = JSON.parse(json)
  const mark = level >= error ? 'error: ' : level >= warn ? 'warning: ' : ''
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  const details = given.map(([name, value]) => {
    if (Array.isArray(value) && value.length > maxListed) return `${name}: ${value.length}`
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  })
  return plain(`${mark}${msg}${details.length > 0 ? ` (${details.join(', ')})` : ''}`)
}

const showEveryMs = 100

/** Lines for people on stderr, without secrets. On a terminal, the last one shows progress of long work. */
export function createTextLog(
  level: string,
  secrets: readonly string[],
  screen: Screen = process.stderr,
): Log {
  const to = screen.isTTY ? screen : pino.destination(2)
  const log = createLog(level, secrets, {
    write(line: string) {
      showLine(screen, '')
      to.write(`${textOf(line)}\n`)
    },
  })
  if (!screen.isTTY) return log
  let shownAt = 0
  return {
    ...log,
    progress(message, done, total) {
      const isEnd = done >= total
      if (!isEnd && performance.now() - shownAt < showEveryMs) return
      shownAt = performance.now()
      showLine(screen, isEnd ? '' : plain(`${bar(done, total)} ${message}`))
    },
  }
}

/** The access log; undefined if the settings enable none. */
export function accessLogOf({
  settings: { ACCESS_LOG, ACCESS_LOG_KEY },
  log,
}: {
  settings: Pick<Settings, 'ACCESS_LOG' | 'ACCESS_LOG_KEY'>
  log: Log
}): AccessLog | undefined {
  return ACCESS_LOG ? createAccessLog(log, ACCESS_LOG_KEY ?? randomBytes(32)) : undefined
}

/** Loads tracing only if a setting enables it. @returns a function that ends it */
export async function openTracing({
  settings: { TRACES_URL: url, TRACES_SAMPLED: sampled, TRACES_HEADERS: headers = {} },
  version,
  random,
}: {
  settings: Pick<Settings, 'TRACES_URL' | 'TRACES_SAMPLED' | 'TRACES_HEADERS'>
  version: string
  random: () => number
}): Promise<() => Promise<void>> {
  if (url === undefined) return async () => {}
  const { startTracing } = await import('../../outside/telemetry/opentelemetry.ts')
  return startTracing({ url, headers, sampled, version, random })
}
