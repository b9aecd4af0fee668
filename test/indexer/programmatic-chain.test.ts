import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAuthorisations } from '../../src/chain/authorisations.ts'
import { createChain } from '../../src/chain/chain.ts'
import { chainLogs, programmaticLogs } from '../../src/chain/logs/chain-logs.ts'
import { parseHash, parseObject } from '../../src/chain/rpc/wire.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { encodeStaticInput } from '../../src/domain/programmatic/static-input.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { followProgrammaticOrders } from '../../src/indexer/late/programmatic.ts'
import { runIndexer } from '../../src/indexer/run.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { calls, onChain, walletCall } from '../chain/conditional-stage.ts'
import { leafEncodings, start, treeOf, twapHandler, twapInput, word } from '../domain/programmatic/vectors.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

const stage = onChain(start)
let server: TestServer
/** The time of the chain. */
let now = start

beforeAll(async () => {
  server = await openTestServer({}, { now: () => now * 1_000 })
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** Indexes the chain up to its head, and reads what is due from the contract. */
async function sync() {
  const { rpc, market } = stage()
  const network = { ...market.network, holderTokens: [] }
  const chain = createChain({ rpc, tokenRpc: rpc, network })
  const { db } = server.database
  const shared = { network, db, log: silentLog }
  now = await stage().now()
  const once = () => {
    const stop = new AbortController()
    const poll = async (failures: number) => {
      expect(failures).toBe(0)
      stop.abort()
    }
    return { poll, signal: stop.signal }
  }
  const indexer = once()
  const meter = { stored() {}, reorganised() {}, waits() {}, oddLog() {}, caughtUp() {} }
  const reads = {
    head: () => chain.head(),
    block: (number: number) => chain.block(number),
    logs: (range: { from: number; to: number }) => chainLogs({ rpc, network, log: silentLog }, range),
    settlements: async () => new Map(),
    gasOf: async (hashes: readonly Bytes32[]) => hashes.map(() => null),
  }
  await runIndexer(
    {
      ...shared,
      chainId: network.chainId,
      now: () => now * 1_000,
      meter,
      chain: reads,
      tokenLogs: async () => [],
      poll: indexer.poll,
    },
    indexer.signal,
  )
  const round = once()
  await followProgrammaticOrders(
    {
      ...shared,
      chain,
      poll: round.poll,
      indexed: () => findCheckpoint(db, network.chainId),
      readAuthorisations: (keys, blockHash) => readAuthorisations(rpc, composableCow, keys, blockHash),
      programmaticLogs: (range) => programmaticLogs({ rpc, network, log: silentLog }, range),
    },
    round.signal,
  )
}

function twap(salt: number): ConditionalOrderParams {
  const { WETH, USDC } = stage().market.tokens
  // The salt is not in the orders: their amounts differ.
  const tokens = { sellToken: USDC.address, buyToken: WETH.address }
  const input = twapInput({ ...tokens, t0: 0n, partSellAmount: BigInt(1_000 + salt) })
  return { handler: twapHandler, salt: word(salt), staticInput: encodeStaticInput('TWAP', input) }
}

const trader = () => stage().market.accounts[0]?.address ?? expect.fail()

async function read(owner: Address, params: ConditionalOrderParams, fields: string) {
  const document = `{ programmaticOrder(owner: "${owner}", hash: "${paramsId(params)}") { ${fields} } }`
  // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
  return ((await graphql(server.url, document)) as any).programmaticOrder
}

const wallets = {
  safe: () => stage().deploySafe(trader()),
  forwarder: () => stage().deployForwarder(trader()),
}

test.each(['safe', 'forwarder'] as const)(
  'a TWAP of a %s starts at the time in the contract, its part links to it, and its removal is seen',
  async (kind) => {
    const { execute, part, mineAt, now: time, rpc } = stage()
    const wallet = await wallets[kind]()
    const params = twap(1)
    await execute(trader(), wallet, [walletCall(composableCow, calls.createNow(params))])
    const startsAt = await time()
    await sync()
    const fields =
      'status startsAt context removedBlock nextPart { uid status } parts(first: 1) { nodes { uid } }'
    const { order, signature } = await part(wallet, params)
    const uid = orderUid(stage().market.network, order, wallet)
    expect(await read(wallet, params, fields)).toEqual({
      status: 'ACTIVE',
      startsAt,
      context: word(startsAt),
      removedBlock: null,
      nextPart: { uid, status: 'NOT_POSTED' },
      parts: { nodes: [{ uid }] },
    })
    await storeOrder(
      server.database.db,
      sampleOrder({ ...order, uid, owner: wallet, signature, signingScheme: 'eip1271', class: 'limit' }),
    )
    expect(await graphql(server.url, `{ order(uid: "${uid}") { programmaticOrder { hash } } }`)).toEqual({
      order: { programmaticOrder: { hash: paramsId(params) } },
    })
    await execute(trader(), wallet, [walletCall(composableCow, calls.remove(params))])
    await rpc.call('anvil_mine', ['0x28'])
    await mineAt((await time()) + 1)
    await sync()
    const removed = await read(wallet, params, 'status startsAt removedBlock readBlock nextPart { uid }')
    expect(removed).toMatchObject({ status: 'CANCELLED', startsAt, nextPart: null })
    expect(removed.removedBlock).toBe(removed.readBlock)
  },
)

test('a creation is gone with its block, and one without a log is not known', async () => {
  const { execute, mineAt, now: time, rpc } = stage()
  const wallet = await wallets.forwarder()
  const [logged, silent] = [twap(2), twap(3)]
  await mineAt((await time()) + 1)
  await sync()
  const snapshot = await rpc.call('evm_snapshot')
  await execute(trader(), wallet, [
    walletCall(composableCow, calls.create(logged)),
    walletCall(composableCow, calls.create(silent, false)),
    walletCall(composableCow, calls.setRoot(keccakText('root'))),
  ])
  await sync()
  // Its start was never written.
  expect(await read(wallet, logged, 'status statusReason parts { nodes { uid } }')).toEqual({
    status: 'INVALID',
    statusReason: 'after twap finish',
    parts: null,
  })
  expect(await read(wallet, silent, 'hash')).toBeNull()
  await rpc.call('evm_revert', [snapshot])
  for (const after of [7, 8]) await mineAt(now + after)
  await sync()
  expect(await read(wallet, logged, 'hash')).toBeNull()
})

/** Stores the part that can trade at the head, as if it was placed. */
async function place(wallet: Address, params: ConditionalOrderParams, proof: readonly Bytes32[] = []) {
  const { order, signature } = await stage().part(wallet, params, proof)
  const uid = orderUid(stage().market.network, order, wallet)
  const creationDate = new Date((await stage().now()) * 1_000)
  await storeOrder(
    server.database.db,
    sampleOrder({
      ...order,
      uid,
      owner: wallet,
      signature,
      signingScheme: 'eip1271',
      class: 'limit',
      creationDate,
    }),
  )
  return uid
}

test.each(['safe', 'forwarder'] as const)(
  'a TWAP that a %s created without a log is known by its part, and its removal is seen',
  async (kind) => {
    const { execute, now: time, rpc } = stage()
    const wallet = await wallets[kind]()
    // Orders that were read outlive the chain of a test.
    const params = twap(kind === 'safe' ? 5 : 9)
    await execute(trader(), wallet, [walletCall(composableCow, calls.createNow(params, false))])
    const startsAt = await time()
    await sync()
    expect(await read(wallet, params, 'hash')).toBeNull()
    const uid = await place(wallet, params)
    await sync()
    expect(
      await read(
        wallet,
        params,
        'source status startsAt creations { nodes { txHash } } nextPart { uid status }',
      ),
    ).toEqual({
      source: 'ORDER',
      status: 'ACTIVE',
      startsAt,
      creations: { nodes: [] },
      nextPart: { uid, status: 'OPEN' },
    })
    await execute(trader(), wallet, [walletCall(composableCow, calls.remove(params))])
    await rpc.call('anvil_mine', ['0x28'])
    await sync()
    expect((await read(wallet, params, 'status')).status).toBe('CANCELLED')
  },
)

test('leaves of public and private roots have the context and the proofs that the contract accepts', async () => {
  const { execute, now: time, poll } = stage()
  const wallet = await wallets.safe()
  const [ending, staying, next] = [twap(6), twap(7), twap(8)] as const
  const first = treeOf([ending, staying], leafEncodings.encoded)
  await execute(trader(), wallet, [walletCall(composableCow, calls.setRootNow(first.root, first.data))])
  const startsAt = await time()
  await sync()
  const fields = 'source status startsAt root proof nextPart { uid }'
  const proof = (tree: typeof first, params: ConditionalOrderParams) => tree.proofOf(params).join('')
  for (const params of [ending, staying]) {
    const uid = await place(wallet, params, first.proofOf(params))
    expect(await read(wallet, params, fields)).toEqual({
      source: 'ROOT',
      status: 'ACTIVE',
      startsAt,
      root: first.root,
      proof: proof(first, params),
      nextPart: { uid },
    })
  }
  const second = treeOf([staying, next])
  await execute(trader(), wallet, [walletCall(composableCow, calls.setRoot(second.root))])
  expect(await poll(wallet, staying, first.proofOf(staying))).toBe('ProofNotAuthed()')
  await sync()
  for (const params of [ending, staying])
    expect((await read(wallet, params, 'status')).status, 'no proof of a private tree').toBe('CANCELLED')
  await place(wallet, next, second.proofOf(next))
  await sync()
  expect(await read(wallet, next, fields)).toMatchObject({
    source: 'ORDER',
    status: 'ACTIVE',
    startsAt,
    root: second.root,
    proof: proof(second, next),
  })
})

test('hundreds of authorisations are read at one block', async () => {
  const { execute, rpc } = stage()
  const wallet = await wallets.forwarder()
  const params = twap(4)
  await execute(trader(), wallet, [walletCall(composableCow, calls.createNow(params))])
  const block = parseObject(await rpc.call('eth_getBlockByNumber', ['latest', false]))
  const unknown = Array.from({ length: 700 }, (_, index) => ({ owner: numbered('77'), hash: word(index) }))
  const key = { owner: wallet, hash: paramsId(params) }
  const answers = await readAuthorisations(rpc, composableCow, [...unknown, key], parseHash(block.hash))
  expect(answers.at(-1)).toEqual({ isAuthorised: true, context: BigInt(String(block.timestamp)) })
  expect(answers.slice(0, -1)).toEqual(unknown.map(() => ({ isAuthorised: false, context: 0n })))
})
