import {
  ConditionalOrderFactory,
  DEFAULT_CONDITIONAL_ORDER_REGISTRY,
  fromStructToOrder,
  getBlockInfo,
  Multiplexer,
  type PollParams,
  PollResultCode,
  ProofLocation,
  type ProofWithParams,
  StartTimeValue,
  TWAP_ADDRESS,
  Twap,
  type TwapData,
} from '@cowprotocol/sdk-composable'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { readLoggedLeaves } from '../../src/domain/programmatic/merkle.ts'
import { encodeProgrammaticSignature } from '../../src/domain/programmatic/signature.ts'
import { decodeInput, type TwapInput } from '../../src/domain/programmatic/static-input.ts'
import { twapPart, twapSchedule } from '../../src/domain/programmatic/twap.ts'
import { composable, walletCall } from '../chain/conditional-stage.ts'
import { coin, conditionalOrders, postPart } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { createSdk } from '../setup/sdk.ts'
import { graphql } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** The SDK's package for programmatic orders, unchanged, at the local chain and the service. */

let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
let tower: Awaited<ReturnType<typeof startProgram>> | undefined
let sdk: ReturnType<typeof createSdk>
const environment = { ORDER_MIN_VALIDITY: '1' }

type OrderCreation = Parameters<(typeof sdk)['api']['sendOrder']>[0]

/** The parts of the SDK for the package, which has its own copies of their types. */
interface Parts {
  adapter: NonNullable<ConstructorParameters<typeof ConditionalOrderFactory>[1]>
  provider: PollParams['provider']
  api: PollParams['orderBookApi']
}
const parts = () => sdk as unknown as Parts

beforeAll(async () => {
  world = await startWorld({ environment })
  wallets = await conditionalOrders(world)
  sdk = createSdk(world)
  // The package has its own copy of what holds the adapter: this sets it.
  new ConditionalOrderFactory(DEFAULT_CONDITIONAL_ORDER_REGISTRY, parts().adapter)
})
afterAll(async () => {
  await tower?.close()
  await world?.[Symbol.asyncDispose]()
})

const now = async () =>
  Number(
    (await world.chain.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp,
  )

const fromData = (change: Partial<TwapData>) =>
  Twap.fromData({
    sellToken: world.market.tokens.DAI.address,
    buyToken: world.market.tokens.WETH.address,
    receiver: world.market.accounts[1]?.address ?? zeroAddress,
    sellAmount: 200n * coin,
    buyAmount: 2n,
    numberOfParts: 2n,
    timeBetweenParts: 20n,
    appData: keccakText('a document of the SDK'),
    ...change,
  })

/** A wallet with the funds of an order, which it creates by the calldata of the SDK. */
async function create(twap: Twap): Promise<Address> {
  const wallet = await wallets.deployWallet()
  await wallets.mint(wallet, 200n * coin)
  await wallets.execute(wallet, walletCall(composableCow, twap.createCalldata))
  return wallet
}

const contextOf = (owner: Address) => {
  const { chainId } = world.market.network
  const { provider, api } = parts()
  return { owner, chainId, provider, orderBookApi: api }
}

/**
 * Polls with a block: a poll without one that falls between two blocks takes the part of the first for the
 * last one, and ends the order.
 */
const poll = async (owner: Address, twap: Twap) =>
  twap.poll({ ...contextOf(owner), blockInfo: await getBlockInfo(parts().provider) })

async function read(owner: Address, twap: Twap) {
  const query = `query ($owner: Address!, $hash: Bytes32!) { programmaticOrder(owner: $owner, hash: $hash) {
    hash handler salt staticInput context startsAt endsAt status filledParts
    parts { nodes { uid validFrom sellAmount buyAmount order { status } } } } }`
  return (await graphql(world.url, query, { owner, hash: twap.id })).programmaticOrder ?? undefined
}

/** The order at the service once it is filled. */
const filled = (owner: Address, twap: Twap) =>
  eventually(
    'all parts are filled',
    async () => {
      const order = await read(owner, twap)
      return order?.status === 'FILLED' && order
    },
    90_000,
  )

test.concurrent.each(Object.values(StartTimeValue))(
  'a TWAP of the SDK that starts %s is the same at the service, and the SDK’s polls place its parts',
  async (startType) => {
    const epoch = BigInt((await now()) + 4)
    const twap = fromData({
      startTime: startType === StartTimeValue.AT_EPOCH ? { startType, epoch } : { startType },
    })
    const owner = await create(twap)
    const order = await eventually('its terms are read', async () => {
      const found = await read(owner, twap)
      return found?.context && found
    })
    const { handler, ...leaf } = twap.leaf
    const start =
      startType === StartTimeValue.AT_EPOCH ? Number(epoch) : Number(await twap.cabinet(contextOf(owner)))
    expect(order).toMatchObject({
      hash: twap.id,
      handler: address(handler),
      ...leaf,
      startsAt: start,
      endsAt: start + 39,
      context: await twap.cabinet(contextOf(owner)),
      parts: {
        nodes: [0, 1].map((k) => ({
          validFrom: start + k * 20,
          sellAmount: `${100n * coin}`,
          buyAmount: '1',
        })),
      },
    })
    const placed: string[] = []
    const last = await eventually(
      'the last part is placed',
      async () => {
        const answer = await poll(owner, twap)
        if (answer.result !== PollResultCode.SUCCESS) {
          // A part that is in the book is followed by the next one.
          if (placed.length === 1 && answer.result === PollResultCode.TRY_AT_EPOCH)
            expect(answer.epoch).toBe(start + 20)
          return answer.result === PollResultCode.DONT_TRY_AGAIN && answer
        }
        const signed = { from: owner, signature: answer.signature, signingScheme: 'eip1271' }
        const { sellAmount, buyAmount, feeAmount, ...rest } = fromStructToOrder(answer.order)
        const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` }
        placed.push(await sdk.api.sendOrder({ ...rest, ...amounts, ...signed } as unknown as OrderCreation))
        return undefined
      },
      90_000,
    )
    // The time of the last part may pass before the next poll.
    expect(last.reason).toMatch(
      /^Current active TWAP part \(2\/2\) is already in the Order Book\.|^TWAP has expired/,
    )
    expect(placed).toEqual(order.parts.nodes.map(({ uid }: { uid: string }) => uid))
    expect(await filled(owner, twap)).toMatchObject({ filledParts: 2 })
  },
  150_000,
)

test.concurrent('no proof of the SDK’s trees is authorised, and the error says so at once', async () => {
  const { chainId } = world.market.network
  const appData = keccakText('{}')
  await sdk.api.uploadAppData(appData, '{}')
  const startTime = { startType: StartTimeValue.AT_EPOCH, epoch: BigInt(await now()) } as const
  const change = { appData, startTime, timeBetweenParts: 1_000n }
  const orders = [fromData(change), fromData(change)]
  const owner = await wallets.deployWallet()
  await wallets.mint(owner, 200n * coin)
  const tree = new Multiplexer(chainId)
  for (const twap of orders) tree.add(twap)
  const proof = await tree.prepareProofStruct(ProofLocation.EMITTED)
  const call = composable.encodeFunctionData('setRoot', [tree.root, [proof.location, proof.data]])
  await wallets.execute(owner, walletCall(composableCow, call))
  const leaves = readLoggedLeaves(tree.root as Bytes32, String(proof.data) as Hex)
  expect([leaves?.sdk.length, leaves?.proven, leaves?.unproven]).toEqual([2, [], []])
  const [leaf] = leaves?.sdk ?? []
  if (!leaf) expect.fail()
  expect(leaf.params).toEqual({ ...orders[0]?.leaf, handler: address(TWAP_ADDRESS) })
  const polled = Multiplexer.poll(owner, leaf as ProofWithParams, chainId, parts().provider)
  await expect(polled).rejects.toThrow('ProofNotAuthed')
  const { input } = decodeInput(chainId, leaf.params)
  const schedule = twapSchedule(input as TwapInput, 0n)
  const part = 'fault' in schedule ? undefined : twapPart(schedule, 0)
  if (!part) expect.fail()
  const signature = encodeProgrammaticSignature('safe', world.market.network, part.order, {
    ...leaf,
    offchainInput: '0x',
  })
  expect(await postPart(`${world.url}/sepolia/api/v1`, { ...part, signature }, owner)).toMatchObject({
    status: 400,
    body: { errorType: 'InvalidEip1271Signature' },
  })
})

test('the built-in watch tower and solver fill a TWAP of the SDK to its end', async () => {
  tower = await startProgram(world, { ...unlimited, ...environment }, { roles: ['tower'] })
  const twap = fromData({})
  const owner = await create(twap)
  const order = await filled(owner, twap)
  expect(order).toMatchObject({ filledParts: 2, context: await twap.cabinet(contextOf(owner)) })
  expect(await poll(owner, twap)).toMatchObject({ result: PollResultCode.DONT_TRY_AGAIN })
}, 150_000)
