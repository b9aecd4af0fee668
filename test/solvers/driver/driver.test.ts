import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settlementGas } from '../../../src/domain/settlement/gas.ts'
import { createDriver } from '../../../src/solvers/driver/quote-client.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import {
  answering,
  refusing,
  type SolverEngineFake,
  startSolverEngine,
  status,
} from '../../fakes/solver-engine.ts'

let outside: SolverEngineFake
beforeAll(async () => {
  outside = await startSolverEngine()
})
afterAll(() => outside.close())

const sell = { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: 1_000n } as const
const buy = { ...sell, kind: 'buy' } as const
const call = { target: numbered('05'), value: '0', callData: '0x12' }
const readCall = { target: numbered('05'), value: 0n, callData: '0x12' }
const byAmount = { amount: '2333', interactions: [call], solver: numbered('99') }
const byPrices = {
  clearingPrices: { [wrapped]: '7', [dollar]: '3' },
  preInteractions: [call],
  interactions: [call, call],
  solver: numbered('99'),
  jitOrders: [],
}
const deadline = new Date(Date.UTC(2030, 0, 1))

function ask(question: typeof sell | typeof buy = sell, base = outside.url) {
  const peer = { name: 'x', url: base, now: Date.now, timeoutMs: 5_000, maxBytes: 100_000 }
  return createDriver(peer, sampleNetwork).quote(question, deadline, new AbortController().signal)
}

test('a driver is called by GET, below the configured path and with the configured query', async () => {
  outside.behaves(answering(byAmount))
  await ask(buy, `${outside.url.replace('//', '//me:p%40ss@')}/deep/?key=secret`)
  expect(outside.asked.at(-1)).toMatchObject({
    method: 'GET',
    path: '/deep/quote',
    query: {
      key: 'secret',
      sellToken: wrapped,
      buyToken: dollar,
      kind: 'buy',
      amount: '1000',
      deadline: '2030-01-01T00:00:00.000Z',
    },
    headers: { authorization: `Basic ${btoa('me:p@ss')}` },
    body: undefined,
  })
})

describe('an answer with an amount', () => {
  test('gives the amount of the other side', async () => {
    outside.behaves(answering({ ...byAmount, gas: 150_000, txOrigin: coin }))
    expect(await ask(sell)).toEqual({
      sellAmount: 1_000n,
      buyAmount: 2_333n,
      gas: 150_000n,
      execution: { preInteractions: [], interactions: [readCall], txOrigin: coin },
    })
    expect(await ask(buy)).toMatchObject({ sellAmount: 2_333n, buyAmount: 1_000n })
  })

  test.each([{}, { gas: null, txOrigin: null }])('may omit gas and sender: %j', async (more) => {
    outside.behaves(answering({ ...byAmount, ...more }))
    expect(await ask()).toMatchObject({ gas: settlementGas(1, 1), execution: { txOrigin: null } })
  })
})

describe('an answer with prices', () => {
  test('gives amounts from the prices, rounded against the trader', async () => {
    outside.behaves(answering({ ...byPrices, gas: 150_000, txOrigin: coin }))
    expect(await ask(sell)).toEqual({
      sellAmount: 1_000n,
      buyAmount: 2_333n,
      gas: 150_000n,
      execution: { preInteractions: [readCall], interactions: [readCall, readCall], txOrigin: coin },
    })
    expect(await ask(buy)).toMatchObject({ sellAmount: 429n, buyAmount: 1_000n })
  })

  test('with jit orders cannot be executed', async () => {
    outside.behaves(answering({ ...byPrices, jitOrders: [{ whatever: 1 }] }))
    expect(await ask()).toMatchObject({ buyAmount: 2_333n, gas: settlementGas(1, 2), execution: null })
  })
})

test.each([
  ['QuotingFailed', 'No valid quote', 'NoLiquidity', 'no route trades this pair at this size'],
  ['TradingOutsideAllowedWindow', 'opens at nine', 'TradingOutsideAllowedWindow', 'opens at nine'],
  ['TokenTemporarilySuspended', 'paused', 'TokenTemporarilySuspended', 'paused'],
  ['InsufficientLiquidity', 'too large', 'InsufficientLiquidity', 'too large'],
  ['AnythingElse', 'who\u0000 knows\r\n\u202ewhy', 'CustomSolverError', 'who knows why'],
  ['AnythingElse', undefined, 'CustomSolverError', 'the solver gives no reason'],
  ['AnythingElse', 'long '.repeat(1_000), 'CustomSolverError', 'long '.repeat(40)],
])('the reason %s (%j) is returned as %s', async (kind, description, code, message) => {
  outside.behaves(refusing(kind, description))
  await expect(ask()).rejects.toMatchObject({ name: 'Refusal', code, message })
  // Some drivers refuse with a status of success.
  outside.behaves(answering({ kind, description }))
  await expect(ask()).rejects.toMatchObject({ code })
})

test.each(['DeadlineExceeded', 'SolverFailed', 'Unknown'])(
  'the reason %s counts as a fault of the driver',
  async (kind) => {
    outside.behaves(refusing(kind, 'x'))
    await expect(ask()).rejects.toMatchObject({ name: 'OutsideFault', reason: `says ${kind}` })
  },
)

test.each<[string, object]>([
  ['an empty object', {}],
  ['no amount', { ...byAmount, amount: undefined }],
  ['an amount as a JSON number', { ...byAmount, amount: 2_333 }],
  ['an amount in hex', { ...byAmount, amount: '0x91d' }],
  ['an amount below zero', { ...byAmount, amount: '-1' }],
  ['an amount over uint256', { ...byAmount, amount: (2n ** 256n).toString() }],
  ['no solver', { ...byAmount, solver: undefined }],
  ['no interactions', { ...byAmount, interactions: undefined }],
  ['an invalid interaction', { ...byAmount, interactions: [{ ...call, target: 'x' }] }],
  ['more than 100 interactions', { ...byAmount, interactions: Array(101).fill(call) }],
  ['more gas than a transaction can use', { ...byAmount, gas: 2 ** 24 + 1 }],
  ['half a unit of gas', { ...byAmount, gas: 0.5 }],
  ['an invalid sender', { ...byAmount, txOrigin: '0x' }],
  [
    'a call of the vault relayer',
    { ...byAmount, interactions: [{ ...call, target: sampleNetwork.vaultRelayer }] },
  ],
  ['no pre interactions', { ...byPrices, preInteractions: undefined }],
  ['invalid jit orders', { ...byPrices, jitOrders: ['x'] }],
  ['a price of zero', { ...byPrices, clearingPrices: { [wrapped]: '7', [dollar]: '0' } }],
  ['one price', { ...byPrices, clearingPrices: { [wrapped]: '7' } }],
])('%s makes the answer invalid', async (_, body) => {
  outside.behaves(answering(body))
  await expect(ask()).rejects.toMatchObject({
    name: 'OutsideFault',
    reason: expect.stringContaining('sends an invalid answer'),
  })
})

test.each<[string, object]>([
  ['pays nothing', { ...byAmount, amount: '0' }],
  ['uses no gas', { ...byAmount, gas: 0 }],
])('a quote that %s is NoLiquidity', async (_, body) => {
  outside.behaves(answering(body))
  await expect(ask()).rejects.toMatchObject({ code: 'NoLiquidity' })
})

test('an error status without a reason is a fault of the driver', async () => {
  outside.behaves(answering(byAmount, 404))
  await expect(ask()).rejects.toMatchObject({ name: 'OutsideFault', reason: 'status 404' })
  outside.behaves(status(404))
  await expect(ask()).rejects.toMatchObject({ name: 'OutsideFault', reason: 'status 404' })
})
