import { OrderKind } from '@cowprotocol/cow-sdk'
import { ViemAdapter } from '@cowprotocol/sdk-viem-adapter'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAppDataDocument } from '../../../src/domain/app-data/document.ts'
import { partnerVolumeFees } from '../../../src/domain/fee/policy.ts'
import type { QuoteReply, QuoteRequest } from '../../../src/domain/quote/quote.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { orderBookAt, tradingSdk } from '../../setup/sdk.ts'
import { network, openTestServer, sampleReply, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)

let volumeFees: bigint[]
let kept: QuoteReply | undefined

async function answer(params: QuoteRequest): Promise<QuoteReply> {
  const reply = sampleReply(params)
  const partnerFees = partnerVolumeFees(parseAppDataDocument(params.appDataDocument ?? '{}').partnerFees)
  kept = { ...reply, terms: { ...reply.terms, volumeFees, partnerFees } }
  return kept
}

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ quote: answer, storedQuote: async () => kept })
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** The trading flow of the official SDK, against the same quotes. */
describe('the order that the client library signs', () => {
  const { chainId } = network
  const quoteBy = async (kind: OrderKind, slippageBps: number, volumeBps: number) => {
    const adapter = new ViemAdapter({
      provider: createPublicClient({ chain: sepolia, transport: http(server.url) }),
      signer: account,
    })
    const sdk = tradingSdk(chainId, orderBookAt(chainId, `${server.url}/sepolia`), adapter)
    const { quoteResults } = await sdk.getQuote({
      kind,
      sellToken: dollar,
      sellTokenDecimals: 6,
      buyToken: wrapped,
      buyTokenDecimals: 18,
      amount: '987654321987654321',
      // The server's clock is not the library's.
      validTo: 1_800_001_800,
      slippageBps,
      ...(volumeBps > 0 && { partnerFee: { volumeBps, recipient: numbered('0d') } }),
    })
    return quoteResults
  }

  test.each([
    [OrderKind.SELL, 50, 0, []],
    [OrderKind.SELL, 123, 35, [200n]],
    [OrderKind.SELL, 0, 100, [30n]],
    [OrderKind.BUY, 50, 0, []],
    [OrderKind.BUY, 77, 20, [1_000n]],
    [OrderKind.BUY, 5_000, 100, [30n]],
  ])(
    'for %s with %d and %d basis points is the order of the quote, to the atom',
    async (kind, slippageBps, volumeBps, fees) => {
      volumeFees = fees
      const { orderToSign, quoteResponse, orderTypedData } = await quoteBy(kind, slippageBps, volumeBps)
      const query = `query ($id: SafeInt!, $from: Address!, $slippage: BasisPoints!) {
      quote(id: $id, from: $from) { order(slippageBps: $slippage) { typedData } } }`
      const given = { id: quoteResponse.id, from: account.address, slippage: slippageBps }
      const { typedData } = (await graphql(server.url, query, given)).quote.order
      const { sellAmount, buyAmount, ...own } = typedData.message
      const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
      for (const [name, value] of Object.entries(own)) {
        expect([name, lower(orderToSign[name as keyof typeof orderToSign])]).toEqual([name, value])
      }
      const within = (mine: string, theirs: string, max: bigint) => {
        expect(BigInt(mine) - BigInt(theirs)).toBeGreaterThanOrEqual(0n)
        expect(BigInt(mine) - BigInt(theirs)).toBeLessThanOrEqual(max)
      }
      within(sellAmount, orderToSign.sellAmount, kind === OrderKind.SELL ? 0n : 3n)
      within(orderToSign.buyAmount, buyAmount, kind === OrderKind.SELL ? 3n : 0n)
      expect(typedData.primaryType).toBe('Order')
      expect(typedData.types.Order).toEqual(orderTypedData.types.Order)
    },
  )
})
