import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { defaultShedFactories } from '../../src/domain/network/network.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { calls, walletCall } from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { collect } from '../setup/collect.ts'
import { coin, conditionalOrders } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// Notifications of programmatic orders that a chain, the watch tower and the auctions make.

let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
beforeAll(async () => {
  const environment = { ORDER_MIN_VALIDITY: '1', FEE_POLICIES: '[]' }
  world = await startWorld({ environment, roles: ['serve', 'index', 'auction', 'tower'] })
  wallets = await conditionalOrders(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Notified {
  type: string
  message: string
  isReverted: boolean
  partIndex?: number
  partCount?: number
  reason?: string | null
  wasPlaced?: boolean
  filledParts?: number
}

const shown = `type message isReverted
  ... on PartFilledNotification { partIndex partCount }
  ... on PartFailedNotification { partIndex partCount reason wasPlaced }
  ... on ProgrammaticFinishedNotification { partCount filledParts }
  ... on ProgrammaticCancelledNotification { partCount filledParts }`

/** Notifications of an account, in the order in which they were committed. */
async function notified(account: Address): Promise<Notified[]> {
  const document = `{ notifications(account: "${account}") { nodes { ${shown} } } }`
  return (await graphql(world.url, document)).notifications.nodes
}

const ofType = (list: readonly Notified[], type: string) => list.filter((each) => each.type === type)

/** A proxy of the trader who executes calls of all wallets. */
async function buildShed(): Promise<{ shed: Address; user: Address }> {
  const factory = new Interface(readArtifact('ShedFactory').abi)
  const user = world.market.accounts[0]?.address ?? expect.fail()
  const [to] = defaultShedFactories
  const data = factory.encodeFunctionData('proxyOf', [user])
  const answer = await world.chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])
  await wallets.send(to ?? expect.fail(), factory.encodeFunctionData('build', [user]))
  return { shed: address(`0x${answer.slice(-40)}`), user }
}

test.concurrent('a TWAP of a proxy with funds for two of three parts reaches its user, each once, and by the feed', async () => {
  const { shed, user } = await buildShed()
  using feed = collect<{ notifications: { node: Notified } }>(
    world.url,
    `subscription ($account: Address!) { notifications(account: $account) { node { ${shown} } } }`,
    { account: user },
  )
  await wallets.mint(shed, 200n * coin)
  await wallets.approve(shed, 300n * coin)
  await wallets.execute(shed, walletCall(composableCow, calls.createNow(wallets.twapOf({ n: 3n, t: 12n }))))
  const list = await eventually(
    'it has finished',
    async () => {
      const found = await notified(user)
      return ofType(found, 'PROGRAMMATIC_FINISHED').length > 0 && found
    },
    170_000,
  )
  expect(ofType(list, 'PART_FILLED')).toMatchObject([
    {
      partIndex: 0,
      partCount: 3,
      message: expect.stringMatching(/^Part 1 of 3 filled: .+ for .+$/),
    },
    { partIndex: 1, partCount: 3 },
  ])
  expect(ofType(list, 'INSUFFICIENT_BALANCE')).toMatchObject([
    {
      message: expect.stringMatching(
        /^Part 3 of 3 cannot be placed: balance too low, .+ missing; in time until /,
      ),
    },
  ])
  expect(ofType(list, 'PART_FAILED')).toMatchObject([
    {
      partIndex: 2,
      partCount: 3,
      wasPlaced: false,
      reason: expect.stringMatching(
        /^The owner has too little of the sell token for its part\. The answer: “InsufficientBalance: /,
      ),
    },
  ])
  expect(ofType(list, 'PROGRAMMATIC_FINISHED')).toMatchObject([
    {
      partCount: 3,
      filledParts: 2,
      message: expect.stringMatching(/^TWAP finished: 2 of 3 parts filled, .+ for /),
    },
  ])
  expect(ofType(list, 'ORDER_FILLED')).toEqual([])
  expect(await notified(shed)).toEqual([])
  await eventually('the feed has them', async () => feed.results.length >= list.length)
  expect(feed.data().map(({ notifications }) => notifications.node)).toEqual(await notified(user))
}, 240_000)

test.concurrent('a removal is notified to the owner', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 2n, t: 10_000n })
  await wallets.mint(wallet, 100n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params)))
  await eventually(
    'its part is filled',
    async () => ofType(await notified(wallet), 'PART_FILLED').length > 0,
    60_000,
  )
  await wallets.execute(wallet, walletCall(composableCow, calls.remove(params)))
  const list = await eventually(
    'it is cancelled',
    async () => {
      const found = await notified(wallet)
      return ofType(found, 'PROGRAMMATIC_CANCELLED').length > 0 && found
    },
    120_000,
  )
  expect(ofType(list, 'PROGRAMMATIC_CANCELLED')).toMatchObject([
    {
      partCount: 2,
      filledParts: 1,
      message: expect.stringMatching(/^TWAP cancelled: 1 of 2 parts filled, .+ for /),
    },
  ])
  expect(ofType(list, 'PROGRAMMATIC_FINISHED')).toEqual([])
}, 240_000)
