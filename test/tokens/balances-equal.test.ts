import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeMarker } from '../../src/domain/evm/address.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { type BalanceEvent, openEvents } from './balance-events.ts'
import { openWatchWorld, transactionOf, type WatchWorld } from './watch-world.ts'

/**
 * 500 random transfers, approvals and wraps, and a reorg in the middle: whoever asks, and however, knows what
 * the chain knows.
 */
let world: WatchWorld
beforeAll(async () => {
  world = await openWatchWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Known {
  balance: string
  allowance: string
}
type ByToken = Record<string, Known>

/** Given, so that the node does not run each transaction to learn it. */
const gas = '0x30000'

const accounts = () => world.market.accounts.map(({ address }) => address)
const tokens = () => Object.values(world.market.tokens).map(({ address }) => address)

/** Random, but the same each time. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

async function onChain(account: Address): Promise<ByToken> {
  const entries = tokens().map(async (token) => {
    const [balance, allowance] = await Promise.all([
      world.balanceOf(token, account),
      world.allowance(token, account),
    ])
    return [token, { balance, allowance }] as const
  })
  const coin = { balance: await world.coinOf(account), allowance: '0' }
  return Object.fromEntries([...(await Promise.all(entries)), [nativeMarker, coin] as const])
}

type Item = Known & { token: { address: string } }
const byToken = (items: readonly Item[]): ByToken =>
  Object.fromEntries(items.map(({ balance, allowance, token }) => [token.address, { balance, allowance }]))

/** What a client of the stream knows that applies events in their order. */
function known(events: readonly BalanceEvent[]): ByToken {
  let state: ByToken = {}
  for (const { event, data } of events) {
    if (event === 'initial_balances') state = byToken(data.balances)
    const token = state[data.tokenAddress]
    if (event !== 'balance_update' || !token) continue
    if (data.type === 'balance_change') {
      expect(data.oldBalance).toBe(token.balance)
      token.balance = data.newBalance
    } else {
      expect(data.oldAllowance).toBe(token.allowance)
      token.allowance = data.newAllowance
    }
  }
  return state
}

test('balances of all accounts equal balanceOf and allowance', async () => {
  const named = [...tokens(), nativeMarker].join()
  const url = (account: string) => `${world.url}/sepolia/accounts/${account}/balances`
  const streams = await Promise.all(
    accounts().map((account) => openEvents(`${url(account)}/sse?tokens=${named}`)),
  )
  await eventually('all have their first event', () => streams.every(({ events }) => events.length > 0))
  const random = createRandom(7)
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value
  const { vaultRelayer } = world.market.network
  const { WETH } = world.market.tokens
  const step = () => {
    const [from, to, amount] = [pick(accounts()), pick(accounts()), BigInt(random(1_000))]
    return pick([
      () => transactionOf(from, pick(tokens()), 'transfer', [to, amount]),
      () => transactionOf(from, pick(tokens()), 'approve', [vaultRelayer, amount]),
      () => transactionOf(from, WETH.address, 'deposit', [], amount),
      () => transactionOf(from, WETH.address, 'withdraw', [amount]),
      () => ({ from, to, value: `0x${amount.toString(16)}` }),
    ])()
  }
  for (let round = 0; round < 5; round++) {
    for (let count = 1; count < 100; count++) await world.post({ ...step(), gas })
    await world.send({ from: pick(accounts()), to: pick(accounts()), value: '0x1', gas })
    if (round === 2) await world.chain.rpc.call('anvil_reorg', [2, []])
  }
  for (const [index, account] of accounts().entries()) {
    const expected = await eventually('its stream knows what the chain knows', async () => {
      const state = await onChain(account)
      const events = streams[index]?.events ?? []
      return JSON.stringify(sorted(known(events))) === JSON.stringify(sorted(state)) && state
    })
    const { body } = await request(`${url(account)}?tokens=${named}`)
    expect(byToken(body)).toEqual(expected)
    const query = `{ account(address: "${account}") { balances(tokens: ${JSON.stringify(tokens())}, held: true, first: 100) {
      nodes { token { address } balance allowance } } } }`
    const { data } = (await request(`${world.url}/graphql`, 'POST', { query })).body
    const graph = byToken(data.account.balances.nodes)
    expect({ ...graph, [nativeMarker]: { ...graph[nativeMarker], allowance: '0' } }).toEqual(expected)
  }
  for (const stream of streams) await stream[Symbol.asyncDispose]()
}, 60_000)

const sorted = (state: ByToken) => Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1))
