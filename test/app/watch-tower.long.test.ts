import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { calls, pollErrors, scriptedAbi, scriptedCode, walletCall } from '../chain/conditional-stage.ts'
import { coin, conditionalOrders } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

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
  const filled = await diagnosis(wallet, params, 'PART_FILLED')
  expect(filled.lastPoll.result).toBe('PLACED')
  const next = new Date(Number(filled.nextPollAt) * 1_000)
    .toISOString()
    .replace('T', ' ')
    .replace('.000Z', ' UTC')
  expect(filled.diagnosis.text).toBe(`Its part is filled. The next can be traded from ${next} on.`)
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
      text: 'No part can be traded before a later time or block. The answer: “PollTryAtEpoch: far”. Not before 2096-10-02 07:06:40 UTC.',
    },
  })
  const block = await scripted(revert('PollTryAtBlock', 1_000_000, 'high'))
  expect(await diagnosis(block.wallet, block.params, 'WAITING')).toMatchObject({ nextPollBlock: 1_000_000 })
  const never = await scripted(revert('PollNever', 'it\u202Eis over'))
  expect(await diagnosis(never.wallet, never.params, 'FINISHED')).toMatchObject({
    status: 'ENDED',
    nextPollAt: null,
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
