import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, type Hex, hexSize, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccakHex } from '../../../src/domain/evm/keccak.ts'
import { readLoggedLeaves } from '../../../src/domain/programmatic/merkle.ts'
import { decodeParams } from '../../../src/domain/programmatic/params.ts'
import { decodePollFault } from '../../../src/domain/programmatic/revert.ts'
import {
  decodeProgrammaticSignature,
  encodePayload,
  encodeProgrammaticSignature,
} from '../../../src/domain/programmatic/signature.ts'
import { twapPart } from '../../../src/domain/programmatic/twap.ts'
import { domainSeparator } from '../../../src/domain/signing/signing.ts'
import { signingDomain } from '../../fakes/order.ts'
import { leafB, paramsOf, rootAB, scheduleOf } from './vectors.ts'

const part = twapPart(scheduleOf('A'), 0)
if (!part) throw new Error('A has a first part')
const { order } = part

test.each([
  ['safe', 0, 1220, '0x97941ed2bf965f61a37bea8da94db4c19bbb22232a90be253f294fffbc257a82'],
  ['forwarder', 0, 1024, '0x446114825c83eedd9a6dd21540273d57eef2031739e73bad3c17faf8da6b1e1c'],
  ['safe', 1, 1252, '0xdd21778947198e889b09acb85eace201bcba0123909e4f42924f4c8e2ad253c9'],
  ['forwarder', 1, 1056, '0xc0518455f72e68ee1640d288f2e728d9fcb74eff9e9c918c86b069cfa2f76a62'],
] as const)('%s signature of A0 with %d nodes', (format, nodes, size, hash) => {
  const payload = { params: paramsOf('A'), proof: nodes ? [leafB] : [], offchainInput: '0x' as const }
  const signature = encodeProgrammaticSignature(format, signingDomain, order, payload)
  expect([hexSize(signature), keccakHex(hexToBytes(signature))]).toEqual([size, hash])
  const separator = format === 'safe' ? domainSeparator(signingDomain) : null
  expect(decodeProgrammaticSignature(signature)).toEqual({
    format,
    ...payload,
    order,
    domainSeparator: separator,
  })
})

test('the payload of A0', () => {
  const without = encodePayload({ params: paramsOf('A'), proof: [], offchainInput: '0x' })
  expect(hexSize(without)).toBe(640)
  const proven = encodePayload({ params: paramsOf('A'), proof: [leafB], offchainInput: '0x' })
  expect([hexSize(proven), keccakHex(hexToBytes(proven))]).toEqual([
    672,
    '0x81e24c7c1fedd8fcd1dc5838cb206b74d813e7636378ebfaa933aed8fb75d5cc',
  ])
})

const payload = { params: paramsOf('A'), proof: [leafB], offchainInput: '0x' as const }
const signatures = (['safe', 'forwarder'] as const).map((format) =>
  encodeProgrammaticSignature(format, signingDomain, order, payload),
)
const [ofSafe = '0x', ofForwarder = '0x'] = signatures

test('what is encoded is decoded', () => {
  const bytes = (minLength: number, maxLength = minLength) =>
    fc.uint8Array({ minLength, maxLength }).map(bytesToHex)
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const orders = fc.record({
    sellToken: bytes(20),
    buyToken: bytes(20),
    receiver: bytes(20),
    sellAmount: amount,
    buyAmount: amount,
    validTo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    appData: bytes(32),
    feeAmount: amount,
    kind: fc.constantFrom('sell' as const, 'buy' as const),
    partiallyFillable: fc.boolean(),
    sellTokenBalance: fc.constantFrom('erc20' as const, 'internal' as const, 'external' as const),
    buyTokenBalance: fc.constantFrom('erc20' as const, 'internal' as const),
  })
  const payloads = fc.record({
    params: fc.record({ handler: bytes(20), salt: bytes(32), staticInput: bytes(0, 400) }),
    proof: fc.array(bytes(32), { maxLength: 64 }),
    offchainInput: bytes(0, 100),
  })
  const formats = fc.constantFrom('safe' as const, 'forwarder' as const)
  fc.assert(
    fc.property(formats, orders, payloads, (format, signed, carried) => {
      const signature = encodeProgrammaticSignature(format, signingDomain, signed, carried)
      expect(decodeProgrammaticSignature(signature)).toMatchObject({ format, order: signed, ...carried })
    }),
  )
})

describe('a signature', () => {
  test('within one that deploys the wallet is decoded', () => {
    const wrapped = AbiCoder.defaultAbiCoder().encode(
      ['address', 'bytes', 'bytes'],
      [payload.params.handler, '0x1234', ofSafe],
    )
    const deploying: Hex = `0x${wrapped.slice(2)}${'6492'.repeat(16)}`
    expect(decodeProgrammaticSignature(deploying)).toMatchObject({ format: 'safe', ...payload })
  })

  test('of a Safe over something else has no order', () => {
    const typeHash = ofSafe.slice(74, 138)
    const other = ofSafe.replace(typeHash, 'ab'.repeat(32)) as Hex
    expect(decodeProgrammaticSignature(other)).toMatchObject({ format: 'safe', ...payload, order: null })
  })

  test('of a forwarder over an order of no known kind is another', () => {
    const kind = ofForwarder.slice(2 + 8 * 64, 2 + 9 * 64)
    expect(decodeProgrammaticSignature(ofForwarder.replace(kind, 'ab'.repeat(32)) as Hex)).toBeUndefined()
  })

  test('of a forwarder over an order whose end does not fit in 32 bits is another', () => {
    const end = 2 + 5 * 64
    const late = `${ofForwarder.slice(0, end)}${(2n ** 32n).toString(16).padStart(64, '0')}` as const
    expect(decodeProgrammaticSignature(`${late}${ofForwarder.slice(end + 64)}` as Hex)).toBeUndefined()
  })

  test.each(['0x', `0x${'11'.repeat(65)}`, '0x5fd7e97d', `0x5fd7e97d${'00'.repeat(64)}`] as Hex[])(
    '%.20s is another',
    (signature) => {
      expect(decodeProgrammaticSignature(signature)).toBeUndefined()
    },
  )

  test('has at most 64 nodes and 16 KiB of input', () => {
    const decoded = (nodes: number, size: number) =>
      signatures.map((_signature, index) =>
        decodeProgrammaticSignature(
          encodeProgrammaticSignature(index === 0 ? 'safe' : 'forwarder', signingDomain, order, {
            params: paramsOf('A'),
            proof: Array.from({ length: nodes }, () => leafB),
            offchainInput: `0x${'ab'.repeat(size)}`,
          }),
        ),
      )
    expect(decoded(64, 16_384)).not.toContain(undefined)
    expect(decoded(65, 0)).toEqual([undefined, undefined])
    expect(decoded(0, 16_385)).toEqual([undefined, undefined])
  })
})

test('no bytes make a decoder throw', () => {
  const decodeAll = (data: Hex) => {
    decodeProgrammaticSignature(data)
    decodeParams(data)
    readLoggedLeaves(rootAB, data)
    decodePollFault(data)
  }
  const random = fc.uint8Array({ maxLength: 2_000 }).map(bytesToHex)
  const markers = fc.constantFrom('5fd7e97d', 'c8fc2725', '7e334637', '')
  fc.assert(
    fc.property(random, markers, (data, marker) => {
      decodeAll(`0x${marker}${data.slice(2)}`)
    }),
  )
  // Valid data in which a word has changed reach the inner members.
  const words = fc.oneof(fc.nat(2_000), fc.integer({ min: 0 })).map((number) => BigInt(number))
  fc.assert(
    fc.property(fc.constantFrom(...signatures), fc.nat(40), words, (signature, place, value) => {
      const at = 2 + (signature === ofSafe ? 8 : 0) + 64 * place
      decodeAll(
        `${signature.slice(0, at)}${value.toString(16).padStart(64, '0')}${signature.slice(at + 64)}` as Hex,
      )
    }),
  )
})
