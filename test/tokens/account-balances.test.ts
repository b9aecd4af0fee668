import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeMarker } from '../../src/domain/evm/address.ts'
import { numbered } from '../fakes/order.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { openEvents } from './balance-events.ts'
import { openWatchWorld, type WatchWorld } from './watch-world.ts'

/** Balances of accounts and their stream, over REST and GraphQL of the whole program. */
let world: WatchWorld
beforeAll(async () => {
  world = await openWatchWorld({}, ['serve', 'index'])
})
afterAll(() => world?.[Symbol.asyncDispose]())

const nowhere = numbered('c0')
const accounts = () => world.market.accounts.map(({ address }) => address) as [Address, Address, ...Address[]]
const url = (account: string, search: string, network = 'sepolia') =>
  `${world.url}/${network}/accounts/${account}/balances${search}`
const graphql = async (query: string, variables: object) =>
  (await request(`${world.url}/graphql`, 'POST', { query, variables })).body

const usdcOf = async (account: Address) => {
  const { USDC } = world.market.tokens
  return {
    balance: await world.balanceOf(USDC.address, account),
    allowance: await world.allowance(USDC.address, account),
    token: { address: USDC.address, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  }
}

test('6. GET /{chain}/accounts/{account}/balances: in the order of the tokens, each once', async () => {
  const [account] = accounts()
  const { USDC } = world.market.tokens
  const answer = await request(
    url(account, `?tokens= ${USDC.address},,${nowhere},-, ${USDC.address} ,${nativeMarker}`),
  )
  expect([answer.status, answer.body]).toEqual([
    200,
    [
      await usdcOf(account),
      {
        balance: await world.coinOf(account),
        allowance: '0',
        token: { address: nativeMarker, symbol: 'ETH', name: 'Ether', decimals: 18 },
      },
    ],
  ])
  expect(BigInt(answer.body[0].balance)).toBeGreaterThan(0n)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('x-unavailable-tokens')).toBeNull()
  const repeated = await request(url(account, `?tokens=${USDC.address}&tokens=-`))
  expect(repeated.body).toEqual(answer.body)
})

test.each([
  ['11155111', ''],
  ['sepolia', '/sse'],
])('6, 7. what is refused on /%s/accounts/{account}/balances%s', async (network, sse) => {
  const [account] = accounts()
  const { USDC } = world.market.tokens
  const wrongCase = `0xA${USDC.address.slice(3)}`
  const many = Array.from({ length: 501 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`)
  const rows = [
    [`${sse}`, 'tokens is required'],
    [`${sse}?tokens=`, 'At least one token address is required'],
    [`${sse}?tokens=,%20,`, 'At least one token address is required'],
    [`${sse}?tokens=${USDC.address},x`, expect.stringMatching(/^Invalid Ethereum address: x: /)],
    [`${sse}?tokens=${wrongCase}`, expect.stringMatching(/^Invalid Ethereum address: 0xA.*checksum/)],
    ...(sse ? [] : [[`?tokens=${many.map((token) => token.slice(2 + 30)).join()}`, expect.any(String)]]),
  ]
  for (const [search, message] of rows) {
    const answer = await request(url(account, String(search), network))
    expect([search, answer.status, answer.body]).toEqual([search, 400, { message }])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  }
  const nobody = await request(url('0x12', `${sse}?tokens=-`, network))
  expect([nobody.status, Object.keys(nobody.body)]).toEqual([400, ['message']])
  const elsewhere = await request(url(account, `${sse}?tokens=-`, 'atlantis'))
  expect([elsewhere.status, Object.keys(elsewhere.body)]).toEqual([400, ['message']])
})

test('5. GET /{chain}/address/{account}/balances: what is held, from transfers, and what is named', async () => {
  const [account, other] = accounts()
  const { USDC, DAI } = world.market.tokens
  const newcomer = numbered('ab')
  const held = (who: string, search = '') => request(`${world.url}/sepolia/address/${who}/balances${search}`)
  const answer = await eventually('transfers are indexed', async () => {
    const answer = await held(account)
    return answer.body.balances?.[USDC.address] && answer
  })
  expect(answer.headers.get('cache-control')).toBe('public, max-age=5')
  const tokens = Object.values(world.market.tokens).map(({ address }) => address)
  const expected = async (who: Address) => {
    const read = tokens.map(async (token) => [token, await world.balanceOf(token, who)] as const)
    const all = [[nativeMarker, await world.coinOf(who)] as const, ...(await Promise.all(read))]
    return Object.fromEntries(all.filter(([, balance]) => balance !== '0'))
  }
  expect(answer.body).toEqual({ balances: await expected(account) })
  expect((await held(newcomer)).body).toEqual({ balances: {} })
  await world.write(other, USDC.address, 'transfer', [newcomer, 3n])
  await eventually('the newcomer is known to hold it', async () => {
    const { balances } = (await held(newcomer)).body
    return balances[USDC.address] === '3'
  })
  const fresh = await held(newcomer, `?ignoreCache=true&tokens=${nowhere},${DAI.address}`)
  expect([fresh.body, fresh.headers.get('cache-control')]).toEqual([
    { balances: { [USDC.address]: '3' } },
    'no-store',
  ])
  // Until the index of a token is complete, the token is read for everybody.
  const stranger =
    '{ account(address: "0x00000000000000000000000000000000000000ab") { balances { nodes { token { address } balance } } } }'
  const nodes = await eventually('the index knows that a stranger holds nothing', async () => {
    const { data } = await graphql(stranger, {})
    return data?.account.balances.nodes.length === 1 && data.account.balances.nodes
  })
  expect(nodes).toEqual([{ token: { address: nativeMarker }, balance: '0' }])
})

test('Account.balances: pages, worth, and states told apart', async () => {
  const [account] = accounts()
  const { USDC, WETH } = world.market.tokens
  const query = `query ($account: Address!, $tokens: [TokenAddress!], $first: Int!, $after: String) {
    account(address: $account) {
      address
      balances(tokens: $tokens, first: $first, after: $after) {
        block
        pageInfo { hasNextPage hasPreviousPage endCursor }
        edges { cursor node { token { symbol } state balance allowance nativeValue usdValue } }
      }
    }
  }`
  const tokens = [USDC.address, nowhere, '-', WETH.address]
  const page = async (first: number, after?: string) => {
    const { errors, data } = await graphql(query, { account, tokens, first, after })
    return errors ?? data.account.balances
  }
  const one = await page(3)
  const known = expect.stringMatching(/^[1-9][0-9]*$/)
  expect(one.edges.map(({ node }: { node: unknown }) => node)).toMatchObject([
    { token: { symbol: 'USDC' }, state: 'KNOWN', balance: await world.balanceOf(USDC.address, account) },
    { state: 'ABSENT', balance: null, allowance: null, nativeValue: null, usdValue: null },
    { token: { symbol: 'ETH' }, state: 'KNOWN', balance: known, allowance: null },
  ])
  const [usdc, , coin] = one.edges.map(({ node }: { node: unknown }) => node)
  // A dollar and a 3,000th of the coin for each.
  expect(Number(usdc.usdValue)).toBeCloseTo(Number(usdc.balance) / 1e6, -2)
  expect(Number(usdc.nativeValue) / 1e18).toBeCloseTo(Number(usdc.balance) / 1e6 / 3_000, -1)
  expect(coin.nativeValue).toBe(coin.balance)
  expect(Number(coin.usdValue) / (Number(coin.balance) / 1e18)).toBeCloseTo(3_000, -2)
  expect(one.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  expect(one.block).toBeGreaterThan(0)
  const two = await page(3, one.pageInfo.endCursor)
  expect(two.edges.map(({ node }: { node: { token: object } }) => node.token)).toEqual([{ symbol: 'WETH' }])
  expect(two.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  for (const [first, after] of [
    [0, undefined],
    [3, 'nonsense'],
    [3, Buffer.from(`b${numbered('77')}`).toString('base64url')],
  ] as const) {
    const [error] = await page(first, after)
    expect([error.extensions.code, error.extensions.field]).toEqual([
      'InvalidParameter',
      after ? 'after' : 'first',
    ])
  }
})

test('who ask about one block share one request to the node, and one read of each balance', async () => {
  const [account] = accounts()
  const { USDC, DAI } = world.market.tokens
  const search = `?tokens=${USDC.address},${DAI.address},-`
  await eventually('at once for all', async () => {
    const [start, before] = [world.way.requests.length, await world.blockNumber()]
    const answers = await Promise.all(Array.from({ length: 30 }, () => request(url(account, search))))
    const asked = world.way.requests.slice(start)
    const asking = (method: string) => asked.filter((methods) => methods.includes(method)).length
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    // Others ask the node too, and a busy machine spreads the thirty over more time.
    const isOneBlock = (await world.blockNumber()) === before
    return isOneBlock && asking('eth_call') <= 3 && asking('eth_getBlockByNumber') < 15
  })
})

test('7. the stream: all first, then each change, with an id behind which it resumes', async () => {
  const [from, account] = accounts()
  const { USDC, DAI } = world.market.tokens
  const typed = account.toUpperCase().replace('0X', '0x')
  const path = url(typed, `/sse?tokens=${USDC.address},${DAI.address},-,${nowhere}`)
  await using stream = await openEvents(path)
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(stream.headers.get('cache-control')).toBe('no-cache')
  expect(stream.headers.get('access-control-allow-origin')).toBe('*')
  const [first] = await eventually('the first event', () => stream.events.length > 0 && stream.events)
  expect(stream.retry()).toBeGreaterThanOrEqual(1_000)
  const [usdc, dai, coin] = first?.data.balances ?? []
  expect(first).toMatchObject({ event: 'initial_balances', id: expect.stringMatching(/^\d+-\w+$/) })
  expect(usdc).toEqual(await usdcOf(account))
  expect([dai.token.symbol, coin.token.symbol, first?.data.balances.length]).toEqual(['DAI', 'ETH', 3])

  const started = Date.now()
  await world.write(from, USDC.address, 'transfer', [account, 12_345n])
  const update = await eventually('the transfer', () => stream.events[1])
  expect(update).toEqual({
    event: 'balance_update',
    id: expect.stringMatching(/^\d+-\w+$/),
    data: {
      type: 'balance_change',
      chainId: 11155111,
      userAddress: typed,
      tokenAddress: USDC.address,
      timestamp: expect.any(Number),
      oldBalance: usdc.balance,
      newBalance: String(BigInt(usdc.balance) + 12_345n),
    },
  })
  expect(update.data.timestamp).toBeGreaterThanOrEqual(started)
  await world.write(account, DAI.address, 'approve', [world.market.network.vaultRelayer, 77n])
  const approval = await eventually('the approval', () =>
    stream.events.find(({ data }) => data.type === 'allowance_change'),
  )
  expect(approval.data).toMatchObject({
    tokenAddress: DAI.address,
    oldAllowance: dai.allowance,
    newAllowance: '77',
  })

  // The account pays for the approval in the same block: both events come at once, and the last has the id.
  const id = await eventually('all of the block', async () => {
    const coins = stream.events.findLast(({ data }) => data.tokenAddress === nativeMarker)
    return coins?.data.newBalance === (await world.coinOf(account)) && stream.lastId()
  })
  await using resumed = await openEvents(path, { 'last-event-id': id })
  await eventually('it is open', () => resumed.retry())
  await world.write(from, USDC.address, 'transfer', [account, 1n])
  const next = await eventually('what changes', () => resumed.events[0])
  expect(next.data).toMatchObject({ type: 'balance_change', tokenAddress: USDC.address })
  await using late = await openEvents(`${path}&lastEventId=${id}`)
  const missed = await eventually('what it missed', () => late.events[0])
  expect([missed.event, missed.data.balances[0].balance]).toEqual([
    'initial_balances',
    await world.balanceOf(USDC.address, account),
  ])
})

test('7. limits: 1,500 tokens of a stream, five streams of a client and an account', async () => {
  const [, , account] = accounts() as [Address, Address, Address]
  const { USDC } = world.market.tokens
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  const post = (tokens: unknown) => request(url(account, '/sse'), 'POST', { tokens })
  for (const [tokens, message] of [
    [many(1_501), 'tokens must name at most 1500 tokens'],
    [[], 'tokens must name a token'],
    [undefined, 'tokens is required'],
  ]) {
    const answer = await post(tokens)
    expect([answer.status, answer.body]).toEqual([400, { message }])
  }
  const body = { tokens: [...many(1_499), USDC.address] }
  await using large = await openEvents(url(account, '/sse'), {}, body)
  const first = await eventually('all of 1,500 tokens', () => large.events[0])
  expect(first.data.balances.at(-1)).toEqual(await usdcOf(account))
  const path = url(account, `/sse?tokens=${USDC.address}`)
  const more = await Promise.all(Array.from({ length: 4 }, () => openEvents(path)))
  const refused = await request(path)
  expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['message']])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await more[0]?.[Symbol.asyncDispose]()
  const again = await eventually('there is room again', () => openEvents(path).catch(() => undefined))
  for (const stream of [...more, again]) await stream[Symbol.asyncDispose]()
})

test('7. a node that is away is an event, and all balances follow when it is back', async () => {
  const [from, account] = accounts()
  const { USDC } = world.market.tokens
  await using stream = await openEvents(url(account, `/sse?tokens=${USDC.address}`))
  await eventually('the first event', () => stream.events.length === 1)
  world.way.close()
  const away = await eventually('word of the outage', () => stream.events[1])
  expect([away.event, away.data.code, away.id]).toEqual(['error', 'Unavailable', undefined])
  const refused = await request(url(account, `?tokens=${USDC.address}`))
  expect([refused.status, Object.keys(refused.body)]).toEqual([503, ['message']])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await world.write(from, USDC.address, 'transfer', [account, 9n])
  world.way.open()
  const back = await eventually('all of it', () => stream.events[2])
  expect([back.event, back.data.balances]).toEqual(['initial_balances', [await usdcOf(account)]])
})

test('a session of balances: the same source, with amounts alone', async () => {
  const [from, account] = accounts()
  const { USDC } = world.market.tokens
  const id = randomUUID()
  const customTokens = [USDC.address, '-', nowhere]
  const begun = await fetch(`${world.url}/11155111/sessions/${account}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-id': id },
    body: JSON.stringify({ customTokens }),
  })
  expect(begun.status).toBe(201)
  await using stream = await openEvents(`${world.url}/sse/11155111/balances/${account}?client_id=${id}`)
  const first = await eventually('all balances', () => stream.events[0])
  const before = await world.balanceOf(USDC.address, account)
  expect([first.event, first.data]).toEqual([
    'balance_update',
    { balances: { [USDC.address]: before, [nativeMarker]: await world.coinOf(account) } },
  ])
  await world.write(from, USDC.address, 'transfer', [account, 5n])
  const update = await eventually('the transfer', () => stream.events[1])
  expect(update.data).toEqual({ balances: { [USDC.address]: String(BigInt(before) + 5n) } })
})
