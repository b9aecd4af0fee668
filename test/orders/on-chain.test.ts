import { SigningKey } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChain } from '../../src/chain/chain.ts'
import { createOrderCheck } from '../../src/chain/order/order-check.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { settlementDeployments } from '../../src/dev/chain/settlement-contracts.ts'
import type { Hook } from '../../src/domain/app-data/document.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { orderDigest } from '../../src/domain/signing/signing.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import {
  type DeployedToken,
  deployToken,
  frozenToken,
  hostileWallets,
  impersonate,
  permitHook,
  putTrampoline,
  putWallet,
} from '../chain/contracts.ts'
import { type Behaviour, startScriptedNode } from '../chain/scripted-node.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, signingDomain } from '../fakes/order.ts'
import { alice, bob, createOrderServices, signedOrder, testTime } from '../fakes/order-services.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { type Evm, startEvm } from '../setup/evm.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { type Answer, request } from '../setup/trader.ts'

const network = {
  ...sampleNetwork,
  vaultRelayer: address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'),
  hooksTrampoline: address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006'),
}
const wallet = address('0x1000000000000000000000000000000000000001')

let evm: Evm
let token: DeployedToken
let server: TestServer
/** The order services, over the node that the current test uses. */
let services: Partial<OrderServices>

beforeAll(async () => {
  evm = await startEvm()
  for (const deployment of settlementDeployments()) await evm.send(deployment)
  await putTrampoline(evm.rpc, network.hooksTrampoline, network.settlement)
  await putWallet(evm.rpc, wallet, alice.address)
  token = await deployToken(evm)
  for (const account of [wallet, alice.address]) await endow(account)
  server = await openTestServer({
    network,
    placeOrder: (creation) =>
      placeOrder(creation, createOrderServices(server.database.db, { network, ...services })),
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await evm[Symbol.asyncDispose]()
})

async function endow(account: Address): Promise<void> {
  await impersonate(evm.rpc, account)
  await token.write('mint', [account, 10n ** 18n])
  await token.write('approve', [network.vaultRelayer, 10n ** 18n], account)
}

const slowness = '510'.repeat(12)
const slowWallet = (digit: number) => address(`0x${slowness}000${digit}`)

/** A node in front of the chain that never answers calls that run the code of slow wallets. */
function startSlowNode() {
  return startScriptedNode({
    answer: ({ method, params }) =>
      JSON.stringify(params).includes(slowness) ? new Promise(() => {}) : forward(method, params),
  })
}

async function forward(method: string, params: unknown[]) {
  return { result: await evm.rpc.call(method, params) }
}

const forwarding: Behaviour = { answer: ({ method, params }) => forward(method, params) }

function over(url: string, more: { timeoutMs?: number; atOnce?: number } = {}): Partial<OrderServices> {
  const { timeoutMs = 1_000, atOnce = 4 } = more
  const chain = createChain({ rpc: createRpc({ url, log: silentLog, timeoutMs, backoffMs: 1 }), network })
  return {
    spendable: async (owner, token) =>
      (await chain.spendable([{ owner, token }]))[0] ?? { balance: 0n, allowance: 0n },
    checkOrder: createOrderCheck({
      rpc: createRpc({ url, log: silentLog, timeoutMs, retries: 0 }),
      network,
      limits: { signatureGas: 1_000_000n, interactionGas: 8_000_000n, atOnce },
    }),
  }
}

let validTo = testTime + 600
type Wish = Parameters<typeof signedOrder>[0]

/** A different order on each call. */
const wish = (more: Wish = {}): Wish => ({ sellToken: token.address, validTo: validTo++, ...more })
/** Signed by Alice, for the wallet. */
function walletOrder(from: Address = wallet, more: Wish = {}) {
  const order = signedOrder({ ...wish(more), signingScheme: 'eip1271', from, signature: '0x' })
  const digest = orderDigest(signingDomain, { ...order, appData: order.appData.hash })
  return { ...order, signature: alice.sign('eip712', digest) }
}

function post(order: ReturnType<typeof signedOrder>): Promise<Answer> {
  const body = {
    ...order,
    sellAmount: String(order.sellAmount),
    buyAmount: String(order.buyAmount),
    feeAmount: String(order.feeAmount),
    appData: order.appData.appData,
  }
  return request(`${server.url}/sepolia/api/v1/orders`, 'POST', body)
}

const withHooks = (...pre: Hook[]) =>
  JSON.stringify({
    metadata: { hooks: { pre: pre.map((hook) => ({ ...hook, gasLimit: String(hook.gasLimit) })) } },
  })

async function putCode(at: Address, code: Hex): Promise<Address> {
  await evm.rpc.call('anvil_setCode', [at, code])
  return at
}

describe('over a chain that answers', () => {
  let node: Awaited<ReturnType<typeof startScriptedNode>>
  beforeAll(async () => {
    node = await startScriptedNode(forwarding)
    services = over(node.url)
  })
  afterAll(() => node[Symbol.asyncDispose]())

  test('a contract wallet places an order with a signature that it accepts', async () => {
    const order = walletOrder()
    const { status, body: uid } = await post(order)
    expect([status, uid]).toEqual([201, expect.stringMatching(/^0x[0-9a-f]{112}$/)])
    const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
    expect(body).toMatchObject({ owner: wallet, signingScheme: 'eip1271', signature: order.signature })
  })

  test('a signature for another order is refused', async () => {
    const { signature } = walletOrder()
    const { status, body } = await post({ ...walletOrder(), signature })
    expect([status, body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
    expect(body.description).toContain(`isValidSignature of ${wallet} does not accept`)
  })

  test.each(Object.entries(hostileWallets))(
    'the signature of a wallet that %s is refused',
    async (_, code) => {
      const hostile = await putCode(address('0x1000000000000000000000000000000000000bad'), code)
      const { status, body } = await post(walletOrder(hostile))
      expect([status, body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
    },
  )

  test("the gas of the wallet's signature check counts as gas of the order", async () => {
    const { limits } = createOrderServices(server.database.db)
    const answering = services
    services = { ...answering, limits: { ...limits, maxGas: 1_000n } }
    const { body } = await post(walletOrder())
    services = answering
    expect(body.errorType).toBe('TooMuchGas')
    expect(Number(body.data.need)).toBeGreaterThan(3_000)
  })

  test('an account without code cannot have a contract signature', async () => {
    const { body } = await post(walletOrder(bob.address))
    expect(body.errorType).toBe('InvalidEip1271Signature')
    expect(body.description).toContain(`${bob.address} has no code`)
  })

  test('the signature is checked before the balance, the balance before the allowance', async () => {
    const poor = address('0x1000000000000000000000000000000000000002')
    await putWallet(evm.rpc, poor, alice.address)
    const { signature } = walletOrder()
    expect((await post({ ...walletOrder(poor), signature })).body.errorType).toBe('InvalidEip1271Signature')
    expect((await post(walletOrder(poor))).body).toMatchObject({
      errorType: 'InsufficientBalance',
      data: { have: '0', need: String(10n ** 18n) },
    })
    await token.write('mint', [poor, 10n ** 18n])
    expect((await post(walletOrder(poor))).body).toMatchObject({
      errorType: 'InsufficientAllowance',
      data: { have: '0', spender: network.vaultRelayer },
    })
  })

  test('a presign order needs no call, and an order without hooks or wallet code runs no code', async () => {
    node.requests.length = 0
    const presign = signedOrder(wish({ signingScheme: 'presign', from: bob.address }))
    expect((await post(presign)).status).toBe(201)
    expect(node.requests).toEqual([])
    expect((await post(signedOrder(wish()))).status).toBe(201)
    expect(node.requests.flat().map(({ params }) => params.length)).toEqual([2])
  })

  test('a pre-hook with a permit sets the allowance', async () => {
    const key = new SigningKey(`0x${'02'.repeat(32)}`)
    await token.write('mint', [bob.address, 10n ** 18n])
    const hook = (value: bigint) =>
      permitHook({ chainId: 31337, token: token.address }, key, network.vaultRelayer, value)
    const place = (document: string) => post(signedOrder(wish({ document }), bob))
    expect((await place('{}')).body).toMatchObject({
      errorType: 'InsufficientAllowance',
      data: { have: '0' },
    })
    expect((await place(withHooks(hook(5n)))).body).toMatchObject({
      errorType: 'InsufficientAllowance',
      data: { have: '5' },
    })
    expect((await place(withHooks(hook(10n ** 18n)))).status).toBe(201)
  })

  test('a token that reverts its transfer is refused with the revert data', async () => {
    const sellToken = await putCode(address(`0x${'f0'.repeat(20)}`), frozenToken(0xdeadn))
    const { status, body } = await post(walletOrder(wallet, { sellToken }))
    const revert = `0x${'dead'.padStart(64, '0')}`
    expect([status, body]).toEqual([
      400,
      {
        errorType: 'TransferSimulationFailed',
        description: expect.stringContaining(revert),
        data: { revert },
      },
    ])
  })

  test('a token that takes a fee on transfers is accepted', async () => {
    const feeToken = await deployToken(evm, 'FeeToken')
    await feeToken.write('mint', [wallet, 10n ** 18n])
    await feeToken.write('approve', [network.vaultRelayer, 10n ** 18n], wallet)
    expect((await post(walletOrder(wallet, { sellToken: feeToken.address }))).status).toBe(201)
  })
})

describe('wallets that hang', () => {
  test('are refused, and do not delay other orders', async () => {
    await using node = await startSlowNode()
    services = over(node.url, { atOnce: 2 })
    const refused: Answer[] = []
    const orders = [walletOrder(slowWallet(1)), walletOrder(slowWallet(1)), walletOrder(slowWallet(1))]
    const griefing = orders.map((order) => post(order).then((answer) => refused.push(answer)))
    expect((await post(signedOrder(wish()))).status).toBe(201)
    expect((await post(walletOrder())).status).toBe(201)
    expect(refused.length).toBeLessThan(3)
    await Promise.all(griefing)
    for (const { status, body } of refused) {
      expect([status, body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
      expect(body.description).toContain('does not end in the time it is given')
    }
  })

  test('and hooks that hang are refused too', async () => {
    await using node = await startSlowNode()
    services = over(node.url)
    const document = withHooks({ target: slowWallet(7), callData: '0x', gasLimit: 1n })
    const { status, body } = await post(signedOrder(wish({ document })))
    expect([status, body.errorType]).toEqual([400, 'TransferSimulationFailed'])
    expect(body.description).toContain('do not end in the time they are given')
  })

  test('queue for a slot, up to a limit', async () => {
    await using node = await startSlowNode()
    services = over(node.url, { atOnce: 1 })
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((digit) => post(walletOrder(slowWallet(digit)))))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([400, 400, 400, 400, 503, 503])
    expect(answers.find(({ status }) => status === 503)?.body.errorType).toBe('Unavailable')
    expect((await post(walletOrder())).status).toBe(201)
  })
})

describe('a node that', () => {
  test.each<[string, Behaviour]>([
    ['hangs', 'silence'],
    ['is down', 'hang up'],
    ['answers garbage', { answer: () => ({ result: 'garbage' }) }],
    ['has lost its state', { answer: () => ({ error: { code: -32000, message: 'missing trie node' } }) }],
    [
      'has had enough',
      { answer: () => ({ error: { code: -32005, message: 'daily request count exceeded' } }) },
    ],
  ])('%s stops new orders, and reads continue', async (_, behaviour) => {
    await using healthy = await startScriptedNode(forwarding)
    services = over(healthy.url)
    const { body: uid } = await post(signedOrder(wish()))
    await using node = await startScriptedNode(behaviour)
    services = over(node.url, { timeoutMs: 100 })
    const hook = { target: dollar, callData: '0x' as const, gasLimit: 1n }
    const refused = await Promise.all([
      post(signedOrder(wish())),
      post(walletOrder()),
      post(signedOrder(wish({ document: withHooks(hook) }))),
    ])
    for (const { status, body } of refused) expect([status, body.errorType]).toEqual([503, 'Unavailable'])
    // Three tries of the plain read; one of each call that runs code, and one more to find the culprit.
    expect(node.requests.length).toBeLessThanOrEqual(7)
    expect((await request(`${server.url}/sepolia/api/v1/orders/${uid}`)).body.uid).toBe(uid)
    const held = await request(`${server.url}/sepolia/api/v1/account/${alice.address}/orders`)
    expect(held.status).toBe(200)
  })
})
