import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Balance } from '../../src/chain/chain.ts'
import type { SimulateOrder } from '../../src/chain/order/simulation.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import type { HookCall, HookPhase } from '../../src/domain/settlement/hooks.ts'
import {
  quoteWarnings,
  readWarningFacts,
  type WarningServices,
} from '../../src/orders/explain/quote-warnings.ts'
import { quote } from '../../src/quotes/quote.ts'
import { storeRound } from '../../src/storage/auction/current-auction.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { alice, testTime } from '../fakes/order-services.ts'
import { createQuoteServices, quoteRequest } from '../fakes/quote-services.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const now = () => testTime * 1_000 + 999
const one = 10n ** 18n
const rich = { balance: 10n * one, allowance: 10n * one }
const chain = (answer: Balance | Outage | 'absent' | 'away') => ({
  balances: async () => {
    if (answer === 'away') throw new Outage('the network node')
    return [answer]
  },
})

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await storeRound(database.db, { chainId: sampleNetwork.chainId, at: new Date(now()) })
})
afterAll(() => database?.[Symbol.asyncDispose]())

async function warningsOf(
  change: Partial<QuoteRequest>,
  answer: Parameters<typeof chain>[0],
  more: Partial<Pick<WarningServices, 'simulateOrder' | 'meter'>> & {
    slippageBps?: number
    isWithoutDatabase?: boolean
  } = {},
) {
  const { db } = database
  const services: WarningServices = {
    db,
    network: sampleNetwork,
    now,
    policy: { deniedTokens: new Set() },
    auctions: { everyBlocks: 2, minLifetime: 60 },
    chain: chain(answer),
    appDataSources: createQuoteServices(db).appDataSources,
    simulateOrder: () => Promise.reject(new Outage('the network node')),
    ...more,
  }
  const asked = quoteRequest({ priceQuality: 'verified', ...change })
  const reply = await quote(asked, createQuoteServices(db))
  const look = await readWarningFacts(asked, services)
  const known = more.isWithoutDatabase ? { ...look, stored: null } : look
  return quoteWarnings(reply, more.slippageBps ?? 50, known, services)
}
const codesOf = async (...args: Parameters<typeof warningsOf>) =>
  (await warningsOf(...args)).map(({ code }) => code)

test('a quote of an account that has all of it has none', async () => {
  expect(await codesOf({}, rich)).toEqual([])
})

describe('what the account lacks', () => {
  test('of what it sells', async () => {
    const [balance, allowance] = await warningsOf({}, { balance: 4n, allowance: 0n })
    expect([balance?.code, allowance?.code]).toEqual(['balanceMissing', 'allowanceMissing'])
    const amounts = { kind: 'amounts', token: quoteRequest().sellToken, needed: one }
    expect(balance?.evidence).toEqual([{ ...amounts, available: 4n, missing: one - 4n }])
    expect(allowance?.evidence).toEqual([{ ...amounts, available: 0n, missing: one }])
    expect(await codesOf({}, 'absent')).toEqual(['balanceMissing', 'allowanceMissing'])
  })

  test('with the slippage of what it may have to pay', async () => {
    const buys = { kind: 'buy', size: { form: 'buyAmountAfterFee', amount: 2_000n * 10n ** 6n } } as const
    const barely = { balance: (one * 68n) / 100n, allowance: 10n * one }
    expect(await codesOf(buys, barely, { slippageBps: 0 })).toEqual([])
    expect(await codesOf(buys, barely, { slippageBps: 5_000 })).toEqual(['balanceMissing'])
  })

  test.each([
    ['hooks may bring it', hooked(), { balance: 0n, allowance: 0n }],
    ['nobody sells yet', { from: zeroAddress }, { balance: 0n, allowance: 0n }],
    [
      'it is sent with the transaction that places the order',
      { signingScheme: 'eip1271', onchainOrder: true } as const,
      { balance: 0n, allowance: 0n },
    ],
    ['its token does not answer', {}, new Outage('the token')],
  ])('is not told where %s', async (_, change, answer) => {
    expect(await codesOf(change, answer)).toEqual([])
  })
})

function hooked(phase: HookPhase = 'pre'): Partial<QuoteRequest> {
  const hook = { target: alice.address, callData: '0x', gasLimit: '1000' }
  const document = JSON.stringify({ metadata: { hooks: { [phase]: [hook] } } })
  return { appData: document, appDataDocument: document }
}

describe('hooks', () => {
  const simulated = { block: null, from: zeroAddress, to: zeroAddress, input: '0x', gas: 1 } as const
  const call: HookCall = { target: alice.address, callData: '0x', gas: 1_000n, gasUsed: 901n, failure: null }
  /** A simulation in which this hook runs after the trade. */
  const ran = (more: Partial<HookCall> = {}, error: string | null = null) => {
    const asked: unknown[] = []
    const simulateOrder: SimulateOrder = async ({ owner, signature }, block, use) => {
      asked.push({ owner, signature, block, ...use })
      const hooks = error === null ? { pre: [], post: [{ ...call, ...more }] } : null
      return { ...simulated, overrides: {}, error, isFunded: true, hooks }
    }
    return { asked, simulateOrder }
  }

  test('whose gas limit is close to what they use, with both', async () => {
    const world = ran()
    const [tight, ...others] = await warningsOf(hooked('post'), rich, world)
    expect(others).toEqual([])
    expect(tight).toMatchObject({
      code: 'hookGasTight',
      summary: `The order’s post-hook 0, to ${alice.address}, used 901 of its 1,000 gas units in a simulation, which leaves less than a tenth.`,
      evidence: [
        {
          kind: 'hook',
          phase: 'post',
          index: 0,
          target: alice.address,
          outcome: 'succeeded',
          gasLimit: 1_000n,
          gasUsed: 901n,
        },
      ],
    })
    const order = { owner: alice.address, signature: null, block: null }
    expect(world.asked).toEqual([{ ...order, tracesHooks: true, fundsOwner: true }])
  })

  test.each<[string, Partial<HookCall>, string[]]>([
    ['that leave a tenth have none', { gasUsed: 900n }, []],
    ['that run out of gas', { failure: { reason: null, outOfGas: 'itself' } }, ['hookGasTight']],
    [
      'with a call inside that runs out of 63/64 of it',
      { gasUsed: 985n, failure: { reason: null, outOfGas: 'inside' } },
      ['hookGasTight'],
    ],
    ['that revert have none', { failure: { reason: 'closed', outOfGas: null } }, []],
  ])('%s', async (_, more, codes) => {
    expect(await codesOf(hooked('post'), rich, ran(more))).toEqual(codes)
  })

  test('run over the own funds where pre-hooks may bring them, and count before they run', async () => {
    const world = ran()
    const taken: bigint[] = []
    const takeGas = (gas: bigint) => void taken.push(gas)
    await warningsOf(hooked('pre'), rich, { ...world, meter: { takeGas } })
    expect(world.asked).toMatchObject([{ fundsOwner: false }])
    expect(taken).toEqual([2_000n])
  })

  test('are not simulated for a price that is not, for nobody, and without gas', async () => {
    const world = ran()
    const takeGas = () => {
      throw new Refusal('RateLimited', 'no gas is left')
    }
    expect(await codesOf({ ...hooked('post'), priceQuality: 'fast' }, rich, world)).toEqual([
      'priceUnverified',
    ])
    expect(await codesOf({ ...hooked('post'), from: zeroAddress }, rich, world)).toEqual([])
    expect(await codesOf({}, rich, world)).toEqual([])
    expect(await codesOf(hooked('post'), rich, { ...world, meter: { takeGas } })).toEqual([])
    expect(world.asked).toEqual([])
  })

  test('of which nothing is seen are no fault of the quote', async () => {
    expect(await codesOf(hooked('post'), rich)).toEqual([])
    expect(await codesOf(hooked('post'), rich, ran({}, 'it reverts'))).toEqual([])
  })
})

test('a fee of more than what is traded, and a price that nothing confirmed', async () => {
  const size = { form: 'sellAmountAfterFee', amount: 10n ** 12n } as const
  const [fee, price] = await warningsOf({ size, priceQuality: 'fast' }, rich)
  expect([fee?.code, price?.code]).toEqual(['costsMoreThanItBrings', 'priceUnverified'])
  expect(fee?.evidence).toMatchObject([{ kind: 'fee', left: 10n ** 12n, leastAmount: null }])
})

test('a look that fails is no fault of the quote', async () => {
  expect(await codesOf({}, 'away')).toEqual(['nodeAway'])
  expect(await codesOf({}, { balance: 0n, allowance: 10n * one }, { isWithoutDatabase: true })).toEqual([
    'balanceMissing',
  ])
  await storeRound(database.db, { chainId: sampleNetwork.chainId, at: new Date(now() - 600_000) })
  expect(await codesOf({}, rich)).toEqual(['auctionsHalted'])
})
