import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { address, nativeMarker } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'

/** Bundles on the local chain, over REST and GraphQL, with no key from anybody. */
const contracts = new Interface([
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function deposit() payable',
  'function withdraw(uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function getPair(address, address) view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function token0() view returns (address)',
  'function swap(uint256, uint256, address, bytes)',
])
const unit = 10n ** 18n
let world: World
let me: Address
let friend: Address
let pool: Address

interface Transaction {
  from: Address
  to: Address
  input: Hex
  value?: string
  gas?: number
}

const call = (to: Address, method: string, args: unknown[] = [], value?: bigint): Transaction => ({
  from: me,
  to,
  input: contracts.encodeFunctionData(method, args) as Hex,
  ...(value !== undefined && { value: value.toString() }),
})

async function read<Result>(to: Address, method: string, args: unknown[] = []): Promise<Result[]> {
  const data = contracts.encodeFunctionData(method, args)
  const answer = await world.chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])
  return [...contracts.decodeFunctionResult(method, answer)] as Result[]
}

beforeAll(async () => {
  world = await startWorld({ roles: ['serve'] })
  const { accounts, network, tokens } = world.market
  const [first, second] = accounts
  if (!first || !second) throw new Error('the market has no accounts')
  me = first.address
  friend = second.address
  const pair = await read<string>(network.poolFactory, 'getPair', [tokens.WETH.address, tokens.USDC.address])
  pool = address(String(pair[0]))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const simulate = (transactions: unknown, url = world.url) =>
  request(`${url}/sepolia/simulation/simulateBundle`, 'POST', transactions)

/** Wraps, approves, swaps through the pool and passes on what was bought. */
async function trade(): Promise<Transaction[]> {
  const { WETH, USDC } = world.market.tokens
  const reserves = (await read<bigint>(pool, 'getReserves')).slice(0, 2)
  const [first] = await read<string>(pool, 'token0')
  const wethFirst = first?.toLowerCase() === WETH.address
  const [reserveIn = 0n, reserveOut = 0n] = wethFirst ? reserves : reserves.toReversed()
  const afterFee = 5n * unit * 997n
  const out = (afterFee * reserveOut) / (reserveIn * 1_000n + afterFee)
  return [
    call(WETH.address, 'deposit', [], 5n * unit),
    call(WETH.address, 'approve', [world.market.network.vaultRelayer, 5n * unit]),
    call(WETH.address, 'transfer', [pool, 5n * unit]),
    call(pool, 'swap', wethFirst ? [0n, out, me, '0x'] : [out, 0n, me, '0x']),
    call(USDC.address, 'transfer', [friend, out / 2n]),
  ]
}

async function sendAll(transactions: readonly Transaction[]) {
  const receipts: { status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }[] = []
  for (const { from, to, input, value } of transactions) {
    const sent = { from, to, data: input, value: `0x${BigInt(value ?? 0).toString(16)}` }
    const hash = await world.chain.rpc.call<Hex>('eth_sendTransaction', [sent])
    receipts.push(
      await eventually('a receipt', async () => {
        const found = await world.chain.rpc.call<(typeof receipts)[number] | null>(
          'eth_getTransactionReceipt',
          [hash],
        )
        return found ?? undefined
      }),
    )
  }
  return receipts
}

async function balanceOf(holder: Address, token: Address): Promise<bigint> {
  if (token === nativeMarker)
    return BigInt(await world.chain.rpc.call<Hex>('eth_getBalance', [holder, 'latest']))
  const [balance = 0n] = await read<bigint>(token, 'balanceOf', [holder])
  return balance
}

test('a bundle that is simulated and then sent uses that gas, and changes these balances and slots', async () => {
  const bundle = await trade()
  const { status, body } = await simulate(bundle)
  expect(status).toBe(200)
  expect(body.map((one: { status: boolean }) => one.status)).toEqual([true, true, true, true, true])

  const last = body.at(-1)
  const holdings = Object.entries<Record<Address, string>>(last.cumulativeBalancesDiff).flatMap(
    ([holder, changes]) =>
      Object.entries(changes).map(
        ([token, change]) => [holder as Address, token as Address, BigInt(change)] as const,
      ),
  )
  const { WETH, USDC } = world.market.tokens
  const named = holdings.map(([holder, token]) => `${holder}:${token}`).sort()
  // WETH that was wrapped went on to the pool: of the trader it is as before.
  expect(named).toEqual(
    [
      `${me}:${nativeMarker}`,
      `${WETH.address}:${nativeMarker}`,
      `${pool}:${WETH.address}`,
      `${pool}:${USDC.address}`,
      `${me}:${USDC.address}`,
      `${friend}:${USDC.address}`,
    ].sort(),
  )
  const before = await Promise.all(holdings.map(([holder, token]) => balanceOf(holder, token)))
  const receipts = await sendAll(bundle)
  expect(receipts.map((receipt) => String(Number(receipt.gasUsed)))).toEqual(
    body.map((one: { gasUsed: string }) => one.gasUsed),
  )
  const fees = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
  for (const [index, [holder, token, change]] of holdings.entries()) {
    const paid = holder === me && token === nativeMarker ? fees : 0n
    expect([holder, token, (await balanceOf(holder, token)) - (before[index] ?? 0n) + paid]).toEqual([
      holder,
      token,
      change,
    ])
  }
  // A pool stores the time of its last change in the first four bytes of a slot.
  const withoutTime = (account: Address, value: Hex) => (account === pool ? `0x${value.slice(10)}` : value)
  const slots = last.stateDiff.flatMap(({ raw }: { raw: Record<string, Hex>[] }) => raw)
  expect(slots.length).toBeGreaterThan(5)
  for (const { address: account, key, dirty } of slots) {
    const stored = await world.chain.rpc.call<Hex>('eth_getStorageAt', [account, key, 'latest'])
    expect([key, withoutTime(account, stored)]).toEqual([key, withoutTime(account, dirty)])
  }
})

test('GraphQL tells the same, with events, and differences that add up from one transaction to the next', async () => {
  const bundle = await trade()
  const rest = (await simulate(bundle)).body
  const { simulateBundle } = await graphql(
    world.url,
    `query ($input: SimulateBundleInput!) { simulateBundle(input: $input) { block transactions {
      succeeds error gasUsed hasAllLogs hasAllBalanceChanges logs { address event { name arguments { name value } } }
      balanceChanges { account token { symbol } change } storageChanges { account slot before after } } } }`,
    { input: { transactions: bundle } },
  )
  const { transactions, block } = simulateBundle
  expect(block).toBeGreaterThan(0)
  expect(transactions.map(({ gasUsed }: { gasUsed: number }) => String(gasUsed))).toEqual(
    rest.map(({ gasUsed }: { gasUsed: string }) => gasUsed),
  )
  const [wrapped, approved, sent, swapped, passed] = transactions
  for (const one of transactions)
    expect(one).toMatchObject({ succeeds: true, error: null, hasAllLogs: true, hasAllBalanceChanges: true })
  expect(wrapped.balanceChanges).toEqual(
    expect.arrayContaining([
      { account: me, token: { symbol: 'WETH' }, change: (5n * unit).toString() },
      expect.objectContaining({ account: me, change: (-5n * unit).toString() }),
    ]),
  )
  expect(approved.balanceChanges).toEqual(wrapped.balanceChanges)
  expect(sent.balanceChanges).not.toContainEqual(
    expect.objectContaining({ account: me, token: { symbol: 'WETH' } }),
  )
  expect(swapped.logs.map(({ event }: { event: { name: string } }) => event.name)).toEqual([
    'Transfer',
    'Sync',
    'Swap',
  ])
  expect(approved.logs[0].event).toEqual({
    name: 'Approval',
    arguments: [
      { name: 'owner', value: me },
      { name: 'spender', value: world.market.network.vaultRelayer },
      { name: 'value', value: (5n * unit).toString() },
    ],
  })
  const of = (list: { account: string; token: { symbol: string }; change: string }[], account: Address) =>
    BigInt(list.find((one) => one.account === account && one.token.symbol === 'USDC')?.change ?? 0)
  expect(of(passed.balanceChanges, me) + of(passed.balanceChanges, friend)).toBe(
    of(swapped.balanceChanges, me),
  )
})

test('a transaction that fails is told why, and the others go on without it', async () => {
  const { USDC, WETH } = world.market.tokens
  const [poor] = ['0x00000000000000000000000000000000000000ab' as Address]
  const { status, body } = await simulate([
    { ...call(USDC.address, 'transfer', [friend, 1n]), from: poor },
    call(pool, 'swap', [0n, 0n, me, '0x']),
    call(USDC.address, 'transfer', [friend, 7n]),
  ])
  expect(status).toBe(200)
  expect(body.map((one: { status: boolean }) => one.status)).toEqual([false, false, true])
  expect(body[0].error).toMatch(/balance/i)
  expect([body[1].error, body[1].logs, body[1].cumulativeBalancesDiff]).toEqual([
    'Pool: nothing asked',
    [],
    {},
  ])
  expect(body[2].cumulativeBalancesDiff).toEqual({
    [me]: { [USDC.address]: '-7' },
    [friend]: { [USDC.address]: '7' },
  })

  // The node refuses it as a whole: such a transaction is never mined.
  const unpaid = { from: poor, to: WETH.address, input: '0x', value: '1' } as const
  const refused = (await simulate([call(USDC.address, 'transfer', [friend, 1n]), unpaid])).body
  expect(refused.map((one: { status: boolean }) => one.status)).toEqual([true, false])
  expect(refused[1]).toMatchObject({ gasUsed: '0', error: expect.stringMatching(/insufficient funds/i) })
  expect(refused[1].cumulativeBalancesDiff).toEqual(refused[0].cumulativeBalancesDiff)
  expect(refused[0].cumulativeBalancesDiff).toEqual({
    [me]: { [USDC.address]: '-1' },
    [friend]: { [USDC.address]: '1' },
  })
})

test('what is left out of logs and balances is said, over REST too', async () => {
  const noisy = address(`0x${'0f'.repeat(20)}`)
  // 600 empty logs; then 300 of an address that calls them transfers among 300 accounts.
  const logs = (count: number, body: string) =>
    `0x61${count.toString(16).padStart(4, '0')}5b60019003${body}80600357`
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const run = async (code: string) => {
    await world.chain.rpc.call('anvil_setCode', [noisy, code])
    return (await simulate([{ from: me, to: noisy, input: '0x' }])).body[0]
  }
  const many = await run(logs(600, '60006000a0'))
  expect([many.status, many.logs.length, many.hasAllLogs, many.hasAllBalanceChanges]).toEqual([
    true,
    500,
    false,
    true,
  ])
  const wide = await run(logs(300, `80817f${transfer}60206000a3`))
  expect([wide.status, wide.logs.length, wide.hasAllLogs, wide.hasAllBalanceChanges]).toEqual([
    true,
    300,
    true,
    false,
  ])
})

describe('limits', () => {
  const one = () => call(world.market.tokens.USDC.address, 'transfer', [friend, 1n])

  test.each([
    ['no list', () => ({}), 'must be a list of transactions'],
    ['too many', () => Array.from({ length: 11 }, one), 'must have at most 10 transactions'],
    [
      'too much input',
      () => [{ ...one(), input: `0x${'00'.repeat(49_153)}` }],
      'must have at most 49152 bytes',
    ],
    ['too much gas', () => [{ ...one(), gas: 16_777_216 }], '[0].gas must be at most 16777215'],
    [
      'too much gas together',
      () => [one(), one()].map((each) => ({ ...each, gas: 15_000_001 })),
      'must use at most 30000000',
    ],
    ['no receiver', () => [{ ...one(), to: null }], '[0].to is required'],
    ['a value in hex', () => [{ ...one(), value: '0x1' }], '[0].value must be a string'],
  ])('%s', async (_what, body, message) => {
    const answer = await simulate(body())
    expect([answer.status, answer.body.message.slice(0, message.length)]).toEqual([400, message])
  })

  test('a request simulates one bundle, and each transaction of it costs eight units', async () => {
    // The burst is two seconds: 20 units.
    const limited = await startProgram(world, { RATE_LIMIT_READS: '10' })
    expect((await simulate([one(), one()], limited.url)).status).toBe(200)
    // It takes more than a second until there are as many units again.
    expect((await simulate([one(), one()], limited.url)).status).toBe(429)
    const full = await startProgram(world, { RATE_LIMIT_READS: '10' })
    const tooMuch = await simulate([one(), one(), one()], full.url)
    await full.close()
    expect([tooMuch.status, tooMuch.body.message]).toEqual([400, expect.stringContaining('24')])
    await limited.close()

    const input = { transactions: [one()] }
    const query = `query ($input: SimulateBundleInput!) {
      a: simulateBundle(input: $input) { block } b: simulateBundle(input: $input) { block } }`
    const { body } = await request(`${world.url}/graphql`, 'POST', { query, variables: { input } })
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'QueryTooComplex' } })
  })

  test('ten thousand logs are more than is read, and the service goes on', async () => {
    const noisy = address('0x00000000000000000000000000000000000c0de5')
    await world.chain.rpc.call('anvil_setCode', [noisy, '0x6127105b60006000a0600190038060035700'])
    const answer = await simulate([{ from: me, to: noisy, input: '0x' }])
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the transactions log or return more than is read',
    ])
    expect((await simulate([one()])).status).toBe(200)
  })

  test('whom the deployment does not let simulate gets nothing', async () => {
    const closed = await startProgram(world, { SIMULATION_ACCESS: 'off' })
    expect((await simulate([one()], closed.url)).status).toBe(405)
    await closed.close()
  })
})
