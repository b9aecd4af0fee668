import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { numbered } from '../fakes/order.ts'
import { numberedAddress } from '../market/pool-chain.ts'
import { collect } from '../setup/collect.ts'
import { eventually } from '../setup/eventually.ts'
import { openWatchWorld, type WatchWorld } from './watch-world.ts'

const query = `subscription ($account: Address!, $tokens: [TokenAddress!]!) {
  balances(account: $account, tokens: $tokens) {
    block isComplete isAvailable
    balances { token { address } state balance allowance }
  }
}`

interface Item {
  token: { address: string }
  state: string
  balance: string | null
  allowance: string | null
}
interface Data {
  balances: { block: number; isComplete: boolean; isAvailable: boolean; balances: Item[] }
}

let world: WatchWorld
beforeAll(async () => {
  world = await openWatchWorld({ WATCHED_BALANCES: '80000' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const coin = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const nowhere = numbered('c0')
const watch = (account: Address, tokens: readonly string[]) =>
  collect<Data>(world.url, query, { account, tokens })
const accounts = () => world.market.accounts.map(({ address }) => address) as [Address, Address, ...Address[]]

/** What a client knows that applies updates in their order. */
function stateOf(updates: readonly Data[]): Record<string, Omit<Item, 'token'>> {
  const state: Record<string, Omit<Item, 'token'>> = {}
  for (const { balances } of updates)
    for (const { token, ...item } of balances.balances) state[token.address] = item
  return state
}

test('the first update has every balance, with what is no token told apart', async () => {
  const [account] = accounts()
  const { USDC, WETH } = world.market.tokens
  using watcher = watch(account, [USDC.address, '-', nowhere, USDC.address.toUpperCase().replace('X', 'x')])
  const first = await eventually('a first update', () => watcher.data()[0])
  expect(first.balances).toMatchObject({ isComplete: true, isAvailable: true })
  expect(first.balances.block).toBeGreaterThan(0)
  expect(first.balances.balances).toEqual([
    {
      token: { address: USDC.address },
      state: 'KNOWN',
      balance: await world.balanceOf(USDC.address, account),
      allowance: await world.allowance(USDC.address, account),
    },
    { token: { address: coin }, state: 'KNOWN', balance: await world.coinOf(account), allowance: null },
    { token: { address: nowhere }, state: 'ABSENT', balance: null, allowance: null },
  ])
  expect(BigInt(first.balances.balances[0]?.balance ?? 0)).toBeGreaterThan(0n)
  expect(WETH.address).not.toBe(USDC.address)
})

test('a transfer, an approval, wrapping and coins are updates of what they change, with their block', async () => {
  const [from, account] = accounts()
  const { USDC, DAI, WETH } = world.market.tokens
  const { vaultRelayer } = world.market.network
  using watcher = watch(account, [USDC.address, DAI.address, WETH.address, '-'])
  await eventually('a first update', () => watcher.results.length === 1)

  const changedIn = async (block: number) =>
    (await eventually('an update', () => watcher.data().find(({ balances }) => balances.block >= block)))
      .balances
  const before = stateOf(watcher.data())
  const received = await changedIn(await world.write(from, USDC.address, 'transfer', [account, 12_345n]))
  expect(received).toMatchObject({
    isComplete: false,
    balances: [
      {
        token: { address: USDC.address },
        balance: String(BigInt(before[USDC.address]?.balance ?? 0) + 12_345n),
        allowance: before[USDC.address]?.allowance,
      },
    ],
  })
  const approved = await changedIn(await world.write(account, DAI.address, 'approve', [vaultRelayer, 77n]))
  expect(approved.balances.find(({ token }) => token.address === DAI.address)).toMatchObject({
    allowance: '77',
  })
  const wrapped = await changedIn(await world.write(account, WETH.address, 'deposit', [], 1_000n))
  expect(wrapped.balances.map(({ token }) => token.address).sort()).toEqual([coin, WETH.address].sort())
  await changedIn(await world.write(account, WETH.address, 'withdraw', [400n]))
  await changedIn(await world.send({ from, to: account, value: '0x64' }))
  expect(stateOf(watcher.data())).toEqual({
    [USDC.address]: {
      state: 'KNOWN',
      balance: await world.balanceOf(USDC.address, account),
      allowance: await world.allowance(USDC.address, account),
    },
    [DAI.address]: {
      state: 'KNOWN',
      balance: await world.balanceOf(DAI.address, account),
      allowance: '77',
    },
    [WETH.address]: {
      state: 'KNOWN',
      balance: await world.balanceOf(WETH.address, account),
      allowance: await world.allowance(WETH.address, account),
    },
    [coin]: { state: 'KNOWN', balance: await world.coinOf(account), allowance: null },
  })
})

test('a reorg takes back what it undoes', async () => {
  const [from, account] = accounts()
  const { COW } = world.market.tokens
  using watcher = watch(account, [COW.address])
  await eventually('a first update', () => watcher.results.length === 1)
  const before = await world.balanceOf(COW.address, account)
  await world.write(from, COW.address, 'transfer', [account, 5n])
  await eventually('the transfer', () => stateOf(watcher.data())[COW.address]?.balance !== before)
  await world.chain.rpc.call('anvil_reorg', [3, []])
  expect(await world.balanceOf(COW.address, account)).toBe(before)
  await eventually('the balance of before', () => stateOf(watcher.data())[COW.address]?.balance === before)
})

test('a node that is away is told once, and a complete update follows', async () => {
  const [from, account] = accounts()
  const { USDC } = world.market.tokens
  using watcher = watch(account, [USDC.address])
  await eventually('a first update', () => watcher.results.length === 1)
  world.way.close()
  const away = await eventually('word of the outage', () => watcher.data()[1])
  expect(away.balances).toMatchObject({ isAvailable: false, isComplete: false, balances: [] })
  await world.write(from, USDC.address, 'transfer', [account, 9n])
  using late = watch(account, [USDC.address])
  await eventually(
    'the outage, for one who comes later',
    () => late.data()[0]?.balances.isAvailable === false,
  )
  world.way.open()
  const back = await eventually('a complete update', () => watcher.data()[2])
  expect(back.balances).toMatchObject({
    isAvailable: true,
    isComplete: true,
    balances: [{ balance: await world.balanceOf(USDC.address, account) }],
  })
  await eventually('the other one has it too', () => late.data()[1]?.balances.isComplete)
})

describe('what the node is asked', () => {
  /**
   * Requests to the node while `blocks` blocks come, each with a transfer; polls of the newest block left
   * out.
   */
  async function requestsFor(blocks: number): Promise<{ logs: number; balances: number }> {
    const [from, account] = accounts()
    const { USDC } = world.market.tokens
    const start = world.way.requests.length
    const first = await world.blockNumber()
    let last = first
    while (last - first < blocks) last = await world.write(from, USDC.address, 'transfer', [account, 1n])
    const asked = world.way.requests.slice(start)
    const count = (method: string) => asked.filter((methods) => methods.includes(method)).length
    return { logs: count('eth_getLogs') / (last - first), balances: count('eth_call') / (last - first) }
  }

  test('is the same for one watcher and for 500, and nothing for none', async () => {
    const [, account] = accounts()
    const { USDC, DAI, WETH } = world.market.tokens
    const tokens = [USDC.address, DAI.address, WETH.address, '-']
    using one = watch(account, tokens)
    await eventually('a first update', () => one.results.length === 1)
    const forOne = await requestsFor(3)
    const many = Array.from({ length: 499 }, () => watch(account, tokens))
    await eventually('all have a first update', () => many.every(({ results }) => results.length > 0))
    const forMany = await requestsFor(3)
    for (const { logs, balances } of [forOne, forMany]) {
      expect(logs).toBeLessThanOrEqual(1.4)
      expect(balances).toBeLessThanOrEqual(1.4)
    }
    const balance = await world.balanceOf(USDC.address, account)
    await eventually('all have the same', () =>
      many.every((watcher) => stateOf(watcher.data())[USDC.address]?.balance === balance),
    )
    for (const watcher of [one, ...many]) watcher[Symbol.dispose]()
    const quiet = await eventually('nothing is asked', async () => {
      const start = world.way.requests.length
      const block = await world.blockNumber()
      await eventually('two blocks', async () => (await world.blockNumber()) >= block + 2)
      return world.way.requests.length === start
    })
    expect(quiet).toBe(true)
  })
})

test('tokens that use up their gas delay those who watch them, and nobody else', async () => {
  const [from, account] = accounts()
  const { USDC } = world.market.tokens
  const endless = Array.from({ length: 500 }, (_, index) => numberedAddress('10', index))
  await world.chain.rpc.batch(endless.map((at) => ({ method: 'anvil_setCode', params: [at, '0x5b600056'] })))
  using watcher = watch(account, [USDC.address])
  await eventually('a first update', () => watcher.results.length === 1)
  const start = world.way.requests.length
  const hostile = Array.from({ length: 20 }, (_, index) => watch(numberedAddress('0b', index), endless))
  const calls = (methods: readonly string[]) => methods.filter((method) => method === 'eth_call').length
  await eventually('they are read', () => world.way.requests.slice(start).some((asked) => calls(asked) >= 10))
  using late = watch(from, [USDC.address])
  await world.write(from, USDC.address, 'transfer', [account, 7n])
  await eventually('an update', () => watcher.results.length === 2)
  await eventually('the first update of another one', () => late.results.length > 0)
  expect(hostile.filter(({ results }) => results.length > 0).length).toBeLessThan(10)
  await eventually(
    'all have a first update',
    () => hostile.every(({ results }) => results.length > 0),
    60_000,
  )
  expect(new Set(Object.values(stateOf(hostile[19]?.data() ?? [])).map(({ state }) => state))).toEqual(
    new Set(['ABSENT']),
  )
  for (const one of hostile) one[Symbol.dispose]()
}, 90_000)

test('after random transfers, approvals, wraps and reorgs, clients know what the chain knows', async () => {
  const { USDC, DAI, WETH } = world.market.tokens
  const tokens = [USDC, DAI, WETH].map(({ address }) => address)
  const watchers = accounts().map((account) => ({ account, watcher: watch(account, [...tokens, '-']) }))
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item
  const step = () => {
    const [from, to] = [pick(accounts()), pick(accounts())]
    const amount = BigInt(Math.floor(Math.random() * 1_000))
    return pick([
      () => world.write(from, pick(tokens), 'transfer', [to, amount]),
      () => world.write(from, pick(tokens), 'approve', [world.market.network.vaultRelayer, amount]),
      () => world.write(from, WETH.address, 'deposit', [], amount),
      () => world.send({ from, to, value: `0x${amount.toString(16)}` }),
    ])()
  }
  // A transfer of more than the account has reverts, and changes nothing.
  const attempt = async () => {
    await step().catch((fault: Error) => {
      if (fault.message !== 'reverted') throw fault
    })
  }
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 40 }, attempt))
    if (round === 2) await world.chain.rpc.call('anvil_reorg', [2, []])
  }
  for (const { account, watcher } of watchers) {
    for (const token of tokens) {
      const known = await eventually('the balance of the chain', async () => {
        const item = stateOf(watcher.data())[token]
        const same =
          item?.balance === (await world.balanceOf(token, account)) &&
          item.allowance === (await world.allowance(token, account))
        return same && item
      })
      expect(known.state).toBe('KNOWN')
    }
    await eventually(
      'the coins',
      async () => stateOf(watcher.data())[coin]?.balance === (await world.coinOf(account)),
    )
    watcher[Symbol.dispose]()
  }
})
