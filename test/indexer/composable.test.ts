import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Authorisation } from '../../src/chain/authorisations.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { encodeProgrammaticSignature } from '../../src/domain/programmatic/signature.ts'
import { encodeStaticInput } from '../../src/domain/programmatic/static-input.ts'
import { twapPart } from '../../src/domain/programmatic/twap.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { applyBlocks, type Indexing } from '../../src/indexer/apply.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import {
  appData,
  cabinetOfC,
  ids,
  inputs,
  type Name,
  paramsOf,
  scheduled,
  scheduleOf,
  start,
  twapHandler,
  twapInput,
  word,
} from '../domain/programmatic/vectors.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
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

/** A network with a settlement contract of its own, for which its parts are signed. */
const network = {
  ...sampleNetwork,
  settlement: numbered('5c'),
  conditionalOrders: { composableCow: numbered('cc'), firstBlock: 0, shedFactories: [numbered('fc')] },
}
const { chainId } = network
const [user, shed, owner] = [numbered('a1'), numbered('5e'), numbered('11')]
const createdAt = start - 10
let server: TestServer
let indexing: Indexing
let checkpoint: Checkpoint | null
let now = 0
const contract = new Map<string, bigint>()
let blocks: Map<number, SketchedBlock>

beforeAll(async () => {
  server = await openTestServer({ network }, { now: () => now * 1_000 })
  indexing = { chainId, db: server.database.db, now: () => now * 1_000 }
})
afterAll(() => server?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const client = await connectDirectly(server.database.url)
  await client.query(`TRUNCATE programmatic_orders, programmatic_creations, programmatic_roots, sheds, programmatic_parts,
    programmatic_histories, orders, trades, invalidations, checkpoints, blocks`)
  await client.end()
  checkpoint = null
  now = start
  contract.clear()
  blocks = new Map()
})

const creation = (by: Address, params: ConditionalOrderParams): LogSketch => ({
  type: 'creation',
  owner: by,
  hash: paramsId(params),
  params,
  txHash: hashOf(`created ${paramsId(params)}`),
})

async function apply(number: number, sketches: LogSketch[], timestamp = now) {
  const block = sketchBlock(number, sketches, { timestamp })
  blocks.set(number, block)
  checkpoint = await applyBlocks(checkpoint, rangeOf([block]), indexing)
}

/** Reads the contract until nothing is due. */
async function round() {
  await followOnce(blocks, {
    network,
    db: server.database.db,
    readAuthorisations: async (keys) =>
      keys.map(({ hash }): Authorisation => {
        const context = contract.get(hash)
        return { isAuthorised: context !== undefined, context: context ?? 0n }
      }),
  })
}

function partOf(
  schedule: ReturnType<typeof scheduleOf>,
  params: ConditionalOrderParams,
  by: Address,
  index: number,
): Order {
  const part = twapPart(schedule, index) ?? expect.fail()
  const payload = { params, proof: [], offchainInput: '0x' as const }
  const signature = encodeProgrammaticSignature('safe', network, part.order, payload)
  const uid = orderUid(network, part.order, by)
  return sampleOrder({
    ...part.order,
    owner: by,
    signature,
    signingScheme: 'eip1271',
    uid,
    class: 'limit',
    effectiveValidTo: part.validTo,
  })
}

const partOrder = (name: Name, index: number, by: Address = shed) =>
  partOf(scheduleOf(name), paramsOf(name), by, index)

async function post(body: unknown, path = '/composable/graphql') {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
  return { status: response.status, body: (await response.json()) as any }
}

async function ask(query: string, variables: Record<string, unknown> = {}, path?: string) {
  const { status, body } = await post({ query, variables }, path)
  expect(status).toBe(200)
  expect(body.errors).toBeUndefined()
  return body.data
}

async function refusal(query: string, variables: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await post({ query, variables })
  expect(status).toBe(200)
  return body.errors[0].message
}

const eventId = (block: number, log: number, time = createdAt) =>
  `${time}${String(chainId).padStart(16, '0')}${String(block).padStart(16, '0')}${'0'.repeat(16)}5${String(log).padStart(16, '0')}`

/** A TWAP of a proxy with a traded, an open and two later parts, at the start of the second. */
async function tradedOrder() {
  contract.set(ids.A, 0n)
  const proxy = { type: 'shed' as const, shed, account: user, txHash: hashOf('shed') }
  await apply(1, [proxy, creation(shed, paramsOf('A'))], createdAt)
  await round()
  const [first, second] = [partOrder('A', 0), partOrder('A', 1)]
  await storeOrder(server.database.db, first)
  await apply(2, [trade(first, { sell: first.sellAmount, buy: first.buyAmount + 5n }, 'traded')], start + 30)
  now = start + 3_600
  await storeOrder(server.database.db, second)
  return { first, second }
}

const uidOf = (index: number, by: Address = shed) => partOrder('A', index, by).uid

test('parts are named for the settlement contract of their network, as the watch tower places them', async () => {
  await tradedOrder()
  const document = `{ programmaticOrder(owner: "${shed}", hash: "${ids.A}") {
    nextPart { uid status } parts { nodes { uid status } } } }`
  const { programmaticOrder } = await ask(document, {}, '/graphql')
  expect(programmaticOrder).toEqual({
    nextPart: { uid: uidOf(1), status: 'OPEN' },
    parts: {
      nodes: [
        { uid: uidOf(0), status: 'FILLED' },
        { uid: uidOf(1), status: 'OPEN' },
        { uid: uidOf(2), status: 'SCHEDULED' },
        { uid: uidOf(3), status: 'SCHEDULED' },
      ],
    },
  })
})

const snapshotOrders = `query GetTwapOrders($chainId: Int!, $resolvedOwner: String!, $limit: Int!, $offset: Int!, $orderDirection: String!) {
  conditionalOrderGenerators(where: { chainId: $chainId, orderType: TWAP, resolvedOwner: $resolvedOwner }
    orderBy: "eventId" orderDirection: $orderDirection limit: $limit offset: $offset) {
    totalCount
    items { eventId chainId hash owner resolvedOwner status updatedAtBlock additionalData
      partOrders: discreteOrders(limit: 1) { totalCount } schedule: decodedParams transaction { blockTimestamp } }
  }
}`

const snapshotParts = `query GetTwapPartOrders($chainId: Int!, $eventId: String!, $limit: Int!, $offset: Int!, $orderDirection: String!) {
  discreteOrders(where: { chainId: $chainId, conditionalOrderGeneratorId: $eventId }
    orderBy: "creationDate" orderDirection: $orderDirection limit: $limit offset: $offset) {
    totalCount
    items { orderUid status sellAmount buyAmount feeAmount validTo createdAt: creationDate executedSellAmount
      executedBuyAmount executedFeeAmount: executedFee }
  }
}`

const newerOrders = `query GetTwapOrders($chainId: Int, $eventId: String, $resolvedOwner: String, $updatedAtBlockGte: BigInt, $limit: Int, $offset: Int, $orderDirection: String) {
  programmaticOrders(where: { chainId: $chainId, eventId: $eventId, orderType: TWAP, resolvedOwner: $resolvedOwner,
    updatedAtBlock_gte: $updatedAtBlockGte } orderBy: "eventId" orderDirection: $orderDirection limit: $limit offset: $offset) {
    totalCount
    items { eventId chainId hash txHash owner resolvedOwner status updatedAtBlock additionalData schedule: decodedParams
      partOrdersCount createdAt: creationDate }
  }
}`

const newerParts = `query GetTwapPartOrders($chainId: Int!, $eventId: String!, $limit: Int, $offset: Int, $orderDirection: String) {
  partOrders(where: { chainId: $chainId, conditionalOrderGeneratorId: $eventId }
    orderBy: "sortKey" orderDirection: $orderDirection limit: $limit offset: $offset) {
    totalCount
    items { orderUid status sellAmount buyAmount feeAmount validTo createdAt: creationDate executedSellAmount
      executedBuyAmount executedFeeAmount: executedFee }
  }
}`

const newerSheds = `query GetDeployedCowSheds($owner: String!, $chainId: Int, $limit: Int, $offset: Int) {
  ownerMappings(where: { owner: $owner, chainId: $chainId, addressType: cowshed_proxy } orderBy: "address" limit: $limit offset: $offset) {
    totalCount items { address chainId txHash blockNumber }
  }
}`

const page = { limit: 100, offset: 0, orderDirection: 'desc' }

/** The rules by which the SDK accepts an order. */
function accept(item: Record<string, never>) {
  const { schedule, additionalData } = item as unknown as Record<
    'schedule' | 'additionalData',
    Record<string, string>
  >
  const uint256 = (text: unknown) =>
    typeof text === 'string' && /^[0-9]+$/.test(text) && BigInt(text) < 2n ** 256n
  for (const name of ['partSellAmount', 'minPartLimit', 't0', 'n', 't', 'span'])
    expect([name, uint256(schedule[name])]).toEqual([name, true])
  for (const name of ['t0', 'n', 't', 'span']) expect(Number.isSafeInteger(Number(schedule[name]))).toBe(true)
  for (const name of ['sellToken', 'buyToken', 'receiver']) expect(schedule[name]).toMatch(/^0x[0-9a-f]{40}$/)
  expect(schedule.appData).toMatch(/^0x[0-9a-f]{64}$/)
  for (const name of ['executedSellAmount', 'executedBuyAmount', 'executedFee'])
    expect([name, uint256(additionalData[name])]).toEqual([name, true])
  expect(item.eventId).toMatch(/^[0-9]{75}$/)
}

describe('the queries of the SDK', () => {
  test('orders of a user, as the first generation asks', async () => {
    const { first } = await tradedOrder()
    const variables = { chainId, resolvedOwner: user, ...page }
    const { conditionalOrderGenerators: found } = await ask(snapshotOrders, variables)
    accept(found.items[0])
    expect(found).toEqual({
      totalCount: 1,
      items: [
        {
          eventId: eventId(1, 1),
          chainId,
          hash: ids.A,
          owner: shed,
          resolvedOwner: user,
          status: 'Active',
          updatedAtBlock: '2',
          additionalData: {
            executedSellAmount: String(first.sellAmount),
            executedBuyAmount: String(first.buyAmount + 5n),
            executedFee: '0',
          },
          partOrders: { totalCount: 2 },
          schedule: {
            sellToken: numbered('aa'),
            buyToken: numbered('bb'),
            receiver: numbered('22'),
            partSellAmount: '250000000000000000',
            minPartLimit: '500000000',
            t0: String(start),
            n: '4',
            t: '3600',
            span: '0',
            appData,
          },
          transaction: { blockTimestamp: String(createdAt) },
        },
      ],
    })
    expect((await ask(snapshotOrders, variables, '/composable/')).conditionalOrderGenerators).toEqual(found)
    const other = await ask(snapshotOrders, { ...variables, resolvedOwner: shed })
    expect(other.conditionalOrderGenerators).toEqual({ totalCount: 0, items: [] })
  })

  test('parts, as the first generation asks', async () => {
    const { first, second } = await tradedOrder()
    const { discreteOrders: found } = await ask(snapshotParts, { chainId, eventId: eventId(1, 1), ...page })
    const amounts = { sellAmount: '250000000000000000', buyAmount: '500000000', feeAmount: '0' }
    const none = { executedSellAmount: '0', executedBuyAmount: '0', executedFeeAmount: '0' }
    const created = { createdAt: String(Math.floor(first.creationDate.getTime() / 1_000)) }
    expect(found.totalCount).toBe(2)
    expect(found.items.toSorted((a: Order, b: Order) => a.validTo - b.validTo)).toEqual([
      {
        orderUid: first.uid,
        status: 'fulfilled',
        ...amounts,
        ...created,
        validTo: start + 3_599,
        executedSellAmount: '250000000000000000',
        executedBuyAmount: '500000005',
        executedFeeAmount: '0',
      },
      { orderUid: second.uid, status: 'open', ...amounts, ...created, ...none, validTo: start + 7_199 },
    ])
    expect(first.uid).toMatch(/^0x[0-9a-f]{112}$/)
  })

  test('orders and all their parts, as the newer generation asks', async () => {
    const { first, second } = await tradedOrder()
    const { programmaticOrders: found } = await ask(newerOrders, page)
    accept(found.items[0])
    expect(found).toMatchObject({
      totalCount: 1,
      items: [
        {
          eventId: eventId(1, 1),
          txHash: hashOf(`created ${ids.A}`),
          status: 'Active',
          partOrdersCount: 4,
          createdAt: String(createdAt),
          updatedAtBlock: '2',
        },
      ],
    })
    const count = async (variables: object) =>
      (await ask(newerOrders, { ...page, ...variables })).programmaticOrders.totalCount
    expect(await count({ eventId: eventId(1, 1), chainId })).toBe(1)
    expect(await count({ eventId: eventId(1, 0), chainId })).toBe(0)
    expect(
      await count({ resolvedOwner: user.toUpperCase().replace('0X', '0x'), updatedAtBlockGte: '2' }),
    ).toBe(1)
    expect(await count({ updatedAtBlockGte: '3' })).toBe(0)

    const shown = await ask(newerParts, {
      chainId,
      eventId: eventId(1, 1),
      limit: 3,
      offset: 0,
      orderDirection: 'asc',
    })
    expect(shown.partOrders.totalCount).toBe(4)
    expect(
      shown.partOrders.items.map(({ orderUid, status, validTo, createdAt }: Record<string, unknown>) => [
        orderUid,
        status,
        validTo,
        createdAt,
      ]),
    ).toEqual([
      [first.uid, 'fulfilled', start + 3_599, String(Math.floor(first.creationDate.getTime() / 1_000))],
      [second.uid, 'open', start + 7_199, String(Math.floor(first.creationDate.getTime() / 1_000))],
      [uidOf(2), 'unconfirmed', start + 10_799, String(createdAt)],
    ])
    expect(shown.partOrders.items[2]).toMatchObject({
      sellAmount: '250000000000000000',
      executedSellAmount: '0',
    })
    const newest = await ask(newerParts, {
      chainId,
      eventId: eventId(1, 1),
      limit: 2,
      offset: 0,
      orderDirection: 'desc',
    })
    expect(newest.partOrders.items.map(({ orderUid }: Order & { orderUid: string }) => orderUid)).toEqual([
      uidOf(3),
      uidOf(2),
    ])
    now = start + 4 * 3_600
    const ended = await ask(newerParts, { chainId, eventId: eventId(1, 1), ...page })
    expect(ended.partOrders.items.map(({ status }: { status: string }) => status)).toEqual([
      'expired',
      'expired',
      'expired',
      'fulfilled',
    ])
    expect((await ask(newerOrders, page)).programmaticOrders.items[0].status).toBe('Completed')
  })

  test('proxies of a user', async () => {
    await tradedOrder()
    const { ownerMappings: found } = await ask(newerSheds, { owner: user, limit: 100 })
    expect(found).toEqual({
      totalCount: 1,
      items: [{ address: shed, chainId, txHash: hashOf('shed'), blockNumber: '1' }],
    })
    expect((await ask(newerSheds, { owner: shed, limit: 100 })).ownerMappings.totalCount).toBe(0)
  })
})

test('a removal cancels an order and what is open of it, and moves the cursor', async () => {
  const { first, second } = await tradedOrder()
  contract.delete(ids.A)
  await apply(60, [], start + 3_000)
  await round()
  const [item] = (await ask(newerOrders, { ...page, updatedAtBlockGte: '60' })).programmaticOrders.items
  expect(item).toMatchObject({ status: 'Cancelled', updatedAtBlock: '60' })
  const { partOrders } = await ask(newerParts, {
    chainId,
    eventId: eventId(1, 1),
    ...page,
    orderDirection: 'asc',
  })
  expect(partOrders.items.map(({ orderUid, status }: Record<string, unknown>) => [orderUid, status])).toEqual(
    [
      [first.uid, 'fulfilled'],
      [second.uid, 'cancelled'],
      [uidOf(2), 'cancelled'],
      [uidOf(3), 'cancelled'],
    ],
  )
})

test('an order whose start is in the contract has it once that is read; an order of a part leads to it', async () => {
  await apply(1, [creation(owner, paramsOf('C'))], createdAt)
  const order = `query ($id: String!) { conditionalOrderGenerator(chainId: ${chainId}, eventId: $id) {
    allCandidatesKnown decodedParams ownerAddressType candidateDiscreteOrders(orderBy: "validTo", limit: 2) {
      totalCount pageInfo { hasNextPage } items { orderUid possibleValidAfterTimestamp } } } }`
  const before = await ask(order, { id: eventId(1, 0) })
  expect(before.conditionalOrderGenerator).toMatchObject({
    allCandidatesKnown: false,
    ownerAddressType: null,
    decodedParams: { t0: String(createdAt) },
    candidateDiscreteOrders: { totalCount: 0, items: [] },
  })
  contract.set(ids.C, cabinetOfC)
  await round()
  const posted = partOrder('C', 0, owner)
  await storeOrder(server.database.db, posted)
  const after = await ask(order, { id: eventId(1, 0) })
  expect(after.conditionalOrderGenerator).toMatchObject({
    allCandidatesKnown: true,
    decodedParams: { t0: String(cabinetOfC) },
    candidateDiscreteOrders: {
      totalCount: 3,
      pageInfo: { hasNextPage: true },
      items: [1, 2].map((index) => ({
        orderUid: partOrder('C', index, owner).uid,
        possibleValidAfterTimestamp: String(Number(cabinetOfC) + index * 3_600),
      })),
    },
  })
  const part = await ask(
    `{ discreteOrder(chainId: ${chainId}, orderUid: "${posted.uid}") { status conditionalOrderGenerator { hash } } }`,
  )
  expect(part.discreteOrder).toEqual({ status: 'open', conditionalOrderGenerator: { hash: ids.C } })
  now = Number(cabinetOfC) + 4 * 3_600
  const ended = await ask(order, { id: eventId(1, 0) })
  expect(ended.conditionalOrderGenerator.candidateDiscreteOrders).toMatchObject({ totalCount: 0, items: [] })
  expect((await ask(newerOrders, page)).programmaticOrders.items[0].status).toBe('Completed')
})

test('orders of former terms are parts, between those of the present ones', async () => {
  contract.set(ids.C, cabinetOfC)
  await apply(1, [creation(owner, paramsOf('C'))], createdAt)
  await round()
  const former = partOrder('C', 1, owner)
  await storeOrder(server.database.db, former)
  contract.set(ids.C, cabinetOfC + 1_000n)
  await apply(40, [creation(owner, paramsOf('C'))])
  await round()
  const present = [0, 1, 2, 3].map(
    (index) => partOf(scheduled(inputs.C, cabinetOfC + 1_000n), paramsOf('C'), owner, index).uid,
  )
  const of = async (variables: object) => {
    const { partOrders } = await ask(newerParts, {
      chainId,
      eventId: eventId(1, 0),
      orderDirection: 'asc',
      ...variables,
    })
    expect(partOrders.totalCount).toBe(5)
    return partOrders.items.map(({ orderUid }: { orderUid: string }) => orderUid)
  }
  const all = [present[0], former.uid, ...present.slice(1)]
  expect(await of({ limit: 10 })).toEqual(all)
  expect(await of({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
  expect(await of({ limit: 10, orderDirection: 'desc' })).toEqual(all.toReversed())
  const { programmaticOrders } = await ask(newerOrders, page)
  expect(programmaticOrders).toMatchObject({ totalCount: 1, items: [{ partOrdersCount: 5 }] })
})

test('four billion parts are pages', async () => {
  const input = twapInput({ n: 2n ** 32n - 1n, t: 1n, t0: 1_000n })
  const params = { handler: twapHandler, salt: word(77), staticInput: encodeStaticInput('TWAP', input) }
  contract.set(paramsId(params), 0n)
  await apply(1, [creation(owner, params)], createdAt)
  await round()
  const { partOrders } = await ask(newerParts, {
    chainId,
    eventId: eventId(1, 0),
    limit: 1_000,
    offset: 1_000_000,
  })
  expect(partOrders.items.length).toBe(1_000)
  expect(partOrders.items[0].validTo).toBe(1_001_000)
  expect(partOrders.totalCount).toBe(2 ** 32 - 1_000)
  expect((await ask(newerOrders, page)).programmaticOrders.items[0].partOrdersCount).toBe(2 ** 32 - 1_000)
})

test('pages by offset and by cursor, in both directions', async () => {
  const many = [1, 2, 3, 4, 5].map((salt) => ({
    handler: numbered('99'),
    salt: word(salt),
    staticInput: '0x1234' as const,
  }))
  await apply(
    1,
    many.map((params) => creation(owner, params)),
    createdAt,
  )
  const read = async (args: string) => {
    const query = `{ conditionalOrderGenerators(${args}) { totalCount items { salt orderType decodedParams additionalData }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    const { conditionalOrderGenerators: found } = await ask(query)
    return { ...found, salts: found.items.map(({ salt }: { salt: string }) => Number(salt)) }
  }
  const first = await read('limit: 2')
  expect(first).toMatchObject({
    totalCount: 5,
    salts: [1, 2],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  })
  expect(first.items[0]).toMatchObject({ orderType: 'Unknown', decodedParams: null, additionalData: null })
  const second = await read(`limit: 2, after: "${first.pageInfo.endCursor}"`)
  expect(second).toMatchObject({
    totalCount: 5,
    salts: [3, 4],
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  })
  expect(await read(`limit: 2, before: "${second.pageInfo.startCursor}"`)).toMatchObject({
    salts: [1, 2],
    pageInfo: { hasPreviousPage: false },
  })
  expect(await read('limit: 2, offset: 4')).toMatchObject({
    salts: [5],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  })
  const last = await read('limit: 2, orderBy: "salt", orderDirection: "desc"')
  expect(last.salts).toEqual([5, 4])
  expect(
    (await read(`limit: 2, orderBy: "salt", orderDirection: "desc", after: "${last.pageInfo.endCursor}"`))
      .salts,
  ).toEqual([3, 2])
  const filtered = async (where: string) => (await read(`where: {${where}}`)).salts
  const [one, two] = [word(1), word(2)]
  expect(await filtered(`salt: "${one}"`)).toEqual([1])
  expect(await filtered(`salt_in: ["${one}", "${two}"], salt_not: "${two}"`)).toEqual([1])
  expect(await filtered(`salt_not_in: ["${one}", "${two}"]`)).toEqual([3, 4, 5])
  expect(await filtered(`OR: [{salt: "${one}"}, {salt_ends_with: "2"}]`)).toEqual([1, 2])
  expect(await filtered(`AND: [{orderType: Unknown}, {orderType_in: [TWAP]}]`)).toEqual([])
  expect(await filtered('updatedAtBlock_gt: 1')).toEqual([])
  expect(await filtered('creationDate_lte: "1800000000", ownerAddressType: null')).toEqual([1, 2, 3, 4, 5])
  expect(await filtered('status_not: Active')).toEqual([])
  expect(await filtered(`owner_starts_with: "${owner.slice(0, 6)}", owner_not_contains: "zz"`)).toEqual([
    1, 2, 3, 4, 5,
  ])
  expect(await filtered(`chainId_not: ${chainId}`)).toEqual([])
  expect(await filtered('salt: "nonsense"')).toEqual([])
})

test('each root field takes a fixed number of statements, however many rows it has', async () => {
  const statementsOf = async (query: string, variables = {}) => {
    server.database.statements.length = 0
    await ask(query, variables)
    return server.database.statements.length
  }
  const inputOf = (amount: number) => twapInput({ partSellAmount: BigInt(amount) })
  const many = [1, 2, 3, 4, 5].map((salt) => ({
    ...paramsOf('A'),
    staticInput: encodeStaticInput('TWAP', inputOf(salt)),
  }))
  for (const params of many) contract.set(paramsId(params), 0n)
  await apply(
    1,
    many.map((params) => creation(owner, params)),
    createdAt,
  )
  await round()
  for (const params of many)
    await storeOrder(
      server.database.db,
      partOf(scheduled(inputOf(many.indexOf(params) + 1)), params, owner, 0),
    )
  const orders = { chainId, resolvedOwner: owner, ...page }
  expect(await statementsOf(snapshotOrders, orders)).toBe(
    await statementsOf(snapshotOrders, { ...orders, limit: 1 }),
  )
  expect(await statementsOf(snapshotOrders, orders)).toBe(4)
  expect(await statementsOf(newerOrders, page)).toBe(3)
  expect(await statementsOf(newerParts, { chainId, eventId: eventId(1, 0), ...page })).toBe(4)
  expect(await statementsOf('{ discreteOrders { items { conditionalOrderGenerator { hash } } } }')).toBe(2)
})

test('an invalidated order is a cancelled part', async () => {
  const { second } = await tradedOrder()
  await apply(3, [invalidation(second, 'invalidated')])
  const { discreteOrders } = await ask(
    '{ discreteOrders(where: {status: cancelled}) { items { orderUid } } }',
  )
  expect(discreteOrders.items).toEqual([{ orderUid: second.uid }])
})

test('positions, transactions and one mapping', async () => {
  await tradedOrder()
  expect((await ask('{ _meta { status } }'))._meta.status).toEqual({
    sepolia: { id: chainId, block: { number: 2, timestamp: start + 30 } },
  })
  const row = {
    hash: hashOf(`created ${ids.A}`),
    chainId,
    blockNumber: '1',
    blockTimestamp: String(createdAt),
  }
  expect(
    await ask(`{ transactions { items { hash chainId blockNumber blockTimestamp } }
    transaction(chainId: ${chainId}, hash: "${row.hash}") { hash chainId blockNumber blockTimestamp }
    ownerMapping(chainId: ${chainId}, address: "${shed}") { owner addressType resolutionDepth }
    nothing: ownerMapping(chainId: 1, address: "${shed}") { owner } }`),
  ).toEqual({
    transactions: { items: [row] },
    transaction: row,
    nothing: null,
    ownerMapping: { owner: user, addressType: 'cowshed_proxy', resolutionDepth: 0 },
  })
})

describe('refusals', () => {
  test.each([
    ['{ conditionalOrderGenerators { items { nextCheckBlock } } }', /Cannot query field "nextCheckBlock"/],
    ['{ flashLoanOrders { totalCount } }', /Cannot query field "flashLoanOrders"/],
    ['{ partOrders(where: {status: "open"}) { totalCount } }', /Field "status" is not defined/],
    ['{ partOrders { totalCount } }', /must have a conditionalOrderGeneratorId/],
    [
      '{ partOrders(where: {conditionalOrderGeneratorId: "1"}, orderBy: "sellAmount") { totalCount } }',
      /ordered by sortKey or validTo/,
    ],
    ['{ conditionalOrderGenerators(limit: 1001) { totalCount } }', /limit must be from 1 to 1000/],
    ['{ conditionalOrderGenerators(orderBy: "nothing") { totalCount } }', /orderBy is no field/],
    ['{ conditionalOrderGenerators(orderDirection: "up") { totalCount } }', /must be asc or desc/],
    ['{ conditionalOrderGenerators(after: "a", before: "b") { totalCount } }', /not both/],
    ['{ conditionalOrderGenerators(after: "WyJhIl0") { totalCount } }', /cursor is of another list/],
    ['{ conditionalOrderGenerators(after: "%") { totalCount } }', /cursor is malformed/],
    ['{ conditionalOrderGenerators(where: {updatedAtBlock_gte: null}) { totalCount } }', /must not be null/],
    [
      '{ conditionalOrderGenerators(limit: 1000) { items { discreteOrders { items { orderUid } } } } }',
      /more than 10000 objects/,
    ],
    [
      `{ ${Array.from({ length: 60 }, (_, index) => `a${index}: _meta { status }`).join(' ')} }`,
      /50 aliases/,
    ],
    ['{', /Syntax Error/],
    ['', /Syntax Error/],
  ])('%s', async (query, message) => {
    expect(await refusal(query)).toMatch(message)
  })

  test('variables that do not fit, and bodies that are none', async () => {
    expect(await refusal(newerOrders, { limit: 'x' })).toMatch(/\$limit/)
    expect((await post('text')).status).toBe(400)
    const huge = await post({ query: `#${'x'.repeat(300_000)}` })
    expect(huge.status).toBe(413)
    const wrong = await fetch(`${server.url}/composable/graphql`, { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  })

  test('a request by URL is answered; pages of other origins may ask', async () => {
    const url = `${server.url}/composable/graphql?query=${encodeURIComponent('{ __typename _meta { status } }')}`
    const response = await fetch(url, { headers: { Origin: 'https://app.example' } })
    expect(await response.json()).toEqual({ data: { __typename: 'Query', _meta: { status: {} } } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('a request costs the units of its root fields and of its estimate', async () => {
  const rateLimits = { reads: 50, quotes: 1, orders: 1 }
  await using limited = await openTestServer({ network }, { rateLimits })
  const send = async (query: string) => {
    const body = JSON.stringify({ query })
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${limited.url}/composable/graphql`, { method: 'POST', headers, body })
    return { status: response.status, left: /r=([0-9]+)/.exec(response.headers.get('ratelimit') ?? '')?.[1] }
  }
  expect(await send('{ a: _meta { status } b: _meta { status } c: _meta { status } }')).toEqual({
    status: 200,
    left: '97',
  })
  for (let asked = 0; asked < 48; asked++) await send('{ a: _meta { status } b: _meta { status } }')
  expect((await send('{ a: _meta { status } b: _meta { status } }')).status).toBe(429)
})

test('a list that no index narrows costs the rows that it reads', async () => {
  await using limited = await openTestServer({ network }, { rateLimits: { reads: 50, quotes: 1, orders: 1 } })
  const client = await connectDirectly(limited.database.url)
  await client.query(`INSERT INTO sheds (chain_id, block_number, log_index, tx_hash, shed, account)
    SELECT ${chainId}, g, 1, '', decode(lpad(to_hex(g), 40, '0'), 'hex'), '' FROM generate_series(1, 5000) g`)
  await client.end()
  const left = async (query: string) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ query })
    const response = await fetch(`${limited.url}/composable/graphql`, { method: 'POST', headers, body })
    expect(await response.json()).not.toHaveProperty('errors')
    return /r=([0-9]+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]
  }
  expect(await left(`{ ownerMappings(where: {address: "${shed}"}, limit: 1) { totalCount } }`)).toBe('99')
  expect(await left('{ ownerMappings(limit: 1) { items { address } } }')).toBe('78')
  expect(await left('{ ownerMappings(limit: 1) { totalCount } }')).toBe('37')
})

test('without a network that follows programmatic orders there is nothing at these paths', async () => {
  await using off = await openTestServer()
  const headers = { 'Content-Type': 'application/json' }
  for (const path of ['/composable/graphql', '/composable/']) {
    const response = await fetch(`${off.url}${path}`, {
      method: 'POST',
      headers,
      body: '{"query":"{ __typename }"}',
    })
    expect(response.status).toBe(404)
  }
})
