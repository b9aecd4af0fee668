import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckTrade, TradeAnswer, TradeQuestion } from '../../../src/chain/trade/check.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Interaction } from '../../../src/domain/order/order.ts'
import { transferCall } from '../../../src/domain/settlement/calldata.ts'
import type { Estimate } from '../../../src/quotes/estimator.ts'
import { type VerifiedTrade, verifyEstimate } from '../../../src/quotes/verification/verify.ts'
import { ether, startTradeStage, type TradeStage } from '../../chain/trade-stage.ts'
import { numbered } from '../../fakes/order.ts'

const trader = address(`0x${'7a'.repeat(20)}`)
const solver = numbered('50')
const claimedGas = 123_456n

let stage: TradeStage
let a: Address
let b: Address
let c: Address
let d: Address
let wrapped: Address
let fee: Address

beforeAll(async () => {
  stage = await startTradeStage()
  ;({ a, b, c, d, wrapped, fee } = stage.tokens)
})
afterAll(() => stage[Symbol.asyncDispose]())

type Case = [estimate: Estimate, trade: VerifiedTrade]

/** An estimate along a path whose calls give what `amountOut` says, and the amounts that it claims. */
function estimateFor(
  path: readonly Address[],
  kind: 'sell' | 'buy',
  amountIn: bigint,
  more: { promised?: bigint; native?: boolean; hooks?: Partial<VerifiedTrade>; estimate?: object } = {},
): Case & { amountOut: bigint } {
  const { interactions, amountOut } = stage.walk(path, amountIn)
  const [sellToken = a, last = a] = [path[0], path.at(-1)]
  const buyToken = more.native ? nativeMarker : last
  const sellAmount = kind === 'buy' ? (more.promised ?? amountIn) : amountIn
  const buyAmount = kind === 'sell' ? (more.promised ?? amountOut) : amountOut
  const estimate: Estimate = {
    estimator: 'router',
    solver,
    sellAmount,
    buyAmount,
    gas: claimedGas,
    standing: 'computed',
    execution: { preInteractions: [], interactions, txOrigin: null },
    route: null,
    block: null,
    ...more.estimate,
  }
  const amount = kind === 'sell' ? sellAmount : buyAmount
  const trade: VerifiedTrade = {
    ask: { kind, sellToken, buyToken, amount },
    from: trader,
    receiver: null,
    preHooks: [],
    postHooks: [],
    ...more.hooks,
  }
  return Object.assign<Case, { amountOut: bigint }>([estimate, trade], { amountOut })
}

const verify = ([estimate, trade]: Case, maxInaccuracy = 0.01) =>
  verifyEstimate(estimate, trade, { checkTrade: stage.check, maxInaccuracy, baseTokens: [wrapped] })
const held = (amounts: object) => ({
  verdict: 'held',
  estimate: expect.objectContaining({ standing: 'simulated', ...amounts }),
})
const amountsOf = ([{ sellAmount, buyAmount }]: Case) => ({ sellAmount, buyAmount })

describe('a computed estimate of a trader without funds', () => {
  test.each(['sell', 'buy'] as const)('to %s holds exactly, through any pools', async (kind) => {
    for (const path of [
      [a, b],
      [a, b, c],
      [wrapped, c, a],
    ]) {
      const estimate = estimateFor(path, kind, 3n * ether + 1n)
      expect(await verify(estimate)).toEqual(held(amountsOf(estimate)))
    }
    const native = estimateFor([a, c, wrapped], kind, ether, { native: true })
    expect(await verify(native)).toEqual(held(amountsOf(native)))
  })

  test('keeps everything but amounts, gas and standing', async () => {
    const estimate = estimateFor([a, b], 'sell', ether)
    const verification = await verify(estimate)
    if (verification.verdict !== 'held') return expect.fail(verification.verdict)
    const { gas, ...rest } = verification.estimate
    expect(rest).toEqual({ ...estimate[0], gas: undefined, standing: 'simulated' })
    expect(gas).toBeGreaterThan(150_000n)
    expect(gas).toBeLessThan(250_000n)
  })

  test('is simulated on its own block', () =>
    stage.trying(async () => {
      const block = Number(await stage.evm.rpc.call('eth_blockNumber'))
      const estimate = estimateFor([a, b], 'sell', ether, { estimate: { block } })
      const question: TradeQuestion = {
        kind: 'sell',
        from: trader,
        receiver: null,
        sellToken: a,
        buyToken: b,
        block: null,
        sellAmount: 9n * ether,
        buyAmount: 1n,
        txOrigin: solver,
        preInteractions: [],
        interactions: stage.walk([a, b], 9n * ether).interactions,
        postInteractions: [],
        others: [],
      }
      await stage.settle(question)
      expect(await verify(estimate)).toEqual(held(amountsOf(estimate)))
      const now = estimateFor([a, b], 'sell', ether)
      expect(await verify(now)).toEqual({ verdict: 'refuted', reason: 'Pool: too little sent' })
    }))
})

describe('a promise', () => {
  test('of more than the simulation gives is corrected within the tolerance, and refuted beyond', async () => {
    const { amountOut } = estimateFor([a, b], 'sell', ether)
    const promising = (promised: bigint) => verify(estimateFor([a, b], 'sell', ether, { promised }))
    /** The highest promise whose 99 percent, rounded up, the simulation still gives. */
    const max = (amountOut * 100n) / 99n
    expect(await promising(max)).toEqual(held({ sellAmount: ether, buyAmount: amountOut }))
    expect(await promising(max + 1n)).toEqual({
      verdict: 'refuted',
      reason: expect.stringContaining('balance'),
    })
    expect(await promising(3n * amountOut)).toMatchObject({ verdict: 'refuted' })
  })

  test('to sell less than the simulation takes is corrected and refuted likewise', async () => {
    const { amountOut } = estimateFor([a, b], 'buy', ether)
    const promising = (promised: bigint) => verify(estimateFor([a, b], 'buy', ether, { promised }))
    const min = (ether * 100n + 100n) / 101n
    expect(await promising(min)).toEqual(held({ sellAmount: ether, buyAmount: amountOut }))
    expect(await promising(min - 1n)).toMatchObject({ verdict: 'refuted' })
  })

  test('of less than the simulation gives is raised', async () => {
    const sale = estimateFor([a, b], 'sell', ether, { promised: 5n })
    expect(await verify(sale)).toEqual(held({ sellAmount: ether, buyAmount: sale.amountOut }))
    const purchase = estimateFor([a, b], 'buy', ether, { promised: 2n * ether })
    expect(await verify(purchase)).toEqual(held({ sellAmount: ether, buyAmount: purchase.amountOut }))
  })

  test('without tolerance must be exact, and with full tolerance always holds', async () => {
    const exact = estimateFor([a, b], 'sell', ether)
    expect(await verify(exact, 0)).toEqual(held(amountsOf(exact)))
    const promised = exact.amountOut + 1n
    expect(await verify(estimateFor([a, b], 'sell', ether, { promised }), 0)).toMatchObject({
      verdict: 'refuted',
    })
    expect(await verify(estimateFor([a, b], 'sell', ether, { promised: 100n * ether }), 1)).toEqual(
      held(amountsOf(exact)),
    )
  })

  test('of any size holds exactly when it is within the tolerance, with the amounts of the simulation', () =>
    fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 10_000n, max: 300n * ether }),
        fc.integer({ min: 970_000, max: 1_030_000 }),
        fc.constantFrom('sell' as const, 'buy' as const),
        async (amountIn, factor, kind) => {
          const truth = estimateFor([c, b, a], kind, amountIn)
          const [real, scale] = [kind === 'sell' ? truth.amountOut : amountIn, 1_000_000n]
          const promised = (real * BigInt(factor)) / scale + 1n
          const isNear =
            kind === 'sell' ? (promised * 99n + 99n) / 100n <= real : (promised * 101n) / 100n >= amountIn
          const verification = await verify(estimateFor([c, b, a], kind, amountIn, { promised }))
          if (isNear) expect(verification).toEqual(held(amountsOf(truth)))
          else expect(verification.verdict).toBe('refuted')
        },
      ),
      { numRuns: 25 },
    ))
})

describe('an estimate that uses other funds is refuted', () => {
  const paying = (token: Address, amount: bigint): Interaction => transferCall(token, numbered('ee'), amount)

  test('where it pays out, or sells, funds of the settlement contract', () =>
    stage.trying(async () => {
      for (const token of [a, b]) await stage.give(token, stage.network.settlement, 1_000n * ether)
      const { amountOut } = estimateFor([a, b], 'sell', ether)
      for (const kind of ['sell', 'buy'] as const) {
        const empty = { execution: { preInteractions: [], interactions: [], txOrigin: null } }
        expect(await verify(estimateFor([a, b], kind, ether, { estimate: empty }))).toEqual({
          verdict: 'refuted',
          reason: expect.stringMatching(/^it leaves \d+ atoms too few of the buy token$/),
        })
      }
      expect(await verify(estimateFor([a, b], 'sell', ether, { promised: 2n * amountOut }))).toMatchObject({
        verdict: 'refuted',
      })
      const promised = ether / 2n
      expect(await verify(estimateFor([a, b], 'buy', ether, { promised }))).toEqual({
        verdict: 'refuted',
        reason: expect.stringMatching(/^it takes \d+ atoms too few of the sell token in$/),
      })
      const [estimate, trade] = estimateFor([a, b], 'sell', ether)
      const thief = {
        preInteractions: [paying(a, 1n)],
        interactions: estimate.execution?.interactions ?? [],
        txOrigin: null,
      }
      expect(await verify([{ ...estimate, execution: thief }, trade])).toEqual({
        verdict: 'refuted',
        reason: 'it takes 1 atoms too few of the sell token in',
      })
    }))

  test('where it takes a third token from the settlement contract', () =>
    stage.trying(async () => {
      await stage.give(d, stage.network.settlement, ether)
      const [estimate, trade] = estimateFor([a, b], 'sell', ether, { estimate: { standing: 'claimed' } })
      expect(await verify([estimate, trade])).toMatchObject({ verdict: 'held' })
      const interactions = [...(estimate.execution?.interactions ?? []), paying(d, 1n)]
      const execution = { preInteractions: [], interactions, txOrigin: null }
      expect(await verify([{ ...estimate, execution }, trade])).toEqual({
        verdict: 'refuted',
        reason: `it spends ${d} of the settlement contract`,
      })
    }))

  test('where a token takes a fee of what is sold or bought', () =>
    stage.trying(async () => {
      for (const path of [
        [fee, b],
        [a, fee],
      ]) {
        expect(await verify(estimateFor(path, 'sell', ether))).toMatchObject({ verdict: 'refuted' })
        expect(await verify(estimateFor(path, 'buy', ether))).toMatchObject({ verdict: 'refuted' })
      }
      expect(await verify(estimateFor([a, fee], 'sell', ether))).toEqual({
        verdict: 'refuted',
        reason: expect.stringMatching(/^of \d+ atoms that are paid out \d+ arrive$/),
      })
      await stage.give(fee, stage.network.settlement, 1_000n * ether)
      for (const path of [
        [fee, b],
        [a, fee],
      ]) {
        expect(await verify(estimateFor(path, 'sell', ether))).toMatchObject({ verdict: 'refuted' })
      }
    }))

  test('where its calls revert', async () => {
    const execution = { preInteractions: [], interactions: [paying(a, 2n * ether)], txOrigin: null }
    expect(await verify(estimateFor([a, b], 'sell', ether, { estimate: { execution } }))).toEqual({
      verdict: 'refuted',
      reason: 'Erc20: balance',
    })
  })
})

describe('the simulation', () => {
  /** Answers with the given result, and records the trades. */
  function answering(answer: Partial<TradeAnswer> | undefined | Error) {
    const questions: TradeQuestion[] = []
    const checkTrade: CheckTrade = async (question) => {
      questions.push(question)
      if (answer instanceof Error) throw answer
      const plain = { outcome: 'settled', gas: 9n, sellSurplus: 0n, buySurplus: 0n } as const
      return answer && ({ ...plain, received: question.buyAmount, ...answer } as TradeAnswer)
    }
    return { questions, checkTrade }
  }
  const hook: Interaction = { target: numbered('a1'), value: 0n, callData: '0x01' }
  const own: Interaction = { target: numbered('a2'), value: 0n, callData: '0x02' }
  const ask = async ([estimate, trade]: Case, answer: Partial<TradeAnswer> | undefined | Error) => {
    const { questions, checkTrade } = answering(answer)
    const verification = await verifyEstimate(estimate, trade, {
      checkTrade,
      maxInaccuracy: 0.01,
      baseTokens: [],
    })
    return { verification, questions }
  }

  test("gets the whole order: the estimate's calls, then the hooks, whose gas is not reported", async () => {
    const [receiver, txOrigin] = [numbered('a3'), numbered('a4')]
    const estimate = estimateFor([a, b], 'sell', ether, {
      promised: 1_001n,
      hooks: { preHooks: [hook], postHooks: [hook, hook], receiver },
      estimate: { block: 7, execution: { preInteractions: [own], interactions: [own, own], txOrigin } },
    })
    const { verification, questions } = await ask(estimate, { received: 0n, buySurplus: 3n })
    expect(questions).toEqual([
      {
        kind: 'sell',
        from: trader,
        receiver,
        sellToken: a,
        buyToken: b,
        sellAmount: ether,
        buyAmount: 991n,
        preInteractions: [own, hook],
        interactions: [own, own],
        postInteractions: [hook, hook],
        others: [],
        txOrigin,
        block: 7,
      },
    ])
    expect(verification).toEqual(held({ gas: claimedGas, sellAmount: ether, buyAmount: 994n }))
  })

  test('ignores what hooks add, and counts what they take', async () => {
    const hooks = { preHooks: [hook], postHooks: [] }
    const selling = estimateFor([a, b], 'sell', ether, { promised: 1_000n, hooks })
    expect((await ask(selling, { buySurplus: 1_000_000n })).verification).toEqual(held({ buyAmount: 1_000n }))
    expect((await ask(selling, { buySurplus: 4n })).verification).toEqual(held({ buyAmount: 994n }))
    const buying = estimateFor([a, b], 'buy', ether, { promised: 1_000n, hooks })
    expect((await ask(buying, { sellSurplus: 900n })).verification).toEqual(held({ sellAmount: 1_000n }))
    expect((await ask(buying, { sellSurplus: 4n })).verification).toEqual(held({ sellAmount: 1_006n }))
  })

  test('of a claim checks that its calls take no base token and no token they name from the settlement', async () => {
    const target = (digits: string): Interaction => ({ ...own, target: numbered(digits) })
    const claim = estimateFor([a, b], 'sell', ether, {
      hooks: { preHooks: [hook] },
      estimate: {
        standing: 'claimed',
        execution: {
          preInteractions: [target('b1')],
          interactions: [target('b2'), target('b1')],
          txOrigin: null,
        },
      },
    })
    const { questions, checkTrade } = answering({})
    const [estimate, trade] = claim
    await verifyEstimate(estimate, trade, { checkTrade, maxInaccuracy: 0.01, baseTokens: [wrapped] })
    expect(questions).toMatchObject([{ others: [wrapped, numbered('b1'), numbered('b2')] }])
  })

  test('is sent by the solver, where the estimate names no sender', async () => {
    const { questions } = await ask(estimateFor([a, b], 'sell', ether), {})
    expect(questions).toMatchObject([{ txOrigin: solver, preInteractions: [], postInteractions: [] }])
  })

  test('never has a buy amount of zero', async () => {
    const [estimate, trade] = estimateFor([a, b], 'sell', ether)
    const { questions, checkTrade } = answering({})
    await verifyEstimate(estimate, trade, { checkTrade, maxInaccuracy: 1, baseTokens: [] })
    expect(questions).toMatchObject([{ buyAmount: 1n }])
  })

  test('may be unplayable', async () => {
    const estimate = estimateFor([a, b], 'sell', ether)
    expect((await ask(estimate, undefined)).verification).toEqual({ verdict: 'unplayable' })
    const unknown = estimateFor([a, b], 'sell', ether, { estimate: { execution: null } })
    const { verification, questions } = await ask(unknown, {})
    expect([verification, questions]).toEqual([{ verdict: 'unplayable' }, []])
    await expect(ask(estimate, new Outage('the network node'))).rejects.toThrow(Outage)
  })

  test('refutes an estimate that trades nothing', async () => {
    const estimate = estimateFor([a, b], 'buy', ether)
    expect((await ask(estimate, { sellSurplus: 2n * ether })).verification).toEqual({
      verdict: 'refuted',
      reason: 'it trades nothing',
    })
  })
})
