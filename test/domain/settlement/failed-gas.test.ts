import { expect, test } from 'vitest'
import { type Address, nativeMarker } from '../../../src/domain/evm/address.ts'
import {
  type ExceededGas,
  exceededGas,
  type FailedOrder,
  type FailedSettlement,
  type Trades,
} from '../../../src/domain/settlement/failed-gas.ts'

const numbered = (digits: string) => `0x${digits.repeat(20)}` as Address
const [wrapped, odd, usual, between] = [numbered('aa'), numbered('0d'), numbered('05'), numbered('be')]
const noTrades: Trades = { ofToken: new Map(), ofAccount: new Map() }

const order = (id: bigint, more: Partial<FailedOrder> = {}): FailedOrder => ({
  id,
  account: numbered(`1${id}`),
  sellToken: odd,
  buyToken: usual,
  hasOwnCode: false,
  ...more,
})
const failure = (
  gas: bigint,
  orders: FailedOrder[],
  cause: FailedSettlement['cause'] = null,
): FailedSettlement => ({ gas, orders, cause })
const times = (count: number, one: FailedSettlement) => Array.from({ length: count }, () => one)
const entries = ({ orders, accounts, tokens }: ExceededGas) => [[...orders], [...accounts], [...tokens]]

test('an order may cost its limit, and no atom more', () => {
  const at = (gas: bigint) => entries(exceededGas([failure(gas, [order(1n)])], noTrades, wrapped))
  expect(at(1_000_000n)).toEqual([[], [], []])
  expect(at(1_000_001n)).toEqual([[[1n, 1_000_001n]], [], []])
})

test('orders share a failure in equal parts, rounded up, unless some are its cause', () => {
  const orders = [order(1n), order(2n), order(3n)]
  expect(entries(exceededGas([failure(3_000_001n, orders)], noTrades, wrapped))[0]).toEqual(
    [1n, 2n, 3n].map((id) => [id, 1_000_001n]),
  )
  const blamed = failure(3_000_001n, orders, { orders: [2n], tokens: [] })
  expect(entries(exceededGas([blamed], noTrades, wrapped))).toEqual([
    [[2n, 3_000_001n]],
    [[numbered('12'), 3_000_001n]],
    [],
  ])
  const ofSolver = failure(9_000_000n, orders, { orders: [], tokens: [] })
  expect(entries(exceededGas([ofSolver], noTrades, wrapped))).toEqual([[], [], []])
})

test('an account and a token may cost more for each of their trades', () => {
  const failed = Array.from({ length: 9 }, (_, index) =>
    failure(500_000n, [order(BigInt(index), { account: numbered('ac') })]),
  )
  expect(entries(exceededGas(failed, noTrades, wrapped))).toEqual([
    [],
    [[numbered('ac'), 4_500_000n]],
    [
      [odd, 4_500_000n],
      [usual, 4_500_000n],
    ],
  ])
  const trades: Trades = {
    ofToken: new Map([
      [odd, 5],
      [usual, 5],
    ]),
    ofAccount: new Map([[numbered('ac'), 25]]),
  }
  expect(entries(exceededGas(failed, trades, wrapped))).toEqual([[], [], []])
})

test('the token with fewer trades bears a failure; the native coin, and tokens of orders with code of their own, never do', () => {
  const tokensOf = (one: FailedSettlement, trades = noTrades) =>
    entries(exceededGas(times(30, one), trades, wrapped))[2]
  const trades: Trades = {
    ofToken: new Map([
      [usual, 3],
      [odd, 2],
    ]),
    ofAccount: new Map(),
  }
  expect(tokensOf(failure(200_000n, [order(1n)]), trades)).toEqual([[odd, 6_000_000n]])
  expect(tokensOf(failure(200_000n, [order(1n, { sellToken: wrapped })]))).toEqual([[usual, 6_000_000n]])
  expect(tokensOf(failure(200_000n, [order(1n, { sellToken: wrapped, buyToken: nativeMarker })]))).toEqual([])
  expect(tokensOf(failure(200_000n, [order(1n, { hasOwnCode: true })]))).toEqual([])
})

test('a token that is the cause, or that only the route passes through, bears a failure in place of those of orders', () => {
  const one = failure(400_000n, [order(1n)], { orders: [1n], tokens: [between] })
  expect(entries(exceededGas(times(11, one), noTrades, wrapped))[2]).toEqual([[between, 4_400_000n]])
})
