import { Wallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  appDataHash,
  CreateSignInChallengeDocument,
  cancelOrders,
  createClient,
  MarkNotificationsReadDocument,
  OrderDocument,
  placeOrder,
  QuoteDocument,
  type Signer,
  SignInDocument,
  waitForOrder,
} from '../../src/client/package.ts'
import { settlementPairs } from '../../src/domain/network/network.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ environment: { PUBLIC_URL: 'https://trade.example' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A `fetch` that loses the first mutations of a name (`before`), or only their answers (`after`). */
function losing(mutation: string, ways: ('before' | 'after')[]) {
  const sent: string[] = []
  const lossy: typeof fetch = async (input, init) => {
    if (!String(init?.body).includes(`mutation ${mutation}`)) return fetch(input, init)
    const way = ways[sent.push(String(init?.body)) - 1]
    if (way !== 'before') {
      const response = await fetch(input, init)
      if (way === undefined) return response
    }
    throw new TypeError('fetch failed')
  }
  return { sent, fetch: lossy }
}

const keyOf = (account: number) => (world.market.accounts[account]?.privateKey ?? '') as `0x${string}`

/** Wallets that sign for the first accounts, as applications have them. */
const signers: [name: string, account: number, open: () => Signer][] = [
  ['a signer of ethers', 0, () => new Wallet(keyOf(0))],
  ['an account of viem', 1, () => privateKeyToAccount(keyOf(1))],
  [
    'a wallet client of viem',
    2,
    () => createWalletClient({ account: privateKeyToAccount(keyOf(2)), transport: http(world.chain.rpcUrl) }),
  ],
  ['a provider of EIP-1193', 0, () => walletProvider(keyOf(0))],
]

/** A wallet that takes what MetaMask takes: a request with the account and the payload as JSON. */
function walletProvider(key: string) {
  const wallet = new Wallet(key)
  return {
    async request({ method, params }: { method: string; params?: unknown }) {
      if (method === 'eth_accounts') return [wallet.address]
      const [address, json] = params as [string, string]
      const { domain, types, message } = JSON.parse(json)
      if (method !== 'eth_signTypedData_v4' || address.toLowerCase() !== wallet.address.toLowerCase())
        throw Object.assign(new Error('not supported'), { code: 4200 })
      const { EIP712Domain, ...own } = types
      expect(EIP712Domain.map((member: { name: string }) => member.name)).toEqual(Object.keys(domain))
      return wallet.signTypedData(domain, own, message)
    },
  }
}

test.each(signers)(
  '%s places an order, which is awaited, and cancels another one',
  async (_, account, open) => {
    const client = createClient({ url: world.url, scalars: 'native' })
    const signer = open()
    const { WETH, USDC } = world.market.tokens
    const input = {
      from: new Wallet(keyOf(account)).address,
      sellToken: WETH.address,
      buyToken: USDC.address,
      amount: { sellBeforeFee: 10n ** 17n },
      appData: '{"appCode":"client"}',
    }
    const { quote } = await client.mutate(QuoteDocument, { input, slippageBps: 100 })
    expect(quote.expiration).toBeInstanceOf(Date)
    const placed = await placeOrder(client, { ...quote, signer })
    expect(placed.uid).toBe(quote.order.uid)
    expect(placed.sellAmount).toBe(quote.order.sellAmount)
    const filled = await waitForOrder(client, placed.uid)
    expect(filled.status).toBe('FULFILLED')
    expect(filled.executedBuyAmount).toBeGreaterThanOrEqual(quote.order.buyAmount)

    // The same order again is the same order.
    expect((await placeOrder(client, { ...quote, signer })).status).toBe('FULFILLED')

    const dear = { ...quote.order, buyAmount: quote.order.buyAmount * 2n }
    const open2 = await placeOrder(client, { ...quote, order: dear, signer })
    expect(open2.buyAmount).toBe(dear.buyAmount)
    const [cancelled] = await cancelOrders(client, [open2.uid], { signer })
    expect(cancelled?.status).toBe('CANCELLED')
    const { order } = await client.query(OrderDocument, { uid: open2.uid })
    expect(order?.invalidated).toBe(true)
  },
)

test.each<[ways: ('before' | 'after')[], sent: number]>([
  [['after'], 1],
  [['before'], 2],
  [['before', 'after'], 2],
])(
  'an order and a cancellation whose answers are lost (%j) are sent as often as needed',
  async (ways, count) => {
    const { WETH, USDC } = world.market.tokens
    const signer = new Wallet(keyOf(0))
    const order = {
      sellToken: WETH.address,
      buyToken: USDC.address,
      kind: 'SELL' as const,
      sellAmount: 10n ** 17n,
      // A price that nothing reaches.
      buyAmount: 10n ** 18n,
      validTo: Math.floor(Date.now() / 1_000) + 600 + 10 * count + ways.length,
      appData: appDataHash('{}'),
    }
    const placing = losing('PlaceOrder', ways)
    const placed = await placeOrder(createClient({ url: world.url, fetch: placing.fetch }), {
      order,
      signer,
      appData: '{}',
    })
    expect([placed.status, placing.sent.length]).toEqual(['OPEN', count])
    const cancelling = losing('CancelOrders', ways)
    const client = createClient({ url: world.url, fetch: cancelling.fetch })
    const [cancelled] = await cancelOrders(client, [placed.uid], { signer })
    expect([cancelled?.uid, cancelled?.status, cancelling.sent.length]).toEqual([
      placed.uid,
      'CANCELLED',
      count,
    ])
  },
)

test('what the service refuses is not sent again, and a wrong document is not sent at all', async () => {
  const { WETH, USDC } = world.market.tokens
  const order = {
    sellToken: WETH.address,
    buyToken: USDC.address,
    kind: 'SELL' as const,
    sellAmount: 10n ** 17n,
    buyAmount: 1n,
    validTo: 1_700_000_000,
    appData: appDataHash('{}'),
  }
  const placing = losing('PlaceOrder', [])
  const client = createClient({ url: world.url, fetch: placing.fetch })
  const signer = new Wallet(keyOf(0))
  await expect(placeOrder(client, { order, signer, appData: '{}' })).rejects.toMatchObject({
    code: 'OrderExpired',
  })
  await expect(placeOrder(client, { order, signer, appData: '{ }' })).rejects.toMatchObject({
    code: 'AppDataHashMismatch',
  })
  expect(placing.sent).toHaveLength(1)
  const refusing = {
    request: async () => Promise.reject(Object.assign(new Error('User rejected'), { code: 4001 })),
  }
  await expect(placeOrder(client, { order, signer: refusing, from: signer.address })).rejects.toMatchObject({
    code: 4001,
  })
})

const stranger = `0x${'ab'.repeat(20)}`
const { settlement } = settlementPairs.production

test.each<[field: string, changed: object]>([
  ['receiver', { receiver: stranger }],
  ['sellToken', { sellToken: stranger }],
  ['buyToken', { buyToken: stranger }],
  ['sellAmount', { sellAmount: 10n ** 18n }],
  ['feeAmount', { feeAmount: 1n }],
  ['kind', { kind: 'BUY' }],
  ['validTo', { validTo: 2 ** 32 - 1 }],
  ['partiallyFillable', { partiallyFillable: true }],
  ['settlementContract', { typedData: { domain: { chainId: 11_155_111, verifyingContract: stranger } } }],
  ['chainId', { typedData: { domain: { chainId: 1, verifyingContract: settlement } } }],
])('a quote with another %s than demanded is not signed', async (field, changed) => {
  const client = createClient({ url: world.url, scalars: 'native' })
  const { WETH, USDC } = world.market.tokens
  const from = new Wallet(keyOf(0)).address
  const input = {
    from,
    sellToken: WETH.address,
    buyToken: USDC.address,
    amount: { sellBeforeFee: 10n ** 17n },
    appData: '{"appCode":"client"}',
  }
  const { quote } = await client.mutate(QuoteDocument, { input, slippageBps: 100 })
  const asked: string[] = []
  const signer = {
    async request({ method }: { method: string }) {
      asked.push(method)
      return [from]
    },
  }
  const order = { ...quote.order, ...changed }
  const { chainId } = world.market.network
  const accepted = { input, chainId, slippageBps: 100, signer }
  await expect(placeOrder(client, { ...quote, order, ...accepted })).rejects.toMatchObject({
    code: 'InvalidParameter',
    field,
  })
  const document = {
    ...quote,
    quote: { ...quote.quote, appData: '{}' },
    order: { ...quote.order, appData: appDataHash('{}') },
  }
  await expect(placeOrder(client, { ...document, input, chainId, signer })).rejects.toMatchObject({
    field: 'appData',
  })
  expect(asked).not.toContain('eth_signTypedData_v4')
})

test('an order that has ended is found, although the first stream is refused', async () => {
  const { WETH, USDC } = world.market.tokens
  const signer = new Wallet(keyOf(0))
  const client = createClient({ url: world.url })
  const order = {
    sellToken: WETH.address,
    buyToken: USDC.address,
    kind: 'SELL' as const,
    sellAmount: 10n ** 17n,
    buyAmount: 10n ** 18n,
    validTo: Math.floor(Date.now() / 1_000) + 777,
    appData: appDataHash('{}'),
  }
  const { uid } = await placeOrder(client, { order, signer, appData: '{}' })
  await cancelOrders(client, [uid], { signer })
  let refused = 0
  const refusing: typeof fetch = async (url, init) =>
    String(url).includes('/stream') && refused++ === 0
      ? new Response('busy', { status: 503, headers: { 'retry-after': '0' } })
      : fetch(url, init)
  const waiting = createClient({ url: world.url, fetch: refusing })
  expect((await waitForOrder(waiting, uid, { signal: AbortSignal.timeout(30_000) })).status).toBe('CANCELLED')
  expect(refused).toBe(2)
})

test('an address that has no service ends a stream', async () => {
  const page: typeof fetch = async () => new Response('<html>', { status: 404 })
  const client = createClient({ url: world.url, fetch: page })
  const signal = AbortSignal.timeout(30_000)
  await expect(waitForOrder(client, `0x${'ab'.repeat(56)}`, { signal })).rejects.toMatchObject({
    code: 'InvalidQuery',
    status: 404,
  })
})

test('a session marks notifications as read', async () => {
  const wallet = new Wallet(keyOf(0))
  const account = wallet.address
  const client = createClient({ url: world.url })
  const { createSignInChallenge: challenge } = await client.mutate(CreateSignInChallengeDocument)
  const { nonce, domain, uri } = challenge
  const issuedAt = new Date().toISOString()
  const chainId = world.market.network.chainId
  const message = new SiweMessage({
    address: account,
    version: '1',
    chainId,
    nonce,
    domain,
    uri,
    issuedAt,
  }).prepareMessage()
  const input = { message, signature: await wallet.signMessage(message) }
  const { signIn } = await client.mutate(SignInDocument, { input })
  const upTo = '999999'
  await expect(
    client.mutate(MarkNotificationsReadDocument, { input: { account, upTo } }),
  ).rejects.toMatchObject({
    code: 'Unauthorized',
  })
  const own = createClient({ url: world.url, headers: { authorization: `Bearer ${signIn.token}` } })
  const { markNotificationsRead } = await own.mutate(MarkNotificationsReadDocument, {
    input: { account, upTo },
  })
  expect(markNotificationsRead.account.unreadNotifications).toBe(0)
})
