import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { decodeTradeableOrder } from '../../src/domain/programmatic/abi.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { calls, walletCall } from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { coin, conditionalOrders } from '../setup/conditional-orders.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

let world: World
let auctions: App
let wallets: Awaited<ReturnType<typeof conditionalOrders>>
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  wallets = await conditionalOrders(world)
  await world.chain.rpc.call('anvil_setCode', [counting, '0x6001600054016000550000'])
})
afterAll(async () => {
  await auctions?.close()
  await world?.[Symbol.asyncDispose]()
})

/** Adds one to a number in storage. */
const counting = `0x${'c0de01'.padStart(40, '0')}`
const tokenAbi = new Interface(readArtifact('TestToken').abi)
const base = () => `${world.url}/${world.market.network.name}/api/v1`

/** A part that is placed by the hash of its document, and whose wallet then has nothing left to sell. */
async function placeEmptied(documentOf: (wallet: Address) => string) {
  const wallet = await wallets.deployWallet()
  const document = documentOf(wallet)
  const params = wallets.twapOf({ t: 100_000n, appData: keccakText(document) })
  await wallets.mint(wallet, 100n * coin)
  await wallets.execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const { order, signature } = await eventually('a part', async () => {
    const poll = [{ to: composableCow, data: calls.poll(wallet, params) }, 'latest']
    return decodeTradeableOrder(await world.chain.rpc.call<`0x${string}`>('eth_call', poll), 2_000)
  })
  const { sellAmount, buyAmount, feeAmount, ...rest } = order
  const posted = await request(`${base()}/orders`, 'POST', {
    ...rest,
    from: wallet,
    signature,
    signingScheme: 'eip1271',
    sellAmount: `${sellAmount}`,
    buyAmount: `${buyAmount}`,
    feeAmount: `${feeAmount}`,
  })
  const uid = orderUid(world.market.network, order, wallet)
  expect(posted).toMatchObject({ status: 201, body: uid })
  const { DAI } = world.market.tokens
  const away = tokenAbi.encodeFunctionData('transfer', [world.market.solver.address, 100n * coin])
  await wallets.execute(wallet, walletCall(DAI.address, away))
  return { wallet, uid, document }
}

const read = async (uid: string) =>
  (
    await graphql(
      world.url,
      `query ($uid: OrderUid!) { order(uid: $uid) {
        status fullAppData standing { reason } trades(first: 10) { nodes { txHash } }
        interactions { pre { target } post { target } }
        hooks { phase target calls { outcome unknownReason txHash } }
        diagnosis { code summary evidence { __typename ... on RevertEvidence { reason } } }
      } }`,
      { uid },
    )
  ).order

const upload = (document: string) =>
  request(`${base()}/app_data/${keccakText(document)}`, 'PUT', { fullAppData: document })

test('auctions run the hooks of a document that is uploaded after its order', async () => {
  const { DAI } = world.market.tokens
  const funding = (wallet: Address) => ({
    target: DAI.address,
    callData: tokenAbi.encodeFunctionData('mint', [wallet, 100n * coin]),
    gasLimit: '100000',
  })
  const counts = { target: counting, callData: '0x', gasLimit: '60000' }
  // No appCode, whose arrival changes the rows of orders.
  const documentOf = (pre: object[], post: object[]) => JSON.stringify({ metadata: { hooks: { pre, post } } })
  const part = await placeEmptied((wallet) => documentOf([funding(wallet)], [counts]))
  const heavy = await placeEmptied((wallet) => documentOf([{ ...funding(wallet), gasLimit: '9000000' }], []))
  const environment = { ...unlimited, SOLVER_PRIVATE_KEY: world.market.solver.privateKey }
  auctions = await startProgram(world, environment, { roles: ['auction'] })
  for (const { uid } of [part, heavy])
    await eventually('an auction has read it', async () => {
      const { standing } = await read(uid)
      return standing?.reason === 'INSUFFICIENT_BALANCE'
    })
  expect(await read(part.uid)).toMatchObject({ fullAppData: null, hooks: [] })

  for (const { document } of [part, heavy]) expect(await upload(document)).toMatchObject({ status: 201 })
  const filled = await eventually(
    'it is filled, and its hooks are read',
    async () => {
      const order = await read(part.uid)
      const isRead = order.hooks.every(
        ({ calls }: { calls: { outcome: string | null }[] }) => calls[0]?.outcome,
      )
      return order.status === 'FULFILLED' && isRead && order
    },
    60_000,
  )
  const [trade] = filled.trades.nodes
  expect(filled.trades.nodes).toHaveLength(1)
  const call = { outcome: 'SUCCEEDED', unknownReason: null, txHash: trade.txHash }
  const trampoline = { target: world.market.network.hooksTrampoline }
  expect(filled).toMatchObject({
    fullAppData: part.document,
    interactions: { pre: [trampoline], post: [trampoline] },
    hooks: [
      { phase: 'PRE', target: DAI.address, calls: [call] },
      { phase: 'POST', target: counting, calls: [call] },
    ],
  })
  expect(await world.chain.rpc.call('eth_getStorageAt', [counting, '0x0', 'latest'])).toBe(
    `0x${'1'.padStart(64, '0')}`,
  )

  const refused = await eventually('it is refused', async () => {
    const order = await read(heavy.uid)
    return order.standing.reason === 'DOCUMENT_REFUSED' && order
  })
  expect(refused).toMatchObject({
    status: 'OPEN',
    fullAppData: heavy.document,
    hooks: [],
    trades: { nodes: [] },
    diagnosis: {
      code: 'NOT_ACCEPTED',
      summary: expect.stringMatching(
        /^The document of the order, which came after it, was not accepted: the order needs 9\d+ gas, \d+ are allowed\.$/,
      ),
      evidence: [
        { __typename: 'RevertEvidence', reason: expect.stringMatching(/^the order needs 9\d+ gas/) },
        { __typename: 'ProgrammaticOrderEvidence' },
      ],
    },
  })
}, 120_000)
