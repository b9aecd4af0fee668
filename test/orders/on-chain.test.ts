import { AbiCoder, computeAddress, getCreate2Address, keccak256, SigningKey } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChain } from '../../src/chain/chain.ts'
import { createHookCall, createOrderCheck } from '../../src/chain/order/order-check.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { settlementDeployments } from '../../src/dev/chain/settlement-contracts.ts'
import type { Hook } from '../../src/domain/app-data/document.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { type Hex, hexSize } from '../../src/domain/evm/hex.ts'
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
  readArtifact,
} from '../chain/contracts.ts'
import { type Behaviour, startScriptedNode } from '../chain/scripted-node.ts'
import { deployer, wrapSignature } from '../chain/undeployed.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, signingDomain } from '../fakes/order.ts'
import {
  alice,
  bob,
  createOrderServices,
  createTrader,
  signedOrder,
  testTime,
} from '../fakes/order-services.ts'
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
const coder = AbiCoder.defaultAbiCoder()

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
  const code = {
    rpc: createRpc({ url, log: silentLog, timeoutMs, retries: 0 }),
    network,
    limits: { signatureGas: 1_000_000n, interactionGas: 8_000_000n, atOnce },
  }
  const chain = createChain({ rpc: createRpc({ url, log: silentLog, timeoutMs, backoffMs: 1 }), network })
  return {
    spendable: async (owner, token) =>
      (await chain.spendable([{ owner, token }]))[0] ?? { balance: 0n, allowance: 0n },
    checkOrder: createOrderCheck(code),
    callHook: createHookCall(code),
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

describe('a smart account', () => {
  const validator = address(`0x${'7a'.repeat(20)}`)
  beforeAll(() => {
    services = over(evm.url)
  })

  /** An account that is not deployed, the hook that deploys it, and its funds. */
  async function undeployed(salt: number) {
    const { bytecode } = readArtifact('ContractWallet')
    const initCode = `${bytecode}${coder.encode(['address'], [alice.address]).slice(2)}`
    const salted = `0x${salt.toString(16).padStart(64, '0')}`
    const account = address(getCreate2Address(deployer, salted, keccak256(initCode)))
    await endow(account)
    // No account has code where one sent a transaction before.
    await evm.rpc.call('anvil_setNonce', [account, '0x0'])
    const callData = `${salted}${initCode.slice(2)}` as Hex
    const wrap = (signature: Hex) => wrapSignature(deployer, callData, signature)
    return { account, wrap, hook: { target: deployer, callData, gasLimit: 2_000_000n } }
  }

  /** ERC-7739: a signature with what it nests. */
  const nested = (signature: Hex, domain: Hex) => {
    const description = Buffer.from('Order(address sellToken)')
    const tail = `${description.toString('hex')}${description.length.toString(16).padStart(4, '0')}`
    return `${signature}${domain.slice(2)}${'cc'.repeat(32)}${tail}` as Hex
  }

  test('is told to send eip1271 where its signature is sent as that of a key', async () => {
    const order = signedOrder(wish())
    const prefixed = `${validator}${order.signature.slice(2)}` as Hex
    const domain = `0x${'d0'.repeat(32)}` as const
    for (const [signature, ...forms] of [
      [prefixed, `ERC-7579: prefixed with the validator module ${validator}`],
      [`0x01${prefixed.slice(2)}`, `ERC-7579: prefixed with the validator module ${validator}`],
      [nested(prefixed, domain), `ERC-7739: nested typed data, for the domain ${domain}`, 'ERC-7579'],
      [wrapSignature(deployer, '0x12', order.signature), 'ERC-6492: wrapped with the call of'],
      [`0x${'ab'.repeat(400)}`],
    ] as [Hex, ...string[]][]) {
      const { status, body } = await post({ ...order, signature })
      expect(status).toBe(400)
      expect(body.data.mistake).toBe('smart_account')
      for (const part of [`it has ${hexSize(signature)} bytes`, 'send signingScheme eip1271', ...forms])
        expect(body.description).toContain(part)
    }
  })

  test('that is deployed places an order with an ERC-6492 signature, which is stored without its wrapper', async () => {
    const order = walletOrder()
    const signature = wrapSignature(deployer, '0x12', order.signature)
    const { status, body: uid } = await post({ ...order, signature })
    expect([status, uid]).toEqual([201, expect.stringMatching(/^0x/)])
    const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
    expect(body).toMatchObject({ owner: wallet, signature: order.signature })
  })

  test('that a pre-hook deploys places one too; without the hook it has to be deployed first', async () => {
    const { account, wrap, hook } = await undeployed(1)
    const place = (document: string, signed: (signature: Hex) => Hex) => {
      const order = walletOrder(account, { document })
      return post({ ...order, signature: signed(order.signature) })
    }
    const without = await place('{}', wrap)
    expect([without.status, without.body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
    expect(without.body.description).toContain('deploy it first, or by a pre-hook of the order')
    for (const signed of [wrap, (signature: Hex) => signature]) {
      const { status, body: uid } = await place(withHooks(hook), signed)
      expect(status).toBe(201)
      const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
      expect([body.owner, hexSize(body.signature)]).toEqual([account, 65])
    }
  })

  test('whose signature is refused is told which standards it follows', async () => {
    const { signature } = walletOrder()
    const domain = `0x${'d0'.repeat(32)}` as const
    const { body } = await post({
      ...walletOrder(),
      signature: nested(`${validator}${signature.slice(2)}` as Hex, domain),
    })
    expect(body.errorType).toBe('InvalidEip1271Signature')
    expect(body.description).toContain(`ERC-7739: nested typed data, for the domain ${domain}`)
    expect(body.description).toContain(`ERC-7579: prefixed with the validator module ${validator}`)
    const cut = wrapSignature(deployer, '0x12', signature).slice(66)
    const malformed = await post({ ...walletOrder(), signature: `0x${cut}` as Hex })
    expect([malformed.status, malformed.body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
    expect(malformed.body.description).toContain('its wrapper cannot be decoded')
  })

  test('that is none is told to declare the scheme of its key', async () => {
    const { body } = await post(walletOrder(alice.address))
    expect(body).toMatchObject({
      errorType: 'InvalidEip1271Signature',
      data: { mistake: 'scheme', explanation: expect.stringContaining('declare signingScheme eip712') },
    })
  })

  test('of a key that delegates to code (EIP-7702) places orders by its key and by its code, with hooks too', async () => {
    const dave = createTrader('05', computeAddress(`0x${'05'.repeat(32)}`))
    const code = address('0x1000000000000000000000000000000000000702')
    await putWallet(evm.rpc, code, dave.address)
    await putCode(dave.address, `0xef0100${code.slice(2)}`)
    await endow(dave.address)
    const hook = { target: dollar, callData: '0x' as const, gasLimit: 1n }
    for (const document of ['{}', withHooks(hook)]) {
      for (const scheme of ['eip712', 'ethsign'] as const)
        expect((await post(signedOrder(wish({ document, signingScheme: scheme }), dave))).status).toBe(201)
      const byCode = (signer: typeof dave) => {
        const more = { signingScheme: 'eip1271', from: dave.address, signature: '0x' } as const
        const order = signedOrder({ ...wish({ document }), ...more })
        const digest = orderDigest(signingDomain, { ...order, appData: order.appData.hash })
        return { ...order, signature: signer.sign('eip712', digest) }
      }
      const { status, body: uid } = await post(byCode(dave))
      expect(status).toBe(201)
      const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
      expect([body.owner, body.signingScheme]).toEqual([dave.address, 'eip1271'])
      const refused = await post(byCode(alice))
      expect(refused.body.errorType).toBe('InvalidEip1271Signature')
    }
  })
})

describe('a permit that leaves no allowance', () => {
  beforeAll(() => {
    services = over(evm.url)
  })

  test('is named, with what it reverts with or is for', async () => {
    const carol = createTrader('03', computeAddress(`0x${'03'.repeat(32)}`))
    const key = new SigningKey(`0x${'03'.repeat(32)}`)
    await token.write('mint', [carol.address, 10n ** 18n])
    const permit = (spender: Address, value: bigint, signer = key) =>
      permitHook({ chainId: 31337, token: token.address }, signer, spender, value)
    const place = async (...hooks: Hook[]) => {
      const { body } = await post(signedOrder(wish({ document: withHooks(...hooks) }), carol))
      expect(body.errorType).toBe('InsufficientAllowance')
      return body
    }
    const whole = permit(network.vaultRelayer, 10n ** 18n)
    const broken = { ...whole, callData: `${whole.callData.slice(0, -2)}00` as Hex }
    const other = { target: dollar, callData: '0x' as const, gasLimit: 1n }
    const reverting = await place(other, broken)
    expect(reverting.description).toContain(
      'the order needs 1000000000000000000: its pre-hook 1, a permit, reverts: ',
    )
    expect(reverting.data).toMatchObject({ have: '0', permit: expect.stringContaining('reverts') })
    expect((await place(permit(wallet, 10n ** 18n))).data.permit).toBe(
      `its pre-hook 0, a permit, is for the spender ${wallet}`,
    )
    expect((await place(permit(network.vaultRelayer, 5n))).data.permit).toContain('is for 5 only')
    const ofOther = permit(network.vaultRelayer, 10n ** 18n, new SigningKey(`0x${'04'.repeat(32)}`))
    expect((await place(ofOther)).data.permit).toContain('not of the owner')
    expect((await place({ ...whole, gasLimit: 100n })).data.permit).toContain('reverts')
    const named = await place({ ...other, target: token.address, callData: '0xdeadbeef', gasLimit: 50_000n })
    expect(named.description).toContain(': its pre-hook 0 reverts: ')
    expect(named.data.preHook).toContain('its pre-hook 0 reverts')
    expect(named.data.permit).toBeUndefined()
    const approves = { target: token.address, callData: '0xdeadbeef', gasLimit: 50_000n } as const
    const second = await place({ ...whole, callData: '0x', gasLimit: 1n }, approves)
    expect(second.data.preHook).toContain('its pre-hook 0 reverts')
    expect((await post(signedOrder(wish({ document: withHooks(whole) }), carol))).status).toBe(201)
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
