import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../../src/domain/evm/hex.ts'
import { packOrderUid, toOrderUid, unpackOrderUid } from '../../../src/domain/order/order.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)

it('a packed UID unpacks to its parts, and is accepted in uppercase', () => {
  fc.assert(
    fc.property(bytes(32), bytes(20), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (digest, owner, validTo) => {
      const uid = packOrderUid(digest, owner, validTo)
      expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
      expect(unpackOrderUid(uid)).toEqual({ digest, owner, validTo })
      expect(toOrderUid(`0x${uid.slice(2).toUpperCase()}`)).toBe(uid)
    }),
  )
})

it('a UID is the digest, the owner and validTo, in this order', () => {
  const digest = `0x${'d1'.repeat(32)}` as const
  const owner = `0x${'0e'.repeat(20)}` as const
  const packed = (validTo: number) => packOrderUid(digest, owner, validTo)
  expect(packed(0)).toBe(`${digest}${'0e'.repeat(20)}00000000`)
  expect(packed(1)).toBe(`${digest}${'0e'.repeat(20)}00000001`)
  expect(packed(0x01020304)).toBe(`${digest}${'0e'.repeat(20)}01020304`)
  expect(packed(2 ** 32 - 1)).toBe(`${digest}${'0e'.repeat(20)}ffffffff`)
})

it.each([
  '',
  '0x',
  `0x${'00'.repeat(55)}`,
  `0x${'00'.repeat(57)}`,
  `0x${'00'.repeat(55)}0g`,
  `0x${'0'.repeat(111)}`,
  '00'.repeat(56),
  `0X${'00'.repeat(56)}`,
])('a malformed UID is refused: %j', (text) => {
  expect(toOrderUid(text)).toBeUndefined()
})
