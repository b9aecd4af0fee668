import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../src/domain/hex.ts'
import { packOrderUid, toOrderUid, unpackOrderUid } from '../../src/domain/order-uid.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)

it('unpacks what was packed, in any spelling', () => {
  fc.assert(
    fc.property(bytes(32), bytes(20), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (digest, owner, validTo) => {
      const uid = packOrderUid(digest, owner, validTo)
      expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
      expect(unpackOrderUid(uid)).toEqual({ digest, owner, validTo })
      expect(toOrderUid(uid.slice(2).toUpperCase())).toBe(uid)
    }),
  )
})

it.each([
  '',
  '0x',
  `0x${'00'.repeat(55)}`,
  `0x${'00'.repeat(57)}`,
  `0x${'00'.repeat(55)}0g`,
  `0x${'0'.repeat(111)}`,
])('refuses %j', (text) => {
  expect(toOrderUid(text)).toBeUndefined()
})
