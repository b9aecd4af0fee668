import { getQuoteAmountsAndCosts, type OrderParameters } from '@cowprotocol/cow-sdk'
import { TypedDataEncoder, verifyTypedData, Wallet } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import type { OrderKind } from '../../../src/domain/order/order.ts'
import { orderToSign, protocolFeeBps, withVolumeFees } from '../../../src/domain/quote/amounts.ts'
import type { Quote, QuoteReply, QuoteTerms } from '../../../src/domain/quote/quote.ts'
import { orderDigest, orderTypedData } from '../../../src/domain/signing/signing.ts'
import { dollar, numbered, signingDomain, wrapped } from '../../fakes/order.ts'
import { quoteOf } from '../../fakes/order-services.ts'

const from = numbered('0f')
const receiver = numbered('0e')
const appDataHash = `0x${'ad'.repeat(32)}` as const

function replyOf(quote: Partial<Quote>, terms: Partial<QuoteTerms> = {}): QuoteReply {
  return {
    quote: quoteOf({ sellToken: dollar, buyToken: wrapped, ...quote }),
    terms: {
      from,
      receiver: null,
      appData: '{}',
      appDataHash,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      signingScheme: 'eip712',
      validTo: 1_800_001_800,
      volumeFees: [],
      partnerFees: [],
      ...terms,
    },
    route: null,
  }
}

/** 1,000 dollars for half a coin, with a network fee of 4 dollars. */
const amounts = { sellAmount: 996_000_000n, buyAmount: 498n * 10n ** 15n, feeAmount: 4_000_000n }

describe('the order to sign', () => {
  test('sells the whole given amount for the quoted price less fees and slippage', () => {
    const fees = { volumeFees: [200n], partnerFees: [2_500n] }
    // Half a coin before costs, less 2 and then 25 basis points of it, then less half a percent of the rest.
    const afterFees = 497_900_400_000_000_000n - (498n * 10n ** 15n + 1_999_600_000_000_000n) / 400n
    expect(orderToSign(replyOf(amounts, fees), 50)).toEqual({
      sellToken: dollar,
      buyToken: wrapped,
      receiver: from,
      sellAmount: 10n ** 9n,
      buyAmount: (afterFees * 9_950n) / 10_000n,
      validTo: 1_800_001_800,
      appData: appDataHash,
      feeAmount: 0n,
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    })
  })

  test('buys the exact amount for the quoted price with fees and slippage', () => {
    const fees = { volumeFees: [200n], partnerFees: [2_500n] }
    const order = orderToSign(replyOf({ ...amounts, kind: 'buy' }, fees), 50)
    const afterFees = 996_000_000n + 4_000_000n + 200_000n + 2_490_000n
    expect(order.sellAmount).toBe(afterFees + 5_013_450n)
    expect([order.buyAmount, order.feeAmount]).toEqual([amounts.buyAmount, 0n])
  })

  test('pays the requested receiver', () => {
    expect(orderToSign(replyOf(amounts, { receiver }), 0).receiver).toBe(receiver)
    expect(orderToSign(replyOf(amounts, { receiver: zeroAddress }), 0).receiver).toBe(zeroAddress)
  })

  test.each([10_000, 9_999])('asks for at least one atom with a slippage of %d', (slippage) => {
    expect(orderToSign(replyOf({ sellAmount: 5n, buyAmount: 9n, feeAmount: 0n }), slippage)).toMatchObject({
      sellAmount: 5n,
      buyAmount: 1n,
    })
  })

  test('asks for one atom where fees would take everything', () => {
    const quote = { sellAmount: 1n, buyAmount: 9n, feeAmount: 10n ** 9n }
    expect(orderToSign(replyOf(quote, { partnerFees: [10_000n] }), 0).buyAmount).toBe(1n)
  })

  test.each([-1, 10_001, 0.5, Number.NaN])('is refused with a slippage of %d', (slippage) => {
    expect(() => orderToSign(replyOf(amounts), slippage)).toThrow(
      expect.objectContaining({
        code: 'InvalidParameter',
        field: 'slippageBps',
        message: 'slippageBps must be a whole number from 0 to 10000',
      }),
    )
  })

  test.each([
    ['sell', { sellAmount: maxUint256, buyAmount: 1n, feeAmount: 1n }, 0],
    ['buy', { sellAmount: maxUint256 - 1n, buyAmount: 1n, feeAmount: 0n }, 1],
  ] as const)('is refused if it would %s more than uint256 holds', (kind, quote, slippage) => {
    const sign = () => orderToSign(replyOf({ ...quote, kind }), slippage)
    expect(sign).toThrow(
      expect.objectContaining({
        code: 'SellAmountOverflow',
        field: 'slippageBps',
        message: 'sellAmount with fees and slippage exceeds uint256',
      }),
    )
  })
})

/** The order that the client library signs for a quote. */
function librarysOrder(reply: QuoteReply, slippagePercentBps: number, partnerFeeBps: number) {
  const { quote, terms } = reply
  const shown = withVolumeFees(quote.kind, quote, terms.volumeFees)
  const orderParams = {
    kind: quote.kind,
    sellAmount: `${shown.sellAmount}`,
    buyAmount: `${shown.buyAmount}`,
    feeAmount: `${shown.feeAmount}`,
  } as OrderParameters
  return getQuoteAmountsAndCosts({
    orderParams,
    slippagePercentBps,
    partnerFeeBps,
    protocolFeeBps: Number(protocolFeeBps(terms.volumeFees) ?? 0),
  }).amountsToSign
}

describe('the order to sign, compared with the client library', () => {
  const amount = fc.bigInt(10n ** 6n, 10n ** 27n)
  const given = fc.record({
    kind: fc.constantFrom<OrderKind>('sell', 'buy'),
    sellAmount: amount,
    buyAmount: amount,
    feeShare: fc.bigInt(0n, 1_000n),
    volumeFee: fc.bigInt(0n, 20_000n),
    partnerBps: fc.integer({ min: 0, max: 100 }),
    slippage: fc.integer({ min: 0, max: 5_000 }),
  })

  test('differs from it by at most the atoms that the library rounds against filling', () => {
    fc.assert(
      fc.property(given, ({ kind, sellAmount, buyAmount, feeShare, volumeFee, partnerBps, slippage }) => {
        const reply = replyOf(
          { kind, sellAmount, buyAmount, feeAmount: (sellAmount * feeShare) / 1_000n },
          {
            volumeFees: volumeFee > 0n ? [volumeFee] : [],
            partnerFees: partnerBps > 0 ? [BigInt(partnerBps) * 100n] : [],
          },
        )
        const own = orderToSign(reply, slippage)
        const theirs = librarysOrder(reply, slippage, partnerBps)
        const [exact, difference] =
          kind === 'sell'
            ? [own.sellAmount === theirs.sellAmount, theirs.buyAmount - own.buyAmount]
            : [own.buyAmount === theirs.buyAmount, own.sellAmount - theirs.sellAmount]
        expect(exact).toBe(true)
        expect(difference).toBeGreaterThanOrEqual(0n)
        expect(difference).toBeLessThanOrEqual(3n)
      }),
      { numRuns: 1_000 },
    )
  })

  test('can be filled at the quoted price after all fees of an auction, also for tiny amounts', () => {
    const small = fc.bigInt(1n, 10n ** 6n)
    const sizes = fc.record({ sellAmount: small, buyAmount: small, feeAmount: fc.bigInt(0n, 10n ** 6n) })
    const fees = fc.array(fc.bigInt(1n, 10_000n), { maxLength: 3 })
    fc.assert(
      fc.property(sizes, fees, fees, (quoted, volumeFees, partnerFees) => {
        const sell = orderToSign(replyOf(quoted, { volumeFees, partnerFees }), 0)
        const { buyAmount } = withVolumeFees('sell', quoted, [...volumeFees, ...partnerFees])
        expect(sell.buyAmount <= buyAmount || sell.buyAmount === 1n).toBe(true)
        const buy = orderToSign(replyOf({ ...quoted, kind: 'buy' }, { volumeFees }), 0)
        const paid = withVolumeFees('buy', quoted, volumeFees)
        expect(buy.sellAmount >= paid.sellAmount + paid.feeAmount).toBe(true)
      }),
    )
  })
})

describe('the typed data for the wallet', () => {
  const wallet = new Wallet(`0x${'01'.repeat(32)}`)

  test.each([receiver, null])('is complete and hashes to the order digest, with receiver %s', async (to) => {
    const order = { ...orderToSign(replyOf(amounts), 50), receiver: to }
    const { types, primaryType, domain, message } = JSON.parse(
      JSON.stringify(orderTypedData(signingDomain, order)),
    )
    const { EIP712Domain, ...structs } = types
    expect(TypedDataEncoder.getPayload(domain, structs, message).types.EIP712Domain).toEqual(EIP712Domain)
    expect(TypedDataEncoder.from(structs).primaryType).toBe(primaryType)
    expect(TypedDataEncoder.hash(domain, structs, message)).toBe(orderDigest(signingDomain, order))
    const signature = await wallet.signTypedData(domain, structs, message)
    expect(verifyTypedData(domain, structs, message, signature)).toBe(wallet.address)
    expect(Object.values(message).filter((value) => typeof value === 'number')).toEqual([order.validTo])
  })
})
