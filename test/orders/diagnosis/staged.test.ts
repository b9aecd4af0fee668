import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { diagnosisCodes, diagnosisTexts } from '../../../src/domain/diagnosis/code.ts'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { wrapped } from '../../fakes/order.ts'
import { graphql, request } from '../../setup/trader.ts'
import { cases } from './cases.ts'
import { at, million, openStage, type Stage, unit } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
beforeEach(async () => {
  Object.assign(stage.world, { isAway: false, calls: 0 })
  await stage.held(-5)
  await stage.indexed(102, -5)
})
afterAll(() => stage?.server[Symbol.asyncDispose]())

const diagnosis = async ({ uid }: Pick<Order, 'uid'>) => {
  const { status, body } = await request(`${stage.server.url}/sepolia/api/v1/orders/${uid}/diagnosis`)
  expect(status).toBe(200)
  return body
}

describe('each reason has its code, and its evidence has its values', () => {
  test.each(Object.entries(cases))(
    '%s',
    async (_, { stage: make, code, since, evidence, further = [], ...own }) => {
      const order = await make(stage)
      const body = await diagnosis(order)
      const proof = typeof evidence === 'function' ? evidence(order) : evidence
      expect([body.code, body.since, body.evidence]).toEqual([code, since, proof])
      expect(body.further.map((reason: { code: string }) => reason.code)).toEqual(further)
      const { advice, retryable } = { ...diagnosisTexts[code], ...own }
      expect([body.advice, body.retryable]).toEqual([advice, retryable])
      expect(body.summary).toMatch(/\.$/)
    },
  )
})

describe('what keeps all orders comes before what keeps one', () => {
  const sleeping = { '-1000': -1_000, '-5': -5 } as const
  async function out(seconds: { held?: number; indexed?: number }) {
    await stage.held(seconds.held ?? sleeping['-5'])
    await stage.indexed(102, seconds.indexed ?? sleeping['-5'])
    const order = await stage.order({ creationDate: at(-2_000) })
    await stage.stand(order, { marketGap: -10_000n, feeShare: 10n })
    const { code, since, evidence, further } = await diagnosis(order)
    return { code, since, evidence, further: further.map((reason: { code: string }) => reason.code) }
  }
  const block = (seconds: number) => ({
    kind: 'blocks',
    number: 102,
    head: 102,
    at: at(seconds).toISOString().replace('.000Z', 'Z'),
  })

  test('auctions are halted', async () => {
    expect(await out({ held: -1_000 })).toEqual({
      code: 'auctionsHalted',
      since: '2027-01-15T07:43:20Z',
      evidence: [block(-5)],
      further: ['priceOutOfReach'],
    })
  })

  test('the node is away, so that auctions are halted', async () => {
    stage.world.isAway = true
    expect(await out({ held: -1_000 })).toEqual({
      code: 'nodeAway',
      since: '2027-01-15T07:43:20Z',
      evidence: [block(-5)],
      further: ['auctionsHalted', 'priceOutOfReach'],
    })
  })

  test('the chain is behind', async () => {
    expect(await out({ indexed: -1_000 })).toEqual({
      code: 'chainBehind',
      since: '2027-01-15T07:43:20Z',
      evidence: [block(-1_000)],
      further: ['priceOutOfReach'],
    })
  })

  test('a settlement whose last block has passed is stuck', async () => {
    const order = await stage.order()
    await stage.attempt(await stage.contest(order, [{ isWinner: true }]), null, `0x${'3c'.repeat(32)}`)
    await stage.indexed(104, -5)
    const { code, since, evidence } = await diagnosis(order)
    expect([code, since]).toEqual(['settlementStuck', '2027-01-15T07:59:57Z'])
    expect(evidence).toEqual([
      { kind: 'transaction', txHash: `0x${'3c'.repeat(32)}`, block: null },
      { kind: 'blocks', number: 103, at: null, head: null },
    ])
  })
})

describe('a fill in a block that the chain replaced', () => {
  const inBlock = 'The order was filled in block 101, but the chain replaced that block'
  async function takenBack(outcome: string | null, marketGap: bigint) {
    const order = await stage.order()
    await stage.stand(order, { marketGap, feeShare: 10n })
    const auctionId = await stage.contest(order, [{ isWinner: true }])
    await stage.attempt(auctionId, outcome, `0x${'3c'.repeat(32)}`)
    await sql(stage.db).settlementAttempt.updateMany({ where: { auctionId }, data: { replacedBlock: 101n } })
    const { code, summary, further } = await diagnosis(order)
    return [{ code, summary }, ...further].map((reason) => [reason.code, reason.summary])
  }

  test('may come again', async () => {
    expect(await takenBack(null, 9_000n)).toEqual([
      ['settling', expect.stringMatching(`^${inBlock} .*\\. It may still get into another\\.$`)],
    ])
  })

  test('did not come again', async () => {
    expect(await takenBack('timeout', 9_000n)).toEqual([
      ['settlementTimedOut', expect.stringMatching(`^${inBlock} .*\\. Nothing is sold\\.$`)],
    ])
  })

  test.each([
    ['meets the limit', 9_000n, []],
    ['left the limit', -9_000n, ['priceOutOfReach']],
  ])('was refused in another, where the market %s', async (_, marketGap, before) => {
    const found = await takenBack('driver failed: too little sent', marketGap)
    const refusal = 'Nothing is sold\\. In another block its transaction failed: too little sent'
    expect(found.slice(0, -1).map(([code]) => code)).toEqual(before)
    expect(found.at(-1)).toEqual([
      'settlementFailed',
      expect.stringMatching(`^${inBlock} .*\\. ${refusal}\\.$`),
    ])
  })

  test('is told beside a market that moved away since', async () => {
    expect(await takenBack('timeout', -10_000n)).toEqual([
      [
        'priceOutOfReach',
        expect.stringContaining(
          'For a small amount the market is 1 % worse than the limit, before the fee of the network.',
        ),
      ],
      ['settlementTimedOut', expect.stringContaining(inBlock)],
    ])
  })

  test('is not told when it came again', async () => {
    expect(await takenBack('success', -10_000n)).toEqual([['priceOutOfReach', expect.any(String)]])
  })
})

test('an order of which only a small part would get its limit is out of reach for the rest', async () => {
  const order = await stage.order({ partiallyFillable: true })
  await stage.stand(order, {
    marketGap: 9_000n,
    feeShare: 0n,
    routed: { block: 102, price: { sell: unit, buy: 2_755n * million } },
  })
  const { code, summary, evidence } = await diagnosis(order)
  expect([code, evidence[0].gapPercent]).toEqual(['priceOutOfReach', '5'])
  expect(summary).toBe(
    `For all that is left, 1,000,000,000,000,000,000 atoms of ${wrapped}, the market is 5 % worse than the limit. A part that is small enough to get the limit, if there is one, does not pay the fee of the network.`,
  )
})

test('amounts of the native coin have its symbol', async () => {
  const order = await stage.order({
    kind: 'buy',
    partiallyFillable: true,
    buyToken: nativeMarker,
    buyAmount: unit / 4n,
  })
  await stage.stand(order, {
    marketGap: 9_000n,
    feeShare: 0n,
    routed: { block: 102, price: { sell: unit, buy: unit / 8n } },
  })
  expect((await diagnosis(order)).summary).toMatch(/^For all that is left, 0\.25 ETH, /)
})

test('every code has a case', () => {
  const staged = new Set(Object.values(cases).flatMap(({ code, further = [] }) => [code, ...further]))
  const beside = ['nodeAway', 'chainBehind', 'auctionsHalted', 'settlementStuck']
  // See `explain.test.ts` and `quote-warnings.test.ts`.
  // Where orders are mirrored only.
  const followed = ['notReadYet', 'decidedElsewhere']
  const ahead = [
    'notAccepted',
    'marketUnknown',
    'priceImpact',
    'priceUnknown',
    'priceUnverified',
    'placeable',
    'hookGasTight',
  ]
  const others = [...beside, ...ahead, ...followed]
  expect(diagnosisCodes.filter((code) => !staged.has(code) && !others.includes(code))).toEqual([])
})

test('a hundred orders with their diagnoses cost one statement, and one request to the node', async () => {
  const { db } = stage
  await sql(db).order.deleteMany({})
  for (let index = 0; index < 100; index++) {
    const order = await stage.order()
    stage.world.balances.set(order.owner, { balance: BigInt(index), allowance: unit })
  }
  const before = stage.server.database.statements.length
  const { orders } = await graphql(
    stage.server.url,
    `query ($all: Boolean!) { orders(first: 100) { nodes {
      uid
      why: diagnosis @include(if: $all) { ...part further { code } }
      diagnosis @skip(if: $all) { code }
    } } }
    fragment part on Diagnosed { code evidence { ... on AmountsEvidence { available } } }`,
    { all: true },
  )
  const found = orders.nodes.map(({ why }: { why: { code: string; evidence: object[] } }) => [
    why.code,
    why.evidence,
  ])
  expect(found).toHaveLength(100)
  expect(new Set(found.map(([code]: [string]) => code))).toEqual(new Set(['BALANCE_MISSING']))
  expect(new Set(found.map(([, [{ available }]]: [string, [{ available: string }]]) => available)).size).toBe(
    100,
  )
  expect(stage.server.database.statements.length - before).toBe(1)
  expect(stage.world.calls).toBe(1)
})

test('one order with its diagnosis costs one statement, and a call only where no auction has looked at it lately', async () => {
  const order = await stage.order()
  await stage.stand(order, { marketGap: -10_000n, feeShare: 10n })
  const count = stage.server.database.statements.length
  await diagnosis(order)
  expect([stage.server.database.statements.length - count, stage.world.calls]).toEqual([1, 0])
})

test('a diagnosis costs more than a field, so that a page of them is bounded', async () => {
  const text = (first: number) => `{ orders(first: ${first}) { nodes { diagnosis { code } } } }`
  const answer = await request(`${stage.server.url}/graphql`, 'POST', { query: text(100) })
  expect(answer.body.extensions.cost.requested).toBe(8_101)
})
