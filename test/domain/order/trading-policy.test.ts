import { describe, expect, test } from 'vitest'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import {
  checkPair,
  checkParties,
  deniedReason,
  type TradingPolicy,
} from '../../../src/domain/order/trading-policy.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { coin, dollar, nativeMarker, numbered } from '../../fakes/order.ts'

const network = sampleNetwork
const wrapped = network.wrappedNative
const denied = numbered('de')
const policy = (sameToken: TradingPolicy['sameToken'] = 'disallow'): TradingPolicy => ({
  deniedAccounts: new Set([denied, zeroAddress]),
  deniedTokens: new Set([coin]),
  sameToken,
})
const owner = numbered('0f')

function refusalOf(
  check: () => void,
): [code: string, field: string | undefined, message: string] | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    const { code, field, message } = error as { code: string; field?: string; message: string }
    return [code, field, message]
  }
}

test.each([
  ['neither', owner, null, wrapped, dollar, undefined],
  ['its owner', denied, null, wrapped, dollar, 'banned_user'],
  ['its receiver', owner, denied, wrapped, dollar, 'banned_user'],
  ['no receiver', owner, zeroAddress, wrapped, dollar, undefined],
  ['the token it sells', owner, null, coin, dollar, 'unsupported_token'],
  ['the token it buys', owner, null, wrapped, coin, 'unsupported_token'],
  ['account and token', denied, null, coin, dollar, 'banned_user'],
] as const)('an order is excluded by a denial of %s', (_, account, receiver, sellToken, buyToken, reason) => {
  expect(deniedReason({ owner: account, receiver, sellToken, buyToken }, policy())).toBe(reason)
})

test('refuses denied accounts by the field that names them', () => {
  expect(refusalOf(() => checkParties({ owner: denied, receiver: null }, policy()))).toEqual([
    'Forbidden',
    'from',
    `${denied} may not trade here`,
  ])
  expect(refusalOf(() => checkParties({ from: owner, receiver: denied }, policy()))).toEqual([
    'Forbidden',
    'receiver',
    `${denied} may not trade here`,
  ])
  expect(refusalOf(() => checkParties({ from: owner, receiver: zeroAddress }, policy()))).toBeUndefined()
})

describe('a pair', () => {
  const checked = (kind: 'sell' | 'buy', sellToken: typeof owner, buyToken: typeof owner, given = policy()) =>
    refusalOf(() => checkPair({ kind, sellToken, buyToken }, network, given))
  const same = ['SameBuyAndSellToken', 'buyToken', 'sellToken and buyToken are the same']

  test('of two tokens is taken', () => {
    expect(checked('sell', wrapped, dollar)).toBeUndefined()
    expect(checked('buy', dollar, nativeMarker)).toBeUndefined()
  })

  test('of one token is taken where that is allowed', () => {
    for (const buyToken of [wrapped, nativeMarker]) {
      expect(checked('sell', wrapped, buyToken)).toEqual(same)
      expect(checked('sell', wrapped, buyToken, policy('allow-sell'))).toBeUndefined()
      expect(checked('buy', wrapped, buyToken, policy('allow-sell'))).toEqual(same)
      expect(checked('buy', wrapped, buyToken, policy('allow'))).toBeUndefined()
    }
  })

  test('does not sell the native coin', () => {
    expect(checked('sell', nativeMarker, dollar)).toEqual([
      'InvalidNativeSellToken',
      'sellToken',
      `sell the wrapped form instead: ${wrapped}`,
    ])
    expect(checked('sell', nativeMarker, wrapped)?.[0]).toBe('InvalidNativeSellToken')
  })

  test('has no zero address', () => {
    expect(checked('buy', dollar, zeroAddress)).toEqual([
      'UnsupportedToken',
      'buyToken',
      `the zero address is no token: to buy the native coin name ${nativeMarker}`,
    ])
    expect(checked('sell', zeroAddress, dollar)).toEqual([
      'UnsupportedToken',
      'sellToken',
      'the zero address is no token',
    ])
  })

  test('has no denied token', () => {
    const message = `${coin} is not traded here`
    expect(checked('sell', coin, dollar)).toEqual(['UnsupportedToken', 'sellToken', message])
    expect(checked('sell', dollar, coin)).toEqual(['UnsupportedToken', 'buyToken', message])
  })
})
