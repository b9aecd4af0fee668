import { Refusal } from '../domain/errors/error.ts'
import { toAddress } from '../domain/evm/address.ts'
import { toHex } from '../domain/evm/hex.ts'
import { toOrderUid } from '../domain/order/uid.ts'
import { parseTokenAddress } from '../domain/token/address.ts'
import { builder } from './builder.ts'

const longestDigits = 100

/** What stands in JSON, under the name that graphql-codegen looks for: the map of scalars is made from it. */
const written = {
  asString: { codegenScalarType: 'string' },
  asNumber: { codegenScalarType: 'number' },
  asUnknown: { codegenScalarType: 'unknown' },
}

/** Names no field: whoever knows where the value stood adds it. */
function malformed(expectation: string): Refusal {
  return new Refusal('InvalidParameter', `must be ${expectation}`)
}

function text<T>(parse: (text: string) => T | undefined, expectation: string): (value: unknown) => T {
  return (value) => {
    const parsed = typeof value === 'string' ? parse(value) : undefined
    if (parsed === undefined) throw malformed(expectation)
    return parsed
  }
}

function wholeNumber(highest: number, expectation: string): (value: unknown) => number {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > highest) {
      throw malformed(expectation)
    }
    return value
  }
}

builder.scalarType('Address', {
  extensions: written.asString,
  description: '20 bytes of hex. Any letter case in, lowercase out.',
  parseValue: text(toAddress, 'an address: 20 bytes of hex'),
  serialize: (value) => value,
})

builder.scalarType('TokenAddress', {
  extensions: written.asString,
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
  extensions: written.asString,
  description: '56 bytes of hex: order digest, owner, validTo. Unique across networks.',
  parseValue: text(toOrderUid, 'an order UID: 56 bytes of hex'),
  serialize: (value) => value,
})

builder.scalarType('Bytes32', {
  extensions: written.asString,
  description: '32 bytes of hex: a hash.',
  parseValue: text((hex) => toHex(hex, 32), '32 bytes of hex'),
  serialize: (value) => value,
})

builder.scalarType('Hex', {
  extensions: written.asString,
  description: 'Bytes as hex, with 0x in front.',
  parseValue: text((hex) => (hex.startsWith('0x') ? toHex(hex) : undefined), 'bytes of hex with 0x in front'),
  serialize: (value) => value,
})

builder.scalarType('NetworkName', {
  extensions: written.asString,
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
  extensions: written.asString,
  description:
    'An appData document: a JSON object as text, byte for byte as it is hashed. What is in it is read where it is used.',
  parseValue: text((document) => document, 'a string'),
  serialize: (value) => value,
})

builder.scalarType('Uint256', {
  extensions: written.asString,
  description: 'A whole number from 0 to 2^256 − 1 as a string of decimal digits.',
  parseValue: text(
    (digits) => (digits.length <= longestDigits && /^[0-9]+$/.test(digits) ? digits : undefined),
    `a string of at most ${longestDigits} decimal digits`,
  ),
  serialize: (value) => value.toString(),
})

builder.scalarType('Decimal', {
  extensions: written.asString,
  description: 'A plain decimal number as a string, such as "0.00025". No exponent.',
  parseValue: text(
    (digits) => (/^[0-9]{1,100}(\.[0-9]{1,100})?$/.test(digits) ? digits : undefined),
    'a decimal',
  ),
  serialize: (value) => value,
})

builder.scalarType('BasisPoints', {
  extensions: written.asNumber,
  description: 'A whole number from 0 to 10,000: hundredths of a percent.',
  parseValue: wholeNumber(10_000, 'a whole number from 0 to 10,000'),
  serialize: (value) => value,
})

builder.scalarType('Uint32', {
  extensions: written.asNumber,
  description: 'A whole number from 0 to 4294967295, such as Unix seconds.',
  parseValue: wholeNumber(2 ** 32 - 1, 'a whole number from 0 to 4294967295'),
  serialize: (value) => value,
})

builder.scalarType('SafeInt', {
  extensions: written.asNumber,
  description: 'A whole number from 0 to 2^53 − 1: ids, blocks, log indices.',
  parseValue: wholeNumber(Number.MAX_SAFE_INTEGER, 'a whole number from 0 to 2^53 − 1'),
  serialize: (value) => {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new RangeError('a value is outside the safe integers')
    return number
  },
})

builder.scalarType('DateTime', {
  extensions: written.asString,
  description:
    'RFC 3339 in UTC, such as 2026-01-01T00:00:05.123Z. What is finer than milliseconds is rounded up.',
  parseValue: text(toTimeUp, 'an RFC 3339 time in UTC'),
  // What is stored is written by the database, in the same way.
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString().replace('.000Z', 'Z')),
})

builder.scalarType('JSON', {
  extensions: written.asUnknown,
  description: 'Any JSON value.',
  parseValue: (value) => value,
  serialize: (value) => value,
})

/** Times are stored in whole milliseconds: "at or after" and "before" a finer one are the same as for the next of these. */
function toTimeUp(iso: string): Date | undefined {
  const match =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([01][0-9]|2[0-3])(:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?Z$/i.exec(iso)
  const [, day = '', hour = '', rest = '', fraction = ''] = match ?? []
  const second = new Date(`${day}T${hour}${rest}Z`)
  const isReal = !Number.isNaN(second.getTime()) && second.toISOString().startsWith(day)
  if (!isReal || day.startsWith('0000')) return undefined
  return new Date(second.getTime() + Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000))
}
