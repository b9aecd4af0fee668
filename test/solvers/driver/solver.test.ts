import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Proposal } from '../../../src/domain/auction/solution.ts'
import { createHealth } from '../../../src/outside/health.ts'
import { connectDriver } from '../../../src/solvers/driver/solver.ts'
import type { SolutionNotice } from '../../../src/solvers/outside/notices.ts'
import type { Solver } from '../../../src/solvers/solver.ts'
import { auctionOrder, dollar, numbered, sampleAuction, wrapped } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import {
  answering,
  type Behaviour,
  cutOff,
  huge,
  nested,
  resetting,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../../fakes/solver-engine.ts'

const address = numbered('d1')
const entry = auctionOrder()
const auction = sampleAuction([entry])
const order = {
  side: 'sell',
  sellToken: wrapped,
  buyToken: dollar,
  limitSell: '1000',
  limitBuy: '2900',
  executedSell: '1000',
  executedBuy: '3000',
}
const solution = {
  solutionId: 1,
  score: '5',
  submissionAddress: address,
  orders: { [entry.order.uid]: order },
  gas: 200_000,
}
const calldata = { internalized: '0x13', uninternalized: '0x14' }

let outside: SolverEngineFake
let solver: Solver
let notices: SolutionNotice[]
beforeAll(async () => {
  outside = await startSolverEngine()
})
afterAll(() => outside.close())
beforeEach(() => {
  notices = []
  outside.asked.length = 0
  const limits = {
    failures: 3,
    atOnce: 2,
    pauseMs: { min: 1_000, max: 1_000 },
    backOffMs: { min: 1_000, max: 1_000 },
  }
  solver = connectDriver({
    name: 'x',
    url: outside.url,
    address,
    solveMs: 3_000,
    now: Date.now,
    health: createHealth({ name: 'x', limits, now: Date.now, log: silentLog }),
    store: async (notice) => void notices.push(notice),
  })
})

const behaves = (paths: Record<string, Behaviour>) =>
  outside.behaves((question, response) => (paths[question.path] ?? saying(''))(question, response))
const solve = () => solver.solve(auction, { pools: [] }, new AbortController().signal)
const asked = (path: string) => outside.asked.filter((question) => question.path === path)
const only = ([proposal]: Proposal[]) => proposal as Proposal

test('a driver solves, reveals and settles', async () => {
  behaves({ '/solve': answering({ solutions: [solution] }), '/reveal': answering({ calldata }) })
  const proposal = only(await solve())
  expect(proposal).toMatchObject({ gas: 200_000n, submission: { calldata: '0x13' } })
  expect(proposal.submission?.claims.get(entry.order.uid)).toEqual({
    kind: 'sell',
    sellToken: wrapped,
    buyToken: dollar,
    sellAmount: 1_000n,
    buyAmount: 2_900n,
    executed: { sell: 1_000n, buy: 3_000n },
  })
  const [request] = asked('/solve')
  expect(request?.headers['x-auction-id']).toBe('7')
  expect(request?.body).toMatchObject({ kind: 'full', id: '7', orders: [{ uid: entry.order.uid }] })
  expect(asked('/reveal')[0]?.body).toEqual({ solutionId: 1, auctionId: '7' })

  const submits = solver.outside?.submits
  const origin = { auctionId: 7n, solutionIds: [1] }
  expect(proposal.origin).toEqual(origin)
  const assignment = { auctionId: 7n, solutionId: 1, deadlineBlock: 103 }
  expect(await submits?.settle(assignment, new AbortController().signal)).toBeUndefined()
  expect(asked('/settle')[0]?.body).toEqual({
    solutionId: 1,
    submissionDeadlineLatestBlock: 103,
    auctionId: '7',
  })
  behaves({ '/settle': answering({ kind: 'FailedToSubmit', description: 'no gas' }, 400) })
  expect(await submits?.settle(assignment, new AbortController().signal)).toBe('FailedToSubmit: no gas')
  behaves({ '/settle': answering({}, 404) })
  expect(await submits?.settle(assignment, new AbortController().signal)).toBe('status 404')
  expect(notices).toEqual([])

  solver.outside?.notify(origin, { kind: 'success', reason: 'settled' })
  expect(notices).toEqual([{ auctionId: 7n, solutionIds: [1], kind: 'success', reason: 'settled' }])
})

test('the three solutions of an answer that it likes best are revealed', async () => {
  const solutions = [1, 2, 3, 4].map((solutionId) => ({ ...solution, solutionId, score: String(solutionId) }))
  behaves({ '/solve': answering({ solutions }), '/reveal': answering({ calldata }) })
  expect(await solve()).toHaveLength(3)
  expect(asked('/reveal').map(({ body }) => (body as { solutionId: number }).solutionId)).toEqual([4, 3, 2])
  expect(notices).toMatchObject([
    { solutionIds: [1], reason: 'only the best 3 solutions of an answer compete' },
  ])
})

describe('what it is told of an answer that', () => {
  test.each<[string, unknown, string, string]>([
    ['trades nothing', { orders: {} }, 'emptySolution', 'trades nothing'],
    ['is submitted from elsewhere', { submissionAddress: dollar }, 'driverError', `submitted from ${dollar}`],
  ])('%s', async (_, change, kind, reason) => {
    behaves({ '/solve': answering({ solutions: [{ ...solution, ...(change as object) }] }) })
    expect(await solve()).toEqual([])
    expect(notices).toMatchObject([{ kind, reason: expect.stringContaining(reason), solutionIds: [1] }])
    expect(asked('/reveal')).toEqual([])
  })

  const malformed = 'does not match the protocol'
  test.each<[string, Behaviour, string, string]>([
    ['is no JSON', saying('hello'), 'deserializationError', 'valid JSON'],
    ['is too long', huge(5_000_000), 'deserializationError', 'more than 1000000 bytes'],
    ['is too deep', nested(100), 'deserializationError', 'too deeply'],
    ['has no solutions', answering({}), 'deserializationError', malformed],
    [
      'has too many',
      answering({ solutions: Array.from({ length: 21 }, (_, solutionId) => ({ ...solution, solutionId })) }),
      'deserializationError',
      malformed,
    ],
    [
      'has an amount with a sign',
      answering({ solutions: [{ ...solution, score: '-1' }] }),
      'deserializationError',
      `${malformed} at solutions[0].score`,
    ],
    [
      'has an id that would be rounded',
      answering({ solutions: [{ ...solution, solutionId: 2 ** 60 }] }),
      'deserializationError',
      malformed,
    ],
    [
      'has two solutions with one id',
      answering({ solutions: [solution, solution] }),
      'duplicatedSolutionId',
      'one id',
    ],
  ])('%s', async (_, behaviour, kind, reason) => {
    behaves({ '/solve': behaviour })
    await expect(solve()).rejects.toThrow()
    expect(notices).toMatchObject([{ kind, reason: expect.stringContaining(reason), solutionIds: [] }])
  })

  test.each<[string, Behaviour, string]>([
    ['an error', answering({ kind: 'SolutionNotAvailable' }, 404), 'SolutionNotAvailable'],
    ['a status', status(500), 'status 500'],
    ['no calldata', answering({ calldata: {} }), malformed],
    ['too much', huge(5_000_000), 'more than 600000 bytes'],
    ['a part', cutOff, 'no JSON|reached'],
    ['nothing', resetting, 'reached'],
  ])('reveals %s', async (_, behaviour, reason) => {
    behaves({ '/solve': answering({ solutions: [solution] }), '/reveal': behaviour })
    expect(await solve()).toEqual([])
    expect(notices).toMatchObject([
      {
        kind: 'driverError',
        reason: expect.stringMatching(`it is not revealed: .*(${reason})`),
        solutionIds: [1],
      },
    ])
    // Its own refusal is an answer.
    expect(solver.outside?.isPunctual()).toBe(reason === 'SolutionNotAvailable')
  })
})

test('one that refuses gives its own reason, which is no failure', async () => {
  behaves({ '/solve': answering({ kind: 'Unknown', description: 'not today' }, 400) })
  for (let time = 0; time < 5; time++) expect(await solve()).toEqual([])
  expect(asked('/solve')).toHaveLength(5)
  expect(notices).toEqual([])
})
