import { expect, test } from 'vitest'
import { hexSize, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccakHex } from '../../../src/domain/evm/keccak.ts'
import {
  decodeProgrammaticSignature,
  encodePayload,
  encodeProgrammaticSignature,
} from '../../../src/domain/programmatic/signature.ts'
import { twapPart } from '../../../src/domain/programmatic/twap.ts'
import { domainSeparator } from '../../../src/domain/signing/signing.ts'
import { signingDomain } from '../../fakes/order.ts'
import { leafB, paramsOf, scheduleOf } from './vectors.ts'

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
    ...{ format, ...payload, order, domainSeparator: separator },
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
