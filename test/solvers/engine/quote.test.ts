import { describe, expect, test } from 'vitest'
import { poolInputUp, poolOutputDown } from '../../../src/domain/routing/pool.ts'
import { approveCall, swapCall, transferCall } from '../../../src/domain/settlement/calldata.ts'
import { settlementGas } from '../../../src/domain/settlement/gas.ts'
import { printable } from '../../../src/outside/fault.ts'
import { parseEngineAnswer } from '../../../src/solvers/engine/client.ts'
import { quoteUid, readEngineQuote } from '../../../src/solvers/engine/quote.ts'
import { samplePool } from '../../fakes/market.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { coin, dollar, numbered, settlement, wrapped } from '../../fakes/order.ts'

const pool = samplePool('01', wrapped, dollar, 1_000n)
const sell = { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: 1_000n } as const
const buy = { ...sell, kind: 'buy' } as const
const trade = { kind: 'fulfillment', order: quoteUid, executedAmount: '1000' }
const call = { kind: 'custom', target: numbered('05'), value: '0', callData: '0x12' }
const good = {
  id: 1,
  prices: { [wrapped]: '7', [dollar]: '3' },
  trades: [trade],
  interactions: [call],
  gas: 200_000,
}

function read(question: typeof sell | typeof buy, ...solutions: object[]) {
  const answer = parseEngineAnswer({ solutions: solutions.map((one, id) => ({ ...one, id })) })
  if (!('solutions' in answer)) throw new Error('the test gives no answer')
  const { vaultRelayer } = sampleNetwork
  return readEngineQuote(answer.solutions, question, { name: 'x', pools: [pool], settlement, vaultRelayer })
}

describe('the amounts', () => {
  test('follow from uniform prices, rounded against the trader', () => {
    expect(read(sell, good)).toEqual({
      sellAmount: 1_000n,
      buyAmount: 2_333n,
      gas: 200_000n,
      execution: {
        preInteractions: [],
        interactions: [{ target: numbered('05'), value: 0n, callData: '0x12' }],
        txOrigin: null,
      },
    })
    expect(read(buy, good)).toMatchObject({ sellAmount: 429n, buyAmount: 1_000n })
  })

  test('include the fee in the sold amount of a sell order, and add it for a buy order', () => {
    const withFee = (executedAmount: string) => ({
      ...good,
      trades: [{ ...trade, executedAmount, fee: '100' }],
    })
    expect(read(sell, withFee('900'))).toMatchObject({ sellAmount: 1_000n, buyAmount: 2_100n })
    expect(read(buy, withFee('1000'))).toMatchObject({ sellAmount: 529n, buyAmount: 1_000n })
  })
})

describe('the solution used for a quote', () => {
  test('is the first one that trades the order', () => {
    const jit = {
      kind: 'jit',
      executedAmount: '1',
      order: {
        sellToken: dollar,
        buyToken: wrapped,
        receiver: coin,
        sellAmount: '1',
        buyAmount: '1',
        validTo: 1,
        appData: `0x${'00'.repeat(32)}`,
        kind: 'sell',
        sellTokenBalance: 'erc20',
        buyTokenBalance: 'erc20',
        signingScheme: 'eip712',
        signature: '0x12',
      },
    }
    const better = { ...good, prices: { [wrapped]: '9', [dollar]: '3' } }
    expect(read(sell, { ...good, trades: [] }, { ...good, trades: [jit] }, good, better)).toMatchObject({
      buyAmount: 2_333n,
    })
    expect(read(sell, { ...good, trades: [jit] })).toBeUndefined()
    expect(read(sell)).toBeUndefined()
    expect(read(sell, { ...good, trades: [trade, jit] })).toMatchObject({
      buyAmount: 2_333n,
      execution: null,
    })
  })

  test.each<[string, object]>([
    ['calls after the payout', { postInteractions: [{ target: coin, value: '0', callData: '0x' }] }],
    [
      'a loan',
      {
        flashloans: {
          [quoteUid]: {
            liquidityProvider: coin,
            protocolAdapter: coin,
            receiver: coin,
            token: coin,
            amount: '1',
          },
        },
      },
    ],
    ['a wrapper', { wrappers: [{ address: coin, data: '0x' }] }],
  ])('cannot be executed with %s', (_, more) => {
    expect(read(sell, { ...good, ...more })).toMatchObject({ buyAmount: 2_333n, execution: null })
  })
})

test('omitted gas is estimated from the number of calls', () => {
  expect(read(sell, { ...good, gas: undefined })?.gas).toBe(settlementGas(1, 1))
  expect(read(sell, { ...good, gas: undefined, interactions: [] })?.gas).toBe(125_391n)
})

describe('calls', () => {
  test('through known pools swap exactly the given amounts', () => {
    const [input, output] = [10n ** 18n, poolOutputDown(pool, wrapped, 10n ** 18n)]
    const back = poolInputUp(
      { ...pool, reserve0: pool.reserve0 + input, reserve1: pool.reserve1 - output },
      dollar,
      5n,
    )
    const swap = (inputToken: string, outputToken: string, inputAmount: bigint, outputAmount: bigint) => ({
      kind: 'liquidity',
      id: pool.address,
      inputToken,
      outputToken,
      inputAmount: inputAmount.toString(),
      outputAmount: outputAmount.toString(),
    })
    const interactions = [swap(wrapped, dollar, input, output), swap(dollar, wrapped, back ?? 0n, 5n)]
    expect(read(sell, { ...good, interactions })?.execution?.interactions).toEqual([
      transferCall(wrapped, pool.address, input),
      swapCall(pool.address, 0n, output, settlement),
      transferCall(dollar, pool.address, back ?? 0n),
      swapCall(pool.address, 5n, 0n, settlement),
    ])
    for (const wrong of [
      swap(wrapped, dollar, input, output + 1n),
      swap(wrapped, coin, input, output),
      { ...swap(wrapped, dollar, input, output), id: '7' },
    ]) {
      expect(() => read(sell, { ...good, interactions: [wrong] })).toThrow('x is unavailable')
    }
    // The first swap has moved the pool's price.
    const twice = [swap(wrapped, dollar, input, output), swap(wrapped, dollar, input, output)]
    expect(() => read(sell, { ...good, interactions: twice })).toThrow('x is unavailable')
  })

  test('follow their approvals, one for each token and spender', () => {
    const needing = (token: string, amount: string) => ({
      ...call,
      allowances: [{ token, spender: numbered('05'), amount }],
    })
    const interactions = [needing(wrapped, '3'), needing(dollar, '0'), needing(wrapped, '4')]
    expect(read(sell, { ...good, interactions })?.execution?.interactions.slice(0, 3)).toEqual([
      approveCall(wrapped, numbered('05'), 0n),
      approveCall(wrapped, numbered('05'), 7n),
      { target: numbered('05'), value: 0n, callData: '0x12' },
    ])
  })
})

const relayer = sampleNetwork.vaultRelayer

test.each<[string, typeof sell | typeof buy, object]>([
  ['the price of the sell token is missing', sell, { prices: { [dollar]: '3' } }],
  ['the price of the buy token is missing', sell, { prices: { [wrapped]: '3' } }],
  ['a price is zero', sell, { prices: { [wrapped]: '7', [dollar]: '0' } }],
  [
    'it buys more than uint256 holds',
    sell,
    { prices: { [wrapped]: (2n ** 255n).toString(), [dollar]: '1' } },
  ],
  [
    'it sells more than the allowed maximum',
    buy,
    { prices: { [wrapped]: '1', [dollar]: (2n ** 140n).toString() } },
  ],
  ['it trades another order', sell, { trades: [{ ...trade, order: `0x${'01'.repeat(56)}` }] }],
  ['it trades the order twice', sell, { trades: [trade, trade] }],
  ['it trades less', sell, { trades: [{ ...trade, executedAmount: '999' }] }],
  ['it trades more', buy, { trades: [{ ...trade, executedAmount: '1001' }] }],
  ['it sells the fee too', sell, { trades: [{ ...trade, fee: '1' }] }],
  ['it calls the vault relayer', sell, { interactions: [{ ...call, target: relayer }] }],
  [
    'it calls the vault relayer before the trades',
    sell,
    { preInteractions: [{ target: relayer, value: '0', callData: '0x' }] },
  ],
  [
    'it calls the vault relayer after the trades',
    sell,
    { postInteractions: [{ target: relayer, value: '0', callData: '0x' }] },
  ],
  [
    'it approves the vault relayer',
    sell,
    { interactions: [{ ...call, allowances: [{ token: dollar, spender: relayer, amount: '1' }] }] },
  ],
  [
    'it exceeds the size of a transaction',
    sell,
    { interactions: [{ ...call, callData: `0x${'00'.repeat(131_073)}` }] },
  ],
])('a solution is a fault of the engine if %s', (_, question, change) => {
  expect(() => read(question, { ...good, ...change })).toThrow(
    expect.objectContaining({
      name: 'OutsideFault',
      reason: expect.stringContaining('sends an invalid answer'),
    }),
  )
})

test.each<[string, typeof sell | typeof buy, object]>([
  ['pays nothing', sell, { prices: { [wrapped]: '1', [dollar]: '1001' } }],
  ['uses no gas', sell, { gas: 0 }],
])('a solution that %s is NoLiquidity', (_, question, change) => {
  expect(() => read(question, { ...good, ...change })).toThrow(
    expect.objectContaining({ code: 'NoLiquidity' }),
  )
})

test('text from outside is shown on one bounded line, without URLs', () => {
  expect(printable('see https://user:key@10.0.0.1:8545/v1?key=secret\nor  ws://node')).toBe('see … or …')
  expect(printable(`${'🦊'.repeat(300)}`)).toBe('🦊'.repeat(200))
  expect(printable('\u0000 \u202E\n')).toBeUndefined()
})
