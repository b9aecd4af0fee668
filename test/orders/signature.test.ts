import { Signature } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { OrderCreation } from '../../src/domain/order/creation.ts'
import { cancellationsDigest, orderDigest, type SigningDomain } from '../../src/domain/signing/signing.ts'
import { cancelOrders } from '../../src/orders/cancel.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { alice, bob, createOrderServices, signedOrder, testTime } from '../fakes/order-services.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { type Answer, request } from '../setup/trader.ts'

let distinct = false
let accepted = true
let server: TestServer
let base: string
beforeAll(async () => {
  const services = () => {
    const usual = createOrderServices(server.database.db, { distinctSignatureCodes: distinct })
    const checkOrder: OrderServices['checkOrder'] = async (question) => ({
      ...(await usual.checkOrder(question)),
      signature: accepted ? 'valid' : 'invalid',
    })
    return { ...usual, checkOrder }
  }
  server = await openTestServer({
    placeOrder: (creation) => placeOrder(creation, services()),
    cancelOrders: (cancellation) => cancelOrders(cancellation, services()),
  })
  base = `${server.url}/sepolia/api/v1`
})
beforeEach(() => {
  distinct = false
  accepted = true
})
afterAll(() => server[Symbol.asyncDispose]())

let lifetime = 600
/** An order that is not placed yet. */
const fresh = (overrides: Parameters<typeof signedOrder>[0] = {}) =>
  signedOrder({ validTo: testTime + lifetime++, ...overrides })

/** The order in a client's request. */
function toBody({ appData, ...creation }: OrderCreation, change: Record<string, unknown> = {}) {
  const { sellAmount, buyAmount, feeAmount, quoteId: _, ...rest } = creation
  const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` }
  return { ...rest, ...amounts, appData: appData.appData, ...change }
}
const place = (creation: OrderCreation, change: Record<string, unknown> = {}): Promise<Answer> =>
  request(`${base}/orders`, 'POST', toBody(creation, change))

/** Alice’s signature over the order for another domain. */
function signedFor(domain: SigningDomain, creation: OrderCreation): Hex {
  return alice.sign('eip712', orderDigest(domain, { ...creation, appData: creation.appData.hash }))
}

describe('a key’s signature', () => {
  test.each(['eip712', 'ethsign'] as const)(
    'may be compact, and is returned as 65 bytes: %s',
    async (scheme) => {
      const creation = fresh({ signingScheme: scheme, from: alice.address })
      const signature = Signature.from(creation.signature).compactSerialized
      expect(signature).toHaveLength(130)
      const { status, body: uid } = await place(creation, { signature })
      expect(status).toBe(201)
      const { body: order } = await request(`${base}/orders/${uid}`)
      expect(order).toMatchObject({ signature: creation.signature, owner: alice.address })
    },
  )

  test.each([
    [0, 27],
    [1, 28],
  ])('may end in v %i, and is returned with v %i', async (given, kept) => {
    let creation = fresh()
    while (!creation.signature.endsWith(kept.toString(16))) creation = fresh()
    const { body: uid } = await place(creation, { signature: `${creation.signature.slice(0, 130)}0${given}` })
    const { body: order } = await request(`${base}/orders/${uid}`)
    expect(order.signature).toBe(creation.signature)
  })

  const whole = fresh()
  test.each([
    ['empty', '0x'],
    ['truncated', whole.signature.slice(0, 120)],
    ['a byte too short for a compact one', whole.signature.slice(0, 128)],
    ['a byte too long', `${whole.signature}00`],
    ['twice as long', `${whole.signature}${whole.signature.slice(2)}`],
    ['with v 2', `${whole.signature.slice(0, 130)}02`],
    ['with the v of a transaction', `${whole.signature.slice(0, 130)}25`],
  ])('that is %s is refused, with the field', async (_, signature) => {
    const { status, body } = await place(whole, { signature })
    expect([status, body.errorType]).toEqual([400, 'InvalidSignature'])
    expect(body.description).toMatch(/^signature must /)
  })

  test.each([
    ['high s', `${whole.signature.slice(0, 66)}${'ff'.repeat(32)}1b`, 'upper half of the curve order'],
    ['a compact one with high s', `${whole.signature.slice(0, 66)}7f${'ff'.repeat(31)}`, 'upper half'],
    ['no r', `0x${'00'.repeat(32)}${'01'.repeat(32)}1b`, 'does not recover to any signer'],
  ])('with %s is refused with the reason', async (_, signature, says) => {
    const { status, body } = await place(whole, { signature })
    expect([status, body.errorType]).toEqual([400, 'InvalidSignature'])
    expect(body.description).toContain(says)
  })
})

describe('a signature for something else', () => {
  const creation = fresh({ from: alice.address })
  test.each([
    ['of another chain', { ...signingDomain, chainId: 1 }, 'chain_id', 'for chain 1'],
    ['of another local chain', { ...signingDomain, chainId: 31337 }, 'chain_id', 'for chain 31337'],
    [
      'of another contract',
      { ...signingDomain, settlement: numbered('0e') },
      'verifying_contract',
      'with the vault relayer as verifyingContract',
    ],
    ['that is unknown', { chainId: 99, settlement: numbered('99') }, null, 'no known mistake explains that'],
  ])('%s does not recover to the owner, and the answer explains why', async (_, domain, mistake, says) => {
    const { status, body } = await place(creation, { signature: signedFor(domain, creation) })
    expect(status).toBe(400)
    expect(body).toEqual({
      errorType: 'InvalidSignature',
      description: expect.stringMatching(/^signature recovers to 0x[0-9a-f]{40}, from is 0x[0-9a-f]{40}$/),
      data: {
        signer: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        mistake,
        explanation: expect.stringContaining(says),
      },
    })
  })

  test('is not compared with an owner when from is missing: it places an order of another owner', async () => {
    const replayed = fresh()
    const { status, body: uid } = await place(replayed, {
      signature: signedFor({ ...signingDomain, chainId: 1 }, replayed),
    })
    expect(status).toBe(201)
    expect(uid.slice(66, 106)).not.toBe(alice.address.slice(2))
  })

  test('has an error code of its own where the setting asks for it', async () => {
    distinct = true
    const { status, body } = await place(creation, { from: bob.address })
    expect([status, body.errorType]).toEqual([400, 'WrongOwner'])
    expect(body.data).toMatchObject({ signer: alice.address, mistake: null })
    const { body: result } = await request(`${server.url}/graphql`, 'POST', {
      query: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }',
      variables: {
        input: toBody(creation, {
          from: bob.address,
          kind: 'SELL',
          signingScheme: 'EIP712',
          sellTokenBalance: 'ERC20',
          buyTokenBalance: 'ERC20',
        }),
      },
    })
    expect(result.errors[0].extensions).toMatchObject({ code: 'WrongOwner', field: 'signature' })
  })
})

describe('a contract wallet’s signature', () => {
  const wise = (change: Parameters<typeof signedOrder>[0] = {}) =>
    fresh({ signingScheme: 'eip1271', signature: '0x1234', from: bob.address, ...change })
  const named = `{"metadata":{"signer":"${bob.address}"}}`

  test.each([
    ['nothing', '0x'],
    ['a byte', '0x12'],
    ['65 bytes, like that of a key', `0x${'00'.repeat(65)}`],
    ['8,192 bytes', `0x${'ab'.repeat(8_192)}`],
  ] as const)('is stored as it was sent: %s', async (_, signature) => {
    const uid = await placeOrder(wise({ signature }), createOrderServices(server.database.db))
    const { body: order } = await request(`${base}/orders/${uid}`)
    expect(order).toMatchObject({ owner: bob.address, signingScheme: 'eip1271', signature })
  })

  test('is at most 8,192 bytes', async () => {
    const long = wise({ signature: `0x${'ab'.repeat(8_193)}` })
    await expect(placeOrder(long, createOrderServices(server.database.db))).rejects.toMatchObject({
      code: 'InvalidEip1271Signature',
      field: 'signature',
    })
  })

  test.each([
    ['from', wise(), bob.address],
    ['the signer that appData names', wise({ from: null, document: named }), bob.address],
    ['both, when they agree', wise({ document: named }), bob.address],
  ])('belongs to %s', async (_, creation, owner) => {
    const { status, body: uid } = await place(creation)
    expect(status).toBe(201)
    expect(uid.slice(66, 106)).toBe(owner.slice(2))
  })

  test.each([false, true])('that the wallet refuses has an error code of its own', async (setting) => {
    accepted = false
    distinct = setting
    const { status, body } = await place(wise())
    expect([status, body.errorType]).toEqual([400, 'InvalidEip1271Signature'])
  })

  test.each([
    ['AppdataFromMismatch', wise({ from: alice.address, document: named })],
    ['MissingFrom', wise({ from: null })],
  ])('is refused with %s', async (code, creation) => {
    const { status, body } = await place(creation)
    expect([status, body.errorType]).toEqual([400, code])
  })
})

describe('a cancellation', () => {
  test('may have a compact signature; a signature of another length is malformed', async () => {
    const { body: uid } = await place(fresh())
    const signature = alice.sign('eip712', cancellationsDigest(signingDomain, [uid]))
    const cancel = (sent: string) =>
      request(`${base}/orders`, 'DELETE', { orderUids: [uid], signature: sent, signingScheme: 'eip712' })
    const { status, body } = await cancel(`${signature}00`)
    expect([status, body.errorType]).toEqual([400, 'InvalidSignature'])
    const replayed = alice.sign('eip712', cancellationsDigest({ ...signingDomain, chainId: 1 }, [uid]))
    expect((await cancel(replayed)).body.errorType).toBe('WrongOwner')
    expect((await cancel(Signature.from(signature).compactSerialized)).status).toBe(200)
    expect((await request(`${base}/orders/${uid}`)).body.status).toBe('cancelled')
  })
})
