import { expect, test, vi } from 'vitest'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import type { Estimator } from '../../../src/quotes/estimator.ts'
import { createOutsidePrice, type OutsidePriceDeps } from '../../../src/quotes/native-price.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered, wrapped } from '../../fakes/order.ts'
import { sampleEstimate } from '../../fakes/quote-services.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const token = numbered('91')
const minute = 60_000
const { priceAmount } = sampleNetwork

/** An estimator that sells the native amount for so many atoms, or refuses. */
function stage(more: Partial<OutsidePriceDeps> = {}) {
  const clock = { at: 1_000_000 }
  const market: { says: bigint | Error } = { says: 500_000n }
  const estimate = vi.fn<Estimator['estimate']>(async () => {
    if (market.says instanceof Error) throw market.says
    return sampleEstimate({ standing: 'claimed', sellAmount: market.says, buyAmount: priceAmount })
  })
  const price = createOutsidePrice({
    network: sampleNetwork,
    estimators: [{ name: 'outside', estimate }],
    verification: 'prefer',
    verify: async (held) => ({ verdict: 'held', estimate: { ...held, standing: 'simulated' } }),
    markBlock: () => async () => false,
    timeoutMs: 5_000,
    log: silentLog,
    warn() {},
    now: () => clock.at,
    ...more,
  })
  return { price, market, estimate, clock }
}

const rate = (tokenAmount: bigint) => ({ nativeAmount: priceAmount, tokenAmount })

test('is quoted as a purchase of a fixed native amount, and the best estimate is simulated', async () => {
  const verify = vi.fn<OutsidePriceDeps['verify']>(async (held) => ({
    verdict: 'held',
    estimate: { ...held, sellAmount: held.sellAmount + 1n, standing: 'simulated' },
  }))
  const { price, estimate } = stage({ verify })
  expect(await price(token)).toMatchObject(rate(500_001n))
  const ask = { kind: 'buy', sellToken: token, buyToken: wrapped, amount: priceAmount }
  expect(estimate.mock.calls.map(([asked]) => asked)).toEqual([ask])
  expect(verify.mock.calls[0]?.[1]).toMatchObject({ ask, from: numbered('00'), preHooks: [], postHooks: [] })
})

test('of several is the one that takes fewest atoms, and a refuted one never wins', async () => {
  const says = (sellAmount: bigint): Estimator => ({
    name: `${sellAmount}`,
    estimate: async () => sampleEstimate({ standing: 'claimed', sellAmount, buyAmount: priceAmount }),
  })
  const { price } = stage({
    estimators: [says(700_000n), says(600_000n), says(3_000n)],
    verify: async (held) =>
      held.sellAmount === 3_000n
        ? { verdict: 'refuted', reason: 'takes more' }
        : { verdict: 'held', estimate: { ...held, standing: 'simulated' } },
  })
  expect(await price(token)).toMatchObject(rate(600_000n))
})

test('is cached, and refreshed in the background once it is ten minutes old', async () => {
  const { price, market, estimate, clock } = stage()
  await Promise.all([price(token), price(token)])
  clock.at += 10 * minute - 1
  expect(await price(token)).toMatchObject(rate(500_000n))
  expect(estimate).toHaveBeenCalledTimes(1)
  market.says = 900_000n
  clock.at += 2
  expect(await price(token)).toMatchObject(rate(500_000n))
  await vi.waitFor(async () => expect(await price(token)).toMatchObject(rate(900_000n)))
  expect(estimate).toHaveBeenCalledTimes(2)
})

test('outlives an outage for half an hour, and not longer', async () => {
  const { price, market, clock } = stage()
  await price(token)
  market.says = new Outage('outside')
  clock.at += 30 * minute - 1
  expect(await price(token)).toMatchObject(rate(500_000n))
  clock.at += 1
  await vi.waitFor(() => expect(price(token)).rejects.toThrow(Outage))
  market.says = 800_000n
  expect(await price(token)).toMatchObject(rate(800_000n))
})

test('is absent for a minute after a refusal, with its message; an outage is not cached', async () => {
  const { price, market, estimate, clock } = stage()
  market.says = new Refusal('TokenTemporarilySuspended', 'paused')
  for (let times = 0; times < 2; times++)
    await expect(price(token)).rejects.toMatchObject({ code: 'TokenTemporarilySuspended', message: 'paused' })
  expect(estimate).toHaveBeenCalledTimes(1)
  clock.at += minute + 1
  market.says = new Outage('outside')
  await expect(price(numbered('92'))).rejects.toThrow(Outage)
  market.says = 700_000n
  expect(await price(numbered('92'))).toMatchObject(rate(700_000n))
  await vi.waitFor(async () => expect(await price(token)).toMatchObject(rate(700_000n)))
})

test('is absent without estimators, and a client that asks for many tokens does not flood them', async () => {
  const { price } = stage({ estimators: [] })
  await expect(price(token)).rejects.toMatchObject({ code: 'NoLiquidity' })
  const busy = stage()
  let answer = () => {}
  const waiting = new Promise<void>((resolve) => {
    answer = resolve
  })
  busy.estimate.mockImplementation(async () => {
    await waiting
    return sampleEstimate({ standing: 'claimed', sellAmount: 500_000n, buyAmount: priceAmount })
  })
  const many = Array.from({ length: 20 }, (_, index) => busy.price(numbered((index + 16).toString(16))))
  const refused = await Promise.all(
    many.slice(16).map((price) => price.then(String, (fault) => fault instanceof Outage)),
  )
  expect(refused).toEqual([true, true, true, true])
  expect(busy.estimate).toHaveBeenCalledTimes(16)
  answer()
  for (const price of await Promise.all(many.slice(0, 16))) expect(price).toMatchObject(rate(500_000n))
})

test('of large atoms is that at which they are sold, and there is none without that', async () => {
  const asked: unknown[] = []
  const stageOf = (sold: bigint | Error) =>
    stage({
      estimators: [
        {
          name: 'outside',
          estimate: async ({ kind, amount }) => {
            asked.push([kind, amount])
            if (kind === 'buy')
              return sampleEstimate({ standing: 'claimed', sellAmount: 7n, buyAmount: amount })
            if (sold instanceof Error) throw sold
            return sampleEstimate({ standing: 'claimed', sellAmount: amount, buyAmount: sold })
          },
        },
      ],
    }).price
  const worth = { nativeAmount: 21n * 10n ** 18n, tokenAmount: 7n }
  expect(await stageOf(worth.nativeAmount)(token)).toMatchObject(worth)
  expect(asked).toEqual([
    ['buy', priceAmount],
    ['sell', 7n],
  ])
  await expect(stageOf(new Refusal('NoLiquidity', 'nobody buys it'))(token)).rejects.toMatchObject({
    code: 'NoLiquidity',
  })
  await expect(stageOf(new Outage('outside'))(token)).rejects.toThrow(Outage)
})
