import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RefusalCode, refusalCodes } from '../../src/domain/errors/refusal-codes.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../../src/orders/cancel.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { statusOf } from '../../src/rest/errors.ts'
import { createOrderServices } from '../fakes/order-services.ts'
import { connectDirectly, emptyTables } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { refusals, type Stage } from './refusals.ts'

let server: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
let stage: Stage
beforeAll(async () => {
  server = await openTestServer({
    placeOrder: (creation) => placeOrder(creation, stage.services),
    cancelOrder: (cancellation) => cancelOrder(cancellation, stage.services),
    cancelOrders: (cancellation) => cancelOrders(cancellation, stage.services),
    cancelByPolicy: (wish) => cancelByPolicy(wish, stage.services),
  })
  client = await connectDirectly(server.database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  const { db } = server.database
  stage = { db, services: createOrderServices(db) }
})
afterAll(async () => {
  await client.end()
  await server[Symbol.asyncDispose]()
})

/** The database's content, without row versions, which only a transaction sees. */
async function contents(): Promise<unknown[]> {
  const { rows } = await client.query(`SELECT
    (SELECT json_agg(o ORDER BY id) FROM orders o) AS orders, (SELECT count(*) FROM order_events) AS events,
    (SELECT count(*) FROM notifications) AS notifications, (SELECT count(*) FROM app_data) AS documents`)
  return rows
}

test.each(refusals.map((row) => [row.code, row.because, row] as const))(
  '%s: %s',
  async (_code, _because, row) => {
    const { method, path, body } = await row.request(stage)
    const before = await contents()
    const url = path === '/graphql' ? `${server.url}/graphql` : `${server.url}/sepolia${path}`
    const answer = await request(url, method, body)
    const [error] = answer.body.errors ?? []
    const refusal = error
      ? { code: error.extensions.code, description: error.message }
      : { code: answer.body.errorType, description: answer.body.description }
    expect([answer.status, refusal.code]).toEqual([row.status, row.code])
    expect(refusal.description.length).toBeGreaterThan(10)
    expect(await contents()).toEqual(before)
    expect(server.faults).toEqual([])
  },
)

/** Codes of other interfaces and requests; each with the test file that shows its request. */
const elsewhere: Partial<Record<RefusalCode, string>> = {
  UnsupportedMediaType: 'rest/bad-input.test.ts',
  PayloadTooLarge: 'rest/bad-input.test.ts',
  MethodNotAllowed: 'rest/bad-input.test.ts',
  NotAcceptable: 'graphql/errors/mask.test.ts',
  NotFound: 'rest/bad-input.test.ts',
  QueryTooComplex: 'execution/admission/cost.test.ts',
  InvalidQuery: 'graphql/errors/mask.test.ts',
  PERSISTED_QUERY_NOT_FOUND: 'execution/documents/persisted.test.ts',
  RateLimited: 'server/limits.test.ts',
  IdempotencyKeyInUse: 'execution/idempotency.test.ts',
  IdempotencyKeyReused: 'execution/idempotency.test.ts',
  NoLiquidity: 'rest/bad-input.test.ts',
  SellAmountDoesNotCoverFee: 'rest/bad-input.test.ts',
  IncompatibleSigningScheme: 'rest/bad-input.test.ts',
  InternalServerError: 'graphql/errors/mask.test.ts',
  UpstreamRefused: 'mirror/bad-order-books.long.test.ts',
  TradingOutsideAllowedWindow: 'rest/bad-input.test.ts',
  TokenTemporarilySuspended: 'rest/bad-input.test.ts',
  InsufficientLiquidity: 'rest/bad-input.test.ts',
  CustomSolverError: 'rest/bad-input.test.ts',
  QuoteNotVerified: 'rest/bad-input.test.ts',
  InvalidTradeFilter: 'rest/bad-input.test.ts',
  InvalidLimit: 'rest/bad-input.test.ts',
  LIMIT_OUT_OF_BOUNDS: 'rest/bad-input.test.ts',
  AffiliateWalletMismatch: 'interface/error-rows.ts',
  InvalidAffiliateSignature: 'interface/error-rows.ts',
  AffiliateWalletBound: 'interface/error-rows.ts',
  AffiliateCodeTaken: 'interface/error-rows.ts',
  AffiliateExists: 'affiliates/register.test.ts',
  AffiliateCodeDisabled: 'affiliates/read.test.ts',
  FeatureDisabled: 'graphql/gates.test.ts',
  FeedGap: 'storage/retention/sweep.long.test.ts',
  SlowConsumer: 'sse/stream.test.ts',
  BadRequest: 'app/simulations.test.ts',
  InvalidSignIn: 'accounts/sign-in.test.ts',
  ChannelExists: 'notifications/channels/webhook.test.ts',
  ChannelNotFound: 'notifications/channels/webhook.test.ts',
  ChannelUnreachable: 'notifications/channels/webhook.test.ts',
  TooManyChannels: 'notifications/channels/webhook.test.ts',
  TooManyConfirmations: 'notifications/channels/email.test.ts',
  TooManySecrets: 'notifications/channels/rotation.test.ts',
}

test('every code of the list has a request that is answered with it', () => {
  const codes = Object.keys(refusalCodes) as RefusalCode[]
  const shown = new Set(refusals.map(({ code }) => code))
  const hidden = codes.filter((code) => {
    const file = elsewhere[code]
    const text = file && readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')
    return !shown.has(code) && !text?.includes(`'${code}'`)
  })
  expect(hidden).toEqual([])
  for (const { code, status } of refusals) expect([code, status]).toEqual([code, statusOf[code]])
})
