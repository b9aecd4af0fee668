import { z } from 'zod'
import { parseAmount } from '../../domain/amount.ts'
import { toAddress } from '../../domain/evm/address.ts'
import { toHex } from '../../domain/evm/hex.ts'
import { toOrderUid } from '../../domain/order/order.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { printable } from '../../outside/fault.ts'
import { isObject } from '../../outside/http-json.ts'

/**
 * Parsers for responses of engines and drivers, from raw JSON to the domain. They limit sizes before they
 * parse anything.
 */
function text<T>(parse: (text: string) => T | undefined) {
  return z.string().transform((value, context) => {
    const parsed = parse(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: 'malformed' })
    return z.NEVER
  })
}

export const outsideAddress = text(toAddress)
export const outsideUid = text(toOrderUid)
export const outsideBytes = text((value) => toHex(value))
export const outsideBytes32 = text((value) => toHex(value, 32))

/** Parses digits up to uint256. */
export const outsideAmount = text((value) => {
  const parsed = parseAmount(value)
  return 'amount' in parsed ? parsed.amount : undefined
})

/** Parses the gas units of at most one transaction. The caller decides about 0. */
export const outsideGas = z
  .number()
  .int()
  .min(0)
  .max(Number(maxTransactionGas))
  .transform((units) => BigInt(units))

/** Parses a list. It checks the length before any item. */
export function outsideList<T extends z.ZodType>(item: T, maxItems: number) {
  return z.custom<unknown[]>((value) => Array.isArray(value) && value.length <= maxItems).pipe(z.array(item))
}

/** Parses an object and its keys. Two spellings of one key are malformed. */
export function outsideMap<K, V>(key: z.ZodType<K>, value: z.ZodType<V>, maxItems: number) {
  return z.custom<object>(isObject).transform((object, context): ReadonlyMap<K, V> => {
    const entries = Object.entries(object)
    const map = new Map<K, V>()
    for (const [name, item] of entries.length > maxItems ? [] : entries) {
      const [k, v] = [key.safeParse(name), value.safeParse(item)]
      if (!k.success || !v.success) break
      map.set(k.data, v.data)
    }
    if (map.size === entries.length) return map
    context.addIssue({ code: 'custom', message: 'malformed' })
    return z.NEVER
  })
}

/** Parses uniform clearing prices by token. */
export const outsidePrices = outsideMap(outsideAddress, outsideAmount, 500)

export const outsideInteraction = z.object({
  target: outsideAddress,
  value: outsideAmount,
  callData: outsideBytes,
})

const maxPath = 200

/**
 * Describes the member of an answer whose form differs from the protocol: its path and our text, never the
 * received value.
 */
export function formFault(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? []
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  const member = printable(path.join('').replace(/^\./, ''), maxPath)
  return `the response does not match the protocol${member ? ` at ${member}` : ''}`
}
