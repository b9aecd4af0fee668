import { nearestName } from '../settings/nearest-name.ts'

/** Of all commands. */
export const flags = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  port: { type: 'string' },
  home: { type: 'string', default: '.tradegraph' },
  reset: { type: 'boolean', default: false },
  'no-traders': { type: 'boolean', default: false },
  solver: { type: 'string', multiple: true, default: [] as string[] },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  from: { type: 'string' },
  to: { type: 'string' },
  network: { type: 'string' },
  url: { type: 'string' },
  timeout: { type: 'string', default: '10' },
  after: { type: 'string' },
  token: { type: 'string' },
  spender: { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const

/** With the flag that was most likely meant. */
export function flagFault({ message }: Error): string {
  const given = /'--([\w-]+)'/.exec(message)?.[1]
  const meant = given === undefined ? undefined : nearestName(given, Object.keys(flags))
  const fault = message.split('. ')[0]
  return `tradegraph: ${fault}${meant === undefined ? '' : `: did you mean --${meant}?`}`
}
