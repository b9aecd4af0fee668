import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limitGap } from '../../src/domain/auction/admission.ts'
import { address, nativeMarker } from '../../src/domain/evm/address.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { formatPercent } from '../../src/domain/text/readable.ts'
import { sql } from '../../src/storage/database/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const one = 10n ** 18n
const dollars = 10n ** 6n
const settlementAbi = new Interface(['function setPreSignature(bytes orderUid, bool signed)'])

let world: World
let trader: ReturnType<typeof createTrader>
beforeAll(async () => {
  world = await startWorld()
  trader = createTrader(world.url, world.market)
  await eventually('auctions are held', async () => {
    const { code } = await explain(await unsigned())
    return code !== 'auctionsHalted' && code !== 'chainBehind'
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const wish = (more: object = {}) => ({
  sell: 'WETH' as const,
  buy: 'USDC' as const,
  sellAmount: one,
  buyAmount: 2_900n * dollars,
  ...more,
})
const signed = async (terms: object = {}) => trader.sign(wish(terms))
async function unsigned(more: object = {}, terms: object = {}) {
  const { signature: _, ...order } = await signed(terms)
  return { ...order, ...more }
}

async function explain(order: object) {
  const { status, body } = await request(`${world.url}/sepolia/api/v1/orders/diagnosis`, 'POST', order)
  expect([status, body.errorType]).toEqual([200, undefined])
  return { ...body, codes: [body, ...body.further].map(({ code }) => code) }
}
const send = (to: string, data: string) =>
  world.chain.rpc.call('eth_sendTransaction', [{ from: trader.address, to, data }])
/** What is in the database of orders and quotes. */
async function stored() {
  const [row] = await sql(world.database.db).$queryRaw<
    [object]
  >`SELECT (SELECT count(*)::int FROM orders) AS orders,
    (SELECT count(*)::int FROM quotes) AS quotes, (SELECT count(*)::int FROM app_data) AS documents`
  return row
}

describe('an order that nothing keeps from being filled', () => {
  test.each([
    ['is not signed yet', {}, {}],
    [
      'sells for the native coin',
      { buyToken: nativeMarker, buyAmount: `${one / 2n}` },
      { sell: 'DAI', sellAmount: 3_000n * one },
    ],
    ['is partially fillable', { partiallyFillable: true }, {}],
    ['buys', { kind: 'buy' }, {}],
  ])('%s', async (_, more, terms) => {
    const before = await stored()
    expect((await explain(await unsigned(more, terms))).codes).toEqual(['placeable'])
    expect(await stored()).toEqual(before)
  })

  test('is signed, and placed then: its diagnosis is its own from then on', async () => {
    const order = await signed({ buyAmount: 1_000_000n * dollars })
    expect((await explain(order)).codes).toEqual(['priceOutOfReach'])
    expect((await request(`${trader.base}/api/v1/orders`, 'POST', order)).status).toBe(201)
    expect((await explain(order)).since).not.toBe(null)
    const { signature: _, ...same } = order
    expect((await explain({ ...same, validTo: order.validTo + 10_000 })).codes).toEqual(['priceOutOfReach'])
  })
})

describe('each of these keeps it', () => {
  test('the price', async () => {
    const { codes, evidence, since } = await explain(await unsigned({ buyAmount: `${4_000n * dollars}` }))
    expect([codes, since]).toEqual([['priceOutOfReach'], null])
    const [{ kind, limit, best, gapPercent }] = evidence
    expect([kind, limit.sellAmount, limit.buyAmount]).toEqual(['price', `${one}`, `${4_000n * dollars}`])
    expect(best.sellAmount).toBe(`${one}`)
    const given = BigInt(best.buyAmount)
    expect(given > 2_900n * dollars && given < 3_000n * dollars).toBe(true)
    expect(Number(gapPercent)).toBeCloseTo(100 - Number(given / 1_000n) / 40_000, 2)
  })

  test('what it costs', async () => {
    const { codes, evidence } = await explain(
      await unsigned({ sellAmount: '1000000000000', buyAmount: '2000' }),
    )
    expect(codes).toEqual(['costsMoreThanItBrings'])
    expect(evidence[0].kind).toBe('fee')
    expect(BigInt(evidence[0].fee) > BigInt(evidence[0].left)).toBe(true)
  })

  test('its receiver, by the simulation alone', async () => {
    const receiver = world.market.tokens.USDC.address
    const order = await unsigned(
      { receiver, buyToken: nativeMarker, buyAmount: `${one / 2n}` },
      { sell: 'DAI', sellAmount: 3_000n * one },
    )
    const { codes, evidence } = await explain(order)
    expect(codes).toEqual(['settlementReverts'])
    expect(evidence).toEqual([{ kind: 'revert', reason: expect.stringMatching(/./) }])
  })

  test('a token that takes a fee from transfers, and one that is not there', async () => {
    const { FEE } = world.market.tokens
    const { codes, evidence } = await explain(await unsigned({ buyToken: FEE.address }))
    expect(codes).toEqual(['tokenMisbehaves', 'noNativePrice'])
    expect(evidence[0]).toMatchObject({ kind: 'refusal', code: 'UnsupportedToken' })
    const nowhere = `0x${'12'.repeat(20)}`
    const absent = await explain(await unsigned({ sellToken: nowhere }))
    expect(absent.codes).toEqual(['balanceMissing', 'allowanceMissing', 'noNativePrice'])
    expect(absent.further[1].evidence).toEqual([{ kind: 'token', token: nowhere }])
  })

  test('its signature', async () => {
    const order = await signed()
    const changed = await explain({ ...order, buyAmount: '1' })
    expect(changed.codes).toEqual(['signatureInvalid'])
    expect(changed.evidence[0]).toMatchObject({
      kind: 'refusal',
      code: 'InvalidSignature',
      field: 'signature',
    })
    expect((await explain({ ...order, signature: '0x12' })).codes).toEqual(['signatureInvalid'])
    const ofContract = await explain({ ...order, signingScheme: 'eip1271', signature: '0x1234' })
    expect(ofContract.codes).toEqual(['signatureInvalid'])
    expect(ofContract.evidence).toEqual([
      { kind: 'revert', reason: `${trader.address.toLowerCase()} has no code` },
    ])
  })

  test('a signature on chain that is missing, until it is there', async () => {
    const order = { ...(await unsigned()), signingScheme: 'presign' }
    expect((await explain(order)).codes).toEqual(['presignatureMissing'])
    const { network } = world.market
    const data = {
      ...order,
      sellAmount: one,
      buyAmount: 2_900n * dollars,
      feeAmount: 0n,
      appData: order.appDataHash,
    }
    const uid = orderUid(network, data as unknown as OrderData, address(trader.address))
    await send(network.settlement, settlementAbi.encodeFunctionData('setPreSignature', [uid, true]))
    await eventually('it is signed on chain', async () => (await explain(order)).code === 'placeable')
  })

  test('a member that the service does not take', async () => {
    const { codes, evidence } = await explain(await unsigned({ sellAmount: '0' }))
    expect(codes).toEqual(['notAccepted'])
    const message = 'sellAmount must be positive'
    expect(evidence).toEqual([{ kind: 'refusal', code: 'ZeroAmount', field: 'sellAmount', message }])
    const unknown = await explain(await unsigned({ appData: `0x${'34'.repeat(32)}`, appDataHash: null }))
    expect(unknown.codes).toEqual(['notAccepted'])
    expect(unknown.evidence[0]).toMatchObject({ code: 'InvalidAppData', field: 'appData' })
  })
})

test('several are told in the order in which they have to be solved', async () => {
  const poor = `0x${'56'.repeat(20)}`
  const validTo = Math.floor(Date.now() / 1_000) + 40
  const order = await unsigned({
    from: poor,
    receiver: null,
    validTo,
    feeAmount: '1',
    buyAmount: `${9_000n * dollars}`,
  })
  const { codes, evidence, further } = await explain(order)
  expect(codes).toEqual([
    'notAccepted',
    'expiresTooSoon',
    'balanceMissing',
    'allowanceMissing',
    'priceOutOfReach',
  ])
  expect(evidence[0]).toMatchObject({ code: 'NonZeroFee', field: 'feeAmount' })
  const amounts = { kind: 'amounts', token: world.market.tokens.WETH.address, available: '0' }
  expect(further[1].evidence).toEqual([{ ...amounts, needed: `${one}`, missing: `${one}` }])
})

test('nobody is named who sells', async () => {
  const order = await unsigned({ from: null })
  const { status, body } = await request(`${trader.base}/api/v1/orders/diagnosis`, 'POST', order)
  expect([status, body.errorType]).toEqual([400, 'MissingFrom'])
})

describe('a quote warns', () => {
  const quote = async (more: object) => {
    const { WETH, USDC } = world.market.tokens
    const input = { sellToken: WETH.address, buyToken: USDC.address, from: trader.address, ...more }
    const text = `mutation ($input: QuoteInput!) { quote(input: $input) { order { sellAmount } warnings { code summary
      evidence { ... on AmountsEvidence { token { symbol } needed missing } ... on FeeEvidence { fee left } } } } }`
    // A busy machine may be late with a block or an auction: that is a warning too.
    return eventually('the service keeps up', async () => {
      const { quote } = await graphql(world.url, text, { input })
      const isLate = quote.warnings.some(({ code }: { code: string }) => late.includes(code))
      return !isLate && quote
    })
  }
  const late = ['NODE_AWAY', 'CHAIN_BEHIND', 'AUCTIONS_HALTED']
  const before = { amount: { sellBeforeFee: `${one}` } }

  test('of what its account lacks', async () => {
    expect((await quote(before)).warnings).toEqual([])
    // Names of tokens are read after they were first asked for.
    const { warnings, order } = await eventually('the token has its name', async () => {
      const quoted = await quote({ ...before, from: `0x${'56'.repeat(20)}` })
      return quoted.warnings[0]?.summary.includes('WETH') && quoted
    })
    const evidence = [{ token: { symbol: 'WETH' }, needed: order.sellAmount, missing: order.sellAmount }]
    expect(warnings).toMatchObject([
      { code: 'BALANCE_MISSING', evidence },
      { code: 'ALLOWANCE_MISSING', evidence },
    ])
    expect(warnings[0].summary).toContain('1 WETH is missing')
  })

  test('of what it costs', async () => {
    const { warnings } = await quote({ amount: { sellAfterFee: '1000000000000' } })
    expect(warnings.map(({ code }: { code: string }) => code)).toEqual(['COSTS_MORE_THAN_IT_BRINGS'])
    expect(warnings[0].evidence[0].left).toBe('1000000000000')
  })
})

test.each([1n, 60n, 400n])(
  'a placed order for %i WETH is as far from the market as its quote, to a millionth of its limit',
  async (whole) => {
    const sellAmount = whole * one
    const { WETH, USDC } = world.market.tokens
    const asked = { sellToken: WETH.address, buyToken: USDC.address, from: trader.address, kind: 'sell' }
    const quoted = await request(`${trader.base}/api/v1/quote`, 'POST', {
      ...asked,
      sellAmountAfterFee: `${sellAmount}`,
    })
    const buy = BigInt(quoted.body.quote.buyAmount)
    const buyAmount = (buy * 1_004n) / 1_000n
    const order = await signed({ sellAmount, buyAmount })
    const placed = await request(`${trader.base}/api/v1/orders`, 'POST', order)
    const { evidence, summary } = await eventually('the market was asked about all of it', async () => {
      const { body } = await request(`${trader.base}/api/v1/orders/${placed.body}/diagnosis`)
      return body.summary.includes('whole amount') && body
    })
    const gap = -limitGap({ sellAmount, buyAmount }, { sell: sellAmount, buy })
    expect([evidence[0].gapPercent, formatPercent(gap).slice(0, 4)]).toEqual([formatPercent(gap), '0.39'])
    expect(summary).toContain(`${whole} WETH`)
  },
)
