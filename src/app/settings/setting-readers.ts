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
