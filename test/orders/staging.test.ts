import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNetworks } from '../../src/app/config.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { OrderCreation } from '../../src/domain/order/creation.ts'
import { orderDigest, orderUid } from '../../src/domain/signing/signing.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { numbered, signingDomain, wrapped } from '../fakes/order.ts'
import { alice, createOrderServices, signedOrder } from '../fakes/order-services.ts'
import { temporaryFile } from '../fakes/settings.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const settlement = '0xf553d092b50bdcbddeD1A99aF2cA29FBE5E2CB13'.toLowerCase()
const vaultRelayer = '0xC7242d167563352E2BCA4d71C043fbe542DB8FB2'.toLowerCase()

let server: TestServer
let network: Network
beforeAll(async () => {
  using networks = temporaryFile('networks.json')
  const row = {
    rpcUrl: 'http://127.0.0.1:1',
    name: 'sepolia',
    chainId: signingDomain.chainId,
    wrappedNative: wrapped,
    poolFactory: numbered('0d'),
    baseTokens: [],
    firstBlock: 0,
    finalityBlocks: 64,
    blockTimeMs: 1_000,
  }
  const [config] = readNetworks(networks.write(JSON.stringify([row])), 'staging')
  if (!config) throw new Error('there is no network')
  network = config.network
  const services = () => createOrderServices(server.database.db, { network })
  server = await openTestServer({ network, placeOrder: (creation) => placeOrder(creation, services()) })
})
afterAll(() => server[Symbol.asyncDispose]())

function toBody({ appData, quoteId: _, ...creation }: OrderCreation) {
  const { sellAmount, buyAmount, feeAmount } = creation
  const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` }
  return { ...creation, ...amounts, appData: appData.appData }
}
const place = (creation: OrderCreation) =>
  request(`${server.url}/sepolia/api/v1/orders`, 'POST', toBody(creation))

test('a network of the staging profile returns its own contracts', async () => {
  const query = '{ networks { settlementContract vaultRelayer } }'
  const { body } = await request(`${server.url}/graphql`, 'POST', { query })
  expect(body.data.networks).toEqual([{ settlementContract: settlement, vaultRelayer }])
})

test('an order signed for the staging contracts is accepted, with the UID of their domain', async () => {
  const unsigned = signedOrder({ from: alice.address, signature: '0x' })
  const order = { ...unsigned, appData: unsigned.appData.hash }
  const { status, body } = await place({
    ...unsigned,
    signature: alice.sign('eip712', orderDigest(network, order)),
  })
  expect([status, body]).toEqual([201, orderUid(network, order, alice.address)])
  const stored = await request(`${server.url}/sepolia/api/v1/orders/${body}`)
  expect(stored.body).toMatchObject({ owner: alice.address, settlementContract: settlement })
})

test('an order signed for the production contracts is refused with the reason', async () => {
  const { status, body } = await place(signedOrder({ from: alice.address }))
  expect([status, body.errorType]).toEqual([400, 'InvalidSignature'])
  expect(body.data).toMatchObject({
    mistake: 'verifying_contract',
    explanation: expect.stringContaining('with the settlement contract of production as verifyingContract'),
  })
})
