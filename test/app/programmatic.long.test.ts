import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { TradeableOrder } from '../../src/domain/programmatic/abi.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { paramsId } from '../../src/domain/programmatic/params.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { calls, walletCall } from '../chain/conditional-stage.ts'
import { coin, conditionalOrders, postPart } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
beforeAll(async () => {
  // Parts are as long as a few blocks.
  world = await startWorld({ environment: { ORDER_MIN_VALIDITY: '1' } })
  wallets = await conditionalOrders(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const base = () => `${world.url}/${world.market.network.name}/api/v1`

const post = (part: TradeableOrder, from: Address) => postPart(base(), part, from)

test.concurrent('a watch tower drives a TWAP to its end by the hash of a document alone', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({})
  await wallets.mint(wallet, 300n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const filled = new Set<string>()
  await eventually(
    'all parts are filled',
    async () => {
      const part = await wallets.poll(wallet, params)
      if (!part) return filled.size === 3
      const uid = orderUid(world.market.network, part.order, wallet)
      const found = await request(`${base()}/orders/${uid}`)
      if (found.status === 404) {
        const posted = await post(part, wallet)
        expect(posted).toMatchObject({ status: 201, body: uid })
        expect(await post(part, wallet)).toMatchObject({
          status: 400,
          body: { errorType: 'DuplicatedOrder' },
        })
      } else if (found.body.status === 'fulfilled') filled.add(uid)
      return filled.size === 3
    },
    60_000,
  )
  for (const uid of filled)
    expect((await request(`${base()}/orders/${uid}`)).body).toMatchObject({
      status: 'fulfilled',
      executedSellAmount: `${100n * coin}`,
      appData: keccakText('a document that its owner has not uploaded'),
      owner: wallet,
      fullAppData: null,
    })
}, 120_000)

test.concurrent('an unknown document is refused for orders that the contract of conditional orders does not verify', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ t: 1_000n })
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const part = await eventually('a part', () => wallets.poll(wallet, params))
  // The name says that the fault may pass: towers try again.
  expect(await post(part, wallet)).toMatchObject({ status: 400, body: { errorType: 'InsufficientBalance' } })
  await wallets.mint(wallet, 300n * coin)
  const cut = { ...part, signature: part.signature.slice(0, -64) as Hex }
  expect(await post(cut, wallet)).toMatchObject({ status: 400, body: { errorType: 'InvalidAppData' } })
  await wallets.execute(wallet, walletCall(composableCow, calls.remove(params)))
  expect(await post(part, wallet)).toMatchObject({ status: 400, body: { errorType: 'InvalidAppData' } })
})

test.concurrent('the diagnosis of a part says that its programmatic order was removed', async () => {
  const wallet = await wallets.deployWallet()
  const params = wallets.twapOf({ t: 100_000n, minPartLimit: 10n ** 30n })
  await wallets.mint(wallet, 100n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const part = await eventually('a part', () => wallets.poll(wallet, params))
  const { body: uid } = await post(part, wallet)
  const read = async () => {
    const query = `query ($uid: OrderUid!) { order(uid: $uid) { diagnosis { code summary evidence {
      __typename ... on ProgrammaticOrderEvidence { owner hash status removedBlock } } } } }`
    return (await graphql(world.url, query, { uid })).order.diagnosis
  }
  const evidence = { __typename: 'ProgrammaticOrderEvidence', owner: wallet, hash: paramsId(params) }
  const before = await eventually('the market and the creation are known', async () => {
    const found = await read()
    const isIndexed = found.evidence.some(({ status }: { status?: string | null }) => status)
    return found.code === 'PRICE_OUT_OF_REACH' && isIndexed && found
  })
  expect(before.evidence).toContainEqual({ ...evidence, status: 'ACTIVE', removedBlock: null })
  await wallets.execute(wallet, walletCall(composableCow, calls.remove(params)))
  const after = await eventually(
    'the removal is seen',
    async () => {
      const found = await read()
      const isSeen = found.evidence.some(({ status }: { status?: string }) => status === 'CANCELLED')
      return found.code === 'SIGNATURE_INVALID' && isSeen && found
    },
    60_000,
  )
  const { removedBlock } = after.evidence.at(-1)
  expect(after.evidence.at(-1)).toEqual({ ...evidence, status: 'CANCELLED', removedBlock })
  expect(after.summary).toContain(
    `The contract does not authorise the programmatic order ${paramsId(params)}, whose part this is, any more: its owner removed it, or replaced the root that authorised it. This was seen first in block ${removedBlock}.`,
  )
}, 90_000)
