import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

const one = 10n ** 18n
const dollars = 10n ** 6n
const key = 'the-operators-own-key'

let world: World
let trader: ReturnType<typeof createTrader>
beforeAll(async () => {
  // Nothing settles: what is simulated is what was placed.
  world = await startWorld({ roles: ['serve'] })
  trader = createTrader(world.url, world.market)
})
afterAll(() => world?.[Symbol.asyncDispose]())

let places = 0
/** An order at a price that no solver can meet: the made-up one can. */
const wish = (more: object = {}) => ({
  sell: 'WETH' as const,
  buy: 'USDC' as const,
  sellAmount: one,
  buyAmount: 1_000_000n * dollars,
  validTo: Math.floor(Date.now() / 1_000) + 3_600 + places++,
  ...more,
})
const place = async (more: object = {}): Promise<string> => (await trader.place(wish(more))).body
const simulate = (uid: string, query = '') => request(`${trader.base}/api/v1/debug/simulation/${uid}${query}`)
const simulateGiven = (body: object) => request(`${trader.base}/api/v1/debug/simulation`, 'POST', body)

/** An order as the POST takes it, signed. */
async function given(more: object = {}, terms: object = {}) {
  const { from, appDataHash: _, ...order } = { appDataHash: '', ...(await trader.sign(wish(terms))) }
  return { ...order, owner: from, ...more }
}

const spender = (data: string) =>
  world.chain.rpc.call('eth_sendTransaction', [
    { from: trader.address, to: world.market.tokens.WETH.address, data },
  ])
const approve = (amount: bigint) =>
  spender(
    `0x095ea7b3${world.market.network.vaultRelayer.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`,
  )

describe('a stored order', () => {
  test('would settle at its limit price, whatever the market is', async () => {
    const { status, body } = await simulate(await place())
    expect([status, body.error]).toEqual([200, null])
    const { network, tokens } = world.market
    expect(body.tenderlyRequest).toMatchObject({
      network_id: String(network.chainId),
      to: network.settlement,
      input: expect.stringMatching(/^0x13d79a0b/),
      simulation_type: 'full',
    })
    expect(Object.keys(body.tenderlyRequest.state_objects)).toContain(tokens.USDC.address)
    expect(body.tenderlyRequest).not.toHaveProperty('block_number')
  })

  test.each([
    ['partly fillable', { partiallyFillable: true }],
    ['of kind buy', { kind: 'buy' }],
    ['for another token', { buy: 'DAI' }],
  ])('%s too', async (_, more) => {
    expect((await simulate(await place(more))).body.error).toBe(null)
  })

  test('fails in the words of the contract, on the block that is named', async () => {
    const uid = await place()
    const before = Number(await world.chain.rpc.call<string>('eth_blockNumber', []))
    await approve(0n)
    await world.chain.rpc.call('anvil_mine', ['0x1'])
    expect((await simulate(uid)).body.error).toMatch(/allowance|transfer|exceeds/i)
    const earlier = await simulate(uid, `?block_number=${before}`)
    expect(earlier.body).toMatchObject({ error: null, tenderlyRequest: { block_number: before } })
    await approve(2n ** 256n - 1n)
    await world.chain.rpc.call('anvil_mine', ['0x1'])
    expect((await simulate(uid)).body.error).toBe(null)
  })

  test('that is unknown is 404, and so is a block that is not there', async () => {
    const uid = await place()
    expect((await simulate(`0x${'12'.repeat(56)}`)).body).toEqual({
      errorType: 'NotFound',
      description: 'Order was not found',
    })
    const { status, body } = await simulate(uid, '?block_number=4000000000')
    expect([status, body.errorType]).toEqual([404, 'NotFound'])
    expect(body.description).toContain('block 4000000000')
  })

  test.each(['latest', '-1', '1.5', '0x1', '9'.repeat(40), ''])(
    'block_number %j is malformed',
    async (block) => {
      const { status, body } = await simulate(`0x${'12'.repeat(56)}`, `?block_number=${block}`)
      expect([status, body.errorType]).toEqual([400, 'InvalidParameter'])
    },
  )

  test('in GraphQL, a few in a request', async () => {
    const uids = [await place(), await place(), await place()]
    const query = (list: string[]) =>
      `{ ordersByUids(uids: ${JSON.stringify(list)}) { simulation { error block from to } } }`
    const { ordersByUids } = await graphql(world.url, query(uids))
    expect(ordersByUids).toHaveLength(3)
    expect(ordersByUids[0].simulation).toMatchObject({ error: null, block: null })
    const more = [...uids, await place(), await place()]
    const { body } = await request(`${world.url}/graphql`, 'POST', { query: query(more) })
    expect(body.errors[0].extensions.code).toBe('QueryTooComplex')
  })
})

describe('an order that is sent', () => {
  test('would settle, or not', async () => {
    expect((await simulateGiven(await given())).body.error).toBe(null)
    const poor = await given({}, { sellAmount: 10n ** 30n })
    expect((await simulateGiven(poor)).body.error).toMatch(/balance|transfer|exceeds/i)
    const late = await given({}, { validTo: 1 })
    expect((await simulateGiven(late)).body.error).toMatch(/not valid|expired|late/i)
    const unsigned = await given({ signingScheme: 'presign', signature: '0x' })
    expect((await simulateGiven(unsigned)).body.error).toMatch(/presign/i)
  })

  test('runs its hooks', async () => {
    const hook = { target: trader.address, callData: '0x', gasLimit: '50000' }
    const appData = JSON.stringify({ metadata: { hooks: { pre: [hook] } } })
    const { body } = await simulateGiven(await given({ appData, signingScheme: 'presign', signature: '0x' }))
    expect(body.tenderlyRequest.input).toContain(world.market.network.hooksTrampoline.slice(2))
  })

  test.each<[what: string, more: object, code: string]>([
    ['no amount', { sellAmount: '0' }, 'InvalidParameter'],
    ['a negative amount', { sellAmount: '-1' }, 'InvalidParameter'],
    ['too large an amount', { sellAmount: '9'.repeat(90) }, 'SellAmountOverflow'],
    ['no owner', { owner: undefined }, 'InvalidParameter'],
    ['a document that is none', { appData: '{"a":' }, 'BadRequest'],
    ['the hash of an unknown document', { appData: `0x${'77'.repeat(32)}` }, 'BadRequest'],
    ['hooks that are none', { appData: '{"metadata":{"hooks":{"pre":7}}}' }, 'BadRequest'],
    ['a short signature', { signature: '0x12' }, 'InvalidSignature'],
    ['a signature that is no hex', { signature: 'zz' }, 'InvalidParameter'],
    ['a block before the first', { blockNumber: -1 }, 'InvalidParameter'],
    ['a list', [], 'InvalidParameter'],
    ['no kind', { kind: 'swap' }, 'InvalidParameter'],
  ])('with %s is refused', async (_, more, code) => {
    const sent = Array.isArray(more) ? more : { ...(await given()), ...more }
    const { status, body } = await simulateGiven(sent)
    expect([status, body.errorType]).toEqual([400, code])
  })

  test('too large a body is refused unread', async () => {
    const { status } = await simulateGiven({ ...(await given()), signature: `0x${'12'.repeat(20_000)}` })
    expect(status).toBe(413)
  })

  test('amounts whose product no contract can count fail as the contract does', async () => {
    const { body } = await simulateGiven(await given({}, { buyAmount: 2n ** 255n }))
    expect(body.error).toEqual(expect.any(String))
  })
})

describe('who may ask', () => {
  const start = (level: string): Promise<App> =>
    startProgram(world, { ...unlimited, SIMULATION_ACCESS: level, ADMIN_API_KEY: key })

  test.each([
    ['off', 405, 'MethodNotAllowed', 405],
    ['operator', 401, 'Unauthorized', 200],
  ])('%s', async (level, status, code, restricted) => {
    const uid = await place()
    const app = await start(level)
    try {
      const path = `api/v1/debug/simulation/${uid}`
      const refused = await request(`${app.url}/sepolia/${path}`)
      expect([refused.status, refused.body.errorType]).toEqual([status, code])
      expect((await request(`${app.url}/sepolia/restricted/${path}`)).status).toBe(restricted)
    } finally {
      await app.close()
    }
  })
})
