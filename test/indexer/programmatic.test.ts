import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Authorisation } from '../../src/chain/authorisations.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { sdkLeaf } from '../../src/domain/programmatic/merkle.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { encodeProgrammaticSignature } from '../../src/domain/programmatic/signature.ts'
import { decodeInput } from '../../src/domain/programmatic/static-input.ts'
import { generatorState } from '../../src/domain/programmatic/status.ts'
import { twapPart } from '../../src/domain/programmatic/twap.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { applyBlocks, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import { sweepExpired } from '../../src/indexer/endings.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { startProgrammaticHistory } from '../../src/storage/chain/programmatic.ts'
import { duePolls, storePoll } from '../../src/storage/chain/programmatic-polls.ts'
import { sql } from '../../src/storage/database/database.ts'
import { removeFeedEntries, removeUnusedOrders } from '../../src/storage/retention/events.ts'
import {
  appData,
  cabinetOfC,
  ids,
  type Leaf,
  leafEncodings,
  type Name,
  owner,
  paramsOf,
  parts,
  scheduleOf,
  start,
  treeOf,
  twapHandler,
  word,
} from '../domain/programmatic/vectors.ts'
import { holdTransaction } from '../fakes/held-transaction.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered, sampleOrder, signingDomain } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { ask } from '../setup/session.ts'
import { graphql } from '../setup/trader.ts'
import {
  followOnce,
  hashOf,
  invalidation,
  type LogSketch,
  rangeOf,
  type SketchedBlock,
  sketchBlock,
  trade,
} from './hand-made.ts'

const { chainId } = signingDomain
const network = {
  ...sampleNetwork,
  conditionalOrders: { composableCow: numbered('cc'), firstBlock: 0, shedFactories: [numbered('fc')] },
}
let server: TestServer
let indexing: Indexing
let checkpoint: Checkpoint | null
let now = 0
/** The contract: keys of authorised orders with their contexts. */
const contract = new Map<string, bigint>()
let blocks: Map<number, SketchedBlock>
let reads: number[]

beforeAll(async () => {
  server = await openTestServer({}, { now: () => now * 1_000 })
  indexing = { chainId, db: server.database.db, now: () => now * 1_000 }
})
afterAll(() => server?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const client = await connectDirectly(server.database.url)
  await client.query(`TRUNCATE programmatic_orders, programmatic_creations, programmatic_roots, sheds, programmatic_parts,
    programmatic_feed, programmatic_histories, invalidations, orders, trades, checkpoints, blocks`)
  await client.end()
  checkpoint = null
  now = start
  contract.clear()
  blocks = new Map()
  reads = []
})

const keyOf = (ofOwner: Address, hash: Bytes32) => `${ofOwner} ${hash}`

function created(name: Name, by = owner, tx = `created ${name}`): LogSketch {
  return { type: 'creation', owner: by, hash: ids[name], params: paramsOf(name), txHash: hashOf(tx) }
}

async function apply(number: number, sketches: LogSketch[], { branch = 'a', timestamp = now } = {}) {
  const block = sketchBlock(number, sketches, { branch, timestamp })
  blocks.set(number, block)
  checkpoint = await applyBlocks(checkpoint, rangeOf([block]), indexing)
}

async function rollBack(number: number) {
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

/** Runs the round until it has nothing to do. */
async function round(more: object = {}) {
  await followOnce(blocks, {
    network,
    db: server.database.db,
    readAuthorisations: async (keys) => {
      reads.push(keys.length)
      return keys.map(({ owner, hash }): Authorisation => {
        const context = contract.get(keyOf(owner, hash))
        return { isAuthorised: context !== undefined, context: context ?? 0n }
      })
    },
    ...more,
  })
}

const list = (args: string, fields: string) =>
  graphql(server.url, `{ programmaticOrders${args} { nodes { ${fields} } } }`).then(
    // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
    ({ programmaticOrders }: any) => programmaticOrders.nodes,
  )

async function one(name: Name, fields: string) {
  const document = `{ programmaticOrder(owner: "${owner}", hash: "${ids[name]}") { ${fields} } }`
  // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
  return ((await graphql(server.url, document)) as any).programmaticOrder
}

/** The order of a part, as a watch-tower places it. */
function partOrder(
  name: Name,
  index: number,
  format: 'safe' | 'forwarder' = 'safe',
  proof: Bytes32[] = [],
): Order {
  const part = twapPart(scheduleOf(name), index) ?? expect.fail()
  const payload = { params: paramsOf(name), proof, offchainInput: '0x' as const }
  const signature = encodeProgrammaticSignature(format, signingDomain, part.order, payload)
  const uid = orderUid(signingDomain, part.order, owner)
  const creationDate = new Date(now * 1_000)
  return sampleOrder({
    ...part.order,
    owner,
    signature,
    signingScheme: 'eip1271',
    uid,
    class: 'limit',
    creationDate,
  })
}

/** A tree of these orders, and its log with the leaves or, if it is private, without. */
function rootOf(
  names: readonly Name[],
  encode?: (leaves: readonly Leaf[]) => Hex,
  leafHash?: typeof sdkLeaf,
) {
  const { root, data, proofOf } = treeOf(names.map(paramsOf), encode, leafHash)
  const place = encode ? { location: 1n, data } : { location: 0n, data: '0x' as const }
  const log: LogSketch = { type: 'root', owner, root, ...place, txHash: hashOf(root) }
  return { log, root, proofOf: (name: Name) => proofOf(paramsOf(name)) }
}

/** Orders that the watch tower is to poll, by their hash: their proofs. */
async function polled() {
  const at = { number: 10_000, timestamp: now }
  const due = await duePolls(indexing.db, chainId, { lane: 'computed', at, busy: [], perOwner: 9, limit: 9 })
  return new Map(due.map(({ params, proof }) => [paramsId(params), proof]))
}

const joined = (proof: readonly Bytes32[]) => `0x${proof.map((node) => node.slice(2)).join('')}`

test('a creation is a programmatic order whose parts are known before they are placed', async () => {
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(1, [created('A')], { timestamp: start - 10 })
  await round()
  const found = await one(
    'A',
    `hash owner resolvedOwner handler type salt staticInput creationDate status statusReason partCount startsAt endsAt
      readBlock removedBlock decodeError context
      input { ... on TwapInput { partSellAmount minPartLimit t0 n t span appData receiver sellToken { address } } }
      creations { nodes { blockNumber logIndex txHash timestamp } }
      nextPart { index validFrom validTo status order { uid } }
      parts(first: 3) { pageInfo { hasNextPage endCursor } nodes { index uid validFrom validTo sellAmount buyAmount status } }`,
  )
  const ofA = parts.filter(([name]) => name === 'A')
  expect(found).toMatchObject({
    hash: ids.A,
    owner,
    resolvedOwner: owner,
    handler: twapHandler,
    type: 'TWAP',
    salt: word(1),
    staticInput: paramsOf('A').staticInput,
    creationDate: '2027-01-15T07:59:50Z',
    status: 'ACTIVE',
    statusReason: null,
    partCount: 4,
    startsAt: start,
    endsAt: start + 4 * 3_600 - 1,
    readBlock: 1,
    removedBlock: null,
    decodeError: null,
    context: word(0),
    input: {
      partSellAmount: '250000000000000000',
      n: '4',
      t: '3600',
      appData,
      sellToken: { address: numbered('aa') },
    },
    creations: { nodes: [{ blockNumber: 1, logIndex: 0, txHash: hashOf('created A') }] },
    nextPart: { index: 0, validFrom: start, validTo: start + 3_599, status: 'NOT_POSTED', order: null },
  })
  const { nodes, pageInfo } = found.parts
  expect(nodes.map(({ uid }: { uid: string }) => uid)).toEqual(
    ofA.slice(0, 3).map(([, , , end, digest]) => `${digest}${owner.slice(2)}${end.toString(16)}`),
  )
  expect(nodes.map((part: { status: string }) => part.status)).toEqual([
    'NOT_POSTED',
    'SCHEDULED',
    'SCHEDULED',
  ])
  expect(nodes[0]).toMatchObject({ sellAmount: '250000000000000000', buyAmount: '500000000' })
  expect(pageInfo.hasNextPage).toBe(true)
  const rest = await one(
    'A',
    `parts(first: 100, after: "${pageInfo.endCursor}") { pageInfo { hasNextPage } nodes { index } }`,
  )
  expect(rest.parts).toEqual({ pageInfo: { hasNextPage: false }, nodes: [{ index: 3 }] })
})

test('the context is read from the contract, and again after a further creation', async () => {
  await apply(1, [created('C')])
  expect(await one('C', 'status startsAt context nextPart { index } parts { nodes { index } }')).toEqual({
    status: 'ACTIVE',
    startsAt: null,
    context: null,
    nextPart: null,
    parts: null,
  })
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  await round()
  const known = await one('C', 'status startsAt parts(first: 1) { nodes { uid } }')
  const [, , , end, digest] = parts.find(([name]) => name === 'C') ?? expect.fail()
  expect(known).toEqual({
    status: 'SCHEDULED',
    startsAt: Number(cabinetOfC),
    parts: { nodes: [{ uid: `${digest}${owner.slice(2)}${end.toString(16)}` }] },
  })
  contract.set(keyOf(owner, ids.C), cabinetOfC + 1_000n)
  await apply(2, [created('C', owner, 'again')])
  await round()
  expect(await one('C', 'startsAt creations { nodes { blockNumber } }')).toEqual({
    startsAt: Number(cabinetOfC) + 1_000,
    creations: { nodes: [{ blockNumber: 1 }, { blockNumber: 2 }] },
  })
  expect(await list('', 'hash')).toEqual([{ hash: ids.C }])
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  await rollBack(1)
  expect(await one('C', 'startsAt context readBlock creations { nodes { blockNumber } }')).toEqual({
    startsAt: null,
    context: null,
    readBlock: null,
    creations: { nodes: [{ blockNumber: 1 }] },
  })
  await round()
  expect(await one('C', 'startsAt')).toEqual({ startsAt: Number(cabinetOfC) })
})

test('a reorg of the only creation removes it, and the new branch may bring it again', async () => {
  await apply(1, [])
  const root = {
    type: 'root' as const,
    owner,
    root: word(7),
    location: 0n,
    data: '0x' as const,
    txHash: hashOf('root'),
  }
  const shed = {
    type: 'shed' as const,
    shed: numbered('5e'),
    account: numbered('a1'),
    txHash: hashOf('shed'),
  }
  await apply(2, [created('A'), root, shed])
  const counts = async () => {
    const client = sql(server.database.db)
    return [
      await client.programmaticOrder.count(),
      await client.programmaticCreation.count(),
      await client.programmaticRoot.count(),
      await client.shed.count(),
    ]
  }
  expect(await counts()).toEqual([1, 1, 1, 1])
  await rollBack(1)
  expect(await counts()).toEqual([0, 0, 0, 0])
  expect(await one('A', 'hash')).toBeNull()
  await apply(2, [created('A'), root, shed], { branch: 'b' })
  expect(await counts()).toEqual([1, 1, 1, 1])
})

test('a removal is seen, keeps its first block, is taken back by a reorg, and by an authorisation', async () => {
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  now = Number(cabinetOfC)
  await apply(1, [created('C')])
  await round()
  contract.delete(keyOf(owner, ids.C))
  await apply(40, [], { timestamp: now + 40 })
  await round()
  const removed = {
    status: 'CANCELLED',
    removedBlock: 40,
    removedAt: '2027-01-15T08:02:43Z',
    startsAt: Number(cabinetOfC),
  }
  expect(await one('C', 'status removedBlock removedAt startsAt')).toEqual(removed)
  expect(await one('C', 'nextPart { index } parts(first: 1) { nodes { status } }')).toEqual({
    nextPart: null,
    parts: { nodes: [{ status: 'CANCELLED' }] },
  })
  await apply(1_000, [])
  await round()
  expect(await one('C', 'status removedBlock removedAt startsAt')).toEqual(removed)
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  await apply(2_000, [])
  await round()
  expect(await one('C', 'status removedBlock removedAt')).toEqual({
    status: 'ACTIVE',
    removedBlock: null,
    removedAt: null,
  })
  contract.delete(keyOf(owner, ids.C))
  await apply(3_000, [])
  await round()
  expect(await one('C', 'status removedBlock')).toEqual({ status: 'CANCELLED', removedBlock: 3_000 })
  await rollBack(2_000)
  expect(await one('C', 'status removedBlock')).toEqual({ status: 'ACTIVE', removedBlock: null })
})

test.each(['safe', 'forwarder'] as const)('an order links to it by a signature for a %s', async (format) => {
  const order = partOrder('A', 0, format)
  await storeOrder(server.database.db, order)
  const linked = `{ order(uid: "${order.uid}") { programmaticOrder { hash orders { nodes { uid } } filledParts
    executedSellAmount executedBuyAmount } } }`
  expect(await graphql(server.url, linked)).toEqual({ order: { programmaticOrder: null } })
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(1, [created('A')])
  await round()
  expect(await one('A', 'nextPart { index status order { uid } }')).toEqual({
    nextPart: { index: 0, status: 'OPEN', order: { uid: order.uid } },
  })
  await apply(2, [trade(order, { sell: order.sellAmount, buy: order.buyAmount + 5n }, 'traded')])
  expect(await graphql(server.url, linked)).toEqual({
    order: {
      programmaticOrder: {
        hash: ids.A,
        orders: { nodes: [{ uid: order.uid }] },
        filledParts: 1,
        executedSellAmount: String(order.sellAmount),
        executedBuyAmount: String(order.buyAmount + 5n),
      },
    },
  })
  expect(
    await one('A', 'nextPart { index status } parts(first: 1) { nodes { status order { status } } }'),
  ).toEqual({
    nextPart: { index: 1, status: 'SCHEDULED' },
    parts: { nodes: [{ status: 'FILLED', order: { status: 'FULFILLED' } }] },
  })
  const later = partOrder('A', 2, format)
  await storeOrder(server.database.db, later)
  const both = [order, later].map(({ uid }) => ({ uid }))
  expect((await one('A', 'orders { nodes { uid } }')).orders.nodes).toEqual(expect.arrayContaining(both))
})

test('orders that are older than links are linked once their owner creates one', async () => {
  const order = partOrder('A', 1, 'safe')
  await storeOrder(server.database.db, order)
  await sql(server.database.db).programmaticPart.deleteMany({})
  await apply(1, [created('A')])
  expect(await one('A', 'orders { nodes { uid } }')).toEqual({ orders: { nodes: [{ uid: order.uid }] } })
})

test('the link of an order goes with the order, once that is removed as unused', async () => {
  const { db } = server.database
  const order = partOrder('A', 0, 'safe')
  await storeOrder(db, order)
  const { id } = await sql(db).order.findFirstOrThrow({ select: { id: true } })
  const longAgo = new Date(0)
  await sql(db).mirroredOrder.create({
    data: { orderId: id, chainId, comparedAt: longAgo, isLive: false, requestedAt: longAgo },
  })
  expect(await sql(db).programmaticPart.count()).toBe(1)
  await removeUnusedOrders(db, { before: new Date(1), limit: 10 })
  expect(await sql(db).order.count()).toBe(0)
  expect(await sql(db).programmaticPart.count()).toBe(0)
})

test('lists by owner, account behind a proxy, status and type; an unknown handler is listed undecoded', async () => {
  const [user, shed] = [numbered('a1'), numbered('5e')]
  const unknown: ConditionalOrderParams = { handler: numbered('99'), salt: word(9), staticInput: '0x1234' }
  const hash = paramsId(unknown)
  await apply(1, [
    created('A', shed),
    { type: 'shed', shed, account: user, txHash: hashOf('shed') },
    { type: 'creation', owner: user, hash, params: unknown, txHash: hashOf('unknown') },
    created('B', numbered('b0')),
  ])
  const hashes = async (args: string) => (await list(args, 'hash')).map(({ hash }: { hash: string }) => hash)
  expect(await hashes('')).toEqual([ids.B, hash, ids.A])
  expect(await hashes(`(owner: "${user}")`)).toEqual([hash])
  expect(await hashes(`(owner: "${shed}")`)).toEqual([ids.A])
  expect(await hashes(`(resolvedOwner: "${user}")`)).toEqual([hash, ids.A])
  expect(await hashes(`(resolvedOwner: "${shed}")`)).toEqual([])
  expect(await hashes('(type: TWAP)')).toEqual([ids.B, ids.A])
  now = start - 1
  expect(await hashes('(status: [SCHEDULED])')).toEqual([ids.B, ids.A])
  expect(await hashes('(status: [ACTIVE, CANCELLED])')).toEqual([hash])
  const [listed] = await list(
    '(type: UNKNOWN)',
    'id type input { __typename } decodeError partCount parts { nodes { index } }',
  )
  expect(listed).toMatchObject({
    type: 'UNKNOWN',
    input: null,
    decodeError: null,
    partCount: null,
    parts: null,
  })
  const byId = `{ node(id: "${listed.id}") { ... on ProgrammaticOrder { hash } } programmaticOrder(id: "${listed.id}") { hash } }`
  expect(await graphql(server.url, byId)).toEqual({ node: { hash }, programmaticOrder: { hash } })
  const ofAccount = `{ account(address: "${user}") { programmaticOrders(type: TWAP) { nodes { hash resolvedOwner } } } }`
  expect(await graphql(server.url, ofAccount)).toEqual({
    account: { programmaticOrders: { nodes: [{ hash: ids.A, resolvedOwner: user }] } },
  })
})

test('lists by the first bytes of the hash, also the greatest, and by the transaction of a creation', async () => {
  const other = numbered('b0')
  const top = `0x${'ff'.repeat(31)}fe` as Bytes32
  const last = `0x${'ff'.repeat(32)}` as Bytes32
  const params = paramsOf('C')
  await apply(1, [
    created('A'),
    created('A', other, 'copied'),
    created('B', owner, 'created A'),
    { type: 'creation', owner, hash: top, params, txHash: hashOf('top') },
    { type: 'creation', owner, hash: last, params, txHash: hashOf('last') },
  ])
  const found = async (args: string) => {
    const nodes: { hash: string; owner: string }[] = await list(args, 'hash owner')
    return nodes.map(({ hash, owner: by }) => (by === other ? `${hash} of other` : hash))
  }
  const both = [`${ids.A} of other`, ids.A]
  for (const bytes of [4, 5, 31, 32])
    expect(await found(`(hash: "${ids.A.slice(0, 2 + bytes * 2)}")`)).toEqual(both)
  expect(await found(`(hash: "${ids.A}", owner: "${other}")`)).toEqual(both.slice(0, 1))
  expect(await found('(hash: "0xffffffff")')).toEqual([last, top])
  expect(await found(`(hash: "${last}")`)).toEqual([last])
  expect(await found(`(hash: "${top}")`)).toEqual([top])
  expect(await found(`(hash: "${ids.A}", status: [CANCELLED])`)).toEqual([])
  expect(await found(`(txHash: "${hashOf('created A')}")`)).toEqual([ids.B, ids.A])
  expect(await found(`(txHash: "${hashOf('copied')}", type: TWAP)`)).toEqual(both.slice(0, 1))
  expect(await found(`(txHash: "${hashOf('none')}")`)).toEqual([])
  for (const [args, field] of [
    ['hash: "0x123456"', 'hash'],
    [`hash: "${last}ff"`, 'hash'],
    [`hash: "${last}", changedAfter: "earliest"`, 'hash'],
    [`txHash: "${last}", changedAfter: "earliest"`, 'txHash'],
  ]) {
    const { errors } = await ask(server.url, `{ programmaticOrders(${args}) { nodes { hash } } }`)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'InvalidParameter', field })
  }
})

test('a thousand orders of one owner are read in one round, and not again before their time', async () => {
  const many = Array.from({ length: 1_000 }, (_, index): LogSketch => {
    const params = { handler: numbered('99'), salt: word(index), staticInput: '0x' as const }
    return { type: 'creation', owner, hash: paramsId(params), params, txHash: hashOf('spam') }
  })
  await apply(1, [...many, created('A')])
  contract.set(keyOf(owner, ids.A), 0n)
  await round()
  expect(reads).toEqual([1_001])
  await apply(2, [])
  await round()
  expect(reads).toEqual([1_001])
  await apply(31, [])
  await round()
  expect(reads).toEqual([1_001, 1])
})

test('a part has the status of its order that is read from an order book for the same answer', async () => {
  const order = partOrder('A', 0)
  now = start + 7_200
  const { sellAmount: sell, buyAmount: buy } = order
  const [first, second] = [
    sketchBlock(1, [created('A')]),
    sketchBlock(2, [trade(order, { sell, buy }, 'old')]),
  ]
  await using followed = await openTestServer(
    {
      async readOrders([uid]) {
        if (uid !== order.uid) return false
        await storeOrder(db, order)
        await applyBlocks(known, rangeOf([second]), { ...indexing, db })
        return true
      },
    },
    { now: () => now * 1_000 },
  )
  const { db } = followed.database
  const known = await applyBlocks(null, rangeOf([first]), { ...indexing, db })
  const fields = 'parts(first: 1) { nodes { status order { status } } }'
  const document = `{ programmaticOrder(owner: "${owner}", hash: "${ids.A}") { ${fields} } }`
  expect((await graphql(followed.url, document)).programmaticOrder).toEqual({
    parts: { nodes: [{ status: 'FILLED', order: { status: 'FULFILLED' } }] },
  })
})

test('the parts of all programmatic orders of a page take two statements more', async () => {
  for (const [index, name] of (['A', 'B', 'D'] as const).entries()) await apply(index + 1, [created(name)])
  const statements = async (fields: string) => {
    const before = server.database.statements.length
    await list('', fields)
    return server.database.statements.length - before
  }
  expect(await statements('hash input { __typename } parts { nodes { uid } }')).toBe(1)
  expect(await statements('parts(first: 4) { nodes { status order { uid } } } nextPart { status }')).toBe(3)
})

test('a page of parts is limited, and its cursor is of this list', async () => {
  await apply(1, [created('A')])
  const ask = (args: string) =>
    graphql(
      server.url,
      `{ programmaticOrder(owner: "${owner}", hash: "${ids.A}") { parts(${args}) { nodes { index } } } }`,
    )
  await expect(ask('first: 101')).rejects.toThrow('first must be from 1 to 100')
  await expect(ask('after: "b1"')).rejects.toThrow('after must be a cursor of this list')
  const all = '{ programmaticOrders(first: 1000) { nodes { parts(first: 100) { nodes { uid } } } } }'
  await expect(graphql(server.url, all)).rejects.toThrow('objects')
})

test('the status is that of the domain for every state of a TWAP', async () => {
  const ofName = async (name: Name, authorised: boolean, filled: number) => {
    const isC = name === 'C'
    const decoded = decodeInput(chainId, paramsOf(name))
    const facts = { decoded, isAuthorised: authorised, cabinet: isC ? cabinetOfC : 0n, filledParts: filled }
    return generatorState({ ...facts, pollFault: null, now })
      .status.replace(/[A-Z]/g, '_$&')
      .toUpperCase()
  }
  for (const name of ['A', 'B', 'C'] as const)
    contract.set(keyOf(owner, ids[name]), name === 'C' ? cabinetOfC : 0n)
  now = start - 100
  await apply(1, [created('A'), created('B'), created('C'), created('D')])
  await round()
  const filled: Record<string, number> = { A: 4, B: 1, C: 0, D: 0 }
  for (const [name, index] of [...[0, 1, 2, 3].map((index) => ['A', index] as const), ['B', 0] as const]) {
    const order = partOrder(name, index, 'safe')
    await storeOrder(server.database.db, order)
    await apply(2 + index + (name === 'B' ? 4 : 0), [
      trade(order, { sell: order.sellAmount, buy: order.buyAmount }, `${name}${index}`),
    ])
  }
  const seen = new Set<string>()
  for (now of [
    start - 1,
    start,
    start + 700,
    start + 11_399,
    start + 11_400,
    start + 14_399,
    start + 14_400,
    start + 20_000,
  ])
    for (const name of ['A', 'B', 'C', 'D'] as const) {
      const { status } = await one(name, 'status')
      expect([name, now, status]).toEqual([name, now, await ofName(name, name !== 'D', filled[name] ?? 0)])
      expect(await list(`(status: [${status}])`, 'hash')).toContainEqual({ hash: ids[name] })
      seen.add(status)
    }
  expect([...seen].sort()).toEqual(['ACTIVE', 'CANCELLED', 'EXPIRED', 'FILLED', 'PARTLY_FILLED', 'SCHEDULED'])
})

test('blocks that were indexed without these logs are read later, in ranges', async () => {
  const old = sketchBlock(5, [created('A')], { timestamp: start - 1_000 })
  blocks.set(5, old)
  await apply(25_000, [])
  await startProgrammaticHistory(server.database.db, chainId, { nextBlock: 3, lastBlock: 25_000 })
  const asked: string[] = []
  contract.set(keyOf(owner, ids.A), 0n)
  await round({
    programmaticLogs: async ({ from, to }: { from: number; to: number }) => {
      asked.push(`${from}-${to}`)
      return from <= 5 && to >= 5 ? old.logs : []
    },
  })
  expect(asked).toEqual(['3-10002', '10003-20002', '20003-25000'])
  expect(await one('A', 'creationDate readBlock')).toEqual({
    creationDate: '2027-01-15T07:43:20Z',
    readBlock: 25_000,
  })
})

test('a PollNever ends an order of another handler until it is created again, or a reorg undoes its block', async () => {
  const params = { handler: numbered('99'), salt: word(1), staticInput: '0x' as const }
  const hash = paramsId(params)
  const creation: LogSketch = { type: 'creation', owner, hash, params, txHash: hashOf('never') }
  await apply(1, [creation])
  contract.set(keyOf(owner, hash), 0n)
  await round()
  const read = async () =>
    (
      await graphql(
        server.url,
        `{ programmaticOrder(owner: "${owner}", hash: "${hash}") { status nextPollAt lastPoll { block result reason } } }`,
      )
    ).programmaticOrder
  expect(await read()).toEqual({ status: 'ACTIVE', nextPollAt: 0, lastPoll: null })
  const at = { number: 1, timestamp: start }
  const first = { lane: 'asked', at, busy: [], perOwner: 1, limit: 1 } as const
  const never = { result: 'ended', reason: 'PollNever: over', next: null } as const
  const [due] = await duePolls(indexing.db, chainId, first)
  await storePoll(indexing.db, due ?? expect.fail(), at, never)
  const lastPoll = { block: 1, result: 'ENDED', reason: 'PollNever: over' }
  expect(await read()).toEqual({ status: 'ENDED', nextPollAt: null, lastPoll })
  expect(await list('(status: [ENDED])', 'hash')).toEqual([{ hash }])
  expect(await list('(status: [ACTIVE])', 'hash')).toEqual([])
  const pollFault = { error: 'PollNever', message: 'over' } as const
  const facts = { isAuthorised: true, cabinet: 0n, filledParts: 0, pollFault, now }
  expect(generatorState({ ...facts, decoded: decodeInput(chainId, params) }).status).toBe('ended')
  await apply(2, [creation])
  await round()
  expect(await read()).toEqual({ status: 'ACTIVE', nextPollAt: 0, lastPoll: null })
  const [again] = await duePolls(indexing.db, chainId, first)
  await apply(3, [])
  await storePoll(indexing.db, again ?? expect.fail(), { number: 3, timestamp: now }, never)
  expect(await read()).toMatchObject({ status: 'ENDED', nextPollAt: null })
  await rollBack(2)
  await apply(3, [], { branch: 'b' })
  await round()
  expect(await read()).toEqual({ status: 'ACTIVE', nextPollAt: 0, lastPoll: null })
})

const byChange = `query ($place: String, $account: Address!) {
  programmaticOrders(changedAfter: $place, first: 2) { nodes { FIELDS } pageInfo { endCursor hasNextPage } }
  account(address: $account) { programmaticOrders(changedAfter: $place, first: 100) { nodes { hash } } }
}`

/** Reads what changed since it read last, by pages. */
async function createReader(fields: string) {
  let place = 'earliest'
  async function read() {
    // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
    const nodes: any[] = []
    for (let isMore = true; isMore; ) {
      const { data, errors } = await ask(server.url, byChange.replace('FIELDS', fields), {
        place,
        account: owner,
      })
      expect(errors).toBeUndefined()
      const { programmaticOrders: page, account } = data
      expect(account.programmaticOrders.nodes.length).toBeGreaterThanOrEqual(page.nodes.length)
      nodes.push(...page.nodes)
      place = page.pageInfo.endCursor ?? place
      isMore = page.pageInfo.hasNextPage
    }
    return nodes
  }
  await read()
  return read
}

test('a reader of changes has every change of a programmatic order once, and no look or poll without one', async () => {
  const changes = await createReader('hash status statusReason filledParts executedSellAmount isReverted')
  const { db } = server.database
  const state = {
    hash: ids.C,
    statusReason: null,
    filledParts: 0,
    executedSellAmount: '0',
    isReverted: false,
  }
  const lookAt = async (number: number) => {
    await apply(number, [])
    await round()
  }
  now = Number(cabinetOfC)
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  await apply(1, [created('C')])
  expect(await changes()).toMatchObject([{ hash: ids.C, status: 'ACTIVE' }])
  await round()
  expect(await changes()).toEqual([{ ...state, status: 'ACTIVE' }])
  expect(await changes()).toEqual([])
  await lookAt(100)
  expect(await one('C', 'readBlock')).toEqual({ readBlock: 100 })
  expect(await changes()).toEqual([])
  await apply(101, [created('C', owner, 'again')])
  expect(await changes()).toMatchObject([{ statusReason: 'the contract is still to be read' }])
  await round()
  expect(await changes()).toEqual([{ ...state, status: 'ACTIVE' }])
  contract.set(keyOf(owner, ids.C), cabinetOfC + 1n)
  await lookAt(200)
  expect(await changes()).toMatchObject([{ status: 'SCHEDULED' }])
  contract.delete(keyOf(owner, ids.C))
  await lookAt(300)
  expect(await changes()).toMatchObject([{ status: 'CANCELLED' }])
  contract.set(keyOf(owner, ids.C), cabinetOfC)
  await lookAt(1_300)
  expect(await changes()).toEqual([{ ...state, status: 'ACTIVE' }])

  const pollAs = async (result: 'waiting' | 'notMet', time: number) => {
    const at = { number: 1_300, timestamp: time }
    const [due] = await duePolls(db, chainId, { lane: 'computed', at, busy: [], perOwner: 1, limit: 1 })
    if (!due) throw new Error('not due')
    await storePoll(db, due, at, { result, reason: null, next: { time: time + 1, block: null } })
  }
  await pollAs('waiting', now)
  expect(await changes()).toHaveLength(1)
  await pollAs('waiting', now + 1)
  expect(await changes()).toEqual([])
  await pollAs('notMet', now + 2)
  expect(await changes()).toHaveLength(1)

  const [first, second, third] = [0, 1, 2].map((index) => partOrder('C', index, 'safe'))
  if (!first || !second || !third) throw new Error('no parts')
  await storeOrder(db, first)
  expect(await changes()).toHaveLength(1)
  const half = { sell: first.sellAmount / 2n, buy: first.buyAmount }
  await apply(1_301, [trade(first, half, 'first half')])
  expect(await changes()).toMatchObject([{ filledParts: 0, executedSellAmount: String(half.sell) }])
  const rest = { sell: first.sellAmount - half.sell, buy: first.buyAmount }
  await apply(1_302, [trade(first, rest, 'rest')])
  expect(await changes()).toMatchObject([{ filledParts: 1, executedSellAmount: String(first.sellAmount) }])
  await rollBack(1_301)
  expect(await changes()).toMatchObject([{ filledParts: 0, executedSellAmount: String(half.sell) }])
  await round()
  await changes()
  await apply(1_302, [invalidation(first, 'invalidated')], { branch: 'a' })
  expect(await changes()).toHaveLength(1)
  await storeOrder(db, second)
  await changes()
  const header = { ...sketchBlock(1_303, []).block, timestamp: second.effectiveValidTo + 1 }
  await sweepExpired(db, chainId, [header], new Date(0))
  expect(await changes()).toHaveLength(1)
  await apply(1_304, [invalidation(third, 'unknown')])
  expect(await changes()).toHaveLength(1)
  expect(await one('C', 'parts { nodes { status } }')).toMatchObject({
    parts: { nodes: expect.arrayContaining([{ status: 'CANCELLED' }]) },
  })
  await apply(1_305, [trade(sampleOrder(), half, 'another order')])
  expect(await changes()).toEqual([])
  now = Number((await one('C', 'endsAt')).endsAt) + 1
  await lookAt(1_400)
  expect(await changes()).toMatchObject([{ status: 'EXPIRED' }])
  await apply(1_401, [{ type: 'shed', shed: owner, account: numbered('a1'), txHash: hashOf('shed') }])
  const seen = await ask(
    server.url,
    `{ programmaticOrders(changedAfter: "earliest", resolvedOwner: "${numbered('a1')}") { nodes { hash resolvedOwner } } }`,
  )
  expect(seen.data.programmaticOrders.nodes).toEqual([{ hash: ids.C, resolvedOwner: numbered('a1') }])
})

test('a reader of changes sees what a reorg undid as it was, and what the new branch brings', async () => {
  const changes = await createReader(
    'id hash status creationDate isReverted creations { nodes { txHash } } orders { nodes { uid } } input { __typename } diagnosis { code }',
  )
  await apply(1, [])
  await apply(2, [created('A'), created('B')])
  const before = await changes()
  expect(before.map(({ hash, isReverted }) => [hash, isReverted])).toEqual([
    [ids.A, false],
    [ids.B, false],
  ])
  await rollBack(1)
  expect(await changes()).toEqual(
    before.map((node) => ({ ...node, isReverted: true, creations: { nodes: [] } })),
  )
  await apply(2, [created('A')], { branch: 'b' })
  expect(await changes()).toEqual([before[0]])
  const all = await ask(
    server.url,
    '{ programmaticOrders(changedAfter: "earliest") { nodes { hash isReverted } } }',
  )
  expect(all.data.programmaticOrders.nodes).toEqual([
    { hash: ids.B, isReverted: true },
    { hash: ids.A, isReverted: false },
  ])
  expect(await list('', 'hash isReverted')).toEqual([{ hash: ids.A, isReverted: false }])
})

test('a change that is committed late is not missed, and one of several filters finds it', async () => {
  await apply(1, [created('A'), created('B')])
  const changes = await createReader('hash')
  const { db } = server.database
  const change = (name: Name) =>
    holdTransaction(db, async (tx) => {
      await sql(tx).programmaticOrder.updateMany({
        where: { hash: Buffer.from(ids[name].slice(2), 'hex') },
        data: { fault: name },
      })
    })
  const late = await change('A')
  const early = await change('B')
  await early.commit()
  expect(await changes()).toEqual([{ hash: ids.B }])
  await late.commit()
  expect(await changes()).toEqual([{ hash: ids.A }])
  const found = async (filter: string) => {
    const document = `{ programmaticOrders(changedAfter: "earliest", ${filter}) { nodes { hash } } }`
    return (await ask(server.url, document)).data.programmaticOrders.nodes.length
  }
  expect(await found('type: TWAP')).toBe(2)
  expect(await found('type: STOP_LOSS')).toBe(0)
  expect(await found('status: [INVALID]')).toBe(2)
  expect(await found('status: [ACTIVE]')).toBe(0)
  expect(await found(`owner: "${owner}", network: "sepolia"`)).toBe(2)
  expect(await found(`owner: "${numbered('b0')}"`)).toBe(0)
})

test('a place behind entries that were removed is refused with the place to go on from', async () => {
  await apply(1, [created('A')])
  const removed = await removeFeedEntries(server.database.db, {
    before: new Date(Date.now() + 60_000),
    limit: 10_000,
  })
  expect(removed.removed.programmatic_feed).toBeGreaterThan(0)
  const read = (place: string) =>
    ask(server.url, `{ programmaticOrders(changedAfter: "${place}") { nodes { hash } } }`)
  const [refused] = (await read('2')).errors ?? []
  expect(refused?.extensions).toMatchObject({ code: 'FeedGap', cursor: expect.stringMatching(/^\d+$/) })
  const { cursor } = { ...(refused?.extensions as { cursor?: string } | undefined) }
  expect((await read(String(cursor))).errors).toBeUndefined()
})

const state = 'source status statusReason root proof removedBlock startsAt'

test.each(Object.entries(leafEncodings))(
  'leaves of a root, %s, are polled with their proofs; a new root ends some and takes others over, and a reorg takes it back',
  async (_name, encode) => {
    const [first, second] = [rootOf(['A', 'B'], encode), rootOf(['B', 'C'], encode)]
    // No leaf is a single order; those without a start share one.
    contract.set(keyOf(owner, word(0)), cabinetOfC)
    await apply(1, [first.log], { timestamp: start - 10 })
    await round()
    const active = {
      source: 'ROOT',
      status: 'ACTIVE',
      statusReason: null,
      removedBlock: null,
      startsAt: start,
    }
    const ofA = { ...active, root: first.root, proof: joined(first.proofOf('A')) }
    expect(await one('A', `${state} creationDate creations { nodes { logIndex } }`)).toEqual({
      ...ofA,
      creationDate: '2027-01-15T07:59:50Z',
      creations: { nodes: [] },
    })
    const proofs = new Map([
      [ids.A, first.proofOf('A')],
      [ids.B, first.proofOf('B')],
    ])
    expect(await polled()).toEqual(proofs)
    await apply(2, [second.log])
    expect(await polled(), 'until the contract is read').toEqual(new Map())
    await round()
    expect(await one('A', state)).toEqual({
      ...ofA,
      status: 'CANCELLED',
      removedBlock: 2,
      statusReason: 'its root was replaced; first seen in block 2',
    })
    const proofOfB = joined(second.proofOf('B'))
    expect(await one('B', state)).toEqual({ ...active, root: second.root, proof: proofOfB })
    expect((await one('C', state)).startsAt).toBe(Number(cabinetOfC))
    expect([...(await polled()).keys()].sort()).toEqual([ids.B, ids.C].sort())
    await rollBack(1)
    await round()
    expect(await one('A', state)).toEqual(ofA)
    expect(await one('C', state)).toBeNull()
    expect(await polled()).toEqual(proofs)
    await rollBack(0)
    expect(await list('', 'hash')).toEqual([])
  },
)

test('an order that is single too goes on without its root, with its own context', async () => {
  const tree = rootOf(['B', 'C'], leafEncodings.tuples)
  contract.set(keyOf(owner, word(0)), cabinetOfC)
  await apply(1, [tree.log])
  await round()
  expect(await one('C', state)).toMatchObject({ source: 'ROOT', startsAt: Number(cabinetOfC) })
  contract.set(keyOf(owner, ids.C), cabinetOfC + 50n)
  await apply(2, [created('C')])
  await round()
  expect(await one('C', state)).toMatchObject({ status: 'SCHEDULED', startsAt: Number(cabinetOfC) + 50 })
  expect((await polled()).get(ids.C)).toEqual([])
  await apply(3, [rootOf(['A', 'B']).log])
  await round()
  expect(await one('C', state)).toMatchObject({ status: 'SCHEDULED', removedBlock: null })
  contract.delete(keyOf(owner, ids.C))
  await apply(40, [])
  await round()
  expect((await one('C', state)).status).toBe('CANCELLED')
})

test('leaves of a tree that is hashed as an SDK does are listed with the reason, and go on as single orders', async () => {
  const tree = rootOf(['A', 'B'], leafEncodings.tuples, sdkLeaf)
  await apply(1, [tree.log])
  await round()
  expect(await one('A', state)).toMatchObject({
    source: 'ROOT',
    status: 'INVALID',
    root: tree.root,
    proof: null,
    statusReason:
      'its Merkle tree hashes orders without the offset of their struct, as an SDK does; the contract accepts no proof of it',
  })
  expect(await polled()).toEqual(new Map())
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(2, [created('A')])
  await round()
  expect(await one('A', state)).toMatchObject({ status: 'ACTIVE', statusReason: null })
  expect(await polled()).toEqual(new Map([[ids.A, []]]))
  await apply(3, [rootOf(['C', 'D']).log])
  await round()
  expect((await one('B', state)).status).toBe('CANCELLED')
})

test('leaves without a proof to their root are not stored, nor any of a private tree', async () => {
  const { log } = rootOf(['A', 'B'], (leaves) =>
    leafEncodings.tuples(leaves.map(([, params]) => [[ids.C], params])),
  )
  await apply(1, [log, rootOf(['C', 'D']).log])
  await round()
  expect(await list('', 'hash')).toEqual([])
})

test('an order of a private tree is known by a part, and stays by the proof of a later part', async () => {
  const [first, second] = [rootOf(['A', 'B']), rootOf(['A', 'C'])]
  const { db } = server.database
  await apply(1, [first.log])
  await storeOrder(db, partOrder('A', 0, 'safe', [ids.C]))
  await round()
  expect(await one('A', state), 'a proof to another root').toBeNull()
  await storeOrder(db, partOrder('A', 1, 'forwarder', first.proofOf('A')))
  await apply(2, [])
  await round()
  const ofA = { source: 'ORDER', status: 'ACTIVE', root: first.root, proof: joined(first.proofOf('A')) }
  expect(await one('A', state)).toMatchObject(ofA)
  expect((await one('A', 'orders { nodes { uid } }')).orders.nodes).toHaveLength(2)
  expect(await polled()).toEqual(new Map([[ids.A, first.proofOf('A')]]))
  await apply(3, [second.log])
  await round()
  expect((await one('A', state)).status).toBe('CANCELLED')
  await storeOrder(db, partOrder('A', 2, 'safe', second.proofOf('A')))
  await round()
  const now = { ...ofA, root: second.root, proof: joined(second.proofOf('A')) }
  expect(await one('A', state)).toMatchObject({ ...now, removedBlock: null })
  await rollBack(2)
  await round()
  expect(await one('A', state), 'by the proof of the earlier part').toMatchObject(ofA)
})

test('an order that was created without a log is known by a part, at a block that authorises it', async () => {
  const { db } = server.database
  await apply(1, [])
  await storeOrder(db, partOrder('A', 0))
  await round()
  expect(await one('A', state), 'in the book before the block').toBeNull()
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(2, [])
  await round()
  const found = { source: 'ORDER', status: 'ACTIVE', root: null, proof: null, removedBlock: null }
  expect(await one('A', `${state} readBlock creationDate nextPart { status }`)).toMatchObject({
    ...found,
    readBlock: 2,
    creationDate: '2027-01-15T08:00:00Z',
    nextPart: { status: 'OPEN' },
  })
  expect(await polled()).toEqual(new Map([[ids.A, []]]))
  await apply(3, [created('A')])
  await round()
  const both = `${state} creationDate creations { nodes { blockNumber } }`
  expect(await one('A', both)).toMatchObject({ ...found, creations: { nodes: [{ blockNumber: 3 }] } })
  expect(await list('', 'hash')).toEqual([{ hash: ids.A }])
  await rollBack(2)
  expect(await one('A', 'readBlock')).toEqual({ readBlock: null })
  await round()
  expect(await one('A', `${both} readBlock`)).toMatchObject({
    ...found,
    creations: { nodes: [] },
    readBlock: 2,
  })
  // The block at which it was seen is gone: it waits for another of that height.
  await rollBack(1)
  await round()
  expect(await one('A', 'status readBlock')).toEqual({ status: 'ACTIVE', readBlock: null })
  await apply(2, [], { branch: 'b' })
  await round()
  expect(await one('A', 'status readBlock')).toEqual({ status: 'ACTIVE', readBlock: 2 })
  contract.delete(keyOf(owner, ids.A))
  await apply(40, [])
  await round()
  expect(await one('A', state)).toMatchObject({ status: 'CANCELLED', removedBlock: 40 })
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(41, [])
  await storeOrder(db, partOrder('A', 1))
  await round()
  expect(await one('A', state)).toMatchObject({ ...found })
})

test('an order whose only creation is orphaned is gone, unless the contract authorises it on the new branch', async () => {
  await apply(1, [])
  contract.set(keyOf(owner, ids.A), 0n)
  await apply(2, [created('A'), created('B')])
  await round()
  for (const name of ['A', 'B'] as const) await storeOrder(server.database.db, partOrder(name, 0))
  await round()
  await rollBack(1)
  expect(await list('', 'hash')).toEqual([])
  await round()
  expect(await list('', 'hash'), 'below the height of its block').toEqual([])
  await apply(2, [], { branch: 'b' })
  await round()
  expect(await list('', 'hash source status')).toEqual([{ hash: ids.A, source: 'ORDER', status: 'ACTIVE' }])
})

test('a part that the contract does not authorise is tried for a minute, each block', async () => {
  await storeOrder(server.database.db, partOrder('A', 0))
  for (const [block, after] of [
    [1, 0],
    [2, 30],
    [3, 61],
    [4, 90],
  ] as const)
    await apply(block, [], { timestamp: start + after }).then(() => round())
  expect(reads).toEqual([1, 1, 1])
})
