import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import {
  affiliateCodePattern,
  affiliateDigest,
  affiliateTypedData,
} from '../../../src/domain/affiliate/affiliate.ts'
import { address } from '../../../src/domain/evm/address.ts'
import { bytesToHex } from '../../../src/domain/evm/hex.ts'

const wallets = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => address(bytesToHex(bytes)))
const codes = fc.stringMatching(affiliateCodePattern)
const brands = fc.stringMatching(/^[\w .-]{1,40}$/)

test('the digest is the one that other libraries compute from the typed data', () => {
  fc.assert(
    fc.property(brands, wallets, codes, (brand, wallet, code) => {
      const { domain, types, primaryType, message } = affiliateTypedData(brand, { wallet, code })
      const { EIP712Domain: _, ...structs } = types
      const digest = affiliateDigest(brand, { wallet, code })
      expect(digest).toBe(TypedDataEncoder.hash(domain, structs, message))
      expect(digest).toBe(
        hashTypedData({ domain, types, primaryType, message } as Parameters<typeof hashTypedData>[0]),
      )
    }),
  )
})

test('the typed data is exactly that of the documented interface', () => {
  const wallet = address('0x00000000000000000000000000000000000000a1')
  expect(affiliateTypedData('Service', { wallet, code: 'FRIENDS' })).toEqual({
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
      ],
      AffiliateCode: [
        { name: 'walletAddress', type: 'address' },
        { name: 'code', type: 'string' },
        { name: 'chainId', type: 'uint256' },
      ],
    },
    primaryType: 'AffiliateCode',
    domain: { name: 'Service Affiliate', version: '1' },
    message: { walletAddress: wallet, code: 'FRIENDS', chainId: 1 },
  })
})

test('another brand, wallet or code gives another digest', () => {
  const wallet = address(`0x${'a1'.repeat(20)}`)
  const digests = [
    affiliateDigest('Service', { wallet, code: 'FRIENDS' }),
    affiliateDigest('Servicf', { wallet, code: 'FRIENDS' }),
    affiliateDigest('Service', { wallet, code: 'FRIENDS1' }),
    affiliateDigest('Service', { wallet: address(`0x${'a2'.repeat(20)}`), code: 'FRIENDS' }),
  ]
  expect(new Set(digests).size).toBe(4)
})

test.each([
  ['ABCDE', true],
  ['A-_09', true],
  ['ABCDEFGHIJKLMNOPQRST', true],
  ['ABCD', false],
  ['ABCDEFGHIJKLMNOPQRSTU', false],
  ['ABCDe', false],
  ['ABC DE', false],
  ['ABCDE\n', false],
  ['ÀBCDE', false],
  ['', false],
])('whether %j is a valid code: %s', (code, fits) => {
  expect(affiliateCodePattern.test(code)).toBe(fits)
})
