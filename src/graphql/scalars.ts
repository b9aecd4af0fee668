import { Refusal } from '../domain/errors/error.ts'
import { toAddress } from '../domain/evm/address.ts'
import { toHex } from '../domain/evm/hex.ts'
import { toOrderUid } from '../domain/order/order.ts'
import { parseTokenAddress } from '../domain/token/token.ts'
import { builder } from './builder.ts'
import { isDuration } from './input/fields.ts'

const maxDigits = 100

/** JSON types, under the name that graphql-codegen looks for; `scalarMap` reads them. */
const jsonTypes = {
  asString: { codegenScalarType: 'string' },
  asNumber: { codegenScalarType: 'number' },
  asUnknown: { codegenScalarType: 'unknown' },
}

/** Names no field: `mask.ts` adds the argument or variable that the value is in. */
function malformed(expectation: string): Refusal {
  return new Refusal('InvalidParameter', `must be ${expectation}`)
}

function textParser<T>(parse: (text: string) => T | undefined, expectation: string): (value: unknown) => T {
  return (value) => {
    const parsed = typeof value === 'string' ? parse(value) : undefined
    if (parsed === undefined) throw malformed(expectation)
    return parsed
  }
}

function wholeNumberParser(highest: number, expectation: string): (value: unknown) => number {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > highest) {
      throw malformed(expectation)
    }
    return value
  }
}

builder.scalarType('Address', {
  extensions: jsonTypes.asString,
  description: '20 bytes of hex with 0x in front. Digits in any letter case in, lowercase out.',
  parseValue: textParser(toAddress, 'an address: 20 bytes of hex with 0x in front'),
  serialize: (value) => value,
})

builder.scalarType('TokenAddress', {
  extensions: jsonTypes.asString,
  description:
    'A token’s address with 0x in front, all lowercase, all uppercase or with its EIP-55 checksum; `-` and 0xEeee… are the chain’s own coin.',
  parseValue(value) {
    const parsed = parseTokenAddress(typeof value === 'string' ? value : '')
    if ('fault' in parsed) throw new Refusal('InvalidParameter', parsed.fault)
    return parsed.address
  },
  serialize: (value) => value,
})

builder.scalarType('OrderUid', {
  extensions: jsonTypes.asString,
  description: '56 bytes of hex with 0x in front: order digest, owner, validTo. Unique across networks.',
  parseValue: textParser(toOrderUid, 'an order UID: 56 bytes of hex with 0x in front'),
  serialize: (value) => value,
})

builder.scalarType('Bytes32', {
  extensions: jsonTypes.asString,
  description: '32 bytes of hex with 0x in front: a hash.',
  parseValue: textParser((hex) => toHex(hex, 32), '32 bytes of hex with 0x in front'),
  serialize: (value) => value,
})

builder.scalarType('Hex', {
  extensions: jsonTypes.asString,
  description: 'Bytes as hex, with 0x in front.',
  parseValue: textParser((hex) => toHex(hex), 'bytes of hex with 0x in front'),
  serialize: (value) => value,
})

builder.scalarType('NetworkName', {
  extensions: jsonTypes.asString,
  description:
    'A network by its name, another name that it is known by, or its chain id, as a number or in digits.',
  parseValue(value) {
    if (typeof value === 'string') return value
    if (Number.isSafeInteger(value)) return String(value)
    throw malformed('a network by name or chain id')
  },
  serialize: (value) => value,
})

builder.scalarType('AppDataDocument', {
  extensions: jsonTypes.asString,
  description:
    'An appData document: a JSON object as text, byte for byte as it is hashed. What is in it is read where it is used.',
  parseValue: textParser((document) => document, 'a string'),
  serialize: (value) => value,
})

builder.scalarType('Uint256', {
  extensions: jsonTypes.asString,
  description: 'A whole number from 0 to 2^256 − 1 as a string of decimal digits.',
  parseValue: textParser(
    (digits) => (digits.length <= maxDigits && /^[0-9]+$/.test(digits) ? digits : undefined),
    `a string of at most ${maxDigits} decimal digits`,
  ),
  serialize: (value) => value.toString(),
})

builder.scalarType('Decimal', {
  extensions: jsonTypes.asString,
  description: 'A plain decimal number as a string, such as "0.00025". No exponent.',
  parseValue: textParser(
    (digits) => (/^[0-9]{1,100}(\.[0-9]{1,100})?$/.test(digits) ? digits : undefined),
    'a decimal',
  ),
  serialize: (value) => value,
})

builder.scalarType('BasisPoints', {
  extensions: jsonTypes.asNumber,
  description: 'A whole number from 0 to 10,000: hundredths of a percent.',
  parseValue: wholeNumberParser(10_000, 'a whole number from 0 to 10,000'),
  serialize: (value) => value,
})

builder.scalarType('Uint32', {
  extensions: jsonTypes.asNumber,
  description: 'A whole number from 0 to 4294967295, such as Unix seconds.',
  parseValue: wholeNumberParser(2 ** 32 - 1, 'a whole number from 0 to 4294967295'),
  serialize: (value) => value,
})

builder.scalarType('Milliseconds', {
  extensions: jsonTypes.asNumber,
  description: 'A whole number of milliseconds, from 0 and of any size.',
  parseValue(value) {
    if (isDuration(value)) return value
    throw malformed('a whole number of milliseconds')
  },
  serialize: (value) => value,
})

builder.scalarType('SafeInt', {
  extensions: jsonTypes.asNumber,
  description: 'A whole number from 0 to 2^53 − 1: ids, blocks, log indices.',
  parseValue: wholeNumberParser(Number.MAX_SAFE_INTEGER, 'a whole number from 0 to 2^53 − 1'),
  serialize: (value) => {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new RangeError('a value is outside the safe integers')
    return number
  },
})

builder.scalarType('DateTime', {
  extensions: jsonTypes.asString,
  description:
    'RFC 3339 in UTC, such as 2026-01-01T00:00:05.123Z. What is finer than milliseconds is rounded up.',
  parseValue: textParser(toTimeUp, 'an RFC 3339 time in UTC'),
  // Stored times arrive as text: the database formats them the same way.
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString().replace('.000Z', 'Z')),
})

builder.scalarType('JSON', {
  extensions: jsonTypes.asUnknown,
  description: 'Any JSON value.',
  parseValue: (value) => value,
  serialize: (value) => value,
})

/**
 * Rounds up to milliseconds, the precision of stored times: "at or after" and "before" then keep their
 * results.
 */
function toTimeUp(iso: string): Date | undefined {
  const match =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([01][0-9]|2[0-3])(:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?Z$/i.exec(iso)
  const [, day = '', hour = '', rest = '', fraction = ''] = match ?? []
  const second = new Date(`${day}T${hour}${rest}Z`)
  const isReal = !Number.isNaN(second.getTime()) && second.toISOString().startsWith(day)
  if (!isReal || day.startsWith('0000')) return undefined
  return new Date(second.getTime() + Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000))
}
