import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { type QuotedAmounts, withVolumeFees } from '../../src/domain/quote/amounts.ts'
import type { QuoteRequest, QuoteSize } from '../../src/domain/quote/quote.ts'
import { bestRouteForBuy, bestRouteForSell } from '../../src/domain/routing/route.ts'
import { hooksCall } from '../../src/domain/settlement/calldata.ts'
import { settlementGas, tradeGas } from '../../src/domain/settlement/gas.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import { quotedAmounts } from '../../src/quotes/amounts.ts'
import type { Estimator } from '../../src/quotes/estimator.ts'
import { createRouter } from '../../src/quotes/estimators/router.ts'
import { createOutsidePrice } from '../../src/quotes/native-price.ts'
import { type QuoteServices, quote, replyTo } from '../../src/quotes/quote.ts'
import { findQuotes } from '../../src/storage/quote/quotes.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, nativeMarker, numbered, wrapped } from '../fakes/order.ts'
import { alice, bob, testTime } from '../fakes/order-services.ts'
import {
  createQuoteServices,
  estimatorOf,
  estimatorWithout,
  quoteRequest,
  testPools,
} from '../fakes/quote-services.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const ask = (change: Partial<QuoteRequest> = {}, services: Partial<QuoteServices> = {}) =>
  quote(quoteRequest(change), createQuoteServices(database.db, services))
const without = (code: Refusal['code'], data?: object) =>
  expect.objectContaining({ name: 'Refusal', code, ...(data && { data }) })
const hangs: Estimator = { name: 'hanging', estimate: () => new Promise(() => {}) }
const unit = 10n ** 18n

describe('the own router', () => {
  test("is quoted with its route, its calls and its gas, by the pools' own arithmetic", async () => {
    const { quote: offer, route } = await ask()
    const bought = (unit * 997n * 3_000_000n * 10n ** 6n) / (1_000n * unit * 1_000n + unit * 997n)
    const fee = settlementGas(1, 1) * 10n ** 9n
    expect(offer).toMatchObject({
      sellAmount: unit - fee,
      feeAmount: fee,
      buyAmount: (bought * (unit - fee)) / unit,
      gasAmount: settlementGas(1, 1),
      gasPrice: 10n ** 9n,
      sellTokenPrice: '1',
      verified: false,
    })
    expect(route).toEqual({
      block: 7,
      paths: [
        {
          amountIn: unit,
          amountOut: bought,
          hops: [
            {
              pool: testPools[0]?.address,
              tokenIn: wrapped,
              tokenOut: dollar,
              amountIn: unit,
              amountOut: bought,
              reserveIn: 1_000n * unit,
              reserveOut: 3_000_000n * 10n ** 6n,
            },
          ],
        },
      ],
    })
    expect(offer.calls?.interactions.map(({ target }) => target)).toEqual([wrapped, testPools[0]?.address])
  })

  test('pays for unwrapping where the native coin is bought', async () => {
    const sale = {
      sellToken: dollar,
      size: { form: 'sellAmountAfterFee', amount: 3_000n * 10n ** 6n },
    } as const
    const [native, plain] = await Promise.all([
      ask({ ...sale, buyToken: nativeMarker }),
      ask({ ...sale, buyToken: wrapped }),
    ])
    expect(native.quote.buyAmount).toBe(plain.quote.buyAmount)
    expect(native.quote.gasAmount - plain.quote.gasAmount).toBe(9_223n)
  })

  test('quotes a token for itself, and the coin for its wrapped form, one to one where that is allowed', async () => {
    const policy = {
      deniedAccounts: new Set<never>(),
      deniedTokens: new Set<never>(),
      sameToken: 'allow',
    } as const
    const size = { form: 'sellAmountAfterFee', amount: 5n } as const
    const unwrapped = await ask({ size, buyToken: nativeMarker }, { policy })
    expect(unwrapped.quote).toMatchObject({ sellAmount: 5n, buyAmount: 5n, gasAmount: 9_223n + 106_391n })
    const bought = await ask(
      { kind: 'buy', size: { form: 'buyAmountAfterFee', amount: 7n }, sellToken: dollar },
      { policy },
    )
    expect(bought.quote).toMatchObject({ sellAmount: 7n, buyAmount: 7n, gasAmount: 7_365n + tradeGas })
    expect(bought.route).toBeNull()
  })

  test('adds no swap that costs more than it gains', async () => {
    // The route over the coin pays a little more; at this gas price, less than its second swap costs.
    const pools = [
      {
        address: numbered('d1'),
        token0: wrapped,
        token1: dollar,
        reserve0: 100n * unit,
        reserve1: 300_000n * 10n ** 6n,
      },
      {
        address: numbered('d2'),
        token0: wrapped,
        token1: coin,
        reserve0: 10_000n * unit,
        reserve1: 10_000n * unit,
      },
      {
        address: numbered('d3'),
        token0: dollar,
        token1: coin,
        reserve0: 30_100_000n * 10n ** 6n,
        reserve1: 10_000n * unit,
      },
    ]
    const hops = async (gasPrice: bigint) => {
      const look = async () => ({ block: 1, gasPrice, pools })
      const { route } = await createRouter({ network: sampleNetwork, solver: bob.address, look }).estimate(
        { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: unit / 10n },
        new AbortController().signal,
      )
      return route?.paths.map((path) => path.hops.length)
    }
    expect(await hops(0n)).toContain(2)
    expect(await hops(100n * 10n ** 9n)).toEqual([1])
  })

  test('has no route for a token without pools', async () => {
    await expect(ask({ buyToken: numbered('9e') })).rejects.toEqual(without('NoLiquidity'))
  })
})

describe('the checks', () => {
  const all: Partial<QuoteRequest> = {
    appDataDocument: '{',
    from: alice.address,
    buyTokenBalance: 'internal',
    sellTokenBalance: 'internal',
    expiry: { validTo: testTime + 59 },
    sellToken: nativeMarker,
    buyToken: nativeMarker,
  }
  const policy = {
    deniedAccounts: new Set([alice.address]),
    deniedTokens: new Set([nativeMarker, numbered('9c')]),
    sameToken: 'disallow',
  } as const

  test.each<[Refusal['code'], Partial<QuoteRequest>]>([
    ['InvalidAppData', {}],
    ['Forbidden', { appDataDocument: '{}' }],
    ['UnsupportedBuyTokenDestination', { from: bob.address }],
    ['UnsupportedSellTokenSource', { buyTokenBalance: 'erc20' }],
    ['InsufficientValidTo', { sellTokenBalance: 'erc20' }],
    ['SameBuyAndSellToken', { expiry: { validTo: testTime + 60 } }],
    ['InvalidNativeSellToken', { buyToken: dollar }],
    ['UnsupportedToken', { sellToken: numbered('9c') }],
    ['NoLiquidity', { sellToken: numbered('9d') }],
  ])('report their first fault: %s', async (code, mended) => {
    const rows = [
      {},
      { appDataDocument: '{}' },
      { from: bob.address },
      { buyTokenBalance: 'erc20' },
      { sellTokenBalance: 'erc20' },
      { expiry: { validTo: testTime + 60 } },
      { buyToken: dollar },
      { sellToken: numbered('9c') },
      { sellToken: numbered('9d') },
    ]
    const upTo = rows.findIndex((row) => JSON.stringify(row) === JSON.stringify(mended))
    const request = Object.assign({}, all, ...rows.slice(0, upTo + 1))
    await expect(ask(request, { policy })).rejects.toEqual(without(code))
  })

  test.each<[Refusal['code'] | null, Partial<QuoteRequest>]>([
    [null, { expiry: { validTo: testTime + 10_800 } }],
    ['ExcessiveValidTo', { expiry: { validTo: testTime + 10_801 } }],
    [null, { expiry: { validTo: 2 ** 32 - 1 }, signingScheme: 'presign' }],
    ['ExcessiveValidTo', { expiry: { validFor: 2 ** 32 - 1 } }],
    [null, { expiry: { validFor: 60 } }],
    ['InsufficientValidTo', { expiry: { validFor: 59 } }],
    ['InvalidAppData', { appDataDocument: null, appDataHash: keccakText('unknown') }],
    ['InvalidAppData', { appDataDocument: '{"metadata":{"enableFastPath":true}}' }],
  ])('%s: %o', async (code, change) => {
    const result = await ask(change).catch((fault) => fault.code)
    if (code) expect(result).toBe(code)
    else expect(result.quote.id).toEqual(expect.any(BigInt))
  })

  test('a token with a fee on transfers is refused on both sides, also where it has no market', async () => {
    const checkTokens = vi.fn(() => Promise.reject(new Refusal('UnsupportedToken', 'takes a fee')))
    await expect(ask({}, { checkTokens })).rejects.toEqual(without('UnsupportedToken'))
    expect(checkTokens).toHaveBeenCalledWith([wrapped, dollar], {})
    await expect(ask({ buyToken: numbered('9e') }, { checkTokens })).rejects.toEqual(
      without('UnsupportedToken'),
    )
  })

  test('a node outage is not a missing route', async () => {
    const look = () => Promise.reject(new Outage('the network node'))
    await expect(ask({}, { look })).rejects.toThrow(Outage)
    const router = estimatorWithout(new Outage('the network node'))
    await expect(ask({}, { router })).rejects.toThrow(Outage)
  })
})

describe('amounts', () => {
  test('an amount that the fee consumes is refused, with the fee', async () => {
    const fee = settlementGas(1, 1) * 10n ** 9n
    const of = (amount: bigint) => ask({ size: { form: 'sellAmountBeforeFee', amount } })
    await expect(of(fee)).rejects.toEqual(
      without('SellAmountDoesNotCoverFee', { fee_amount: `0x${fee.toString(16)}` }),
    )
    // An amount of which the rest buys less than an atom gets no quote either.
    await expect(of(fee + 1n)).rejects.toEqual(
      without('SellAmountDoesNotCoverFee', { fee_amount: `0x${fee.toString(16)}` }),
    )
  })

  test.each(['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)(
    'a %s that buys less than an atom is too small, whoever else has no route for it',
    async (form) => {
      // An atom of the dollar token costs 333,333,333 of the wrapped coin, and the pool's fee.
      const size = { form, amount: 333_000_000n }
      const others = [
        estimatorWithout(new Refusal('NoLiquidity', 'none')),
        estimatorWithout(new Outage('it')),
      ]
      await expect(ask({ size }, { others })).rejects.toMatchObject({
        code: 'SellAmountDoesNotCoverFee',
        field: form,
      })
      const enough = await ask({ size: { form: 'sellAmountAfterFee', amount: 335_000_000n } })
      expect(enough.quote.buyAmount).toBe(1n)
      const found = await ask(
        { size: { form: 'sellAmountAfterFee', amount: 1n } },
        { others: [estimatorOf('other', { sellAmount: 1n, buyAmount: 5n })] },
      )
      expect(found.quote.buyAmount).toBe(5n)
    },
  )

  test('a sale of more than any pool takes has no route', async () => {
    const size = { form: 'sellAmountAfterFee', amount: 2n ** 200n } as const
    await expect(ask({ size })).rejects.toEqual(without('NoLiquidity'))
  })

  test('hooks and a contract signature are paid for, but not included in gasAmount', async () => {
    const gas = { callData: '0x', target: bob.address }
    const hooks = { pre: [{ ...gas, gasLimit: '70000' }], post: [{ ...gas, gasLimit: '30000' }] }
    const { quote: plain } = await ask()
    const { quote: dear } = await ask({
      appDataDocument: JSON.stringify({ metadata: { hooks } }),
      signingScheme: 'eip1271',
      verificationGasLimit: 27_000n,
    })
    expect(dear.gasAmount).toBe(plain.gasAmount)
    expect(dear.feeAmount - plain.feeAmount).toBe(127_000n * 10n ** 9n)
  })

  test('an amount above uint256 cannot be sold', async () => {
    const size = { form: 'sellAmountAfterFee', amount: maxUint256 } as const
    const router = estimatorOf('router', { sellAmount: maxUint256 })
    await expect(ask({ size }, { router })).rejects.toEqual(without('SellAmountOverflow'))
  })

  const amount = fc.bigInt({ min: 1n, max: 2n ** 128n })

  test('a quote promises no more than the estimate, and its amounts add up', () => {
    const forms = fc.constantFrom<QuoteSize['form']>(
      'sellAmountBeforeFee',
      'sellAmountAfterFee',
      'buyAmountAfterFee',
    )
    fc.assert(
      fc.property(forms, amount, amount, amount, (form, fixed, other, fee) => {
        const buys = form === 'buyAmountAfterFee'
        const sizes = { sellAmount: buys ? other : fixed, buyAmount: buys ? fixed : other }
        const estimate = { ...sizes, route: null }
        let amounts: ReturnType<typeof quotedAmounts>
        try {
          amounts = quotedAmounts({ form, amount: fixed }, estimate, { sold: fee, bought: 0n })
        } catch (fault) {
          const spent = form === 'sellAmountBeforeFee' && fee >= fixed
          expect(fault).toMatchObject({ code: 'SellAmountDoesNotCoverFee', field: form })
          if (!spent) expect(other * (fixed - fee) < fixed).toBe(true)
          return
        }
        expect(amounts.feeAmount).toBe(fee)
        if (form === 'sellAmountBeforeFee') {
          expect(amounts.sellAmount + fee).toBe(fixed)
          // The rate of the whole amount, less than an atom below it.
          expect(amounts.buyAmount * fixed <= other * amounts.sellAmount).toBe(true)
          expect((amounts.buyAmount + 1n) * fixed > other * amounts.sellAmount).toBe(true)
        } else expect(amounts).toEqual({ ...sizes, feeAmount: fee })
      }),
    )
  })
})

describe('the stored quote', () => {
  test('has an increasing id, and the lifetime of its kind', async () => {
    const seconds = async (change: Partial<QuoteRequest>) => {
      const { quote: offer } = await ask(change)
      return [offer.quoteKind, (offer.expiration.getTime() - testTime * 1_000 - 999) / 1_000]
    }
    expect(await seconds({})).toEqual(['standard', 60])
    expect(await seconds({ signingScheme: 'eip1271' })).toEqual(['standard', 60])
    expect(await seconds({ signingScheme: 'eip1271', onchainOrder: true })).toEqual([
      'eip1271onchainorder',
      600,
    ])
    expect(await seconds({ signingScheme: 'presign', onchainOrder: true })).toEqual([
      'presignonchainorder',
      600,
    ])
    const [first, second] = [await ask(), await ask()]
    expect(Number(second.quote.id)).toBeGreaterThan(Number(first.quote.id))
  })

  test('has the amounts before volume fees; the terms have both', async () => {
    const { quote: offer, terms } = await ask(
      {
        appDataDocument: JSON.stringify({ metadata: { partnerFee: { recipient: bob.address, bps: 30 } } }),
        receiver: bob.address,
      },
      { feeRules: [{ kind: 'volume', factor: 200n }] },
    )
    expect(terms).toMatchObject({
      from: alice.address,
      receiver: bob.address,
      validTo: testTime + 600,
      volumeFees: [200n],
      partnerFees: [3_000n],
    })
    const [stored] = await findQuotes(database.db, sampleNetwork.chainId, [offer.id ?? 0n])
    expect(stored).toEqual(offer)
    expect(offer.sellAmount + offer.feeAmount).toBe(unit)
  })

  test('is read back by its id, for its owner only', async () => {
    const reply = await ask()
    const services = createQuoteServices(database.db)
    expect(await replyTo(alice.address, reply.quote.id ?? 0n, services)).toEqual(reply)
    expect(await replyTo(bob.address, reply.quote.id ?? 0n, services)).toBeUndefined()
    expect(await replyTo(alice.address, 999_999n, services)).toBeUndefined()
  })

  test('takes one statement', async () => {
    const before = database.statements.length
    await ask({ priceQuality: 'verified' })
    expect(database.statements.slice(before)).toEqual([expect.stringMatching(/^INSERT INTO quotes/i)])
  })

  test('does not exist for a fast quote', async () => {
    const before = database.statements.length
    const { quote: offer } = await ask({ priceQuality: 'fast' })
    expect(offer).toMatchObject({ id: null, verified: false, expiration: new Date(0) })
    expect(database.statements.slice(before)).toEqual([])
  })
})

describe('a quality', () => {
  test("of verified takes amounts and gas from the simulation, with the order's owner, receiver and hooks", async () => {
    const hook = { target: bob.address, callData: '0x12', gasLimit: 5n } as const
    const verify = vi.fn<QuoteServices['verify']>(async (estimate) => ({
      verdict: 'held',
      estimate: { ...estimate, buyAmount: estimate.buyAmount - 1n, gas: 111_111n, standing: 'simulated' },
    }))
    const request = {
      receiver: bob.address,
      size: { form: 'sellAmountAfterFee', amount: unit } as const,
      appDataDocument: JSON.stringify({ metadata: { hooks: { post: [{ ...hook, gasLimit: '5' }] } } }),
    }
    const optimal = await ask(request, { verify })
    expect(verify).not.toHaveBeenCalled()
    const { quote: offer } = await ask({ ...request, priceQuality: 'verified' }, { verify })
    expect(offer).toMatchObject({
      verified: true,
      gasAmount: 111_111n,
      buyAmount: optimal.quote.buyAmount - 1n,
      feeAmount: 111_116n * 10n ** 9n,
    })
    expect(verify.mock.calls.map(([, trade]) => trade)).toEqual([
      {
        ask: { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: unit },
        from: alice.address,
        receiver: bob.address,
        onGas: expect.any(Function),
        preHooks: [],
        postHooks: [hooksCall(sampleNetwork.hooksTrampoline, [hook])],
      },
    ])
  })

  test('is better with an outside estimator, which is named as the solver', async () => {
    const outside = estimatorOf('outside', { standing: 'claimed', buyAmount: 10n ** 10n })
    const { quote: offer, route } = await ask({}, { others: [outside] })
    expect(offer).toMatchObject({ solver: numbered('51'), verified: true, calls: null })
    expect(route).toBeNull()
  })
})

describe('the timeout of a request', () => {
  const timed = async (change: Partial<QuoteRequest>, services: Partial<QuoteServices>) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let answer: unknown = 'waiting'
      void ask({ timeoutMs: 400, priceQuality: 'fast', ...change }, services).then(
        (reply) => {
          answer = reply.quote.solver
        },
        (fault) => {
          answer = fault.code
        },
      )
      const settle = async () => {
        for (let step = 0; step < 20; step++) await new Promise((next) => setImmediate(next))
        return answer
      }
      const early = await settle()
      vi.advanceTimersByTime(359)
      const before = await settle()
      vi.advanceTimersByTime(2)
      return [early, before, await settle()]
    } finally {
      vi.useRealTimers()
    }
  }
  const router = estimatorOf('router')

  test('ends the wait for estimators that hang, with time left to store the quote', async () => {
    expect(await timed({}, { router, others: [hangs] })).toEqual(['waiting', 'waiting', numbered('51')])
    expect(await timed({}, { router: hangs, others: [hangs] })).toEqual(['waiting', 'waiting', 'Unavailable'])
  })

  test('ends the wait for the market, for tokens and for documents', async () => {
    const never = () => new Promise<never>(() => {})
    for (const services of [{ look: never }, { checkTokens: never }, { learnTokens: never }]) {
      expect(await timed({}, { router, ...services })).toEqual(['waiting', 'waiting', 'Unavailable'])
    }
    const appDataSources = { db: database.db, now: Date.now, maxBytes: 100, gateway: { find: never } }
    const unknown = { appDataDocument: null, appDataHash: keccakText('somewhere') }
    expect(await timed(unknown, { router, appDataSources })).toEqual(['waiting', 'waiting', 'Unavailable'])
  })

  test('need not elapse', async () => {
    expect(await timed({}, { router })).toEqual([numbered('51'), numbered('51'), numbered('51')])
  })

  test('does not stop a quote that needs no wait, however short it is', async () => {
    const { quote: offer } = await ask({ timeoutMs: 0 })
    expect(offer.buyAmount).toBeGreaterThan(0n)
  })
})

describe('where the pools have no route and the outside estimators fail', () => {
  const unknown = numbered('9e')
  const priced = (estimators: readonly Estimator[]) =>
    createOutsidePrice({
      network: sampleNetwork,
      estimators,
      verification: 'prefer',
      verify: async (estimate) => ({ verdict: 'held', estimate }),
      markBlock: () => async () => false,
      timeoutMs: 5_000,
      log: silentLog,
      warn() {},
      now: () => 0,
    })

  test.each([
    ['answers 429', new Throttled('outside', 'status 429', 60_000)],
    ['is paused after failures', new OutsideFault('outside', 'is paused after failures')],
    ['is away', new Outage('outside')],
  ])('there is no liquidity where one of them %s', async (_, fault) => {
    const others = [estimatorWithout(fault)]
    const services = { others, outsidePrice: priced(others) }
    for (const pair of [{ buyToken: unknown }, { sellToken: unknown }])
      await expect(ask(pair, services)).rejects.toEqual(without('NoLiquidity'))
  })

  test('what another one says of the token counts more', async () => {
    const others = [
      estimatorWithout(new Throttled('outside', 'status 429')),
      estimatorWithout(new Refusal('TokenTemporarilySuspended', 'paused')),
    ]
    const services = { others, outsidePrice: priced(others) }
    await expect(ask({ buyToken: unknown }, services)).rejects.toEqual(without('TokenTemporarilySuspended'))
  })

  test('the quote is an outage where the node is away, or the service asks for too many prices', async () => {
    const look = () => Promise.reject(new Outage('the network node'))
    await expect(ask({ buyToken: unknown }, { look })).rejects.toThrow(Outage)
    const outsidePrice = () => Promise.reject(new Outage('the price of a token without a pool'))
    await expect(ask({ buyToken: unknown }, { outsidePrice })).rejects.toThrow(Outage)
  })
})

test('no quote sells or buys nothing, whatever the sizes, the gas and the volume fees', async () => {
  const small = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 10n ** 24n))
  const form = fc.constantFrom<QuoteSize['form']>(
    'sellAmountBeforeFee',
    'sellAmountAfterFee',
    'buyAmountAfterFee',
  )
  const fees = fc.array(fc.bigInt(0n, 999_999n), { maxLength: 3 })
  fc.assert(
    fc.property(form, small, small, small, fees, (form, amount, other, feeAmount, volumeFees) => {
      const isSell = form !== 'buyAmountAfterFee'
      const estimate = isSell
        ? { sellAmount: amount, buyAmount: other }
        : { sellAmount: other, buyAmount: amount }
      let quoted: QuotedAmounts
      try {
        quoted = quotedAmounts(
          { form, amount },
          { ...estimate, route: null },
          { sold: feeAmount, bought: 0n },
        )
      } catch (fault) {
        expect(fault).toBeInstanceOf(Refusal)
        return
      }
      const { sellAmount, buyAmount } = withVolumeFees(isSell ? 'sell' : 'buy', quoted, volumeFees)
      expect([sellAmount > 0n, buyAmount > 0n]).toEqual([true, true])
    }),
  )
})

describe('a fee of less than an atom of the sold token', () => {
  const weth = 10n ** 18n
  const [unit, other] = [numbered('d1'), numbered('d2')]
  const pools = [
    { address: numbered('e1'), token0: unit, token1: other, reserve0: 1_000n, reserve1: 1_000n * weth },
  ]
  const fee = { sold: 0n, bought: 2n * 10n ** 14n }
  const bought = (amount: bigint) => {
    const route = bestRouteForBuy(pools, unit, other, amount)
    if (!route) throw new Error('no route')
    const estimate = { sellAmount: route.amountIn, buyAmount: amount, route }
    return quotedAmounts({ form: 'buyAmountAfterFee', amount }, estimate, fee)
  }

  test('comes out of what a sell order gets', () => {
    const estimate = { sellAmount: 2n, buyAmount: 1_990_000_000_000_000_000n, route: null }
    for (const form of ['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)
      expect(quotedAmounts({ form, amount: 2n }, estimate, fee)).toEqual({
        sellAmount: 2n,
        buyAmount: 1_989_800_000_000_000_000n,
        feeAmount: 0n,
      })
    for (const buyAmount of [1n, fee.bought])
      expect(() =>
        quotedAmounts({ form: 'sellAmountBeforeFee', amount: 2n }, { ...estimate, buyAmount }, fee),
      ).toThrow(expect.objectContaining({ code: 'SellAmountDoesNotCoverFee' }))
  })

  test('is paid by the rest of the last atom of a buy order, or by one more', () => {
    expect(bought(4n * weth)).toEqual({ sellAmount: 5n, buyAmount: 4n * weth, feeAmount: 0n })
    const max = bestRouteForSell(pools, unit, other, 5n)?.amountOut ?? 0n
    expect(bought(max - fee.bought).sellAmount).toBe(5n)
    expect(bought(max - fee.bought + 1n).sellAmount).toBe(6n)
    expect(bought(max).sellAmount).toBe(6n)
  })
})
