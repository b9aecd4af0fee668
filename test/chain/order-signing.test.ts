import { SigningKey } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  encodeSettle,
  encodeTrade,
  type SettledOrder,
  settlementAbi,
} from '../../src/chain/settlement/call.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { bytesToHex, type Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { recoverSigner } from '../../src/domain/signing/signature.ts'
import { domainSeparator, orderDigest, orderUid } from '../../src/domain/signing/signing.ts'
import { settlement as canonical } from '../fakes/order.ts'
import { alice } from '../fakes/order-services.ts'
import { codeReturning, deploySettlement, type Evm, startEvm } from '../setup/evm.ts'

/** The order of the known vectors. Tokens that accept every transfer stand in for its tokens. */
const order: OrderData = {
  sellToken: address(`0x${'01'.repeat(20)}`),
  buyToken: address(`0x${'02'.repeat(20)}`),
  receiver: address(`0x${'03'.repeat(20)}`),
  sellAmount: 10n ** 18n,
  buyAmount: 2n * 10n ** 18n,
  feeAmount: 0n,
  validTo: 1_700_000_000,
  appData: keccakText('{}'),
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
}
const mainnet = { chainId: 1, settlement: canonical }

let evm: Evm
let contract: Awaited<ReturnType<typeof deploySettlement>>['settlement']
let local: typeof mainnet
beforeAll(async () => {
  evm = await startEvm()
  contract = (await deploySettlement(evm)).settlement
  local = { chainId: 31337, settlement: contract.address }
  for (const token of [order.sellToken, order.buyToken]) {
    await evm.rpc.call('anvil_setCode', [token, codeReturning(1n)])
  }
})
afterAll(() => evm?.[Symbol.asyncDispose]())

/** Reads a signed order with the contract, in a block of the order's own time; nothing is stored. */
async function settle(signed: SettledOrder, code?: Hex) {
  const data = encodeSettle({
    tokens: [signed.sellToken, signed.buyToken],
    clearingPrices: [signed.buyAmount, signed.sellAmount],
    trades: [
      encodeTrade(signed, { sell: 0, buy: 1 }, signed.kind === 'sell' ? signed.sellAmount : signed.buyAmount),
    ],
    interactions: [[], [], []],
    auctionId: 1n,
  })
  const uid = orderUid(code ? mainnet : local, signed, signed.owner)
  const filled = settlementAbi.encodeFunctionData('filledAmount', [uid])
  const calls = [data, filled].map((data) => ({
    from: evm.account,
    to: contract.address,
    data,
    gas: '0x500000',
  }))
  const [block] = await evm.rpc.call<
    { calls: { status: Hex; returnData: Hex; logs: { topics: string[]; data: string }[] }[] }[]
  >('eth_simulateV1', [
    {
      blockStateCalls: [
        {
          blockOverrides: { time: `0x${(signed.validTo - 1).toString(16)}` },
          ...(code && { stateOverrides: { [contract.address]: { code } } }),
          calls,
        },
      ],
    },
    'latest',
  ])
  const [settled, read] = block?.calls ?? []
  const trade = settled?.logs.map((log) => settlementAbi.parseLog(log)).find((log) => log?.name === 'Trade')
  return {
    expected: uid,
    succeeded: settled?.status === '0x1',
    uid: trade?.args.orderUid as string | undefined,
    owner: trade && address(String(trade.args.owner)),
    filled: BigInt(read?.returnData ?? 0),
  }
}

const signedBy = (terms: OrderData, scheme: 'eip712' | 'ethsign' = 'eip712'): SettledOrder => ({
  ...terms,
  owner: alice.address,
  signingScheme: scheme,
  signature: alice.sign(scheme, orderDigest(local, terms)),
})

test('our domain separator equals the contract’s', async () => {
  expect(await contract.read('domainSeparator')).toBe(domainSeparator(local))
})

test.each([
  [
    'eip712',
    '0x6817baf9bdc21abfd822720ef6d2b2bbfeb880f92b985ccf72fab2da1f4ac89077309968f0c1c9fe297642c5fa742de04045d09570bff9ba6daa8ba275d605f21c',
  ],
  [
    'ethsign',
    '0xc8c426f8ea4a83f11e4ca2e611d24f8f9b0d9eeaa2f36022bbe6f83945e602c267c572ea0a2bdbc10d7fdf44039c86eacb019b43d62a2277a62d2fe406dfc3d71b',
  ],
] as const)(
  'the known %s vector is valid by the contract’s code for mainnet',
  async (signingScheme, signature) => {
    const code = await evm.rpc.call<Hex>('eth_getCode', [contract.address, 'latest'])
    const forMainnet = code.replaceAll(
      domainSeparator(local).slice(2),
      domainSeparator(mainnet).slice(2),
    ) as Hex
    expect(forMainnet).not.toBe(code)
    const answer = await settle({ ...order, owner: alice.address, signingScheme, signature }, forMainnet)
    expect(answer).toMatchObject({
      succeeded: true,
      owner: alice.address,
      uid: '0x15079bef1db8a09482a557c09bad24dc5b6be45056809dc180033563daca784e1a642f0e3c3af545e7acbd38b07251b3990914f16553f100',
      filled: order.sellAmount,
    })
    const elsewhere = await settle({ ...order, owner: alice.address, signingScheme, signature })
    expect(elsewhere.owner).not.toBe(alice.address)
  },
)

describe('the contract and the service agree', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map(bytesToHex)
  const anOrder = fc.record({
    receiver: fc.option(bytes(20).map(address)),
    sellAmount: amount,
    buyAmount: amount,
    feeAmount: fc.oneof(fc.constant(0n), amount),
    validTo: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    appData: bytes(32),
    kind: fc.constantFrom('sell' as const, 'buy' as const),
    partiallyFillable: fc.boolean(),
  })

  test('on the UID and the signer of any order, in both schemes', async () => {
    await fc.assert(
      fc.asyncProperty(anOrder, fc.constantFrom('eip712', 'ethsign'), async (terms, scheme) => {
        const { expected, ...answer } = await settle(signedBy({ ...order, ...terms }, scheme))
        expect(answer).toEqual({
          succeeded: true,
          uid: expected,
          owner: alice.address,
          filled: terms.kind === 'sell' ? terms.sellAmount : terms.buyAmount,
        })
      }),
      { numRuns: 25 },
    )
  })

  test('on compact signatures, and on v of 0 or 1', async () => {
    const digest = orderDigest(local, order)
    const { compactSerialized, serialized, v } = new SigningKey(`0x${'01'.repeat(32)}`).sign(digest)
    const short = `${serialized.slice(0, 130)}0${v - 27}` as Hex
    for (const sent of [compactSerialized as Hex, short]) {
      const recovered = recoverSigner('eip712', digest, sent)
      if (!('signer' in recovered)) expect.fail()
      const signed: SettledOrder = { ...signedBy(order), signature: recovered.signature }
      expect(await settle(signed)).toMatchObject({ succeeded: true, owner: alice.address })
    }
    // The contract itself takes neither form, so both are expanded.
    expect(await settle({ ...signedBy(order), signature: short })).toMatchObject({ succeeded: false })
  })

  test('on orders that their owner presigns on chain', async () => {
    const owner: Address = evm.account
    const signed: SettledOrder = { ...order, owner, signingScheme: 'presign', signature: '0x' }
    const uid = orderUid(local, order, owner)
    const marker = BigInt(keccakText('GPv2Signing.Scheme.PreSign'))
    expect(await contract.read('preSignature', [uid])).toBe(0n)
    expect((await settle(signed)).succeeded).toBe(false)
    await contract.write('setPreSignature', [uid, true])
    expect(await contract.read('preSignature', [uid])).toBe(marker)
    expect(await settle(signed)).toMatchObject({ succeeded: true, uid, owner, filled: order.sellAmount })
    await contract.write('setPreSignature', [uid, false])
    expect(await contract.read('preSignature', [uid])).toBe(0n)
    expect((await settle(signed)).succeeded).toBe(false)
    await expect(
      contract.write('setPreSignature', [orderUid(local, order, alice.address), true]),
    ).rejects.toThrow()
  })

  test('that an invalidated order is used up', async () => {
    const owner: Address = evm.account
    const uid = orderUid(local, order, owner)
    await contract.write('invalidateOrder', [uid])
    expect(await contract.read('filledAmount', [uid])).toBe(maxUint256)
  })
})
