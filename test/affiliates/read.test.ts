import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { numberedKey, signedBody } from './signer.ts'

const key = numberedKey(21)
const code = 'READ_ME-1'
const setting = 'this needs the settings CMS_ENABLED=true and CMS_API_KEY'
const [isEditor, isOperator] = [operatorCheck('editor-key'), operatorCheck('operator-key')]

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { isEditor: (given) => isEditor(given) || isOperator(given), isOperator })
  const answer = await request(`${server.url}/affiliate/${key.address}`, 'POST', await signedBody(key, code))
  expect(answer.status).toBe(201)
})
afterAll(() => server[Symbol.asyncDispose]())

const get = async (path: string) => {
  const { status, body } = await request(`${server.url}${path}`)
  return { status, body }
}
const query = (text: string, variables: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: text, variables }),
  }).then((response) => response.json())
const put = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe('an affiliate', () => {
  const record = {
    code,
    createdAt: '2027-01-15T08:00:00Z',
    rewardAmount: 20,
    triggerVolume: 250_000,
    timeCapDays: 90,
    volumeCap: 0,
    revenueSplitAffiliatePct: 50,
    revenueSplitTraderPct: 50,
    revenueSplitDaoPct: 0,
  }

  test('is read by its wallet in any letter case, with and without a trailing slash', async () => {
    const lower = key.address.toLowerCase()
    for (const path of [key.address, lower, `${lower}/`, `0x${lower.slice(2).toUpperCase()}/`])
      expect(await get(`/affiliate/${path}`)).toEqual({ status: 200, body: record })
  })

  test('is read in one statement', async () => {
    for (const path of [`/affiliate/${key.address}`, `/ref-codes/${code}`]) {
      const before = server.database.statements.length
      expect((await get(path)).status).toBe(200)
      expect(server.database.statements.length - before).toBe(1)
    }
  })

  test('does not exist for an unregistered wallet', async () => {
    const missing = { status: 404, body: { message: 'Affiliate not found' } }
    expect(await get(`/affiliate/${numberedKey(22).address}`)).toEqual(missing)
    expect(await get(`/affiliate/${numberedKey(22).address}/`)).toEqual(missing)
  })

  test.each(['0x12', key.address.slice(2), `${key.address}0`, '%30x', 'vitalik.eth'])(
    'with a malformed wallet is refused: %s',
    async (wallet) => {
      expect(await get(`/affiliate/${wallet}`)).toEqual({
        status: 400,
        body: { message: 'wallet must be an address: 20 bytes of hex with 0x in front' },
      })
    },
  )

  test('is returned by GraphQL, directly and under its account', async () => {
    const fields = `wallet code enabled createdAt rewardAmount triggerVolume timeCapDays volumeCap
      revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct traderRewardAmount`
    const { data } = await query(
      `query ($wallet: Address!, $other: Address!) {
        affiliate(wallet: $wallet) { ${fields} } account(address: $wallet) { affiliate { ${fields} } }
        none: affiliate(wallet: $other) { code }
      }`,
      { wallet: key.address, other: numberedKey(22).address },
    )
    expect(data.affiliate).toEqual({
      ...record,
      wallet: key.address.toLowerCase(),
      enabled: true,
      rewardAmount: '20',
      triggerVolume: '250000',
      volumeCap: '0',
      revenueSplitAffiliatePct: '50',
      revenueSplitTraderPct: '50',
      revenueSplitDaoPct: '0',
      traderRewardAmount: '10',
    })
    expect(data.account.affiliate).toEqual(data.affiliate)
    expect(data.none).toBeNull()
  })

  test('has the terms of its row, to the last digit', async () => {
    await using client = await connectDirectly(server.database.url)
    await client.query(
      `INSERT INTO affiliates (wallet, code, digest, signed_message, reward_amount, trigger_volume, time_cap_days, volume_cap,
        revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct, created_at)
       VALUES ($1, 'OTHER', $2, '', 12.5, 0.000000000000000001, 30, 1000000.25, 33.34, 33.33, 33.33, '2026-01-01T00:00:00.123Z')`,
      [Buffer.alloc(20, 5), Buffer.alloc(32, 5)],
    )
    expect((await get(`/affiliate/0x${'05'.repeat(20)}`)).body).toEqual({
      code: 'OTHER',
      createdAt: '2026-01-01T00:00:00.123Z',
      rewardAmount: 12.5,
      triggerVolume: 1e-18,
      timeCapDays: 30,
      volumeCap: 1_000_000.25,
      revenueSplitAffiliatePct: 33.34,
      revenueSplitTraderPct: 33.33,
      revenueSplitDaoPct: 33.33,
    })
    const { data } = await query(
      'query ($code: String!) { referralCode(code: $code) { traderRewardAmount triggerVolume } }',
      { code: 'OTHER' },
    )
    expect(data.referralCode).toEqual({
      traderRewardAmount: '4.16625',
      triggerVolume: '0.000000000000000001',
    })
  })
})

describe('a code', () => {
  const terms = { code, traderRewardAmount: 10, triggerVolume: 250_000, timeCapDays: 90, volumeCap: 0 }

  test('is read with and without a trailing slash', async () => {
    expect(await get(`/ref-codes/${code}`)).toEqual({ status: 200, body: terms })
    expect(await get(`/ref-codes/${code}/`)).toEqual({ status: 200, body: terms })
  })

  test('that is not registered is not found', async () => {
    const missing = { status: 404, body: { message: 'Affiliate code not found' } }
    expect(await get('/ref-codes/NOBODY')).toEqual(missing)
    const { data } = await query('{ referralCode(code: "NOBODY") { code } }', {})
    expect(data).toEqual({ referralCode: null })
  })

  test.each([code.toLowerCase(), 'ABCD', 'A'.repeat(21), 'READ%20ME', '%FF%FF%FF%FF%FF', 'READ.ME'])(
    'that is malformed is refused: %s',
    async (given) => {
      const message = 'code must be 5 to 20 characters of A-Z, 0-9, _ and -'
      expect(await get(`/ref-codes/${given}`)).toEqual({ status: 400, body: { message } })
    },
  )
})

describe('switching a code', () => {
  const byBearer = { authorization: 'Bearer editor-key' }
  const byHeader = { 'x-api-key': 'operator-key' }
  const mutation = `mutation ($input: SetAffiliateEnabledInput!) {
    setAffiliateEnabled(input: $input) { affiliate { code enabled } }
  }`

  test('off hides it from traders, not from the affiliate; on shows it again', async () => {
    expect(await put(`/ref-codes/${code}`, { enabled: false }, byBearer)).toEqual({
      status: 200,
      body: { code, enabled: false },
    })
    expect(await get(`/ref-codes/${code}`)).toEqual({
      status: 403,
      body: { message: 'Affiliate code disabled' },
    })
    const { data, errors } = await query('query ($code: String!) { referralCode(code: $code) { code } }', {
      code,
    })
    expect([data.referralCode, errors[0].extensions.code, errors[0].message]).toEqual([
      null,
      'AffiliateCodeDisabled',
      'Affiliate code disabled',
    ])
    expect(await get(`/affiliate/${key.address}`)).toMatchObject({ status: 200, body: { code } })
    const again = await request(`${server.url}/affiliate/${key.address}`, 'POST', await signedBody(key, code))
    expect(again.body).toEqual({ message: 'Affiliate wallet address already bound to a code' })
    const switched = await query(mutation, { input: { code, enabled: true } }, byHeader)
    expect(switched.data).toEqual({ setAffiliateEnabled: { affiliate: { code, enabled: true } } })
    expect((await get(`/ref-codes/${code}`)).status).toBe(200)
  })

  test.each([
    {},
    { authorization: 'Bearer wrong' },
    { 'x-api-key': '' },
    { authorization: 'Basic editor-key' },
  ])('needs a key: %j', async (headers) => {
    const unauthorized = { status: 401, body: { message: expect.stringContaining('send the key') } }
    expect(await put(`/ref-codes/${code}`, { enabled: false }, headers)).toEqual(unauthorized)
    // Without a key the answer does not reveal other faults of the request.
    for (const [path, body] of [
      ['never', { enabled: false }],
      [code, { enabled: 'no' }],
      [code, ' '.repeat(20_000)],
    ] as const)
      expect(await put(`/ref-codes/${path}`, body, headers)).toEqual(unauthorized)
    const { errors } = await query(mutation, { input: { code: 'never', enabled: false } }, headers)
    expect(errors[0].extensions.code).toBe('Unauthorized')
    expect((await get(`/ref-codes/${code}`)).status).toBe(200)
  })

  test('needs a registered code and a boolean', async () => {
    expect(await put('/ref-codes/NOBODY', { enabled: true }, byBearer)).toEqual({
      status: 404,
      body: { message: 'Affiliate code not found' },
    })
    for (const [body, message] of [
      [{}, 'enabled is required'],
      [{ enabled: 'false' }, 'enabled must be true or false'],
    ] as const)
      expect(await put(`/ref-codes/${code}`, body, byBearer)).toEqual({ status: 400, body: { message } })
    expect((await put('/ref-codes/nobody', { enabled: true }, byBearer)).status).toBe(400)
  })
})

describe('the database', () => {
  const columns =
    'code, wallet, digest, signed_message, created_at, reward_amount, trigger_volume, time_cap_days, volume_cap'
  const split = 'revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct'

  test.each([...columns.split(', '), ...split.split(', ')])('stores %s as it was written', async (column) => {
    await using client = await connectDirectly(server.database.url)
    await expect(client.query(`UPDATE affiliates SET ${column} = ${column}`)).rejects.toThrow(
      'of an affiliate only "enabled" can be changed',
    )
  })

  test.each([
    ['code', "'lower'"],
    ['wallet', "'\\x12'"],
    ['digest', "'\\x12'"],
    ['reward_amount', '0'],
    ['trigger_volume', '0'],
    ['time_cap_days', '0'],
    ['volume_cap', '-1'],
    ['revenue_split_dao_pct', '1'],
    ['revenue_split_dao_pct', 'NULL'],
  ])('refuses a %s of %s', async (column, value) => {
    await using client = await connectDirectly(server.database.url)
    const good: Record<string, string> = {
      code: "'ABCDE'",
      wallet: `'\\x${'07'.repeat(20)}'`,
      digest: `'\\x${'07'.repeat(32)}'`,
      signed_message: "''",
      created_at: 'now()',
      reward_amount: '20',
      trigger_volume: '1',
      time_cap_days: '1',
      volume_cap: '0',
      revenue_split_affiliate_pct: '50',
      revenue_split_trader_pct: '50',
      revenue_split_dao_pct: '0',
    }
    const insert = (row: Record<string, string>) =>
      client.query(`INSERT INTO affiliates (${Object.keys(row)}) VALUES (${Object.values(row)})`)
    await expect(insert({ ...good, [column]: value })).rejects.toThrow('violates')
    await client.query('BEGIN')
    await insert(good)
    await client.query('ROLLBACK')
  })
})

describe('without the CMS settings', () => {
  let closed: TestServer
  beforeAll(async () => {
    closed = await openTestServer({}, { features: { cms: false, statistics: true } })
  })
  afterAll(() => closed[Symbol.asyncDispose]())

  test.each([
    ['GET', `/affiliate/${key.address}`],
    ['GET', '/affiliate/nonsense/'],
    ['POST', `/affiliate/${key.address}/`],
    ['POST', '/affiliate/nonsense'],
    ['GET', '/ref-codes/READ_ME-1'],
    ['GET', '/ref-codes/x'],
    ['PUT', '/ref-codes/x'],
  ])('%s %s names the settings, whatever the request', async (method, path) => {
    const answer = await request(`${closed.url}${path}`, method, method === 'GET' ? undefined : '{nonsense')
    expect([answer.status, answer.body]).toEqual([503, { message: setting }])
  })

  test.each([
    `{ affiliate(wallet: "${key.address}") { code } }`,
    `{ account(address: "${key.address}") { affiliate { code } } }`,
    '{ referralCode(code: "x") { code } }',
    `{ affiliateTypedData(wallet: "${key.address}", code: "x") }`,
    `mutation { registerAffiliate(input: {walletAddress: "${key.address}", code: "x", signedMessage: "0x"}) { affiliate { code } } }`,
    'mutation { setAffiliateEnabled(input: { code: "x", enabled: true }) { affiliate { code } } }',
  ])('GraphQL answers the same: %s', async (text) => {
    const { body } = await request(`${closed.url}/graphql`, 'POST', { query: text })
    expect([body.errors[0].extensions.code, body.errors[0].message]).toEqual(['FeatureDisabled', setting])
  })
})

test('other methods are answered with the allowed ones', async () => {
  const { status, headers, body } = await request(`${server.url}/affiliate/${key.address}/`, 'DELETE')
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
  expect(Object.keys(body)).toEqual(['message'])
})
