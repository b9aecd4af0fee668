import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { numbered } from '../fakes/order.ts'
import { indexedUpTo, storeContest, storeSettlement } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/story.ts'
import { ask, type Exchange } from '../http/client.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'

const now = 1_800_000_000
const forGood = 'public, max-age=31536000, immutable'
const hash = (digits: string): Bytes32 => `0x${digits.repeat(32)}` as const
const solver = numbered('51')
const unit = 10n ** 18n

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const read = (path: string, headers = {}) => ask(`${server.url}/sepolia/api/${path}`, { headers })
const caching = ({ status, headers }: Exchange) => [status, headers['cache-control']]

async function expectForGood(path: string): Promise<void> {
  const first = await read(path)
  expect([path, ...caching(first)]).toEqual([path, 200, forGood])
  const again = await read(path, { 'if-none-match': first.headers.etag })
  expect([again.status, again.bytes.length, again.headers['cache-control'], again.headers.etag]).toEqual([
    304,
    0,
    forGood,
    first.headers.etag,
  ])
}

describe('a document', () => {
  test('is immutable, since its hash is of its bytes', async () => {
    const document = '{"appCode":"kept"}'
    await storeOrder(server.database.db, { fullAppData: document, appData: keccakText(document) })
    await expectForGood(`v1/app_data/${keccakText(document)}`)
  })

  test('that is unknown is not cached', async () => {
    expect(caching(await read(`v1/app_data/${hash('99')}`))).toEqual([404, 'no-store'])
    expect(caching(await read('v1/app_data/0x12'))).toEqual([400, 'no-store'])
  })
})

describe('a competition', () => {
  const { finalityBlocks } = network
  const final = 110
  const lasting = 60 + now

  /** A competition of 10 blocks ago with two solvers, one of which won. */
  async function contest(
    id: bigint,
    { validTo = lasting, deadlineBlock = final, partiallyFillable = false, solvers = 2 } = {},
  ) {
    const { db } = server.database
    const terms = { buyAmount: id, validTo, partiallyFillable }
    const order = await storeOrder(db, { owner: numbered('1a'), ...terms })
    const fill = (buy: bigint) => [{ order, sell: unit, buy }]
    const solutions = [
      { solver, score: 9n, isWinner: true, referenceScore: 0n, fills: fill(2_940n) },
      { solver: numbered('52'), score: 8n, fills: fill(2_930n) },
    ]
    await storeContest(db, { id, orders: [order], deadlineBlock, solutions: solutions.slice(0, solvers) })
    return (blockNumber: number) =>
      storeSettlement(db, {
        txHash: hash(String(id)),
        blockNumber,
        logIndex: Number(id) * 2,
        auctionId: id,
        solver,
        trades: [{ order, sell: unit, buy: 2_940n }],
      })
  }

  beforeAll(async () => {
    await (await contest(20n))(final)
    await (await contest(21n, { deadlineBlock: final + 1 }))(final)
    await (await contest(22n, { solvers: 1 }))(final + 1)
    await contest(23n)
    await contest(24n, { validTo: now - 3_601 })
    await contest(25n, { validTo: now - 3_600 })
    await (await contest(26n, { partiallyFillable: true }))(final)
    await (await contest(27n))(final + 1)
    await indexedUpTo(server.database.db, final + finalityBlocks)
  })

  test.each(['v1', 'v2'])('that is over is immutable, %s', async (version) => {
    await expectForGood(`${version}/solver_competition/20`)
    await expectForGood(`${version}/solver_competition/by_tx_hash/${hash('20')}`)
    // No solver settled it, and none can any more.
    await expectForGood(`${version}/solver_competition/24`)
  })

  test.each([
    [21, 'whose deadline is not final'],
    [22, 'whose settlement is not final'],
    [27, 'whose other solution is ruled out by no final block'],
    [23, 'that could still be settled late'],
    [25, 'whose order has expired only now'],
    [26, 'whose other solution could be settled too'],
  ])('%i, %s, is not cached', async (id) => {
    for (const version of ['v1', 'v2']) {
      expect(caching(await read(`${version}/solver_competition/${id}`))).toEqual([200, undefined])
    }
  })

  test('that can be superseded, or that only the operator may see, is not cached', async () => {
    expect(caching(await read(`v2/solver_competition/by_tx_hash/${hash('22')}`))).toEqual([200, undefined])
    expect(caching(await read('v2/solver_competition/latest'))).toEqual([200, undefined])
    const restricted = `${server.url}/sepolia/restricted/api/v2/solver_competition/20`
    expect(caching(await ask(restricted))).toEqual([200, undefined])
  })

  test('that is unknown is not cached', async () => {
    for (const path of ['99', `by_tx_hash/${hash('99')}`])
      expect(caching(await read(`v2/solver_competition/${path}`))).toEqual([404, 'no-store'])
    const elsewhere = await ask(`${server.url}/nowhere/api/v2/solver_competition/20`)
    expect(caching(elsewhere)).toEqual([404, 'no-store'])
  })
})
