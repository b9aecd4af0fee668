import { z } from 'zod'
import { parseAmount } from '../../domain/amount.ts'
import { toAddress } from '../../domain/evm/address.ts'
import { toHex } from '../../domain/evm/hex.ts'
import { toOrderUid } from '../../domain/order/uid.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { isObject } from '../../outside/http-json.ts'

/** Readers of what engines and drivers answer, from raw JSON to the domain. Everything is bounded before it is looked at. */
function text<T>(parse: (text: string) => T | undefined) {
  return z.string().transform((value, context) => {
    const parsed = parse(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: 'malformed' })
    return z.NEVER
  })
}

/** With 0x in front, as the protocol has it. */
function hex<T>(parse: (text: string) => T | undefined) {
  return text((value) => (value.startsWith('0x') ? parse(value) : undefined))
}

export const outsideAddress = hex(toAddress)
export const outsideUid = hex(toOrderUid)
export const outsideBytes = hex((value) => toHex(value))
export const outsideBytes32 = hex((value) => toHex(value, 32))

/** Digits up to uint256. */
export const outsideAmount = text((value) => {
  const parsed = parseAmount(value)
  return 'amount' in parsed ? parsed.amount : undefined
})

/** Gas units that one transaction can take; 0 is for the caller to judge. */
export const outsideGas = z
  .number()
  .int()
  .min(0)
  .max(Number(maxTransactionGas))
  .transform((units) => BigInt(units))

/** The length counts before any item is read. */
export function outsideList<T extends z.ZodType>(item: T, most: number) {
  return z.custom<unknown[]>((value) => Array.isArray(value) && value.length <= most).pipe(z.array(item))
}

/** An object whose keys are values too. A key given twice, in two spellings, is nonsense. */
export function outsideMap<K, V>(key: z.ZodType<K>, value: z.ZodType<V>, most: number) {
  return z.custom<object>(isObject).transform((object, context): ReadonlyMap<K, V> => {
    const entries = Object.entries(object)
    const map = new Map<K, V>()
    for (const [name, item] of entries.length > most ? [] : entries) {
      const [k, v] = [key.safeParse(name), value.safeParse(item)]
      if (!k.success || !v.success) break
      map.set(k.data, v.data)
    }
    if (map.size === entries.length) return map
    context.addIssue({ code: 'custom', message: 'malformed' })
    return z.NEVER
  })
}

/** Uniform clearing prices by token. */
export const outsidePrices = outsideMap(outsideAddress, outsideAmount, 500)

export const outsideInteraction = z.object({
  target: outsideAddress,
  value: outsideAmount,
  callData: outsideBytes,
})
