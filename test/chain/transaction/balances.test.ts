import { expect, test } from 'vitest'
import type { Rpc, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { createAccountBalances, shortageText } from '../../../src/chain/transaction/account-balances.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const [one, two] = [numbered('01'), numbered('02')]

function watch() {
  const chain = {
    balances: new Map([
      [one, 5n],
      [two, 7n],
    ]),
    batches: 0,
    isAway: false,
  }
  const balanceOf = ({ params = [] }: RpcCall) =>
    toQuantity(chain.balances.get(params[0] as typeof one) ?? 0n)
  const rpc = {
    call: async (method: string, params: unknown[]) => balanceOf({ method, params }),
    async batch(calls: RpcCall[]) {
      if (chain.isAway) throw new Outage('the network node')
      chain.batches++
      return calls.map((call) => ({ value: balanceOf(call) }))
    },
  } as unknown as Rpc
  const warnings: unknown[] = []
  const log = {
    ...silentLog,
    warn: (message: string, fields?: object) => void warnings.push({ message, ...fields }),
  }
  const accounts = new Map([
    [one, 'built-in'],
    [two, 'good'],
  ])
  return { chain, warnings, balances: createAccountBalances({ rpc, accounts, log }) }
}

test('all balances are read in one batch, every five blocks, and stay while the node is away', async () => {
  const { chain, balances } = watch()
  expect(balances.of(one)).toBeUndefined()
  for (let block = 100; block < 105; block++) await balances.refresh(block)
  expect([balances.of(one), balances.of(two), chain.batches]).toEqual([5n, 7n, 1])
  chain.balances.set(one, 6n)
  chain.isAway = true
  await balances.refresh(105)
  expect(balances.of(one)).toBe(5n)
  chain.isAway = false
  await balances.refresh(106)
  expect([balances.of(one), chain.batches]).toEqual([6n, 2])
})

test('an account lacks what it has not, or what it could not pay, and the log says so once', async () => {
  const { chain, balances, warnings } = watch()
  expect(balances.lacking(one, 10n ** 18n)).toBeUndefined()
  await balances.refresh(100)
  expect(balances.lacking(one, 5n)).toBeUndefined()
  expect(balances.lacking(one, 6n)).toEqual({ balance: 5n, cost: 6n })
  expect(balances.lacking(one, 8n)).toEqual({ balance: 5n, cost: 8n })
  expect(warnings).toEqual([
    {
      message: 'an account cannot pay for a transaction',
      account: one,
      name: 'built-in',
      balance: '5',
      cost: '6',
    },
  ])
  balances.cannotPay(two, 9n)
  expect(balances.lacking(two, 1n)).toEqual({ balance: 7n, cost: 9n })
  chain.balances.set(two, 9n)
  expect(await balances.read(two)).toBe(9n)
  expect(balances.lacking(two, 1n)).toBeUndefined()
  expect(warnings).toHaveLength(2)
})

test('a shortage is told in whole coins', () => {
  expect(shortageText({ balance: 1_500_000_000_000_000n, cost: 2n * 10n ** 18n })).toBe(
    'its account has 0.0015 of the native coin, and the transaction may cost 2',
  )
})
