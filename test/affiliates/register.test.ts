import { Signature, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodedId } from '../fakes/node-id.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { numberedKey, signCode, signedBody } from './signer.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

let used = 0
const newKey = () => numberedKey(1_000 + used++)
const newCode = () => `CODE-${used++}`

const post = async (wallet: string, body: unknown) => {
  const answer = await request(`${server.url}/affiliate/${wallet}`, 'POST', body)
  return { status: answer.status, body: answer.body }
}
const mutate = (input: Record<string, unknown>) =>
  request(`${server.url}/graphql`, 'POST', {
    query:
      'mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { wallet code enabled createdAt } } }',
    variables: { input },
  })
const fault = async (input: Record<string, unknown>) => {
  const { message, extensions } = (await mutate(input)).body.errors[0]
  return [extensions.code, message, extensions.field, extensions.data]
}
const invalid = { status: 401, body: { message: 'Affiliate has invalid signature' } }
const bound = { status: 409, body: { message: 'Affiliate wallet address already bound to a code' } }
const taken = { status: 409, body: { message: 'Affiliate code already taken' } }

describe('a registration', () => {
  test.each(['', '/'])('over REST, with "%s" at the end of the path', async (end) => {
    const [key, code] = [newKey(), newCode()]
    const body = { ...(await signedBody(key, code)), referrer: 'what nobody knows is ignored' }
    const answer = await post(`${key.address.toLowerCase()}${end}`, body)
    expect(answer).toEqual({ status: 201, body: { code, createdAt: '2027-01-15T08:00:00Z' } })
    expect(await post(`${key.address}${end}`, body)).toEqual(bound)
  })

  test('over GraphQL', async () => {
    const [key, code] = [newKey(), newCode()]
    const typed = await request(`${server.url}/graphql`, 'POST', {
      query: 'query ($wallet: Address!, $code: String!) { affiliateTypedData(wallet: $wallet, code: $code) }',
      variables: { wallet: key.address, code },
    })
    const { domain, types, message } = typed.body.data.affiliateTypedData
    const signedMessage = await key.signTypedData(domain, { AffiliateCode: types.AffiliateCode }, message)
    expect(signedMessage).toBe(await signCode(key, code))
    const { body } = await mutate({ walletAddress: key.address, code, signedMessage })
    expect(body.data.registerAffiliate.affiliate).toEqual({
      wallet: key.address.toLowerCase(),
      code,
      enabled: true,
      createdAt: '2027-01-15T08:00:00Z',
    })
    const id = encodedId(`Affiliate:${key.address.toLowerCase()}`)
    const found = await request(`${server.url}/graphql`, 'POST', {
      query: 'query ($id: ID!) { node(id: $id) { id ... on Affiliate { code } } }',
      variables: { id },
    })
    expect(found.body.data.node).toEqual({ id, code })
    expect(await fault({ walletAddress: key.address, code, signedMessage })).toEqual([
      'AffiliateWalletBound',
      'Affiliate wallet address already bound to a code',
      undefined,
      undefined,
    ])
  })

  test('takes one statement, and one more to read the row or the reason of the refusal', async () => {
    const [key, code] = [newKey(), newCode()]
    const count = async () => {
      const before = server.database.statements.length
      await post(key.address, await signedBody(key, code))
      return server.database.statements.length - before
    }
    expect([await count(), await count()]).toEqual([2, 2])
  })
})

describe('a request with an Idempotency-Key', () => {
  const keyed = async (key: Wallet, code: string) => {
    const response = await fetch(`${server.url}/affiliate/${key.address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': code },
      body: JSON.stringify(await signedBody(key, code)),
    })
    return [response.status, response.headers.get('idempotent-replayed'), await response.json()]
  }
  /** As if the process had died before it answered. */
  async function loseAnswers() {
    await using client = await connectDirectly(server.database.url)
    await client.query(
      'UPDATE idempotency_keys SET status = NULL, body = NULL, attempted_at = to_timestamp(0)',
    )
  }

  test('gets the first answer again, also when that answer was lost', async () => {
    const [key, code] = [newKey(), newCode()]
    const body = { code, createdAt: '2027-01-15T08:00:00Z' }
    expect(await keyed(key, code)).toEqual([201, null, body])
    expect(await keyed(key, code)).toEqual([201, 'true', body])
    await loseAnswers()
    expect(await keyed(key, code)).toEqual([201, null, body])
  })

  test('does not take a registration of another request for its own', async () => {
    const [key, code] = [newKey(), newCode()]
    await post(key.address, await signedBody(key, newCode()))
    expect(await keyed(key, code)).toEqual([409, null, bound.body])
    await loseAnswers()
    expect(await keyed(key, code)).toEqual([409, null, bound.body])
  })

  test('does not take an earlier registration for its own', async () => {
    const [key, code] = [newKey(), newCode()]
    await post(key.address, await signedBody(key, code))
    expect(await keyed(key, code)).toEqual([409, null, bound.body])
    await using client = await connectDirectly(server.database.url)
    await loseAnswers()
    await client.query("UPDATE idempotency_keys SET created_at = created_at + interval '1 ms'")
    expect(await keyed(key, code)).toEqual([409, null, bound.body])
  })
})

test('registrations count as order submissions', async () => {
  await using limited = await openTestServer({}, { rateLimits: { reads: 100, quotes: 100, orders: 1 } })
  const statuses = []
  for (const number of [1, 2, 3]) {
    const key = numberedKey(number)
    const body = await signedBody(key, `LIMITED${number}`)
    statuses.push((await request(`${limited.url}/affiliate/${key.address}`, 'POST', body)).status)
  }
  expect(statuses).toEqual([201, 201, 429])
})

describe('a malformed request is refused with its field', () => {
  const wallet = numberedKey(1).address
  const good = { walletAddress: wallet, code: 'FRIENDS', signedMessage: '0x12' }
  const addressText = 'must be an address: 20 bytes of hex with 0x in front'
  const codeText = 'must be 5 to 20 characters of A-Z, 0-9, _ and -'

  test.each<[string, string, unknown]>([
    [`wallet ${addressText}`, '0x12', good],
    [`wallet ${addressText}`, wallet.slice(2), good],
    [`wallet ${addressText}`, '0x12', { ...good, walletAddress: 'neither', code: 'nor' }],
    [`walletAddress ${addressText}`, wallet, { ...good, walletAddress: `${wallet}00` }],
    [`walletAddress ${addressText}`, wallet, { ...good, walletAddress: wallet.slice(2) }],
    [`walletAddress ${addressText}`, wallet, { ...good, walletAddress: 1 }],
    ['walletAddress is required', wallet, {}],
    [`code ${codeText}`, wallet, { ...good, code: 'ABCD' }],
    [`code ${codeText}`, wallet, { ...good, code: 'A'.repeat(21) }],
    [`code ${codeText}`, wallet, { ...good, code: 'friends' }],
    [`code ${codeText}`, wallet, { ...good, code: ' FRIENDS ' }],
    [`code ${codeText}`, wallet, { ...good, code: 'FRIENDS\n' }],
    ['code is required', wallet, { ...good, code: undefined }],
    ['signedMessage is required', wallet, { ...good, signedMessage: undefined }],
    ['signedMessage must not be empty', wallet, { ...good, signedMessage: '' }],
    ['signedMessage must be a string', wallet, { ...good, signedMessage: null }],
    ['a JSON object is expected', wallet, []],
    ['a JSON object is expected', wallet, 'null'],
    ['the body is not JSON', wallet, '{'],
  ])('%s', async (message, path, body) => {
    expect(await post(path, body)).toEqual({ status: 400, body: { message } })
  })

  test('a signature of 8,192 bytes is accepted, and a longer one refused for its length', async () => {
    const signed = (bytes: number) =>
      post(good.walletAddress, { ...good, signedMessage: `0x${'00'.repeat(bytes)}` })
    expect(await signed(8_192)).toEqual(invalid)
    const tooLong = { status: 400, body: { message: 'signedMessage must have at most 16386 characters' } }
    expect(await signed(8_193)).toEqual(tooLong)
  })

  test('over GraphQL too', async () => {
    expect(await fault({ ...good, code: 'friends' })).toEqual([
      'InvalidParameter',
      `code ${codeText}`,
      'code',
      undefined,
    ])
    expect(await fault({ ...good, signedMessage: `0x${'0'.repeat(16_386)}` })).toEqual([
      'InvalidParameter',
      'signedMessage must have at most 16386 characters',
      'signedMessage',
      undefined,
    ])
    expect((await fault({ ...good, walletAddress: '0x12' })).slice(0, 3)).toEqual([
      'InvalidParameter',
      'walletAddress must be an address: 20 bytes of hex with 0x in front',
      'walletAddress',
    ])
  })
})

describe('the order of the checks', () => {
  test('a wallet mismatch in the path, before the signature', async () => {
    const body = { walletAddress: newKey().address, code: newCode(), signedMessage: 'none' }
    const mismatch = { status: 400, body: { message: 'Affiliate wallet address mismatch' } }
    expect(await post(newKey().address, body)).toEqual(mismatch)
    expect(await post(newKey().address, { ...body, code: 'bad' })).not.toEqual(mismatch)
  })

  test('the signature, before a taken code', async () => {
    const [key, code] = [newKey(), newCode()]
    expect((await post(key.address, await signedBody(key, code))).status).toBe(201)
    const forged = { walletAddress: key.address, code, signedMessage: await signCode(newKey(), code) }
    expect(await post(key.address, forged)).toEqual(invalid)
  })

  test('the wallet, before the code', async () => {
    const [key, other, code, otherCode] = [newKey(), newKey(), newCode(), newCode()]
    expect((await post(key.address, await signedBody(key, code))).status).toBe(201)
    expect((await post(other.address, await signedBody(other, otherCode))).status).toBe(201)
    expect(await post(key.address, await signedBody(key, otherCode))).toEqual(bound)
    const third = newKey()
    expect(await post(third.address, await signedBody(third, code))).toEqual(taken)
  })

  test('the digest of the message, last', async () => {
    const [key, code] = [newKey(), newCode()]
    await post(key.address, await signedBody(key, code))
    await using client = await connectDirectly(server.database.url)
    // The program never moves a code to another wallet; an operator who does so by hand leaves the digest
    // behind.
    await client.query('ALTER TABLE affiliates DISABLE TRIGGER affiliates_stay')
    await client.query('UPDATE affiliates SET wallet = $1, code = $2 WHERE code = $3', [
      Buffer.alloc(20, 9),
      'MOVED-BY-HAND',
      code,
    ])
    await client.query('ALTER TABLE affiliates ENABLE TRIGGER affiliates_stay')
    expect(await post(key.address, await signedBody(key, code))).toEqual({
      status: 409,
      body: { message: 'Affiliate already exists' },
    })
    const [errorCode] = await fault({ ...(await signedBody(key, code)) })
    expect(errorCode).toBe('AffiliateExists')
  })
})

describe('a signature', () => {
  test.each<[string, (key: ReturnType<typeof newKey>, code: string) => Promise<string>, object]>([
    ['of another key', (_, code) => signCode(numberedKey(7), code), { reason: 'wrong-signer' }],
    ['for another chain', (key, code) => signCode(key, code, { chainId: 100 }), { reason: 'wrong-signer' }],
    ['for another code', (key, code) => signCode(key, `${code}X`), { reason: 'wrong-signer' }],
    [
      'for another brand',
      (key, code) => signCode(key, code, { domain: { name: 'CoW Swap Affiliate' } }),
      { reason: 'wrong-signer' },
    ],
    [
      'with a chain in the domain',
      (key, code) => signCode(key, code, { domain: { chainId: 1 } }),
      { reason: 'wrong-signer' },
    ],
    ['of two bytes', async () => '0x1234', { reason: 'length' }],
    ['of no bytes', async () => '0x', { reason: 'length' }],
    ['that is text', async () => 'please', { reason: 'not-hex' }],
    ['of half a byte', async () => '0x123', { reason: 'not-hex' }],
    ['without its prefix', async (key, code) => (await signCode(key, code)).slice(2), { reason: 'not-hex' }],
    ['with its mirror image', async (key, code) => mirrored(await signCode(key, code)), { reason: 'high-s' }],
  ])('%s is invalid with one message; the reason is in the data', async (_, sign, data) => {
    const [key, code] = [newKey(), newCode()]
    const body = { walletAddress: key.address, code, signedMessage: await sign(key, code) }
    expect(await post(key.address, body)).toEqual(invalid)
    const [errorCode, message, field, errorData] = await fault(body)
    // The scalar in the GraphQL schema accepts hex only.
    if ('reason' in data && data.reason === 'not-hex') {
      expect([errorCode, field]).toEqual(['InvalidParameter', 'signedMessage'])
      return
    }
    expect([errorCode, message, field]).toEqual([
      'InvalidAffiliateSignature',
      invalid.body.message,
      'signedMessage',
    ])
    expect(errorData).toMatchObject(data)
  })

  test('of the wrong key reports the recovered signer', async () => {
    const signedMessage = await signCode(numberedKey(7), 'FRIENDS')
    const body = { walletAddress: numberedKey(8).address, code: 'FRIENDS', signedMessage }
    const signer = numberedKey(7).address.toLowerCase()
    // The signed message names another wallet, so it recovers to an unknown address.
    expect((await fault(body))[3]).toEqual({
      reason: 'wrong-signer',
      signer: expect.not.stringMatching(signer),
    })
    const forMe = await signCode(numberedKey(7), 'FRIENDS', {
      wallet: numberedKey(8).address as `0x${string}`,
    })
    expect((await fault({ ...body, signedMessage: forMe }))[3]).toEqual({ reason: 'wrong-signer', signer })
  })

  test("is accepted in every form of a key's signature", async () => {
    for (const form of Object.values(forms)) {
      const [key, code] = [newKey(), newCode()]
      const { signedMessage, ...body } = await signedBody(key, code)
      expect((await post(key.address, { ...body, signedMessage: form(signedMessage) })).status).toBe(201)
    }
  })
})

describe('of a hundred concurrent requests', () => {
  /** Each distinct answer with its count, the rarest first. */
  function counted(answers: readonly Awaited<ReturnType<typeof post>>[]) {
    const counts = new Map<string, number>()
    for (const answer of answers.map((given) => JSON.stringify(given)))
      counts.set(answer, (counts.get(answer) ?? 0) + 1)
    return [...counts].sort(([, a], [, b]) => a - b).map(([answer, count]) => [JSON.parse(answer), count])
  }
  const created = (code: string) => ({ status: 201, body: { code, createdAt: '2027-01-15T08:00:00Z' } })

  test('by wallets for one code, one succeeds', async () => {
    const code = newCode()
    const keys = Array.from({ length: 100 }, newKey)
    const bodies = await Promise.all(keys.map((key) => signedBody(key, code)))
    const answers = await Promise.all(bodies.map((body) => post(body.walletAddress, body)))
    expect(counted(answers)).toEqual([
      [created(code), 1],
      [taken, 99],
    ])
  })

  test('with one signed message, one succeeds', async () => {
    const [key, code] = [newKey(), newCode()]
    const body = await signedBody(key, code)
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(key.address, body)))
    expect(counted(answers)).toEqual([
      [created(code), 1],
      [bound, 99],
    ])
  })

  test('with one message and other encodings of its signature, one succeeds', async () => {
    const [key, code] = [newKey(), newCode()]
    const { signedMessage, ...body } = await signedBody(key, code)
    const spellings = Object.values(forms).map((form) => form(signedMessage))
    expect(new Set(spellings).size).toBe(3)
    const answers = await Promise.all(
      Array.from({ length: 99 }, (_, index) =>
        post(key.address, { ...body, signedMessage: spellings[index % 3] }),
      ),
    )
    expect(counted(answers)).toEqual([
      [created(code), 1],
      [bound, 98],
    ])
  })

  test('by one wallet for different codes, one succeeds', async () => {
    const key = newKey()
    const bodies = await Promise.all(Array.from({ length: 50 }, () => signedBody(key, newCode())))
    const answers = await Promise.all(bodies.map((body) => post(key.address, body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(answers).toContainEqual(bound)
  })
})

/** Encodings of one signature, each of which is accepted. */
const forms: Record<string, (signature: string) => string> = {
  plain: (signature) => signature,
  parity: (signature) => `${signature.slice(0, -2)}0${Number.parseInt(signature.slice(-2), 16) - 27}`,
  compact: (signature) => Signature.from(signature).compactSerialized,
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function mirrored(signature: string): string {
  const { r, s, yParity } = Signature.from(signature)
  return `${r}${(curveOrder - BigInt(s)).toString(16).padStart(64, '0')}${yParity === 0 ? '1c' : '1b'}`
}
