import { expect, test } from 'vitest'
import { parseEngineAnswer } from '../../../src/solvers/engine/client.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

const uid = `0x${'00'.repeat(56)}`
const call = { target: numbered('01'), value: '7', callData: '0x1234' }
const amount = { token: dollar, amount: '5' }
const loan = {
  liquidityProvider: numbered('05'),
  protocolAdapter: numbered('06'),
  receiver: numbered('07'),
  token: wrapped,
  amount: '9',
}

/** A solution with every key. */
const full = {
  id: 3,
  prices: { [wrapped]: '2', [dollar.toUpperCase().replace('0X', '0x')]: '1' },
  trades: [
    { kind: 'fulfillment', order: uid, executedAmount: '90', fee: '10' },
    {
      kind: 'jit',
      order: {
        sellToken: dollar,
        buyToken: wrapped,
        receiver: numbered('03'),
        sellAmount: '1',
        buyAmount: '2',
        partiallyFillable: true,
        validTo: 4_294_967_295,
        appData: `0x${'22'.repeat(32)}`,
        kind: 'buy',
        sellTokenBalance: 'external',
        buyTokenBalance: 'internal',
        signingScheme: 'preSign',
        signature: '0x',
      },
      executedAmount: '1',
      fee: '0',
    },
  ],
  preInteractions: [call],
  interactions: [
    {
      kind: 'liquidity',
      internalize: true,
      id: 'pool 1',
      inputToken: wrapped,
      outputToken: dollar,
      inputAmount: '1',
      outputAmount: '2',
    },
    {
      kind: 'custom',
      internalize: false,
      ...call,
      allowances: [{ token: wrapped, spender: coin, amount: '4' }],
      inputs: [amount],
      outputs: [amount],
    },
  ],
  postInteractions: [call],
  gas: 150_000,
  maxFeePerGas: '30',
  maxPriorityFeePerGas: '2',
  flashloans: { [uid]: loan },
  wrappers: [{ address: numbered('08'), data: '0xab' }],
}
type Solution = Record<string, unknown>

const [fulfillment, jit] = full.trades
const [liquidity, custom] = full.interactions
const least = { id: 0, prices: {}, trades: [], interactions: [] }

test('every key of a solution is read', () => {
  const readCall = { target: numbered('01'), value: 7n, callData: '0x1234' }
  const readAmount = { token: dollar, amount: 5n }
  expect(parseEngineAnswer({ solutions: [full] })).toEqual({
    solutions: [
      {
        id: 3,
        prices: new Map([
          [wrapped, 2n],
          [dollar, 1n],
        ]),
        trades: [
          { kind: 'fulfillment', order: uid, executedAmount: 90n, fee: 10n },
          {
            kind: 'jit',
            order: { ...(full.trades[1]?.order as object), sellAmount: 1n, buyAmount: 2n },
            executedAmount: 1n,
            fee: 0n,
          },
        ],
        preInteractions: [readCall],
        interactions: [
          { ...liquidity, inputAmount: 1n, outputAmount: 2n },
          {
            kind: 'custom',
            internalize: false,
            ...readCall,
            allowances: [{ token: wrapped, spender: coin, amount: 4n }],
            inputs: [readAmount],
            outputs: [readAmount],
          },
        ],
        postInteractions: [readCall],
        gas: 150_000n,
        maxFeePerGas: 30n,
        maxPriorityFeePerGas: 2n,
        flashloans: new Map([[uid, { ...loan, amount: 9n }]]),
        wrappers: [{ address: numbered('08'), data: '0xab' }],
      },
    ],
  })
})

test('omitted optional keys have no effect', () => {
  expect(parseEngineAnswer({ solutions: [] })).toEqual({ solutions: [] })
  expect(parseEngineAnswer({ solutions: [{ ...least, somethingNew: [{}] }] })).toEqual({
    solutions: [
      {
        ...least,
        prices: new Map(),
        preInteractions: [],
        postInteractions: [],
        flashloans: new Map(),
        wrappers: [],
      },
    ],
  })
  for (const none of [undefined, null]) {
    const bare = { ...fulfillment, fee: none }
    const prices = { maxFeePerGas: none, maxPriorityFeePerGas: none }
    const answer = parseEngineAnswer({ solutions: [{ ...least, ...prices, gas: none, trades: [bare] }] })
    expect(answer).toMatchObject({ solutions: [{ trades: [{ executedAmount: 90n, fee: 0n }] }] })
  }
})

test('an engine may give an error instead of solutions', () => {
  expect(parseEngineAnswer({ error: { code: 'other', message: 'closed' } })).toEqual({
    error: { code: 'other', message: 'closed' },
  })
  expect(parseEngineAnswer({ error: { code: 'insufficientLiquidity' } })).toEqual({
    error: { code: 'insufficientLiquidity' },
  })
})

test('ids too large for a number are not compared', () => {
  const large = { ...least, id: Number(2n ** 64n - 1n) }
  expect(parseEngineAnswer({ solutions: [large, large] })).toMatchObject({ solutions: [{}, {}] })
})

const without = (key: string): Solution => ({ ...full, [key]: undefined })
const withTrade = (trade: unknown): Solution => ({ ...full, trades: [trade] })
const withCall = (interaction: unknown): Solution => ({ ...full, interactions: [interaction] })

test.each<[string, Solution]>([
  ['no id', without('id')],
  ['an id as a string', { ...full, id: '1' }],
  ['half an id', { ...full, id: 1.5 }],
  ['an id below zero', { ...full, id: -1 }],
  ['an id over uint64', { ...full, id: 2 ** 65 }],
  ['no prices', without('prices')],
  ['prices in a list', { ...full, prices: [] }],
  ['a price of an invalid token', { ...full, prices: { dollar: '1' } }],
  ['a price as a JSON number', { ...full, prices: { [dollar]: 1 } }],
  ['a price in hex', { ...full, prices: { [dollar]: '0x1' } }],
  ['a price below zero', { ...full, prices: { [dollar]: '-1' } }],
  ['a price with an exponent', { ...full, prices: { [dollar]: '1e400' } }],
  ['a price over uint256', { ...full, prices: { [dollar]: (2n ** 256n).toString() } }],
  [
    'two prices of one token',
    { ...full, prices: { [dollar]: '1', [`0x${dollar.slice(2).toUpperCase()}`]: '2' } },
  ],
  ['no trades', without('trades')],
  ['an unknown trade', withTrade({ ...fulfillment, kind: 'gift' })],
  ['a trade of an invalid order', withTrade({ ...fulfillment, order: '0x12' })],
  ['no executed amount', withTrade({ ...fulfillment, executedAmount: undefined })],
  ['a fee below zero', withTrade({ ...fulfillment, fee: '-1' })],
  [
    'a jit order without an amount',
    withTrade({ ...jit, order: { ...(jit?.order as object), sellAmount: undefined } }),
  ],
  [
    'a jit order with an unsupported signing scheme',
    withTrade({ ...jit, order: { ...(jit?.order as object), signingScheme: 'presign' } }),
  ],
  ['no interactions', without('interactions')],
  ['an unknown interaction', withCall({ ...custom, kind: 'magic' })],
  ['liquidity without an id', withCall({ ...liquidity, id: undefined })],
  ['liquidity without an amount', withCall({ ...liquidity, outputAmount: undefined })],
  ['a call without a target', withCall({ ...custom, target: undefined })],
  ['calldata that is no hex', withCall({ ...custom, callData: '0x1' })],
  ['calldata without 0x', withCall({ ...custom, callData: '12' })],
  ['an allowance without a spender', withCall({ ...custom, allowances: [{ token: wrapped, amount: '4' }] })],
  ['more than 100 interactions', { ...full, interactions: Array(101).fill(custom) }],
  ['a pre interaction without a value', { ...full, preInteractions: [{ ...call, value: undefined }] }],
  ['an invalid post interaction', { ...full, postInteractions: ['0x'] }],
  ['gas as a string', { ...full, gas: '1' }],
  ['gas below zero', { ...full, gas: -1 }],
  ['infinite gas', { ...full, gas: JSON.parse('1e400') as number }],
  ['more gas than a transaction can use', { ...full, gas: 2 ** 24 + 1 }],
  ['maxFeePerGas alone', without('maxPriorityFeePerGas')],
  ['maxPriorityFeePerGas alone', without('maxFeePerGas')],
  ['a loan for an invalid order', { ...full, flashloans: { x: loan } }],
  ['a loan without an amount', { ...full, flashloans: { [uid]: { ...loan, amount: undefined } } }],
  ['a wrapper without data', { ...full, wrappers: [{ address: coin }] }],
])('%s makes the answer invalid', (_, solution) => {
  expect(parseEngineAnswer({ solutions: [solution] })).toHaveProperty('fault')
})

test.each<[string, unknown]>([
  ['an empty body', undefined],
  ['null', null],
  ['a list', []],
  ['a string', 'solutions'],
  ['no solutions', {}],
  ['an invalid solution', { solutions: [null] }],
  ['two solutions with the same id', { solutions: [least, least] }],
  ['more than 20 solutions', { solutions: Array.from({ length: 21 }, (_, id) => ({ ...least, id })) }],
  ['an error without a code', { error: { message: 'x' } }],
  ['an invalid error', { error: 'x' }],
])('%s makes the answer invalid', (_, body) => {
  expect(parseEngineAnswer(body)).toHaveProperty('fault')
})

test('an answer that is too long is refused before its items are read', () => {
  let looks = 0
  const watched = {
    get kind() {
      looks++
      return 'custom'
    },
  }
  const priced = (tokens: number) =>
    Object.fromEntries(
      Array.from({ length: tokens }, (_, index) => [`0x${index.toString().padStart(40, '0')}`, '1']),
    )
  expect(parseEngineAnswer({ solutions: [{ ...full, interactions: [watched] }] })).toHaveProperty('fault')
  expect(looks).toBeGreaterThan(0)
  looks = 0
  expect(
    parseEngineAnswer({ solutions: [{ ...full, interactions: Array(101).fill(watched) }] }),
  ).toHaveProperty('fault')
  expect(looks).toBe(0)
  expect(parseEngineAnswer({ solutions: [{ ...full, prices: priced(500) }] })).not.toHaveProperty('fault')
  expect(parseEngineAnswer({ solutions: [{ ...full, prices: priced(501) }] })).toHaveProperty('fault')
})
