import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { type Address, toAddress } from '../../domain/evm/address.ts'
import { type Hex, toHex } from '../../domain/evm/hex.ts'

export const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

/** Adds 0x to pasted keys and lists, which come with it or without. */
const prefixed = (text: string) => (text.startsWith('0x') ? text : `0x${text}`)

export const parseAddress = (text: string): Address | undefined => toAddress(prefixed(text))

export const addressText = z
  .string()
  .transform((text, context): Address => parseAddress(text) ?? refuse(context, 'must be an address'))

export const privateKey = z
  .string()
  .transform((text, context): Hex => toHex(prefixed(text), 32) ?? refuse(context, 'must be 32 bytes of hex'))

/** Name of an outside provider. */
export const sourceName = z.string().regex(/^[\w.-]{1,40}$/)

export const httpUrl = z.url({ protocol: /^https?$/ })

/** A list of hosts, separated by commas. */
export const hostNames = z
  .string()
  .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
  .refine(
    (hosts) =>
      hosts.every((host) => URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host),
    {
      message: 'must be host names without ports, separated by commas',
    },
  )

/**
 * An object of a setting. Refuses members that it does not know, with the nearest that it does: an operator
 * may rely on one that is misspelt.
 */
export function members<Shape extends z.ZodRawShape>(shape: Shape) {
  const says = (name: string) => {
    const meant = nearestName(name, Object.keys(shape))
    return meant === undefined ? `"${name}" is no member` : `"${name}" is no member: did you mean "${meant}"?`
  }
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map(says).join(', ') : undefined),
  })
}

/** The known name nearest to `name`; undefined if none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const near = closest(name, known)
  return distance(name, near) <= Math.max(2, Math.floor(Math.min(name.length, near.length) / 4))
    ? near
    : undefined
}

export function uniquelyNamed<Source extends { name: string }>(source: z.ZodType<Source>) {
  return z
    .array(source)
    .max(20)
    .superRefine((sources, context) => {
      for (const [index, { name }] of sources.entries()) {
        if (sources.findIndex((other) => other.name === name) === index) continue
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `${name} is there already` })
      }
    })
}

export function jsonText<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        return refuse(context, 'must be JSON')
      }
    })
    .pipe(schema)
}

export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}
