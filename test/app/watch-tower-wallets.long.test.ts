import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, zeroAddress } from '../../src/domain/evm/address.ts'
import { composableCow, extensibleFallbackHandler } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import {
  calls,
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
import { startWorld, type World } from '../setup/world.ts'

const tokenAbi = new Interface(readArtifact('TestToken').abi)
let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
beforeAll(async () => {
  world = await startWorld({
    environment: { ORDER_MIN_VALIDITY: '1' },
    roles: ['serve', 'index', 'auction', 'tower'],
  })
  wallets = await conditionalOrders(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const diagnosed = `status diagnosis { code text } nextPollAt nextPollBlock lastPoll { time block result reason }`

const shown = `status filledParts parts { nodes { index uid status order { creationDate validTo } } }
  orders { nodes { uid status } }`

async function read(owner: Address, params: ConditionalOrderParams, fields = shown) {
  const query = `query ($owner: Address!, $hash: Bytes32!) { programmaticOrder(owner: $owner, hash: $hash) { ${fields} } }`
  return (await graphql(world.url, query, { owner, hash: paramsId(params) })).programmaticOrder
}

const diagnosis = (owner: Address, params: ConditionalOrderParams, code: string) =>
  eventually(`the diagnosis ${code}`, async () => {
    const found = await read(owner, params, diagnosed)
    return found?.diagnosis.code === code && found
  })

/** Waits until no part can be traded any more. Each must have been placed, once, and one at least filled. */
async function allPlaced(owner: Address, params: ConditionalOrderParams) {
  const found = await eventually(
    'its time has passed',
    async () => {
      const found = await read(owner, params, `${shown} source`)
      return ['FILLED', 'PARTLY_FILLED'].includes(found?.status) && found
    },
    120_000,
  )
  expect(uids(found.orders)).toEqual(uids(found.parts).toReversed())
  return found
}
const uids = ({ nodes }: { nodes: { uid: string }[] }) => nodes.map(({ uid }) => uid)

test.concurrent('a TWAP that was created without a log goes on by the tower once a part of it is posted', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ n: 3n, t: 12n })
  await wallets.mint(wallet, 400n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params, false)))
  const part = await eventually('a part', () => wallets.poll(wallet, params))
  expect(await read(wallet, params)).toBeNull()
  const base = `${world.url}/${world.market.network.name}/api/v1`
  expect(await postPart(base, part, wallet)).toMatchObject({ status: 201 })
  const { source, orders } = await allPlaced(wallet, params)
  expect(source).toBe('ORDER')
  expect(orders.nodes).toHaveLength(3)
}, 200_000)

test.concurrent('the leaves of a public root trade, and a new root ends those that it lacks', async () => {
  const wallet = await wallets.deployWallet()
  const [ending, staying] = [wallets.twapOf({ n: 100n, t: 12n }), wallets.twapOf({ n: 3n, t: 15n })]
  await wallets.mint(wallet, 9_000n * coin)
  const first = treeOf([ending, staying])
  await wallets.execute(wallet, walletCall(composableCow, calls.setRootNow(first.root, first.data)))
  for (const params of [ending, staying])
    await eventually('a part is placed', async () => (await read(wallet, params))?.orders.nodes.length > 0)
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
  const { source, orders: placed } = await allPlaced(wallet, staying)
  expect(source).toBe('ROOT')
  expect(placed.nodes).toHaveLength(3)
  const since = await read(wallet, ending)
  expect(uids(since.orders), 'no part after the new root').toEqual(uids(orders))
  expect(await read(wallet, later, 'status root')).toEqual({ status: 'SCHEDULED', root: second.root })
}, 200_000)

/** A TWAP in whose first part the wallet makes calls, until the diagnosis has a code; then it is mended. */
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
    90_000,
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
}, 200_000)

test.concurrent('a part that a swap guard forbids is explained, and goes on without the guard', async () => {
  const guard = await wallets.deploy(scriptedCode)
  await wallets.send(guard, scriptedAbi.encodeFunctionData('script', [0, word(0), 0]))
  const set = (to: Address) => walletCall(composableCow, calls.setSwapGuard(to))
  const text = await hindered('GUARDED', [set(guard)], () => [set(zeroAddress)])
  expect(text).toBe('The swap guard of the owner forbids its part. The answer: “SwapGuardRestricted”.')
}, 200_000)

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
}, 200_000)
