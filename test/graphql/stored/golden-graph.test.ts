import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodedId } from '../../fakes/node-id.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'
import { max, names, storeGoldenRows } from './golden-rows.ts'

const { bare, traded, owner, other, sell, buy, third, solver, loser } = names
const chain = 11155111

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await storeGoldenRows(server.database.db)
})
afterAll(() => server?.[Symbol.asyncDispose]())

const ask = (query: string) => graphql(server.url, query)

const orderFields = `id uid owner from receiver effectiveReceiver sellAmount buyAmount feeAmount validTo validFrom kind partiallyFillable
  sellTokenBalance buyTokenBalance signingScheme signature appData appDataHash fullAppData settlementContract creationDate class
  isLiquidityOrder status invalidated executedSellAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount executedFee
  executedFeeToken { address } executedFraction availableBalance onchainUser quoteId fullBalanceCheck
  limitPrice { decimal numerator denominator } executedPrice { decimal numerator denominator } surplus { amount token { address } }
  interactions { pre { target value callData } post { target value callData } }
  onchainOrderData { sender placementError detail } ethflowData { refundTxHash userValidTo }
  progress { stage solutions { solver executedAmounts { sell buy } } }
  quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified metadata }`

test('Order without its optional parts', async () => {
  expect(await ask(`{ order(uid: "${bare}") { ${orderFields} } }`)).toEqual({
    order: {
      id: encodedId(`Order:${bare}`),
      uid: bare,
      owner,
      from: owner,
      receiver: names.zero,
      effectiveReceiver: owner,
      sellAmount: max,
      buyAmount: '1',
      feeAmount: '0',
      validTo: 4294967295,
      validFrom: null,
      kind: 'SELL',
      partiallyFillable: true,
      sellTokenBalance: 'ERC20',
      buyTokenBalance: 'ERC20',
      signingScheme: 'PRESIGN',
      signature: '0x',
      appData: names.unknownDocument,
      appDataHash: names.unknownDocument,
      fullAppData: null,
      settlementContract: names.settlement,
      creationDate: '2026-01-02T03:04:05Z',
      class: 'LIQUIDITY',
      isLiquidityOrder: true,
      status: 'PRESIGNATURE_PENDING',
      invalidated: false,
      executedSellAmount: '0',
      executedSellAmountBeforeFees: '0',
      executedBuyAmount: '0',
      executedFeeAmount: '0',
      executedFee: '0',
      executedFeeToken: { address: sell },
      executedFraction: '0',
      availableBalance: null,
      onchainUser: null,
      quoteId: null,
      fullBalanceCheck: false,
      limitPrice: { decimal: '0', numerator: '1', denominator: max },
      executedPrice: null,
      surplus: { amount: '0', token: { address: buy } },
      interactions: { pre: [], post: [] },
      onchainOrderData: null,
      ethflowData: null,
      progress: null,
      quote: null,
    },
  })
})

test('Order and OrderQuote with all optional parts', async () => {
  expect(await ask(`{ order(uid: "${traded}") { ${orderFields} } }`)).toEqual({
    order: {
      id: encodedId(`Order:${traded}`),
      uid: traded,
      owner: other,
      from: other,
      receiver: null,
      effectiveReceiver: other,
      sellAmount: '1000',
      buyAmount: '400',
      feeAmount: '10',
      validTo: 1799999999,
      validFrom: 5,
      kind: 'BUY',
      partiallyFillable: false,
      sellTokenBalance: 'EXTERNAL',
      buyTokenBalance: 'INTERNAL',
      signingScheme: 'EIP1271',
      signature: '0x1234',
      appData: names.document,
      appDataHash: names.document,
      fullAppData: '{"a":"\\u0041 \\"ü\\""}',
      settlementContract: names.settlement,
      creationDate: '2026-01-02T03:04:05.678Z',
      class: 'LIMIT',
      isLiquidityOrder: false,
      status: 'EXPIRED',
      invalidated: false,
      executedSellAmount: '410',
      executedSellAmountBeforeFees: '405',
      executedBuyAmount: '200',
      executedFeeAmount: '5',
      executedFee: '9',
      executedFeeToken: { address: buy },
      executedFraction: '0.5',
      availableBalance: null,
      onchainUser: null,
      quoteId: 77,
      fullBalanceCheck: true,
      limitPrice: { decimal: '0.4', numerator: '400', denominator: '1000' },
      executedPrice: {
        decimal: '0.49382716049382716049382716049382716',
        numerator: '200',
        denominator: '405',
      },
      surplus: { amount: '95', token: { address: sell } },
      interactions: { pre: [{ target: third, value: max, callData: '0x' }], post: [] },
      onchainOrderData: null,
      ethflowData: null,
      progress: {
        stage: 'EXPIRED',
        solutions: [
          { solver: loser, executedAmounts: null },
          { solver, executedAmounts: { sell: '410', buy: '200' } },
        ],
      },
      quote: {
        gasAmount: '155000',
        gasPrice: max,
        sellTokenPrice: '0.000332330009999999999',
        sellAmount: '1000',
        buyAmount: '400',
        feeAmount: '10',
        solver,
        verified: true,
        metadata: { version: '1.0', jitOrders: [] },
      },
    },
  })
})

test('Token', async () => {
  const fields = 'id address symbol name decimals firstTradeBlock lastAuctionPrice'
  expect(
    await ask(`{ order(uid: "${traded}") { tokens { ${fields} } sellToken { symbol } buyToken { name } } }`),
  ).toEqual({
    order: {
      tokens: [
        {
          id: encodedId(`Token:${chain}:${sell}`),
          address: sell,
          symbol: 'A "B"',
          name: null,
          decimals: 18,
          firstTradeBlock: 90,
          lastAuctionPrice: '0',
        },
        {
          id: encodedId(`Token:${chain}:${buy}`),
          address: buy,
          symbol: null,
          name: 'two\nlines',
          decimals: null,
          firstTradeBlock: 90,
          lastAuctionPrice: max,
        },
      ],
      sellToken: { symbol: 'A "B"' },
      buyToken: { name: 'two\nlines' },
    },
  })
})
