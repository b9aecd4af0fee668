import { describe, expect, test } from 'vitest'
import { checkSettlement, vaultRelayerOf } from '../../src/client/contracts.ts'
import { type AnsweredQuote, acceptedSlippage, unmetDemands } from '../../src/client/demand.ts'
import { appDataHash } from '../../src/client/typed-data.ts'
import { settlementPairs } from '../../src/domain/network/network.ts'
import { protocolFeeBps as feeBps, orderToSign, withVolumeFees } from '../../src/domain/quote/amounts.ts'
import type { QuoteReply } from '../../src/domain/quote/quote.ts'

const [owner, stranger] = [`0x${'a1'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const [sellToken, buyToken] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`]
const now = Math.floor(Date.now() / 1_000)
const input = {
  from: owner,
  sellToken,
  buyToken,
  amount: { sellBeforeFee: '1000000' },
  validity: { validFor: 600 },
}

function answered(order: object = {}, more: Partial<AnsweredQuote> = {}): AnsweredQuote {
  return {
    owner,
    document: '{}',
    quoted: { sellAmount: '990000', buyAmount: '3000000000', feeAmount: '10000' },
    ...more,
    order: {
      sellToken,
      buyToken,
      receiver: owner,
      sellAmount: '1000000',
      buyAmount: '2985000000',
      validTo: now + 600,
      appData: appDataHash('{}'),
      feeAmount: '0',
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      ...order,
    },
  }
}

describe('contracts', () => {
  test('the known ones are those of the profiles', () => {
    for (const { settlement, vaultRelayer } of Object.values(settlementPairs))
      expect(vaultRelayerOf(settlement.toUpperCase().replace('0X', '0x'))).toBe(vaultRelayer)
  })

  test.each([
    stranger,
    settlementPairs.production.vaultRelayer,
    sellToken,
    `${settlementPairs.production.settlement}00`,
    settlementPairs.production.settlement.slice(0, -1),
    `0x${'0'.repeat(40)}`,
    '',
    'constructor',
    '__proto__',
    '\u001b[31m0x9008d19f58aabd9ed0d60971565aa8510560ab41',
  ])('%s is none, and nothing is signed for it', (claimed) => {
    expect(vaultRelayerOf(claimed)).toBeUndefined()
    expect(() => checkSettlement(claimed, undefined)).toThrow(/is not the settlement contract$/)
    expect(() => checkSettlement(claimed, settlementPairs.production.settlement)).toThrow(
      /is not the settlement contract$/,
    )
  })

  test('a network’s own one is taken from the caller alone', () => {
    expect(() => checkSettlement(stranger, stranger.toUpperCase().replace('0X', '0x'))).not.toThrow()
    expect(() => checkSettlement(settlementPairs.production.settlement, stranger)).toThrow()
  })
})

describe('app data that the input does not name', () => {
  test.each([appDataHash('{}'), `0x${'0'.repeat(64)}`])('is empty: %s', (appData) => {
    expect(unmetDemands(answered({ appData }), input, 50)).toEqual([])
  })

  test.each([
    '{"appCode":"x"}',
    '{"metadata":{"partnerFee":{"volumeBps":100,"recipient":"0x00000000000000000000000000000000000000aa"}}}',
    '{"metadata":{"hooks":{"pre":[]}}}',
    '{"metadata":{"replacedOrder":{}}}',
    '{ }',
    '',
    '[]',
    'null',
    '{}\n',
  ])('is refused otherwise: %j', (document) => {
    expect(unmetDemands(answered({ appData: appDataHash(document) }, { document }), input, 50)).toEqual([
      'appData',
    ])
    // It is that of the input, or refused as well.
    expect(
      unmetDemands(answered({ appData: appDataHash(document) }), { ...input, appData: document }, 50),
    ).toEqual([])
    for (const named of [
      { appData: document },
      { appData: appDataHash(document) },
      { appDataHash: appDataHash(document) },
    ])
      expect(unmetDemands(answered(), { ...input, ...named }, 50)).toEqual(['appData'])
  })
})

describe('the limit', () => {
  test.each<[string, object, number]>([
    ['a sale for one atom', { buyAmount: '1' }, 50],
    ['a sale for nothing', { buyAmount: '0' }, 50],
    ['a negative limit', { buyAmount: '-2985000000' }, 50],
    ['five atoms below', { buyAmount: '2984999995' }, 50],
    ['the usual slippage, though less is named', { buyAmount: '2985000000' }, 49],
    ['slippage where none is accepted', { buyAmount: '2999999000' }, 0],
    ['half', { buyAmount: '1500000000' }, 4_999],
    ['a tenth', { buyAmount: '300000000' }, 1_000],
  ])('%s is refused', (_, order, slippage) => {
    expect(unmetDemands(answered(order), input, slippage)).toEqual(['buyAmount'])
  })

  test.each<[string, string, number]>([
    ['twice the price', '2000000', 50],
    ['ten times the price', '10000000', 9_999],
    ['all that there is', String(2n ** 256n - 1n), 1_000],
    ['five atoms above', '1005005', 50],
    ['the usual slippage, though less is named', '1005000', 49],
    ['a fee twice', '1015000', 50],
    ['slippage where none is accepted', '1000100', 0],
    ['a tenth more', '1100000', 999],
  ])('a purchase for %s is refused', (_, sellAmount, slippage) => {
    const purchase = { ...input, amount: { buyAfterFee: '3000000000' } }
    const order = { kind: 'buy', buyAmount: '3000000000', sellAmount }
    expect(unmetDemands(answered(order), purchase, slippage)).toEqual(['sellAmount'])
    expect(unmetDemands(answered({ ...order, sellAmount: '1005000' }), purchase, 50)).toEqual([])
  })

  test.each([
    ['a fee above the amount', { sellAmount: '2000001', feeAmount: '1000001' }],
    ['another sum', { sellAmount: '1010001', feeAmount: '10000' }],
    ['no fee in the sum', { sellAmount: '1000000', feeAmount: '10000' }],
  ])('a sale after the fee is refused with %s', (_, { sellAmount, feeAmount }) => {
    const sale = { ...input, amount: { sellAfterFee: '1000000' } }
    const quoted = { sellAmount: '1000000', buyAmount: '3000000000', feeAmount }
    expect(unmetDemands(answered({ sellAmount }, { quoted }), sale, 50)).toEqual(['sellAmount'])
    const right = answered({ sellAmount: '1010000' }, { quoted: { ...quoted, feeAmount: '10000' } })
    expect(unmetDemands(right, sale, 50)).toEqual([])
  })

  test('is that of the service for each kind, fee and slippage', () => {
    let seed = 7n
    const random = (max: bigint) => {
      seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
      return seed % max
    }
    for (let round = 0; round < 2_000; round++) {
      const kind = round % 2 === 0 ? 'sell' : 'buy'
      const size = 10n ** random(24n)
      const partner = random(3n) * 50n
      const document = JSON.stringify({
        metadata: { partnerFee: { volumeBps: Number(partner), recipient: owner } },
      })
      const reply = {
        quote: {
          kind,
          sellToken,
          buyToken,
          sellAmount: 1n + random(size),
          buyAmount: 1n + random(10n ** 20n),
          feeAmount: random(1n + size / 20n),
        },
        terms: {
          from: owner,
          receiver: null,
          validTo: now,
          appDataHash: appDataHash(document),
          sellTokenBalance: 'erc20',
          buyTokenBalance: 'erc20',
          volumeFees: [random(300n), random(2n) * 20_000n],
          partnerFees: [partner * 100n],
        },
      } as unknown as QuoteReply
      const slippage = Number(random(2_000n))
      const order = orderToSign(reply, slippage)
      const { sellAmount, buyAmount, feeAmount } = withVolumeFees(kind, reply.quote, reply.terms.volumeFees)
      const protocolFeeBps = feeBps(reply.terms.volumeFees)
      const quoted = { sellAmount, buyAmount, feeAmount, protocolFeeBps }
      const fixed = kind === 'sell' ? { sellBeforeFee: order.sellAmount } : { buyAfterFee: order.buyAmount }
      const signed = {
        ...order,
        sellAmount: String(order.sellAmount),
        buyAmount: String(order.buyAmount),
        receiver: owner,
        feeAmount: '0',
      }
      const demand = { ...input, amount: fixed as { sellBeforeFee: bigint }, appData: document }
      expect(unmetDemands({ order: signed, owner, document, quoted }, demand, slippage)).toEqual([])
    }
  })

  test('a slippage that the service measures is believed up to a tenth', () => {
    expect([
      acceptedSlippage(undefined, undefined),
      acceptedSlippage(undefined, 300),
      acceptedSlippage(undefined, 10_000),
      acceptedSlippage(0, 300),
      acceptedSlippage(2_000, 300),
    ]).toEqual([50, 300, 1_000, 0, 2_000])
  })
})
