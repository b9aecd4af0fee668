import { z } from 'zod'
import { toAddress } from '../../domain/address.ts'
import { parseAmount } from '../../domain/amount.ts'
import { toHex } from '../../domain/hex.ts'
import { toOrderUid } from '../../domain/order-uid.ts'
import type { RefusalCode } from '../../domain/refusal-codes.ts'

/** Readers of single fields, from raw JSON to the domain. Messages follow the field's name: `sellToken must be …`. */
function must(expectation: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? 'is required' : `must be ${expectation}`,
  }
}

/** `pattern` tells readers of the interface's document what `parse` takes. */
function text<T>(parse: (text: string) => T | undefined, expectation: string, pattern: RegExp) {
  return z
    .string(must(expectation))
    .transform((value, context) => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.addIssue({ code: 'custom', message: `must be ${expectation}` })
      return z.NEVER
    })
    .meta({ pattern: pattern.source })
}

export const addressField = text(toAddress, 'an address: 20 bytes of hex', /^(0[xX])?[0-9a-fA-F]{40}$/)
export const orderUidField = text(toOrderUid, 'an order UID: 56 bytes of hex', /^(0[xX])?[0-9a-fA-F]{112}$/)

/** Any bytes, with 0x in front. */
export const hexField = text(
  (hex) => (hex.startsWith('0x') ? toHex(hex) : undefined),
  'bytes of hex with 0x in front',
  /^0x([0-9a-fA-F]{2})*$/,
)

export const textField = z.string(must('a string'))
export const flagField = z.boolean(must('true or false'))
export const uint32Field = wholeNumber(2 ** 32 - 1, 'a whole number from 0 to 4294967295')
export const safeIntField = wholeNumber(Number.MAX_SAFE_INTEGER, 'a whole number from 0 to 2^53 − 1')

function wholeNumber(highest: number, expectation: string) {
  return z
    .number(must(expectation))
    .int(must(expectation))
    .min(0, must(expectation))
    .max(highest, must(expectation))
}

/** Digits over uint256 are refused with `overflow`, everything else that is no amount with InvalidParameter. */
export function amountField(overflow: RefusalCode = 'InvalidParameter') {
  return z
    .unknown()
    .transform((value, context) => {
      const parsed = parseAmount(value)
      if ('amount' in parsed) return parsed.amount
      context.addIssue(
        parsed.fault === 'overflow'
          ? { code: 'custom', message: 'exceeds uint256', params: { code: overflow } }
          : {
              code: 'custom',
              message: value === undefined ? 'is required' : 'must be a string of at most 100 decimal digits',
            },
      )
      return z.NEVER
    })
    .meta({ type: 'string', pattern: '^[0-9]{1,100}$' })
}

export function wordField<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, must(`one of ${words.join(', ')}`))
}

/** For what is no object at all. */
export const objectExpected = { error: 'a JSON object is expected' }
