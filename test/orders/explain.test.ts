import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderAnswer } from '../../src/chain/order/order-check.ts'
import type { Reason } from '../../src/domain/diagnosis/diagnosis.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { type ExplainServices, explainOrder } from '../../src/orders/explain/explain.ts'
import { storeRound } from '../../src/storage/auction/current-auction.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { alice, createOrderServices, signedOrder, testTime } from '../fakes/order-services.ts'
import { createQuoteServices } from '../fakes/quote-services.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const now = () => testTime * 1_000 + 999
const answered = {
  block: null,
  from: zeroAddress,
  to: zeroAddress,
  input: '0x',
  gas: 1,
  overrides: {},
  hooks: null,
} as const
const away = () => Promise.reject(new Outage('the network node'))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await storeRound(database.db, { chainId: sampleNetwork.chainId, at: new Date(now()) })
})
afterAll(() => database?.[Symbol.asyncDispose]())

interface Change {
  orders?: Parameters<typeof createOrderServices>[1]
  quotes?: Parameters<typeof createQuoteServices>[1]
  simulateOrder?: ExplainServices['simulateOrder']
  meter?: OrderServices['meter']
}

async function codesOf(order: Parameters<typeof explainOrder>[0], change: Change = {}, simulates = true) {
  const { db } = database
  let simulations = 0
  const services: ExplainServices = {
    orders: { ...createOrderServices(db, change.orders), meter: change.meter },
    quotes: createQuoteServices(db, change.quotes),
    diagnosis: {
      network: sampleNetwork,
      now,
      policy: { deniedTokens: new Set() },
      auctions: { everyBlocks: 2, minLifetime: 60 },
      chain: { balances: away },
    },
    async simulateOrder(simulated, block, use) {
      simulations++
      if (change.simulateOrder) return change.simulateOrder(simulated, block, use)
      return { ...answered, error: null, isFunded: true }
    },
  }
  const { further, ...first } = await explainOrder(order, { simulates, hidesCompetitions: false }, services)
  return { codes: [first, ...further].map(({ code }: Reason) => code), first, simulations }
}

const unsigned = (more: object = {}) => ({ ...signedOrder(more), from: alice.address, signature: null })
const rich: OrderAnswer = {
  balance: 10n ** 30n,
  allowance: 10n ** 30n,
  transfer: 'ok',
  signature: 'unasked',
  signatureGas: 0n,
  ownerHasCode: false,
  exhausted: false,
}
const answering = (answer: Partial<OrderAnswer>) => ({
  orders: { checkOrder: async () => ({ ...rich, ...answer }) },
})

describe('what cannot be seen is told as such', () => {
  test('the node is away: what else is known is told too', async () => {
    const order = unsigned({ feeAmount: 1n, partiallyFillable: false })
    const { codes, simulations } = await codesOf(order, {
      orders: { checkOrder: away },
      quotes: { look: away },
    })
    expect(codes).toEqual(['nodeAway', 'notAccepted', 'marketUnknown'])
    expect(simulations).toBe(0)
  })

  test('it goes away before the simulation', async () => {
    expect((await codesOf(unsigned(), { simulateOrder: away })).codes).toEqual(['nodeAway'])
  })

  test('the market is not seen in time, which is not that there is none', async () => {
    const busy = () => Promise.reject(new Refusal('Unavailable', 'too late'))
    expect((await codesOf(unsigned(), { quotes: { look: busy } })).codes).toEqual(['marketUnknown'])
    const look = async () => ({ block: 7, gasPrice: 10n ** 9n, pools: [] })
    expect((await codesOf(unsigned(), { quotes: { look } })).codes).toEqual(['noNativePrice'])
  })

  test('too many ask: the request fails, instead of telling half', async () => {
    const full = () => Promise.reject(new Refusal('Unavailable', 'too many wait'))
    await expect(codesOf(unsigned(), { orders: { checkOrder: full } })).rejects.toThrow('too many wait')
  })

  test('the solver that is made up may have had nothing to pay with', async () => {
    const simulateOrder = async () => ({ ...answered, error: 'no balance', isFunded: false })
    expect((await codesOf(unsigned(), { simulateOrder })).codes).toEqual(['placeable'])
  })
})

describe('the order is simulated', () => {
  test('once, as if it were signed where it is not, and not at all for those who may not', async () => {
    const signatures: unknown[] = []
    const simulateOrder: ExplainServices['simulateOrder'] = async ({ signature }) => {
      signatures.push(signature)
      return { ...answered, error: 'it reverts', isFunded: true }
    }
    const signed = signedOrder()
    for (const order of [unsigned(), signed]) {
      const { codes, first } = await codesOf(order, { simulateOrder })
      expect([codes, first.evidence]).toEqual([
        ['settlementReverts'],
        [{ kind: 'revert', reason: 'it reverts' }],
      ])
    }
    expect(signatures).toEqual([null, signed.signature])
    expect(await codesOf(unsigned(), { simulateOrder }, false)).toMatchObject({
      codes: ['placeable'],
      simulations: 0,
    })
  })

  test('with a trace if it has hooks, which names those whose gas limits are tight', async () => {
    const target = alice.address
    const hook = (gasLimit: string) => ({ target, callData: '0x', gasLimit })
    const hooks = { pre: [hook('1000')], post: [hook('2000'), hook('3000')] }
    const order = unsigned({ document: JSON.stringify({ metadata: { hooks } }) })
    const call = (gas: bigint, gasUsed: bigint) => ({
      target,
      callData: '0x' as const,
      gas,
      gasUsed,
      failure: null,
    })
    const uses: unknown[] = []
    const simulateOrder: ExplainServices['simulateOrder'] = async (_, __, use) => {
      uses.push(use)
      const ran = { pre: [call(1_000n, 950n)], post: [call(2_000n, 10n), call(3_000n, 2_999n)] }
      return { ...answered, error: null, isFunded: true, hooks: ran }
    }
    const taken: bigint[] = []
    const takeGas = (gas: bigint) => void taken.push(gas)
    const { codes, first } = await codesOf(order, { simulateOrder, meter: { takeGas } })
    expect([codes, first.evidence]).toEqual([
      ['hookGasTight'],
      [
        {
          kind: 'hook',
          phase: 'pre',
          index: 0,
          target,
          outcome: 'succeeded',
          gasLimit: 1_000n,
          gasUsed: 950n,
        },
        {
          kind: 'hook',
          phase: 'post',
          index: 1,
          target,
          outcome: 'succeeded',
          gasLimit: 3_000n,
          gasUsed: 2_999n,
        },
      ],
    ])
    expect(first.summary).toContain('The limits of 1 more of its hooks are too low too.')
    await codesOf(unsigned(), { simulateOrder, meter: { takeGas } })
    expect(uses).toMatchObject([{ tracesHooks: true }, { tracesHooks: false }])
    expect(taken).toEqual([6_000n])
  })

  test.each([
    ['its account cannot pay', unsigned(), answering({ balance: 0n }), ['balanceMissing']],
    ['its time is over', unsigned({ validTo: testTime - 1 }), {}, ['expired']],
    ['nothing is traded', unsigned({ buyAmount: 0n }), {}, ['notAccepted']],
  ])('not where it would only say the same: %s', async (_, order, change, codes) => {
    expect(await codesOf(order, change)).toMatchObject({ codes, simulations: 0 })
  })
})

describe('the account', () => {
  const presign = { signingScheme: 'presign', from: alice.address } as const
  const hook = { target: alice.address, callData: '0x', gasLimit: '100' }
  const document = JSON.stringify({ metadata: { hooks: { pre: [hook] } } })

  test.each([
    ['lacks an allowance', unsigned(), { allowance: 1n }, ['allowanceMissing']],
    [
      'has a part of a partially fillable order',
      unsigned({ partiallyFillable: true }),
      { balance: 5n },
      ['balanceMissing'],
    ],
    [
      'signs on chain, and has a part',
      { ...unsigned({ partiallyFillable: true, ...presign }), ...presign },
      { balance: 5n, transfer: { revert: '0x' } as const },
      ['presignatureMissing'],
    ],
    [
      'signs on chain, and has nothing',
      { ...unsigned(presign), ...presign },
      { balance: 0n },
      ['presignatureMissing', 'balanceMissing'],
    ],
    ['has hooks that bring nothing', unsigned({ document }), { balance: 0n }, ['hooksFail']],
    ['has a token that refuses', unsigned(), { transfer: { revert: '0x' } as const }, ['tokenMisbehaves']],
    ['has hooks without end', unsigned({ document }), { balance: 0n, exhausted: true }, ['hooksFail']],
    [
      'has a wallet that refuses',
      signedOrder({ signingScheme: 'eip1271', from: alice.address, signature: '0x12' }),
      { signature: 'invalid', ownerHasCode: true } as const,
      ['signatureInvalid'],
    ],
  ])('%s', async (_, order, answer, codes) => {
    expect((await codesOf(order, answering(answer))).codes).toEqual(codes)
  })

  test('is denied, and has too many orders', async () => {
    const policy = {
      deniedAccounts: new Set([alice.address]),
      deniedTokens: new Set<never>(),
      sameToken: 'disallow',
    } as const
    const limits = { ...createOrderServices(database.db).limits, maxOutOfMarket: 0 }
    const { codes, first } = await codesOf(unsigned({ buyAmount: 10n ** 12n }), {
      orders: { policy, limits },
    })
    expect(codes).toEqual(['notAccepted', 'accountDenied', 'priceOutOfReach'])
    expect(first.evidence).toMatchObject([{ code: 'TooManyLimitOrders', field: null }])
  })
})

test('an order for later, and auctions that are not held', async () => {
  const document = JSON.stringify({ metadata: { validFrom: testTime + 100 } })
  const { codes, first } = await codesOf(unsigned({ document }))
  expect(codes).toEqual(['notYetValid'])
  expect(first.evidence).toEqual([
    {
      kind: 'validity',
      from: new Date((testTime + 100) * 1_000),
      until: new Date((testTime + 600) * 1_000),
      offeredUntil: new Date((testTime + 540) * 1_000),
    },
  ])
  await storeRound(database.db, { chainId: sampleNetwork.chainId, at: new Date(now() - 600_000) })
  expect((await codesOf(unsigned())).codes).toEqual(['auctionsHalted'])
  await storeRound(database.db, { chainId: sampleNetwork.chainId, at: new Date(now()) })
})
