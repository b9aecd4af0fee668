import { expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { numbered } from '../../fakes/order.ts'
import { openTestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const unit = 10n ** 18n

test('a whole page of balances has its worth; a price that nobody has, or can say now, affects its token alone', async () => {
  const asked: Address[] = []
  const chunks: number[] = []
  const tokens = Array.from({ length: 200 }, (_, index) => numbered((0x1000 + index).toString(16)))
  const [absent, away] = tokens
  await using server = await openTestServer({
    balances: async (_, named) => ({
      block: 7,
      balances: named.map(() => ({ balance: 2n * unit, allowance: 0n })),
    }),
    async usdPrice(token) {
      asked.push(token)
      if (token === away) throw new Outage('the USD price')
      if (token === absent) return undefined
      return { value: '1.5', source: 'own', at: 0, keepMs: 0, isStale: false }
    },
    async nativeRates(named) {
      chunks.push(named.length)
      return new Map(named.map((token) => [token, { nativeAmount: 1n, tokenAmount: 2n }]))
    },
  })
  const query = `query ($tokens: [TokenAddress!]!) { account(address: "${numbered('0f')}") {
    balances(tokens: $tokens, first: 200) { nodes { usdValue } } } }`
  const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables: { tokens } })
  const { nodes } = body.data.account.balances
  expect(nodes.map(({ usdValue }: { usdValue: string }) => usdValue)).toEqual([
    null,
    null,
    ...Array<string>(198).fill('3'),
  ])
  expect(body.errors.map(({ path }: { path: unknown }) => path)).toEqual([
    ['account', 'balances', 'nodes', 1, 'usdValue'],
  ])
  expect(body.errors[0].extensions.code).toBe('Unavailable')
  expect([new Set(asked).size, asked.length]).toEqual([200, 200])

  const native = query.replace('usdValue', 'nativeValue')
  const valued = await request(`${server.url}/graphql`, 'POST', { query: native, variables: { tokens } })
  const values = valued.body.data.account.balances.nodes
  expect(values).toEqual(Array(200).fill({ nativeValue: String(unit) }))
  expect(chunks).toEqual([128, 72])
})
