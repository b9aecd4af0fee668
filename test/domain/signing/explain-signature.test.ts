import { getBytes, TypedDataEncoder, type TypedDataField, Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { toAppDataInput } from '../../../src/domain/app-data/document.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { OrderCreation } from '../../../src/domain/order/creation.ts'
import { digestsTried, explainSignature } from '../../../src/domain/signing/explain-signature.ts'
import { signedInstead } from '../../../src/domain/signing/known-mistakes.ts'
import { type SignatureMistake, signatureMistakes } from '../../../src/domain/signing/signature-mistake.ts'
import { ethsignDigest, orderTypes } from '../../../src/domain/signing/signing.ts'
import { sampleNetwork as network } from '../../fakes/network.ts'
import { numbered } from '../../fakes/order.ts'
import { alice, bob, signedOrder, testTime } from '../../fakes/order-services.ts'

const wallet = new Wallet(`0x${'01'.repeat(32)}`)
const document = '{"version": "1.3.0", "appCode": "test"}'
// In milliseconds, this validTo has its highest bit of 32 set.
const validTo = testTime + 1_800_600
const order = signedOrder({ document, from: alice.address, receiver: numbered('11'), validTo })
const right = {
  domain: {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: network.chainId,
    verifyingContract: network.settlement,
  } as Record<string, unknown>,
  members: orderTypes.Order as TypedDataField[],
  values: { ...order, appData: order.appData.hash as unknown, receiver: order.receiver as unknown } as Record<
    string,
    unknown
  >,
}
type Signed = typeof right

/** The digest that a client signs with this change to the correct typed data. */
function typed(change: Partial<Signed> = {}): Hex {
  const { domain, members, values } = { ...right, ...change }
  return TypedDataEncoder.hash(domain, { Order: members }, values) as Hex
}
const signed = (digest: Hex): Hex => wallet.signingKey.sign(digest).serialized as Hex
const message = (text: string | Uint8Array): Hex => wallet.signMessageSync(text) as Hex

const domain = (change: Record<string, unknown>) => {
  const changed = Object.entries({ ...right.domain, ...change }).filter(([, value]) => value !== undefined)
  return signed(typed({ domain: Object.fromEntries(changed) }))
}
const values = (change: Record<string, unknown>) => signed(typed({ values: { ...right.values, ...change } }))
const retyped = (type: string, ...names: string[]) =>
  right.members.map((member) => (names.includes(member.name) ? { ...member, type } : member))
const members = (changed: TypedDataField[], change: Record<string, unknown> = {}) =>
  signed(typed({ members: changed, values: { ...right.values, ...change } }))
const without = (...names: string[]) => right.members.filter(({ name }) => !names.includes(name))
const enumValues = {
  kind: keccakText('sell'),
  sellTokenBalance: keccakText('erc20'),
  buyTokenBalance: keccakText('erc20'),
}
const plain = (word: string) => `0x${Buffer.from(word).toString('hex').padEnd(64, '0')}`
const digest = typed()

const flipped = (signature: Hex): Hex =>
  `${signature.slice(0, 130)}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex

const mistakes: [mistake: SignatureMistake, says: string, signature: Hex, change?: Partial<OrderCreation>][] =
  [
    ['signature_v', 'says the other of two', flipped(signed(digest))],
    ['chain_id', 'for chain 1', domain({ chainId: 1 })],
    ['chain_id', 'for chain 100', domain({ chainId: 100 })],
    ['chain_id', 'for chain 10', domain({ chainId: 10 })],
    ['chain_id', 'for chain 31337', domain({ chainId: 31337 })],
    ['chain_id', 'without chainId', domain({ chainId: undefined })],
    ['verifying_contract', 'with the vault relayer', domain({ verifyingContract: network.vaultRelayer })],
    ['verifying_contract', 'with the zero address', domain({ verifyingContract: zeroAddress })],
    [
      'verifying_contract',
      'with the settlement contract of staging',
      domain({ verifyingContract: '0xf553d092b50bdcbddeD1A99aF2cA29FBE5E2CB13' }),
    ],
    ['verifying_contract', 'with the sell token', domain({ verifyingContract: order.sellToken })],
    ['verifying_contract', 'without verifyingContract', domain({ verifyingContract: undefined })],
    ['domain_version', 'without version', domain({ version: undefined })],
    ['domain_version', 'with version 1 ', domain({ version: '1' })],
    ['domain_name', 'without name', domain({ name: undefined })],
    ['domain_name', 'with name CoW Protocol', domain({ name: 'CoW Protocol' })],
    [
      'domain_left_out',
      'without the domain',
      signed(TypedDataEncoder.from(orderTypes).hash(right.values) as Hex),
    ],
    ['receiver', 'with the zero address as receiver', values({ receiver: zeroAddress })],
    ['receiver', 'with its owner as receiver', values({ receiver: alice.address })],
    ['app_data_hash', 'with 32 zero bytes', values({ appData: `0x${'00'.repeat(32)}` })],
    ['app_data_hash', 'with the hash of {}', values({ appData: keccakText('{}') })],
    [
      'app_data_hash',
      'without blanks',
      values({ appData: keccakText('{"version":"1.3.0","appCode":"test"}') }),
    ],
    [
      'app_data_hash',
      'with sorted keys',
      values({ appData: keccakText('{"appCode":"test","version":"1.3.0"}') }),
    ],
    [
      'app_data_hash',
      'indented by 2',
      values({ appData: keccakText('{\n  "version": "1.3.0",\n  "appCode": "test"\n}') }),
    ],
    [
      'valid_to_milliseconds',
      'as uint256',
      members(retyped('uint256', 'validTo'), { validTo: BigInt(order.validTo) * 1000n }),
    ],
    [
      'valid_to_milliseconds',
      'cut to 32 bits',
      values({ validTo: Number((BigInt(order.validTo) * 1000n) % 2n ** 32n) }),
    ],
    ['member_value', 'with kind buy', values({ kind: 'buy' })],
    ['member_value', 'with partiallyFillable true', values({ partiallyFillable: true })],
    ['amount_type', 'as uint128', members(retyped('uint128', 'sellAmount', 'buyAmount', 'feeAmount'))],
    [
      'amount_type',
      'as string',
      members(retyped('string', 'sellAmount', 'buyAmount', 'feeAmount'), {
        sellAmount: order.sellAmount.toString(),
        buyAmount: order.buyAmount.toString(),
        feeAmount: '0',
      }),
    ],
    ['word_type', 'with kind as bytes32', members(retyped('bytes32', 'kind'), { kind: enumValues.kind })],
    [
      'word_type',
      'kind and sellTokenBalance and buyTokenBalance as bytes32',
      members(retyped('bytes32', 'kind', 'sellTokenBalance', 'buyTokenBalance'), enumValues),
    ],
    [
      'word_type',
      'hold the word itself',
      members(retyped('bytes32', 'kind', 'sellTokenBalance', 'buyTokenBalance'), {
        kind: plain('sell'),
        sellTokenBalance: plain('erc20'),
        buyTokenBalance: plain('erc20'),
      }),
    ],
    ['member_type', 'with validTo as uint256', members(retyped('uint256', 'validTo'))],
    ['member_type', 'with appData as string', members(retyped('string', 'appData'), { appData: document })],
    ['member_left_out', 'without receiver', members(without('receiver'))],
    ['member_left_out', 'without feeAmount', members(without('feeAmount'))],
    ['member_left_out', 'without appData', members(without('appData'))],
    [
      'member_left_out',
      'without sellTokenBalance and buyTokenBalance',
      members(without('sellTokenBalance', 'buyTokenBalance')),
    ],
    [
      'member_order',
      'in alphabetical order',
      members(right.members.toSorted((a, b) => a.name.localeCompare(b.name))),
    ],
    [
      'member_order',
      'with feeAmount behind buyAmount',
      members(right.members.toSpliced(7, 1).toSpliced(5, 0, { name: 'feeAmount', type: 'uint256' })),
    ],
    [
      'member_order',
      'with kind first',
      members(right.members.toSpliced(8, 1).toSpliced(0, 0, { name: 'kind', type: 'string' })),
    ],
    ['scheme', 'as ethsign, while eip712 is declared', message(getBytes(digest))],
    ['scheme', 'as eip712, while ethsign is declared', signed(digest), { signingScheme: 'ethsign' }],
    ['personal_message', 'the digest’s text', message(digest)],
    ['personal_message', 'the digest’s text without 0x', message(digest.slice(2))],
    [
      'personal_message',
      'prefixed already',
      message(getBytes(ethsignDigest(digest))),
      { signingScheme: 'ethsign' },
    ],
    [
      'chain_id',
      'for chain 1 and as ethsign, while eip712 is declared',
      message(getBytes(typed({ domain: { ...right.domain, chainId: 1 } }))),
    ],
    [
      'other_account',
      'the receiver',
      values({ receiver: alice.address }),
      { receiver: alice.address, from: bob.address },
    ],
    ['scheme', 'declare signingScheme eip712', signed(digest), { signingScheme: 'presign' }],
    ['signature_length', '65 bytes', signed(digest).slice(0, -2).slice(0, 120) as Hex],
    ['signature_length', '65 bytes', `${signed(digest)}00`],
    ['smart_account', 'send signingScheme eip1271', `0x${'7a'.repeat(20)}${signed(digest).slice(2)}`],
    ['signature_v', 'v 0, 1, 27 or 28', `${signed(digest).slice(0, 130)}25` as Hex],
    ['high_s', 'upper half', `${signed(digest).slice(0, 66)}${'ff'.repeat(32)}1b` as Hex],
    ['unrecoverable', 'to any signer', `0x${'00'.repeat(64)}1b`],
  ]

describe('explainSignature', () => {
  it.each(mistakes)('names the mistake %s: %s', (mistake, says, signature, change = {}) => {
    const result = explainSignature({ ...order, ...change, signature }, null, network)
    expect([result.mistake, result.explanation]).toEqual([mistake, expect.stringContaining(says)])
    expect(result.valid).toBe(change.signingScheme === 'presign' ? null : false)
    expect(result.expectedSigner).toBe(change.from ?? alice.address)
  })

  it('has an example here of every mistake', () => {
    expect([...new Set(mistakes.map(([mistake]) => mistake))].sort()).toEqual(
      Object.keys(signatureMistakes).sort(),
    )
  })

  it('finds no mistake in a correct signature', () => {
    for (const signature of [signed(digest), wallet.signingKey.sign(digest).compactSerialized as Hex]) {
      const result = explainSignature({ ...order, signature }, null, network)
      expect(result).toMatchObject({ valid: true, mistake: null, recoveredSigner: alice.address, digest })
      expect(result.domainSeparator).toBe(TypedDataEncoder.hashDomain(right.domain))
      expect(result.structHash).toBe(TypedDataEncoder.from(orderTypes).hash(right.values))
    }
  })

  it('compares with the signer of appData when there is no from, and without both with no account', () => {
    const unsaid = { ...order, from: null, signature: signed(digest) }
    expect(explainSignature(unsaid, alice.address, network)).toMatchObject({ valid: true, mistake: null })
    const wrong = { ...unsaid, signature: domain({ chainId: 1 }) }
    expect(explainSignature(wrong, alice.address, network)).toMatchObject({
      valid: false,
      mistake: 'chain_id',
    })
    expect(explainSignature(wrong, null, network)).toMatchObject({
      valid: null,
      mistake: null,
      expectedSigner: null,
      explanation: expect.stringContaining('no account to compare with'),
    })
  })

  it('names no mistake when another account signed', () => {
    const result = explainSignature({ ...order, from: bob.address, signature: signed(digest) }, null, network)
    expect(result).toMatchObject({
      valid: false,
      mistake: null,
      recoveredSigner: alice.address,
      expectedSigner: bob.address,
    })
  })

  it('leaves valid null for a signature that only the chain can check', () => {
    const wise = { ...order, signingScheme: 'eip1271', signature: '0x1234' } as const
    expect(explainSignature(wise, null, network)).toMatchObject({ valid: null, mistake: null })
  })

  it('tries a few hundred digests, and while placing leaves out only the order of members', () => {
    const all = [...signedInstead(order, 'eip712', alice.address, network)]
    expect(all.length).toBeGreaterThan(250)
    expect(all.length).toBeLessThanOrEqual(digestsTried.asked)
    const known = new Set(all.map(({ mistake }) => mistake))
    const short = new Set(all.slice(0, digestsTried.placing).map(({ mistake }) => mistake))
    expect([...known].filter((mistake) => !short.has(mistake))).toEqual(['member_order'])
    const late = { ...order, signature: members(right.members.toReversed()) }
    expect(explainSignature(late, null, network).mistake).toBe(null)
    const moved = { ...order, signature: members([...right.members.slice(1), ...right.members.slice(0, 1)]) }
    expect(explainSignature(moved, null, network, digestsTried.placing).mistake).toBe(null)
    expect(explainSignature(moved, null, network).mistake).toBe('member_order')
  })

  it('accepts a document that is no JSON', () => {
    const appData = toAppDataInput('no JSON')
    const signature = values({ appData: `0x${'00'.repeat(32)}` })
    expect(explainSignature({ ...order, appData, signature }, null, network).mistake).toBe('app_data_hash')
  })
})
