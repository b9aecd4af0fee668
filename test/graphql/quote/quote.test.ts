import { TypedDataEncoder, verifyTypedData, Wallet } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { QuoteReply, QuoteRequest } from '../../../src/domain/quote/quote.ts'
import type { QuoteRoute } from '../../../src/domain/quote/route.ts'
import { graphQuoteInput } from '../../fakes/graph-input.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { network, openTestServer, sampleReply, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const wallet = new Wallet(`0x${'01'.repeat(32)}`)
const trader = address(wallet.address)

const route: QuoteRoute = {
  block: 77,
  paths: [
    {
      amountIn: 600n,
      amountOut: 594n,
      hops: [
        {
          pool: numbered('01'),
          tokenIn: dollar,
          tokenOut: coin,
          amountIn: 600n,
          amountOut: 597n,
          reserveIn: 10n ** 6n,
          reserveOut: 10n ** 6n,
        },
        {
          pool: numbered('02'),
          tokenIn: coin,
          tokenOut: wrapped,
          amountIn: 597n,
          amountOut: 594n,
          reserveIn: 10n ** 6n,
          reserveOut: 10n ** 6n,
        },
      ],
    },
  ],
}

/** What the quote service adds to its replies, and what it stores. */
let volumeFees: bigint[]
let ownRoute: QuoteRoute | null
let kept: QuoteReply | undefined
let isFast: boolean

async function answer(params: QuoteRequest): Promise<QuoteReply> {
  const reply = sampleReply(params)
  if (isFast) return { ...reply, quote: { ...reply.quote, id: null } }
  kept = { ...reply, terms: { ...reply.terms, volumeFees }, route: ownRoute }
  return kept
}

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({
    quote: answer,
    storedQuote: async (id, from) => (id === 42n && kept?.terms.from === from ? kept : undefined),
  })
})
beforeEach(() => {
  volumeFees = []
  ownRoute = null
  kept = undefined
  isFast = false
})
afterAll(() => server?.[Symbol.asyncDispose]())

const input = {
  kind: 'sell',
  sellAmountAfterFee: '1000000',
  sellToken: dollar,
  buyToken: wrapped,
  from: trader,
  validTo: 1_800_001_800,
}
const ask = async (fields: string, more: Record<string, unknown> = {}) => {
  const document = `mutation ($input: QuoteInput!) { quote(input: $input) { ${fields} } }`
  return (await graphql(server.url, document, { input: graphQuoteInput({ ...input, ...more }) })).quote
}

describe('the amounts of a quote', () => {
  const amounts = 'quote { sellAmount buyAmount feeAmount } protocolFeeBps'

  test('are those after volume fees', async () => {
    volumeFees = [200n, 30n]
    // 2,000,000 less 400, less 59.988.
    expect(await ask(amounts)).toEqual({
      quote: { sellAmount: '1000000', buyAmount: '1999541', feeAmount: '7' },
      protocolFeeBps: '2.3',
    })
    const bought = { kind: 'buy', sellAmountAfterFee: null, buyAmountAfterFee: '1000000' }
    expect((await ask(amounts, bought)).quote).toEqual({
      sellAmount: '1000230',
      buyAmount: '2000000',
      feeAmount: '7',
    })
  })

  test('have no fees where none apply: null in GraphQL, absent in REST', async () => {
    expect(await ask(amounts)).toMatchObject({ quote: { buyAmount: '2000000' }, protocolFeeBps: null })
    const rest = async () => (await request(`${server.url}/sepolia/api/v1/quote`, 'POST', input)).body
    expect(Object.keys(await rest())).toEqual(['quote', 'from', 'expiration', 'id', 'verified'])
    volumeFees = [30n]
    expect(await rest()).toMatchObject({ quote: { buyAmount: '1999940' }, protocolFeeBps: '0.3' })
  })
})

describe('the order to sign', () => {
  const members =
    'sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount kind partiallyFillable sellTokenBalance buyTokenBalance'

  test('has every member of the struct, and typed data that a wallet can sign unchanged', async () => {
    const { order } = await ask(`order { ${members} typedData digest uid }`, { appData: '{}' })
    const { typedData, digest, uid, ...struct } = order
    expect(struct).toEqual({
      sellToken: dollar,
      buyToken: wrapped,
      receiver: trader,
      sellAmount: '1000007',
      buyAmount: '1990000',
      validTo: 1_800_001_800,
      appData: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
      feeAmount: '0',
      kind: 'SELL',
      partiallyFillable: false,
      sellTokenBalance: 'ERC20',
      buyTokenBalance: 'ERC20',
    })
    const enumValues = { kind: 'sell', sellTokenBalance: 'erc20', buyTokenBalance: 'erc20' }
    expect(typedData.message).toEqual({ ...struct, ...enumValues })
    expect(typedData.domain).toEqual({
      name: 'Gnosis Protocol',
      version: 'v2',
      chainId: network.chainId,
      verifyingContract: network.settlement,
    })
    const { EIP712Domain: _, ...types } = typedData.types
    const { domain, message } = typedData
    expect(TypedDataEncoder.hash(domain, types, message)).toBe(digest)
    expect(verifyTypedData(domain, types, message, await wallet.signTypedData(domain, types, message))).toBe(
      wallet.address,
    )
    expect(uid).toBe(`${digest}${trader.slice(2)}${(1_800_001_800).toString(16)}`)
  })

  test('has the requested slippage, also for several aliases in one query', async () => {
    volumeFees = [1_000n]
    const { none, all, usual } = await ask(
      'none: order(slippageBps: 0) { buyAmount } all: order(slippageBps: 10000) { buyAmount } usual: order { buyAmount }',
    )
    expect([none, usual, all].map(({ buyAmount }) => buyAmount)).toEqual(['1998000', '1988010', '1'])
  })

  test.each([
    ['a slippage over 100 %', 'order(slippageBps: 10001) { uid }', {}, 'InvalidParameter'],
    ['a negative slippage', 'order(slippageBps: -1) { uid }', {}, 'InvalidParameter'],
    [
      'an amount over uint256',
      'order { uid }',
      { sellAmountAfterFee: `${2n ** 256n - 1n}`, buyAmountAfterFee: null },
      'SellAmountOverflow',
    ],
  ])('is refused for %s', async (_what, fields, more, code) => {
    const query = `mutation ($input: QuoteInput!) { quote(input: $input) { ${fields} } }`
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query,
      variables: { input: graphQuoteInput({ ...input, ...more }) },
    })
    expect(body.errors[0]).toMatchObject({ extensions: { code, field: 'slippageBps' } })
    // An invalid slippage is refused before a quote is requested.
    expect(body.errors[0].path).toEqual(code === 'InvalidParameter' ? undefined : ['quote', 'order'])
  })
})

describe('the route of a quote', () => {
  const fields =
    'route { block priceImpact paths { amountIn amountOut hops { pool tokenIn { address symbol } tokenOut { address decimals } amountIn amountOut } } }'

  test('has the pool and the tokens of each hop', async () => {
    ownRoute = route
    expect((await ask(fields)).route).toEqual({
      block: 77,
      // 600 atoms at the first one's rate, the fees of both pools taken, would be 596.4054.
      priceImpact: '0.004034',
      paths: [
        {
          amountIn: '600',
          amountOut: '594',
          hops: [
            {
              pool: numbered('01'),
              tokenIn: { address: dollar, symbol: 'BBB' },
              tokenOut: { address: coin, decimals: 18 },
              amountIn: '600',
              amountOut: '597',
            },
            {
              pool: numbered('02'),
              tokenIn: { address: coin, symbol: 'CCC' },
              tokenOut: { address: wrapped, decimals: 18 },
              amountIn: '597',
              amountOut: '594',
            },
          ],
        },
      ],
    })
  })

  test('is null where another solver found the price', async () => {
    expect(await ask(fields)).toEqual({ route: null })
  })
})

describe('a quote by its id', () => {
  const byId = async (id: number, from: Address) => {
    const query = `query ($id: SafeInt!, $from: Address!) {
      quote(id: $id, from: $from) { quoteId from protocolFeeBps order(slippageBps: 0) { buyAmount uid } route { block } } }`
    return (await graphql(server.url, query, { id, from })).quote
  }

  test('is what was answered, for the account that requested it', async () => {
    volumeFees = [200n]
    ownRoute = route
    const fields = 'quoteId from protocolFeeBps order(slippageBps: 0) { buyAmount uid } route { block }'
    const given = await ask(fields)
    expect(await byId(42, trader)).toEqual(given)
    expect(given).toMatchObject({ quoteId: 42, order: { buyAmount: '1999600' }, route: { block: 77 } })
  })

  test('is a node, whose id contains the account that requested it', async () => {
    const fields = 'stored { __typename id quoteId network { name } response { quoteId from verified } }'
    const { stored } = await ask(fields)
    expect(stored).toEqual({
      __typename: 'Quote',
      id: encodedId(`Quote:11155111:42:${trader}`),
      quoteId: 42,
      network: { name: 'sepolia' },
      response: { quoteId: 42, from: trader, verified: true },
    })
    const query = `query ($id: ID!) { node(id: $id) { ... on Quote { ${fields.slice(9, -2)} } } }`
    const node = async (id: string) => (await graphql(server.url, query, { id })).node
    expect(await node(stored.id)).toEqual(stored)
    expect(await node(encodedId(`Quote:11155111:42:${numbered('0e')}`))).toBeNull()
    expect(await node(encodedId(`Quote:11155111:43:${trader}`))).toBeNull()
    expect(await node(encodedId(`Quote:5:42:${trader}`))).toBeNull()
  })

  test('has tokens, and stored is null where the quote is not kept', async () => {
    isFast = true
    expect(
      await ask('quoteId stored { id } quote { sellToken { address symbol } buyToken { symbol } }'),
    ).toEqual({
      quoteId: null,
      stored: null,
      quote: { sellToken: { address: dollar, symbol: 'BBB' }, buyToken: { symbol: 'AAA' } },
    })
  })

  test('is null for another account, and null when it was not kept', async () => {
    await ask('quoteId')
    expect(await byId(42, numbered('0e'))).toBeNull()
    expect(await byId(43, trader)).toBeNull()
  })
})
