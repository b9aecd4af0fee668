import { getBytes, hashMessage, verifyTypedData, Wallet } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { address, zeroAddress } from '../../../src/domain/evm/address.ts'
import { bytesToHex, type Hex } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../../src/domain/order/order.ts'
import { recoverSigner } from '../../../src/domain/signing/signature.ts'
import {
  cancellationDigest,
  cancellationsDigest,
  domainSeparator,
  ethsignDigest,
  orderDigest,
  orderStructHash,
  orderTypes,
  orderUid,
} from '../../../src/domain/signing/signing.ts'
import { settlement } from '../../fakes/order.ts'

const mainnet = { chainId: 1, settlement }
const key = `0x${'01'.repeat(32)}`
const owner = address('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1')
const order: OrderData = {
  sellToken: address(`0x${'01'.repeat(20)}`),
  buyToken: address(`0x${'02'.repeat(20)}`),
  receiver: address(`0x${'03'.repeat(20)}`),
  sellAmount: 10n ** 18n,
  buyAmount: 2n * 10n ** 18n,
  feeAmount: 0n,
  validTo: 1_700_000_000,
  appData: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
}
const digest: Hex = '0x15079bef1db8a09482a557c09bad24dc5b6be45056809dc180033563daca784e'
const uid: Hex =
  '0x15079bef1db8a09482a557c09bad24dc5b6be45056809dc180033563daca784e1a642f0e3c3af545e7acbd38b07251b3990914f16553f100'

describe('known vectors', () => {
  it.each([
    [1, '0xc078f884a2676e1345748b1feace7b0abee5d00ecadb6e574dcdd109a63e8943'],
    [100, '0x8f05589c4b810bc2f706854508d66d447cd971f8354a4bb0b3471ceb0a466bc7'],
    [42161, '0x69d78e7a7cafcaf924483f99f65e8f4e303a99a446db7ab319f9d40e940bced2'],
    [8453, '0xd72ffa789b6fae41254d0b5a13e6e1e92ed947ec6a251edf1cf0b6c02c257b4b'],
    [11155111, '0xdaee378bd0eb30ddf479272accf91761e697bc00e067a268f95f1d2732ed230b'],
    [137, '0x132e0e39721b0cb53216fc42764f69c300d4d21e0caf24e0713b1e3e11120dc2'],
    [43114, '0x81fd4ff99b8f80b96c946c146cd5b79181aaf08ecb5808eeee1d047c1de267a5'],
    [56, '0x0cbb18dfca28d2ceac8c72a17289168e03c1ad121338f5573e3b0c3255207fc7'],
    [59144, '0xb219bb2b8733b80b7ebef0229e7f0c91436f9a0a5b9705fa519237ae0493addb'],
    [9745, '0xe1f9c97768e45812440cd3317c07069178cc2f69971fb204c0211d8bfb1f8e76'],
    [57073, '0x5aced6090755c424bc1d6bbd39a2cdf57e6abfb4663598f4c3c821fb942d52e0'],
    [10, '0x8b0a8cfae2cbc58abe282d60702b062e70dbad06155abb1a82edf0cdbeb1f404'],
  ])('domain separator of chain %i', (chainId, separator) => {
    expect(domainSeparator({ chainId, settlement })).toBe(separator)
  })

  it('hashes an order', () => {
    expect(orderStructHash(order)).toBe('0x604fa3d344f34b9a31fb640390d97cfba6e511de15d607884b347edccd5cdf3e')
    expect(orderDigest(mainnet, order)).toBe(digest)
    expect(orderUid(mainnet, order, owner)).toBe(uid)
    expect(ethsignDigest(digest)).toBe('0xf2665cb7fe3a856534cc97cb03e8bcafe4244e461fc051fd1252747ba481659b')
  })

  it('hashes cancellations of both forms', () => {
    expect(cancellationsDigest(mainnet, [uid])).toBe(
      '0x778ea32e6978565ff1468774374e11019ab816a22a605d21a16230c6f03ea198',
    )
    expect(cancellationDigest(mainnet, uid)).toBe(
      '0xed1573a060ca9fbd1d634ba4517a876b4bbd944e27f0c4382c6b61d158c6b3c5',
    )
  })

  it.each([
    [
      'eip712',
      digest,
      '0x6817baf9bdc21abfd822720ef6d2b2bbfeb880f92b985ccf72fab2da1f4ac89077309968f0c1c9fe297642c5fa742de04045d09570bff9ba6daa8ba275d605f21c',
    ],
    [
      'ethsign',
      digest,
      '0xc8c426f8ea4a83f11e4ca2e611d24f8f9b0d9eeaa2f36022bbe6f83945e602c267c572ea0a2bdbc10d7fdf44039c86eacb019b43d62a2277a62d2fe406dfc3d71b',
    ],
    [
      'eip712',
      cancellationsDigest(mainnet, [uid]),
      '0x46a4b65f6bb13abfc3b077188c8c22c4505fe540d68a4febf12a490e8d5700b3551d349cf768b36b600328b4b676b7b4b2e8c6384d4b74da52ac0ed5b38707fb1c',
    ],
    [
      'eip712',
      cancellationDigest(mainnet, uid),
      '0xb0f944ed6fc8d53ad17b2144aa4e85457b2819b393f29f0915e187ef26ca4c8d299d1ce97ce4c5e7081780ebeca21030a6055831fea202f03a9cd3df3ad8af221c',
    ],
  ] as const)('%s signature over %s', (scheme, signed, signature) => {
    expect(recoverSigner(scheme, signed, signature)).toEqual({ signer: owner, signature })
  })
})

const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const orders: fc.Arbitrary<OrderData> = fc.record({
  sellToken: bytes(20),
  buyToken: bytes(20),
  receiver: fc.option(bytes(20)),
  sellAmount: amount,
  buyAmount: amount,
  validTo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  appData: bytes(32),
  feeAmount: amount,
  kind: fc.constantFrom('buy', 'sell'),
  partiallyFillable: fc.boolean(),
  sellTokenBalance: fc.constantFrom('erc20', 'internal', 'external'),
  buyTokenBalance: fc.constantFrom('erc20', 'internal'),
})
const wallet = new Wallet(key)
const typedDomain = { name: 'Gnosis Protocol', version: 'v2', chainId: 1, verifyingContract: settlement }

describe('against ethers', () => {
  it('recovers the signer of any order, by both schemes', async () => {
    await fc.assert(
      fc.asyncProperty(orders, async (data) => {
        const message = { ...data, receiver: data.receiver ?? zeroAddress }
        const ours = orderDigest(mainnet, data)
        const typed = (await wallet.signTypedData(typedDomain, orderTypes, message)) as Hex
        const personal = (await wallet.signMessage(getBytes(ours))) as Hex
        expect(verifyTypedData(typedDomain, orderTypes, message, typed)).toBe(wallet.address)
        expect(hashMessage(getBytes(ours))).toBe(ethsignDigest(ours))
        expect(recoverSigner('eip712', ours, typed)).toEqual({ signer: owner, signature: typed })
        expect(recoverSigner('ethsign', ours, personal)).toEqual({ signer: owner, signature: personal })
      }),
      { numRuns: 40 },
    )
  })
})

it('hashes documents as bytes', () => {
  expect(keccakText('{}')).toBe(order.appData)
})
