import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, zeroAddress } from '../../src/domain/evm/address.ts'
import { composableCow, extensibleFallbackHandler } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import {
  calls,
  pollErrors,
  scriptedAbi,
  scriptedCode,
  type WalletCall,
  walletAbi,
  walletCall,
} from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { treeOf, word } from '../domain/programmatic/vectors.ts'
import { coin, conditionalOrders, postPart } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

const tokenAbi = new Interface(readArtifact('TestToken').abi)
let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
let second: Awaited<ReturnType<typeof startProgram>>
const environment = { ORDER_MIN_VALIDITY: '1' }
beforeAll(async () => {
  // Parts are as long as a few blocks. Two processes have the role.
  world = await startWorld({ environment, roles: ['serve', 'index', 'auction', 'tower'] })
  second = await startProgram(world, { ...unlimited, ...environment }, { roles: ['tower'] })
  wallets = await conditionalOrders(world)
})
afterAll(async () => {
  await second?.close()
  await world?.[Symbol.asyncDispose]()
})

const create = (owner: Address, params: ConditionalOrderParams) =>
  wallets.execute(owner, walletCall(composableCow, calls.createNow(params)))

const diagnosed = `status diagnosis { code text } nextPollAt nextPollBlock lastPoll { time block result reason }`

const shown = `status filledParts parts { nodes { index uid status order { creationDate validTo } } }
  orders { nodes { uid status } }`

async function read(owner: Address, params: ConditionalOrderParams, fields = shown) {
  const query = `query ($owner: Address!, $hash: Bytes32!) { programmaticOrder(owner: $owner, hash: $hash) { ${fields} } }`
  return (await graphql(world.url, query, { owner, hash: paramsId(params) })).programmaticOrder
}

test.concurrent('a TWAP of five parts trades to its end, each part placed once', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 5n, t: 6n })
  await wallets.mint(wallet, 500n * coin)
  await create(wallet, params)
  const order = await eventually(
    'all parts are filled',
    async () => {
      const found = await read(wallet, params)
      return found?.status === 'FILLED' && found
    },
    90_000,
  )
  expect(order).toMatchObject({ filledParts: 5 })
  const uids = order.parts.nodes.map(({ uid }: { uid: string }) => uid)
  expect(order.orders.nodes.map(({ uid }: { uid: string }) => uid)).toEqual(uids.toReversed())
}, 150_000)

/** Wallets without balance are explained first. */
const diagnosis = (owner: Address, params: ConditionalOrderParams, code: string) =>
  eventually(`the diagnosis ${code}`, async () => {
    const found = await read(owner, params, diagnosed)
    return found?.diagnosis.code === code && found
  })

test.concurrent('a part without balance is explained, goes on when funded, and the next comes in time', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 3n, t: 15n })
  await create(wallet, params)
  const { status, diagnosis: found, lastPoll } = await diagnosis(wallet, params, 'INSUFFICIENT_BALANCE')
  expect(status).toBe('ACTIVE')
  expect(found.text).toMatch(
    /^The owner has too little of the sell token for its part. The answer: “InsufficientBalance: /,
  )
  expect(lastPoll).toMatchObject({
    result: 'INSUFFICIENT_BALANCE',
    reason: found.text.split('“')[1].slice(0, -2),
  })
  await wallets.mint(wallet, 300n * coin)
  const order = await eventually(
    'all parts have ended',
    async () => {
      const found = await read(wallet, params, `${shown} startsAt`)
      return ['FILLED', 'PARTLY_FILLED'].includes(found.status) && found
    },
    90_000,
  )
  expect(order.filledParts).toBeGreaterThanOrEqual(2)
  const [, ...later] = order.parts.nodes
  for (const { index, order: part } of later) {
    const late = Date.parse(part.creationDate) / 1_000 - (Number(order.startsAt) + index * 15)
    expect(late).toBeLessThan(5)
  }
}, 150_000)

/** An order whose handler reverts with this error. */
async function scripted(error: string, zeros = 0, act = 1, count = 1) {
  const handler = await wallets.deploy(scriptedCode)
  await wallets.send(handler, scriptedAbi.encodeFunctionData('script', [act, error, zeros]))
  const wallet = await wallets.deployWallet()
  const made = Array.from({ length: count }, () => ({
    handler,
    salt: wallets.salt(),
    staticInput: '0x' as const,
  }))
  await wallets.execute(wallet, ...made.map((params) => walletCall(composableCow, calls.create(params))))
  return { wallet, params: made[0] as ConditionalOrderParams }
}

const revert = (name: string, ...values: unknown[]) => pollErrors.encodeErrorResult(name, values)

test.concurrent('the errors of handlers are obeyed', async () => {
  const at = 4_000_000_000
  const epoch = await scripted(revert('PollTryAtEpoch', at, 'far'))
  expect(await diagnosis(epoch.wallet, epoch.params, 'WAITING')).toMatchObject({
    nextPollAt: at,
    diagnosis: {
      text: 'No part can be traded before a later time or block. The answer: “PollTryAtEpoch: far”. Not before 2096-10-02T07:06:40Z.',
    },
  })
  const block = await scripted(revert('PollTryAtBlock', 1_000_000, 'high'))
  expect(await diagnosis(block.wallet, block.params, 'WAITING')).toMatchObject({ nextPollBlock: 1_000_000 })
  const never = await scripted(revert('PollNever', 'it\u202Eis over'))
  expect(await diagnosis(never.wallet, never.params, 'FINISHED')).toMatchObject({
    ...{ status: 'ENDED', nextPollAt: null },
    lastPoll: { result: 'ENDED', reason: 'PollNever: it is over' },
  })
  const soon = await scripted(revert('PollTryNextBlock', 'soon'))
  const first = await diagnosis(soon.wallet, soon.params, 'NOT_MET')
  await eventually('it is polled in later blocks', async () => {
    const { lastPoll } = await read(soon.wallet, soon.params, diagnosed)
    return lastPoll.block >= first.lastPoll.block + 3
  })
  const broken = await scripted('0x12345678')
  expect(await diagnosis(broken.wallet, broken.params, 'FAILED')).toMatchObject({ status: 'ACTIVE' })
  const paused = await eventually('a pause', async () => {
    const found = await read(broken.wallet, broken.params, diagnosed)
    return found.nextPollAt - Date.parse(found.lastPoll.time) / 1_000 >= 4 && found
  })
  expect(paused.lastPoll).toMatchObject({ result: 'FAILED', reason: 'Unknown' })
}, 150_000)

test.concurrent('hostile handlers do not delay the part of another owner', async () => {
  const loop = await scripted('0x', 0, 2, 12)
  const large = await scripted('0x', 60_000, 1, 12)
  expect(await diagnosis(loop.wallet, loop.params, 'FAILED')).toMatchObject({ lastPoll: { reason: 'Empty' } })
  expect(await diagnosis(large.wallet, large.params, 'FAILED')).toMatchObject({
    lastPoll: { reason: 'returns too much' },
  })
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 2n, t: 1_000n })
  await wallets.mint(wallet, 200n * coin)
  await create(wallet, params)
  const order = await eventually('its part is placed', async () => {
    const found = await read(wallet, params, `${shown} startsAt`)
    return found?.parts?.nodes[0].order && found
  })
  expect(Date.parse(order.parts.nodes[0].order.creationDate) / 1_000 - Number(order.startsAt)).toBeLessThan(8)
}, 150_000)

test.concurrent('a removed order is polled no more', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 2n, t: 1_000n })
  await create(wallet, params)
  await diagnosis(wallet, params, 'INSUFFICIENT_BALANCE')
  await wallets.execute(wallet, walletCall(composableCow, calls.remove(params)))
  await wallets.mint(wallet, 200n * coin)
  const { lastPoll } = await diagnosis(wallet, params, 'REMOVED')
  const head = async () => Number(await world.chain.rpc.call<string>('eth_blockNumber'))
  const since = await head()
  await eventually('more blocks', async () => (await head()) > since + 35)
  const later = await read(wallet, params, `${diagnosed} ${shown}`)
  expect(later).toMatchObject({ status: 'CANCELLED', lastPoll, orders: { nodes: [] } })
}, 150_000)

const ended = (owner: Address, params: ConditionalOrderParams) =>
  eventually(
    'its parts have ended',
    async () => {
      const found = await read(owner, params, `${shown} source`)
      return found?.status === 'FILLED' && found
    },
    90_000,
  )

/** All parts are filled, and each was placed once. */
function expectAllFilled({ parts, orders }: { parts: Nodes; orders: Nodes }, count: number) {
  const uids = parts.nodes.map(({ uid }) => uid)
  expect(uids).toHaveLength(count)
  expect(orders.nodes).toEqual(uids.toReversed().map((uid) => ({ uid, status: 'FULFILLED' })))
}
interface Nodes {
  nodes: { uid: string }[]
}

test.concurrent('a TWAP that was created without a log goes on by the tower once a part of it is posted', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 4n, t: 10n })
  await wallets.mint(wallet, 400n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params, false)))
  const part = await eventually('a part', () => wallets.poll(wallet, params))
  expect(await read(wallet, params)).toBeNull()
  const base = `${world.url}/${world.market.network.name}/api/v1`
  expect(await postPart(base, part, wallet)).toMatchObject({ status: 201 })
  const order = await ended(wallet, params)
  expect(order).toMatchObject({ source: 'ORDER', filledParts: 4 })
  expectAllFilled(order, 4)
}, 150_000)

test.concurrent('the leaves of a public root trade, and a new root ends those that it lacks', async () => {
  const wallet = await wallets.deployWallet()
  const [ending, staying] = [wallets.twapOf({ n: 100n, t: 10n }), wallets.twapOf({ n: 4n, t: 12n })]
  await wallets.mint(wallet, 1_000n * coin)
  const first = treeOf([ending, staying])
  await wallets.execute(wallet, walletCall(composableCow, calls.setRootNow(first.root, first.data)))
  for (const params of [ending, staying])
    await eventually('a part is filled', async () => ((await read(wallet, params))?.filledParts ?? 0) > 0)
  const later = wallets.twapOf({ t0: 4_000_000_000n })
  const second = treeOf([staying, later])
  await wallets.execute(wallet, walletCall(composableCow, calls.setRoot(second.root, second.data)))
  const { statusReason, diagnosis: found } = await eventually('it has ended', async () => {
    const found = await read(wallet, ending, `${diagnosed} statusReason`)
    return found?.status === 'CANCELLED' && found
  })
  expect(statusReason).toMatch(/^its root was replaced; first seen in block [0-9]+$/)
  expect(found.code).toBe('REMOVED')
  const { orders } = await read(wallet, ending)
  const order = await ended(wallet, staying)
  expect(order.source).toBe('ROOT')
  expectAllFilled(order, 4)
  const uids = ({ nodes }: Nodes) => nodes.map(({ uid }) => uid)
  const since = await read(wallet, ending)
  expect(uids(since.orders), 'no part after the new root').toEqual(uids(orders))
  expect(await read(wallet, later, 'status root')).toEqual({ status: 'SCHEDULED', root: second.root })
}, 150_000)

/** A TWAP in whose first part the wallet makes these calls, until the diagnosis has a code; then it is mended. */
async function hindered(code: string, hindrance: WalletCall[], mend: (wallet: Address) => WalletCall[]) {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 2n, t: 60n })
  await wallets.mint(wallet, 200n * coin)
  await wallets.execute(
    wallet,
    ...hindrance.map((call) => ({ ...call, target: call.target === zeroAddress ? wallet : call.target })),
    walletCall(composableCow, calls.createNow(params)),
  )
  const { diagnosis: found } = await diagnosis(wallet, params, code)
  expect(await read(wallet, params)).toMatchObject({ status: 'ACTIVE', orders: { nodes: [] } })
  await wallets.execute(wallet, ...mend(wallet))
  await eventually(
    'its first part is filled',
    async () => {
      const { parts } = await read(wallet, params)
      return parts.nodes[0].status === 'FILLED'
    },
    60_000,
  )
  return found.text
}

const approval = (amount: bigint) =>
  walletCall(
    world.market.tokens.DAI.address,
    tokenAbi.encodeFunctionData('approve', [world.market.network.vaultRelayer, amount]),
  )

test.concurrent('a part without allowance is explained, and goes on once it is approved', async () => {
  const text = await hindered('INSUFFICIENT_ALLOWANCE', [approval(coin)], () => [approval(100n * coin)])
  expect(text).toMatch(
    /^The owner has approved too little of the sell token for its part. The answer: “InsufficientAllowance: /,
  )
}, 150_000)

test.concurrent('a part that a swap guard forbids is explained, and goes on without the guard', async () => {
  const guard = await wallets.deploy(scriptedCode)
  await wallets.send(guard, scriptedAbi.encodeFunctionData('script', [0, word(0), 0]))
  const set = (to: Address) => walletCall(composableCow, calls.setSwapGuard(to))
  const text = await hindered('GUARDED', [set(guard)], () => [set(zeroAddress)])
  expect(text).toBe('The swap guard of the owner forbids its part. The answer: “SwapGuardRestricted”.')
}, 150_000)

test.concurrent('a wallet with another fallback handler is explained, and goes on with the right one', async () => {
  const other = await wallets.deploy(scriptedCode)
  await wallets.send(other, scriptedAbi.encodeFunctionData('script', [0, word(0), 0]))
  await wallets.send(other, scriptedAbi.encodeFunctionData('support', [false]))
  const set = (wallet: Address, handler: Address) =>
    walletCall(wallet, walletAbi.encodeFunctionData('setFallbackHandler', [handler]))
  const text = await hindered('WALLET_NOT_READY', [set(zeroAddress, other)], (wallet) => [
    set(wallet, extensibleFallbackHandler),
  ])
  expect(text).toBe(
    'The wallet does not leave signatures to the contract of programmatic orders. The answer: “InvalidFallbackHandler”.',
  )
}, 150_000)
