import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import { schema } from '../../../src/graphql/schema.ts'
import { openApiDocument } from '../../../src/rest/openapi/document.ts'
import { endAttempt, startAttempt } from '../../../src/storage/auction/competition.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { writeStandings } from '../../../src/storage/order/standings.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { numbered } from '../../fakes/order.ts'
import { indexedUpTo, storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

/** What only the competition knows. The first solver is in the chain's log too. */
const solvers = [numbered('51ab'), numbered('52cd')] as const
const scores = [777_000_111n, 777_000_112n] as const
const secrets = [...solvers, ...scores.map(String)]
const txHash = `0x${'2f'.repeat(32)}` as const
const deadline = 110
const unit = 10n ** 18n

let server: TestServer
/** Over the same rows, with competitions hidden by the operator. */
let hiding: TestServer
let orders: Order[]
beforeAll(async () => {
  server = await openTestServer()
  const { db } = server.database
  hiding = await openTestServer({}, { db, hidesCompetitions: true })
  orders = [
    await storeOrder(db, { owner: numbered('1a') }),
    await storeOrder(db, { owner: numbered('1b') }),
    await storeOrder(db, { owner: numbered('1c') }),
  ]
  const [settled, winning, losing] = orders as [Order, Order, Order]
  const fills = [settled, winning].map((order) => ({ order, sell: unit, buy: 2_940n }))
  await storeContest(db, {
    id: 31n,
    orders,
    deadlineBlock: deadline,
    solutions: [
      { solver: solvers[0], score: scores[0], isWinner: true, referenceScore: 5n, fills },
      { solver: solvers[1], score: scores[1], fills: [{ order: losing, sell: unit, buy: 2_930n }] },
    ],
  })
  const attempt = { auctionId: 31n, solutionUid: 0, chainId: network.chainId, solver: solvers[0] }
  await db.transaction(async (tx) => {
    const start = { startedAt: new Date(0), startBlock: 101, deadlineBlock: deadline }
    await startAttempt(tx, { ...attempt, ...start })
    const second = { ...attempt, solutionUid: 1, solver: solvers[1] }
    await startAttempt(tx, { ...second, ...start })
    const end = { endedAt: new Date(0), endBlock: 101, outcome: 'driver failed: reverted', txHash: null }
    await endAttempt(tx, { ...second, ...end })
    const standing = {
      reason: null,
      marketGap: -1n,
      feeShare: null,
      policyShare: null,
      missing: null,
      fundsTakenBy: null,
      held: null,
      revert: null,
      failing: null,
      unpriced: [],
      routed: null,
      best: null,
    }
    const standings = [winning, losing].map(({ id }) => ({ ...standing, orderId: id }))
    await writeStandings(tx, network.chainId, standings, new Date(0))
    await appendEvents(tx, [
      { orderId: winning.id, label: 'executing', reason: null, timestamp: new Date(4e12) },
      { orderId: losing.id, label: 'considered', reason: null, timestamp: new Date(4e12) },
    ])
  })
  const trades = [{ order: settled, sell: unit, buy: 2_940n }]
  await storeSettlement(db, {
    txHash,
    blockNumber: 102,
    logIndex: 4,
    auctionId: 31n,
    solver: solvers[0],
    trades,
  })
  await indexedUpTo(db, deadline)
})
afterAll(async () => {
  await hiding?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

/** Arguments and path parameters of roads, by name; several where each leads to other rows. */
function valuesOf(name: string): unknown[] {
  const uids = orders.map(({ uid }) => uid)
  const owners = orders.map(({ owner }) => owner)
  const ids = ['Auction:31', 'Solution:31:0', `Trade:${network.chainId}:102:3`]
  const values: Record<string, unknown[]> = {
    uid: uids,
    uids: [uids],
    orderUid: uids,
    hash: [txHash],
    network: [network.name],
    id: [31],
    auctionId: [31],
    nodeId: [...ids, ...uids.map((uid) => `Order:${uid}`)].map(encodedId),
    address: owners,
    owner: owners,
    account: owners,
    user: owners,
    wallet: owners,
  }
  return values[name] ?? []
}

/** All combinations of a value for each name. */
function combinations(names: readonly string[]): Record<string, unknown>[] {
  return names.reduce<Record<string, unknown>[]>(
    (all, name) => all.flatMap((one) => valuesOf(name).map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
}

/** Every path of GET in the OpenAPI document whose parameters are known here. */
function restPaths(): string[] {
  const patterns = Object.entries<{ get?: object }>(openApiDocument('0').paths).flatMap(
    ([pattern, { get }]) => (get ? [pattern] : []),
  )
  const filled = patterns.flatMap((pattern) => {
    const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    return combinations(names).map((values) =>
      pattern.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
    )
  })
  const trades = orders.map(({ uid }) => `/${network.name}/api/v2/trades?orderUid=${uid}`)
  return [...filled, ...trades]
}

interface Road {
  text: string
  /** Names of the arguments of its root. */
  names: string[]
}

interface Edge {
  field: string
  to: GraphQLObjectType
  /** The selection of `to`, as text below the field. */
  write(selection: string): string
}

function edgesOf(type: GraphQLObjectType): Edge[] {
  const fields = Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument))
  return fields.flatMap((field) => edgesOfField(field, field.name))
}

function edgesOfField({ type }: GraphQLField<unknown, unknown>, field: string): Edge[] {
  const named = getNamedType(type)
  if (isObjectType(named)) return [{ field, to: named, write: (selection) => `${field} { ${selection} }` }]
  if (!isAbstractType(named)) return []
  return schema
    .getPossibleTypes(named)
    .map((to) => ({ field, to, write: (selection) => `${field} { ... on ${to.name} { ${selection} } }` }))
}

/** Types that tell who solved, except quotes. */
const isTelling = (type: GraphQLObjectType) =>
  ['solver', 'foundBy'].some((name) => name in type.getFields()) && !type.name.includes('Quote')

const leavesOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)))
    .map(({ name }) => name)

/** Of each type from which a telling type can be reached, the selection of the nearest one. */
function selectionsDown(): Map<string, string> {
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType)
  const found = new Map(objects.filter(isTelling).map((type) => [type.name, leavesOf(type).join(' ')]))
  for (let before = 0; before < found.size; ) {
    before = found.size
    const nearer = new Map(found)
    for (const type of objects) {
      const edge = edgesOf(type).find(({ to }) => nearer.has(to.name))
      if (edge && !found.has(type.name)) found.set(type.name, edge.write(nearer.get(edge.to.name) ?? ''))
    }
  }
  return found
}

/** From each root through each field that leads to a telling type, the shortest road. */
function graphqlRoads(): Road[] {
  const down = selectionsDown()
  const roots = Object.values((schema.getQueryType() as GraphQLObjectType).getFields())
  return roots.flatMap((root) => {
    const needed = root.args.filter(isRequiredArgument)
    const names = needed.map(({ name }) => (root.name === 'node' ? 'nodeId' : name))
    const declared = needed.map(({ type }, index) => `$${names[index]}: ${type}`).join(', ')
    const given = needed.map(({ name }, index) => `${name}: $${names[index]}`).join(', ')
    const start = `${root.name}${given && `(${given})`}`
    return textsBelow(edgesOfField(root, start), down).map((text) => ({
      text: `query${declared && `(${declared})`} { ${text} }`,
      names,
    }))
  })
}

/** Goes through all types in breadth; of each type, one text for each of its fields. */
function textsBelow(edges: readonly Edge[], down: ReadonlyMap<string, string>): string[] {
  const texts = new Set<string>()
  const seen = new Set<string>()
  for (const queue = [...edges]; queue.length > 0; ) {
    const edge = queue.shift() as Edge
    const selection = down.get(edge.to.name)
    if (selection === undefined) continue
    texts.add(edge.write(selection))
    if (seen.has(edge.to.name)) continue
    seen.add(edge.to.name)
    queue.push(
      ...edgesOf(edge.to).map((next) => ({
        ...next,
        write: (inner: string) => edge.write(next.write(inner)),
      })),
    )
  }
  return [...texts]
}

const leaks = (text: string, known: readonly string[] = []) =>
  secrets.filter((secret) => !known.includes(secret) && text.includes(secret))

/** The chain's log names the solver of a settlement; nothing else of its competition. */
const knownFrom = (one: string) => (one.includes('effectiveGasPrice') ? [solvers[0]] : [])

/** A request as text: a path, or the body of a GraphQL request. */
const everyRequest = () => [
  ...restPaths(),
  ...graphqlRoads().flatMap(({ text, names }) =>
    combinations(names).map((variables) => JSON.stringify({ query: text, variables })),
  ),
]

/** Those requests to which a server tells something of the competition. */
async function telling({ url }: TestServer, requests: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const one of requests) {
    const { body } = await (one.startsWith('/')
      ? request(`${url}${one}`)
      : request(`${url}/graphql`, 'POST', one))
    if (leaks(JSON.stringify(body), knownFrom(one)).length > 0) found.push(one)
  }
  return found
}

const isRestricted = (one: string) => one.includes('/restricted/')

describe('a competition before its deadline', () => {
  let open: string[]
  beforeAll(async () => {
    open = await telling(server, everyRequest())
  })

  test('is told on many roads where nothing is hidden', () => {
    for (const part of [
      'v1/solver_competition',
      'v2/solver_competition',
      '/status',
      '/diagnosis',
      'v1/debug',
      'restricted',
    ])
      expect(open.filter((one) => one.startsWith('/') && one.includes(part))).not.toEqual([])
    for (const part of [
      'progress',
      'debugReport',
      'proposedSolutions',
      'latestAuction',
      'settlementAttempts',
      'bestPrice',
      'lastFailedAttempt',
      'diagnosis',
    ])
      expect(open.filter((one) => one.startsWith('{') && one.includes(part))).not.toEqual([])
    expect(open.length).toBeGreaterThan(60)
  })

  test('is told to the operator alone where competitions are hidden', async () => {
    expect(await telling(hiding, open)).toEqual(open.filter(isRestricted))
  })

  const statuses = async () => {
    const paths = orders.map(({ uid }) => `${hiding.url}/sepolia/api/v1/orders/${uid}/status`)
    return (await Promise.all(paths.map((at) => request(at)))).map(({ body }) => body)
  }

  test('leaves only what events and the chain say in the status of an order', async () => {
    expect(await statuses()).toEqual([{ type: 'traded' }, { type: 'executing' }, { type: 'active' }])
  })

  test('is told on every road when the deadline block has passed', async () => {
    await indexedUpTo(server.database.db, deadline + 1, deadline)
    expect(await telling(hiding, open)).toEqual(open)
    expect((await statuses()).map(({ type }) => type)).toEqual(['traded', 'executing', 'solved'])
  })
})
