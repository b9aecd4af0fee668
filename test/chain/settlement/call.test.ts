import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeSettle,
  encodeSettle,
  encodeTrade,
  parseFlags,
  type SettledOrder,
  settlementAbi,
} from '../../../src/chain/settlement/call.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { zeroAppData } from '../../../src/domain/app-data/document.ts'
import { type Address, address, zeroAddress } from '../../../src/domain/evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexSize } from '../../../src/domain/evm/hex.ts'
import {
  buyTokenDestinations,
  orderKinds,
  sellTokenSources,
  signingSchemes,
} from '../../../src/domain/order/order.ts'

const bytes = (min: number, max = min): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: min, maxLength: max }).map(bytesToHex)
const anAddress: fc.Arbitrary<Address> = bytes(20).filter((item) => item !== zeroAddress)
const anAmount = fc.bigInt({ min: 0n, max: maxUint256 })

const aSignedOrder: fc.Arbitrary<SettledOrder> = fc.constantFrom(...signingSchemes).chain((signingScheme) =>
  fc.record({
    owner: anAddress,
    sellToken: anAddress,
    buyToken: anAddress,
    receiver: fc.option(anAddress),
    sellAmount: anAmount,
    buyAmount: anAmount,
    validTo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    appData: bytes(32) as fc.Arbitrary<Bytes32>,
    feeAmount: anAmount,
    kind: fc.constantFrom(...orderKinds),
    partiallyFillable: fc.boolean(),
    sellTokenBalance: fc.constantFrom(...sellTokenSources),
    buyTokenBalance: fc.constantFrom(...buyTokenDestinations),
    signingScheme: fc.constant(signingScheme),
    signature:
      signingScheme === 'presign'
        ? fc.constant('0x' as Hex)
        : signingScheme === 'eip1271'
          ? bytes(0, 200)
          : bytes(65),
  }),
)
const anInteraction = fc.record({ target: anAddress, value: anAmount, callData: bytes(0, 80) })

test('decoding returns what was encoded', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ order: aSignedOrder, executedAmount: anAmount }), { maxLength: 4 }),
      fc.tuple(fc.array(anInteraction), fc.array(anInteraction), fc.array(anInteraction)),
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      fc.array(anAmount, { minLength: 8, maxLength: 8 }),
      (signed, interactions, auctionId, prices) => {
        const tokens = signed.flatMap(({ order }) => [order.sellToken, order.buyToken])
        const clearingPrices = prices.slice(0, tokens.length)
        const trades = signed.map(({ order, executedAmount }, index) =>
          encodeTrade(order, { sell: index * 2, buy: index * 2 + 1 }, executedAmount),
        )
        const calldata = encodeSettle({ tokens, clearingPrices, trades, interactions, auctionId })
        const byLibrary = settlementAbi.encodeFunctionData('settle', [
          tokens,
          clearingPrices,
          trades,
          interactions,
        ])
        expect(calldata.slice(0, -16)).toBe(byLibrary)
        expect(decodeSettle(calldata)).toEqual({
          auctionId,
          tokens,
          clearingPrices,
          trades: signed.map(({ order, executedAmount }, index) => {
            const { owner, signingScheme, signature, ...terms } = order
            const known = signingScheme === 'presign' || signingScheme === 'eip1271'
            return {
              order: terms,
              indices: { sell: index * 2, buy: index * 2 + 1 },
              signingScheme,
              signature,
              owner: known ? owner : null,
              executedAmount,
            }
          }),
        })
      },
    ),
    { numRuns: 100 },
  )
})

const order: SettledOrder = {
  owner: address(`0x${'aa'.repeat(20)}`),
  sellToken: address(`0x${'01'.repeat(20)}`),
  buyToken: address(`0x${'02'.repeat(20)}`),
  receiver: null,
  sellAmount: 100n,
  buyAmount: 90n,
  validTo: 4_000_000_000,
  appData: zeroAppData,
  feeAmount: 0n,
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip1271',
  signature: '0xc0ffee',
}
const indices = { sell: 0, buy: 1 }
const settle = (auctionId: bigint) =>
  encodeSettle({
    tokens: [order.sellToken, order.buyToken],
    clearingPrices: [9n, 10n],
    trades: [encodeTrade(order, indices, 0n)],
    interactions: [[], [], []],
    auctionId,
  })

describe('encoding', () => {
  test.each<[Partial<SettledOrder>, bigint]>([
    [{ signingScheme: 'presign' }, 0b1100000n],
    [{}, 0b1000000n],
    [{ signingScheme: 'presign', kind: 'buy' }, 0b1100001n],
    [{ partiallyFillable: true }, 0b1000010n],
    [{ sellTokenBalance: 'external' }, 0b1001000n],
    [{ sellTokenBalance: 'internal' }, 0b1001100n],
    [{ buyTokenBalance: 'internal' }, 0b1010000n],
  ])('flags of %o', (terms, flags) => {
    expect(encodeTrade({ ...order, ...terms }, indices, 0n).flags).toBe(flags)
  })

  test('flags that the contract refuses are not parsed', () => {
    expect(parseFlags(0b10000000n)).toBeUndefined()
    expect(parseFlags(2n ** 255n)).toBeUndefined()
    expect(parseFlags(0b0000100n)).toMatchObject({ sellTokenBalance: 'erc20' })
  })

  test('signatures are encoded by scheme', () => {
    const signature = (more: Partial<SettledOrder>) =>
      encodeTrade({ ...order, ...more }, indices, 0n).signature
    expect(signature({})).toBe(`${order.owner}c0ffee`)
    expect(signature({ signingScheme: 'presign', signature: '0x' })).toBe(order.owner)
    expect(signature({ signingScheme: 'ethsign', signature: `0x${'12'.repeat(65)}` })).toBe(
      `0x${'12'.repeat(65)}`,
    )
    expect(() => signature({ signingScheme: 'eip712', signature: '0x12' })).toThrow('65 bytes')
  })

  test('the auction id is the last 8 bytes, big-endian', () => {
    expect(settle(258n).slice(-16)).toBe('0000000000000102')
    expect((hexSize(settle(1n)) - 4) % 32).toBe(8)
  })
})

describe('decoding', () => {
  test('a call without an auction id has none', () => {
    expect(decodeSettle(settle(7n).slice(0, -16) as Hex)?.auctionId).toBeNull()
  })

  test.each<[string, Hex]>([
    ['nothing', '0x'],
    ['another call', '0xec6cb13f'],
    ['half a call', settle(7n).slice(0, 600) as Hex],
  ])('%s is no settlement', (_, calldata) => {
    expect(decodeSettle(calldata)).toBeUndefined()
  })

  test('a trade of a token that is not in the list is no settlement', () => {
    const trades = [encodeTrade(order, { sell: 0, buy: 2 }, 0n)]
    const tokens = [order.sellToken, order.buyToken]
    const calldata = encodeSettle({
      tokens,
      clearingPrices: [1n, 1n],
      trades,
      interactions: [[], [], []],
      auctionId: 1n,
    })
    expect(decodeSettle(calldata)).toBeUndefined()
  })
})
