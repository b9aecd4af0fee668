import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// Each type of notification, and each way an order ends, through the interfaces of the whole program.
const coin = 10n ** 18n
const contracts = new Interface([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function invalidateOrder(bytes orderUid)',
])

let world: World
beforeAll(async () => {
  world = await startWorld({
    environment: {
      ORDER_MIN_VALIDITY: '1',
      ADMIN_API_KEY: 'operator-of-the-tests',
      NOTIFICATION_LEAST_IMPROVEMENT: '0.0001',
      FEE_POLICIES: '[]',
    },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const trader = (account: number) => createTrader(world.url, world.market, account)
const tokenOf = (symbol: TokenSymbol) => world.market.tokens[symbol].address
/** Never filled. */
const far = { sell: 'COW', buy: 'USDC', sellAmount: 10n * coin, buyAmount: 10n ** 12n } as const

async function place(wish: OrderWish, account: number, metadata?: object): Promise<string> {
  const document = metadata && JSON.stringify({ version: '1.3.0', metadata })
  const order = await trader(account).sign({
    ...wish,
    ...(document && { appDataHash: keccakText(document) }),
  })
  const body = document ? { ...order, appData: document, appDataHash: keccakText(document) } : order
  const answer = await request(`${trader(account).base}/api/v1/orders`, 'POST', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function send(account: number, to: string, name: string, ...args: unknown[]): Promise<void> {
  const data = contracts.encodeFunctionData(name, args)
  const from = trader(account).address
  const { rpc } = world.chain
  await rpc.call('anvil_impersonateAccount', [from])
  const hash = await rpc.call('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }])
  await eventually('it is mined', async () => {
    const receipt = await rpc.call<{ status: string } | null>('eth_getTransactionReceipt', [hash])
    return receipt?.status === '0x1'
  })
}

async function balanceOf(account: number, token: TokenSymbol): Promise<bigint> {
  const data = contracts.encodeFunctionData('balanceOf', [trader(account).address])
  return BigInt(await world.chain.rpc.call<string>('eth_call', [{ to: tokenOf(token), data }, 'latest']))
}

interface Notified {
  type: string
  message: string
  metadata: Record<string, string>
}

/** The first notification of this type about an order, once it is there. */
function notified(account: number, uid: string, type: string): Promise<Notified> {
  return eventually(
    `${type} is notified`,
    async () => {
      const list: Notified[] = await trader(account).notifications()
      return list.find((item) => item.type === type && item.metadata.orderId === uid)
    },
    20_000,
  )
}

/** How the order ended: its status, its last event, and its progress in both interfaces. */
async function endingOf(account: number, uid: string) {
  const { base } = trader(account)
  const data = await graphql(
    world.url,
    `query ($uid: OrderUid!) { order(uid: $uid) { status progress { stage }
      events(last: 1) { nodes { label reason source txHash replacedBy { uid } } } } }`,
    { uid },
  )
  const { body: report } = await request(`${base}/api/v1/debug/order/${uid}`)
  const { body: status } = await request(`${base}/api/v1/orders/${uid}/status`)
  const { status: exact, progress, events } = data.order
  const { label, reason } = report.events.at(-1)
  return {
    status: exact,
    stage: progress.stage,
    event: events.nodes[0],
    rest: [report.order.status, status.type, label, reason],
  }
}

/** For appData: late enough that something else happens before. */
const soon = () => Math.floor(Date.now() / 1000) + 5

const noDetails = { reason: null, source: null, txHash: null, replacedBy: null }

test('an order of which the price rises after its quote is filled at a better one', async () => {
  const sale = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 2_800n * 10n ** 6n } as const
  const uid = await place(sale, 0, { validFrom: soon() })
  const purchase = { sell: 'USDC', buy: 'WETH', sellAmount: 30_000n * 10n ** 6n, buyAmount: 1n } as const
  await notified(1, await place(purchase, 1), 'order_filled')
  const amounts = '1 WETH for [23],\\d{3}(\\.\\d{1,2})? USDC'
  expect((await notified(0, uid, 'order_filled')).message).toMatch(new RegExp(`^Order filled: ${amounts}$`))
  const { message, metadata } = await notified(0, uid, 'price_improvement')
  expect(message).toMatch(
    new RegExp(
      `^Order filled, at a better price: [\\d,.]+ USDC \\([\\d.]+ %\\) more than the limit, [\\d.]+ USDC more than quoted, ${amounts}$`,
    ),
  )
  const [gain, reference] = [BigInt(metadata.improvementAmount ?? 0), BigInt(metadata.referenceAmount ?? 0)]
  expect(metadata).toMatchObject({ reference: 'limit', executedAmount: String(gain + reference) })
  expect(Number(metadata.improvementShare)).toBeCloseTo(Number(gain) / Number(reference), 5)
  const beyond = BigInt(metadata.quoteImprovementAmount ?? 0)
  expect(beyond).toBeGreaterThan(0n)
  expect(BigInt(metadata.quotedAmount ?? 0) + beyond).toBe(gain + reference)
  expect(await endingOf(0, uid)).toMatchObject({
    status: 'FULFILLED',
    stage: 'TRADED',
    rest: ['fulfilled', 'traded', 'traded', undefined],
  })
})

test('an order that its owner can pay in part is filled in part; then the balance is missing, and is there again', async () => {
  const balance = await balanceOf(2, 'COW')
  const wish = {
    sell: 'COW',
    buy: 'USDC',
    sellAmount: 100n * coin,
    buyAmount: 10n ** 6n,
    partiallyFillable: true,
  } as const
  const uid = await place(wish, 2, { validFrom: soon() })
  await send(2, tokenOf('COW'), 'transfer', trader(3).address, balance - 60n * coin)
  const part = await notified(2, uid, 'order_partially_filled')
  expect(part.message).toMatch(/^Order partially filled \(60 %\): 60 COW for [\d.]+ USDC$/)
  const short = await notified(2, uid, 'insufficient_balance')
  expect(short.message).toBe('Balance too low, 40 COW missing: sell 100 COW for at least 1 USDC, 60 % filled')
  expect(short.metadata).toEqual({
    orderId: uid,
    chainId: world.market.network.chainId,
    token: tokenOf('COW'),
    missingBalance: String(40n * coin),
  })
  await send(3, tokenOf('COW'), 'transfer', trader(2).address, balance - 60n * coin)
  expect((await notified(2, uid, 'order_filled')).message).toMatch(/^Order filled: 40 COW for [\d.]+ USDC$/)
})

test('an allowance that is taken back is missing', async () => {
  const uid = await place(far, 3)
  await send(3, tokenOf('COW'), 'approve', world.market.network.vaultRelayer, 4n * coin)
  const short = await notified(3, uid, 'insufficient_balance')
  expect(short.message).toBe(
    'Allowance too low, 6 COW more to be approved: sell 10 COW for at least 1,000,000 USDC',
  )
  expect(short.metadata).toMatchObject({ missingAllowance: String(6n * coin) })
  const query = `query ($account: Address!) { account(address: $account) { latestNotifications(first: 1) {
    ... on InsufficientBalanceNotification { missingBalance missingAllowance token { symbol } order { uid } } } } }`
  const { account } = await graphql(world.url, query, { account: trader(3).address })
  expect(account.latestNotifications).toEqual([
    { missingBalance: null, missingAllowance: String(6n * coin), token: { symbol: 'COW' }, order: { uid } },
  ])
})

test('an order whose time passes expires', async () => {
  const uid = await place({ ...far, validTo: Math.floor(Date.now() / 1000) + 3 }, 0)
  const { message, metadata } = await notified(0, uid, 'order_expired')
  expect(message).toBe('Order expired: sell 10 COW for at least 1,000,000 USDC')
  expect(metadata.validTo).toBe(Number(`0x${uid.slice(-8)}`))
  expect(await endingOf(0, uid)).toEqual({
    status: 'EXPIRED',
    stage: 'EXPIRED',
    event: { ...noDetails, label: 'EXPIRED' },
    rest: ['expired', 'open', 'expired', undefined],
  })
})

test('a cancellation names its source: the owner, the operator, a newer order, the chain', async () => {
  const [byOwner, byPolicy, replaced, onChain] = (await Promise.all(
    [1n, 2n, 3n, 4n].map((more) => place({ ...far, buyAmount: far.buyAmount + more }, 4)),
  )) as [string, string, string, string]
  const cancelled = async (uid: string) => {
    const { message, metadata } = await notified(4, uid, 'order_cancelled')
    const { orderId: _, chainId: __, ...more } = metadata
    return { message: message.split(':')[0], metadata: more, ...(await endingOf(4, uid)) }
  }
  const ended = (event: object, stage: string, reason?: string) => ({
    status: 'CANCELLED',
    stage,
    event: { ...noDetails, label: 'CANCELLED', ...event },
    rest: ['cancelled', 'cancelled', 'cancelled', reason],
  })

  expect(await trader(4).cancel([byOwner])).toMatchObject({ status: 200 })
  expect(await cancelled(byOwner)).toEqual({
    message: 'Order cancelled',
    metadata: { source: 'api' },
    ...ended({ source: 'API' }, 'CANCELLED'),
  })

  await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer operator-of-the-tests' },
    body: JSON.stringify({
      query:
        'mutation ($input: CancelOrdersByPolicyInput!) { cancelOrdersByPolicy(input: $input) { __typename } }',
      variables: { input: { orderUids: [byPolicy], reason: 'sanctions' } },
    }),
  })
  expect(await cancelled(byPolicy)).toEqual({
    message: 'Order cancelled by the operator',
    metadata: { source: 'policy', reason: 'sanctions' },
    ...ended({ source: 'POLICY', reason: 'POLICY' }, 'CANCELLED', 'policy: sanctions'),
  })

  const newer = await place({ ...far, buyAmount: 2n * far.buyAmount }, 4, {
    replacedOrder: { uid: replaced },
  })
  expect(await cancelled(replaced)).toEqual({
    message: 'Order replaced by a new one',
    metadata: { source: 'replacement', replacedBy: newer },
    ...ended({ source: 'REPLACEMENT', replacedBy: { uid: newer } }, 'REPLACED', `replacement: ${newer}`),
  })

  await send(4, world.market.network.settlement, 'invalidateOrder', onChain)
  const { metadata, ...ending } = await cancelled(onChain)
  const { txHash } = metadata
  expect(metadata).toEqual({ source: 'chain', txHash: expect.stringMatching(/^0x/) })
  expect(ending).toEqual({
    message: 'Order cancelled on chain',
    ...ended({ source: 'CHAIN', txHash }, 'INVALIDATED', `chain: ${txHash}`),
  })
})
