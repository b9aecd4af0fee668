import { Wallet } from 'ethers'
import { describe, expect, test } from 'vitest'
import { address } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderTypes, orderUid } from '../../src/domain/signing/signing.ts'
import { decimal, readMirrored, unknownMembers } from '../../src/mirror/read-order.ts'
import { sampleNetwork as network } from '../fakes/network.ts'

const wallet = new Wallet(`0x${'5e'.repeat(32)}`)
const ethFlow = `0x${'ba'.repeat(20)}` as const
const user = `0x${'0c'.repeat(20)}` as const

/** The members that the public order book always writes, in its spelling. */
const shown = {
  creationDate: '2024-04-25T17:00:16.123456Z',
  availableBalance: null,
  executedBuyAmount: '0',
  executedSellAmount: '0',
  executedSellAmountBeforeFees: '0',
  executedFeeAmount: '0',
  executedFee: '0',
  executedFeeToken: `0x${'a1'.repeat(20)}`,
  invalidated: false,
  status: 'open',
  class: 'limit',
  settlementContract: network.settlement,
  isLiquidityOrder: false,
  fullAppData: '{}',
  interactions: { pre: [], post: [] },
}

const quote = {
  gasAmount: '236558.0000000000',
  gasPrice: '1000000000.000000',
  sellTokenPrice: '1.250000000000000E-9',
  sellAmount: '1000',
  buyAmount: '990',
  feeAmount: '3',
  solver: `0x${'50'.repeat(20)}`,
  verified: true,
  metadata: { version: '1.0', interactions: [], preInteractions: [], jitOrders: [] },
}

const data: OrderData = {
  sellToken: address(`0x${'a1'.repeat(20)}`),
  buyToken: address(`0x${'b2'.repeat(20)}`),
  receiver: null,
  sellAmount: 1_000n,
  buyAmount: 900n,
  validTo: 4_000_000_000,
  appData: keccakText('{}'),
  feeAmount: 0n,
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
}

const written = ({ sellAmount, buyAmount, feeAmount, ...rest }: OrderData) => ({
  ...rest,
  sellAmount: String(sellAmount),
  buyAmount: String(buyAmount),
  feeAmount: String(feeAmount),
})

/** An order of a key, with its UID; `signed` changes what is signed, `more` what is not. */
function ofKey(more: object = {}, signed: Partial<OrderData> = {}) {
  const order = { ...data, ...signed }
  const { chainId, settlement: verifyingContract } = network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract }
  const typed = { ...order, receiver: order.receiver ?? `0x${'0'.repeat(40)}` }
  return wallet.signTypedData(domain, orderTypes, typed).then((text) => ({
    ...shown,
    ...written(order),
    owner: wallet.address,
    signature: text,
    signingScheme: 'eip712',
    uid: orderUid(network, order, address(wallet.address)),
    ...more,
  }))
}

/** An order that a contract owns. */
const ofContract = (signingScheme: string, more: object = {}, signed: Partial<OrderData> = {}) => {
  const order = { ...data, ...signed }
  const rest = { owner: ethFlow, signingScheme, signature: ethFlow, uid: orderUid(network, order, ethFlow) }
  return { ...shown, ...written(order), ...rest, ...more }
}

const placed = { sender: user, placementError: null }

describe('an order as order books write it', () => {
  test.each<[string, object | Promise<object>, object]>([
    ['with every member', ofKey({ quote, validFrom: 7 }), { class: 'limit', placementError: null }],
    [
      'with a quote of small numbers',
      ofKey({ quote }),
      { quote: { gasAmount: 236_558n, gasPrice: 10n ** 9n, sellTokenPrice: '0.000000001250000000000000' } },
    ],
    ['with a quote that is malformed', ofKey({ quote: { ...quote, gasPrice: 'NaN' } }), { quote: null }],
    [
      'of the class market, with a signed fee',
      ofKey({ class: 'market' }, { feeAmount: 5n }),
      { feeAmount: 5n },
    ],
    ['of a new class', ofKey({ class: 'twap' }), { class: 'limit' }],
    ['of the class liquidity', ofKey({ class: 'liquidity', isLiquidityOrder: true }), { class: 'liquidity' }],
    ['with a status that is new', ofKey({ status: 'scheduled' }), {}],
    ['with a status that is no text', ofKey({ status: 3, invalidated: null }), {}],
    ['with the fee of older versions', ofKey({ executedFee: undefined, executedSurplusFee: '12' }), {}],
    [
      'with the members of the SDK',
      ofKey({ from: wallet.address, quoteId: 7, totalFee: '0' }),
      { quoteId: 7n },
    ],
    ['with a quote id that is no number', ofKey({ quoteId: 'seven' }), { quoteId: null }],
    [
      'without balances',
      ofKey({ sellTokenBalance: null, buyTokenBalance: undefined }),
      { sellTokenBalance: 'erc20' },
    ],
    [
      'with Vault balances',
      ofKey({}, { sellTokenBalance: 'external', buyTokenBalance: 'internal' }),
      { buyTokenBalance: 'internal' },
    ],
    ['with a receiver of zeros', ofKey({ receiver: `0x${'0'.repeat(40)}` }), { receiver: null }],
    ['with a date of nine digits', ofKey({ creationDate: '2024-04-25T17:00:16.123456789Z' }), {}],
    [
      'with a date in another zone',
      ofKey({ creationDate: '2024-04-25T19:00:16+02:00' }),
      { creationDate: new Date('2024-04-25T17:00:16Z') },
    ],
    [
      'with hooks',
      ofKey({ interactions: { pre: [{ target: user, value: '0', callData: '0x' }], post: [] } }),
      { interactions: { pre: [], post: [] } },
    ],
    ['without its document', ofKey({ fullAppData: null }), { fullAppData: null }],
    ['presigned, without a signature', ofContract('presign', { signature: '0x' }), { signature: '0x' }],
    ['presigned, with its owner', ofContract('presign'), { signature: '0x' }],
    [
      'placed on chain, with its native coins',
      ofContract(
        'eip1271',
        {
          onchainUser: user,
          onchainOrderData: placed,
          ethflowData: { userValidTo: 1_800_000_000, refundTxHash: null, isRefunded: false },
        },
        { validTo: 0xffffffff, receiver: user },
      ),
      { onchainUser: user, effectiveValidTo: 1_800_000_000, signature: ethFlow },
    ],
    ...[
      ['QuoteNotFound', 'QuoteNotFound'],
      ['quote_not_found', 'QuoteNotFound'],
      ['preValidationError', 'PreValidationError'],
      ['validToTooFarInTheFuture', 'ValidToTooFarInFuture'],
      ['nonZeroFee', 'PreValidationError'],
      ['somethingNew', 'PreValidationError'],
      [7, null],
    ].map(([error, expected]): [string, object, object] => [
      `placed on chain, refused as ${error}`,
      ofContract('eip1271', { onchainOrderData: { ...placed, placementError: error } }),
      { placementError: expected },
    ]),
    [
      'with data of a placement that are malformed',
      ofContract('eip1271', { onchainOrderData: 1, ethflowData: {} }),
      { onchainUser: null, effectiveValidTo: data.validTo },
    ],
  ])('is read: %s', async (_, body, expected) => {
    const order = await body
    expect(readMirrored(order, network)).toMatchObject({ order: { sellAmount: 1_000n, ...expected } })
    expect(unknownMembers(order)).toBe(0)
  })

  test.each([
    ['status', { status: 'cancelled' }],
    ['invalidation', { invalidated: true }],
  ])('is cancelled by its %s', async (_, more) => {
    expect(readMirrored(await ofKey(more), network)).toMatchObject({ isCancelled: true })
    expect(readMirrored(await ofKey(), network)).toMatchObject({ isCancelled: false })
  })

  test('keeps unknown members out, and counts them', async () => {
    const order = await ofKey({ someNewMember: { a: 1 }, anotherOne: null })
    const read = readMirrored(order, network)
    expect(JSON.stringify('order' in read && Object.keys(read.order))).not.toMatch(/someNewMember|anotherOne/)
    expect(unknownMembers(order)).toBe(2)
    expect(unknownMembers('text')).toBe(0)
  })
})

test.each([
  ['1.250000000000000E-9', '0.000000001250000000000000'],
  ['12.5e3', '12500.0'],
  ['12.3456e2', '1234.56'],
  ['0.0002500000000000000', '0.0002500000000000000'],
  ['7', '7'],
  ['5e-1', '0.5'],
])('a decimal is read as plain digits: %s', (text, plain) => {
  expect(decimal.parse(text)).toBe(plain)
})
