import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { calls, walletCall } from '../chain/conditional-stage.ts'
import { coin, conditionalOrders } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { createProcesses, end, type Processes, type Started } from '../setup/processes.ts'
import { graphql } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const environment = { ORDER_MIN_VALIDITY: '1' }
let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
let towers: Processes
let leader: Started

beforeAll(async () => {
  world = await startWorld({ environment })
  wallets = await conditionalOrders(world)
  towers = await createProcesses(world.chain, { databaseUrl: world.database.url })
  leader = await towers.start('tower', environment)
})
afterAll(async () => {
  await towers?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function read(owner: Address, params: ConditionalOrderParams) {
  const query = `query ($owner: Address!, $hash: Bytes32!) { programmaticOrder(owner: $owner, hash: $hash) {
    status startsAt filledParts parts { nodes { uid order { uid } } } orders { nodes { uid status } } } }`
  return (await graphql(world.url, query, { owner, hash: paramsId(params) })).programmaticOrder
}

async function fundedWallet(): Promise<Address> {
  const wallet = await wallets.deployWallet()
  await wallets.mint(wallet, 1_000n * coin)
  return wallet
}

const create = (owner: Address, params: ConditionalOrderParams) =>
  wallets.execute(owner, walletCall(composableCow, calls.createNow(params)))

const firstPlaced = (owner: Address, params: ConditionalOrderParams) =>
  eventually('its first part is placed', async () => {
    const found = await read(owner, params)
    // The list of its orders may be read a moment before the part is placed.
    return found?.parts?.nodes[0].order && found.orders.nodes.length > 0 && found
  })

const ended = (owner: Address, params: ConditionalOrderParams) =>
  eventually(
    'its time has passed',
    async () => {
      const found = await read(owner, params)
      return ['FILLED', 'PARTLY_FILLED'].includes(found?.status) && found
    },
    120_000,
  )

const uidsOf = ({ nodes }: { nodes: { uid: string }[] }) => nodes.map(({ uid }) => uid)

test('after a reorg of its creation a TWAP has another start: its old part ends, and the new ones trade once each', async () => {
  const { rpc } = world.chain
  const wallet = await fundedWallet()
  const params = wallets.twapOf({ n: 3n, t: 15n })
  const snapshot = await rpc.call('evm_snapshot')
  await create(wallet, params)
  const before = await firstPlaced(wallet, params)
  const [orphan] = uidsOf(before.orders)
  expect(await rpc.call('evm_revert', [snapshot])).toBe(true)
  // The reverted chain would repeat its times.
  await rpc.call('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1_000) + 1])
  await create(wallet, params)
  const after = await eventually('it has another start', async () => {
    const found = await read(wallet, params)
    return found?.startsAt && found.startsAt > before.startsAt && found
  })
  expect(uidsOf(after.parts)).not.toContain(orphan)
  const done = await ended(wallet, params)
  expect(done.startsAt).toBe(after.startsAt)
  expect(uidsOf(done.orders)).toEqual([...uidsOf(done.parts).toReversed(), orphan])
  expect(done.orders.nodes.at(-1)).toEqual({ uid: orphan, status: 'EXPIRED' })
}, 200_000)

test('a tower takes over from one that is killed in the middle of a TWAP: no part is placed twice, or missed', async () => {
  const wallet = await fundedWallet()
  const params = wallets.twapOf({ n: 5n, t: 8n })
  await create(wallet, params)
  await firstPlaced(wallet, params)
  await towers.start('tower', environment)
  await end(leader.child, 'SIGKILL')
  const { orders, parts } = await ended(wallet, params)
  expect(parts.nodes).toHaveLength(5)
  expect(uidsOf(orders)).toEqual(uidsOf(parts).toReversed())
}, 240_000)
