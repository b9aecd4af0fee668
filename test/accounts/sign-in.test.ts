import { Wallet } from 'ethers'
import type { SiweMessage } from 'siwe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { connectDirectly } from '../setup/database.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { createMessage, ask as send, signInMutation } from '../setup/session.ts'

const now = 1_800_000_000_000
const key = new Wallet(`0x${'5a'.repeat(32)}`)
const wallet = '0x00000000000000000000000000000000000a11ce'
const editorKey = 'editor-key-of-16-or-more'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { isEditor: operatorCheck(editorKey) })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (query: string, variables?: object, token?: string) => send(server.url, query, variables, token)

const messageWith = (changes: Partial<SiweMessage> = {}) =>
  createMessage(server.url, {
    address: key.address,
    chainId: network.chainId,
    issuedAt: new Date(now).toISOString(),
    ...changes,
  })

async function signIn(message: string, signature?: string) {
  return await ask(signInMutation, {
    input: { message, signature: signature ?? (await key.signMessage(message)) },
  })
}

const channels = (account: string, token?: string) =>
  ask('query ($account: Address!) { channelSubscriptions(account: $account) { id } }', { account }, token)

describe('signing in', () => {
  test('a challenge names what has to be signed', async () => {
    const { data } = await ask('mutation { createSignInChallenge { nonce domain uri expiresAt } }')
    expect(data.createSignInChallenge).toEqual({
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      domain: 'trade.example',
      uri: 'https://trade.example',
      expiresAt: '2027-01-15T08:10:00Z',
    })
  })

  test.each(['https://evil.example', 'http://trade.example', 'http://127.0.0.1', 'null'])(
    'a page of %s gets the challenge of the public URL',
    async (origin) => {
      const mutation = 'mutation { createSignInChallenge { domain uri } }'
      const { data } = await send(server.url, mutation, {}, undefined, origin)
      expect(data.createSignInChallenge).toEqual({ domain: 'trade.example', uri: 'https://trade.example' })
    },
  )

  test('a key opens a session of its account, which ends when it signs out', async () => {
    const { data } = await signIn(await messageWith())
    expect(data.signIn).toEqual({
      token: expect.stringMatching(/^tgs_[\w-]{43}$/),
      expiresAt: '2027-01-15T09:00:00Z',
      account: { address: key.address.toLowerCase() },
    })
    const { token } = data.signIn
    expect((await channels(key.address, token)).data.channelSubscriptions).toEqual([])
    expect((await channels(wallet, token)).errors?.[0]?.extensions?.code).toBe('Unauthorized')
    expect((await ask('mutation { signOut { sessions } }', {}, token)).data.signOut.sessions).toBe(1)
    expect((await ask('mutation { signOut { sessions } }', {}, token)).data.signOut.sessions).toBe(0)
    expect((await channels(key.address, token)).errors?.[0]?.extensions?.code).toBe('Unauthorized')
  })

  test('of 100 parallel uses of one nonce one succeeds', async () => {
    const message = await messageWith()
    const signature = await key.signMessage(message)
    const answers = await Promise.all(Array.from({ length: 100 }, () => signIn(message, signature)))
    expect(answers.filter(({ data }) => data?.signIn)).toHaveLength(1)
    const codes = answers.flatMap(({ errors }) => errors?.[0]?.extensions ?? [])
    expect(codes).toHaveLength(99)
    expect(new Set(codes.map(({ code, data }) => `${code} ${(data as { reason: string }).reason}`))).toEqual(
      new Set(['InvalidSignIn nonce']),
    )
  })

  const iso = (seconds: number) => new Date(now + seconds * 1_000).toISOString()
  test.each<[string, Partial<SiweMessage>, string]>([
    ['another domain', { domain: 'evil.example' }, 'domain'],
    ['another URI', { uri: 'https://evil.example' }, 'uri'],
    ['a URI whose port is none', { uri: 'http://localhost:99999' }, 'uri'],
    ['a user in the URI', { uri: 'https://evil.example@trade.example' }, 'uri'],
    ['a password in the URI', { uri: 'https://:evil.example@trade.example' }, 'uri'],
    ['another scheme before the domain', { scheme: 'javascript' }, 'scheme'],
    ['the scheme of another URI', { scheme: 'http' }, 'scheme'],
    ['a URI that has no origin', { uri: 'urn:uuid:2f1b' }, 'uri'],
    ['a URI without a host', { uri: 'https:' }, 'uri'],
    ['a chain that is not served', { chainId: 424242 }, 'chainId'],
    ['a nonce that was never given', { nonce: 'ab'.repeat(16) }, 'nonce'],
    ['a time that has passed', { expirationTime: iso(-1) }, 'expirationTime'],
    ['a time that has not come', { notBefore: iso(120) }, 'notBefore'],
    ['an issue eleven minutes ago', { issuedAt: iso(-660) }, 'issuedAt'],
    ['an issue in the future', { issuedAt: iso(120) }, 'issuedAt'],
  ])('a message with %s is refused', async (_, changes, reason) => {
    const { data, errors } = await signIn(await messageWith(changes))
    expect(data).toBeNull()
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'InvalidSignIn',
      field: 'message',
      data: { reason },
    })
  })

  test('a message may name the scheme of the URI before the domain', async () => {
    const { data } = await signIn(await messageWith({ scheme: 'https' }))
    expect(data.signIn.account.address).toBe(key.address.toLowerCase())
  })

  test('a message of another account is refused, and its nonce still works', async () => {
    const message = await messageWith()
    const other = await new Wallet(`0x${'5b'.repeat(32)}`).signMessage(message)
    expect((await signIn(message, other)).errors?.[0]?.extensions).toMatchObject({
      code: 'InvalidSignIn',
      field: 'signature',
      data: { reason: 'wrong-signer' },
    })
    expect((await signIn(message)).data.signIn.account.address).toBe(key.address.toLowerCase())
  })

  test.each([
    '',
    'hello',
    `${'a'.repeat(2_001)}`,
    'trade.example wants you to sign in with your Ethereum account:\n0x12',
  ])('text that is no message is refused: %#', async (text) => {
    const { errors } = await signIn(text)
    expect(['InvalidSignIn', 'InvalidParameter']).toContain(errors?.[0]?.extensions?.code)
    expect(errors?.[0]?.extensions?.field).toBe('message')
  })

  test('an address without its EIP-55 checksum is named', async () => {
    const message = (await messageWith()).replace(key.address, key.address.toLowerCase())
    const { errors } = await signIn(message)
    expect(errors?.[0]?.message).toContain('EIP-55 checksum')
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'InvalidSignIn',
      field: 'message',
      data: { reason: 'address' },
    })
  })

  test('an account has at most 20 sessions', async () => {
    const endAll = async (token: string) => {
      const mutation =
        'mutation ($account: Address!) { signOutEverywhere(input: { account: $account }) { sessions } }'
      return (await ask(mutation, { account: key.address }, token)).data.signOutEverywhere.sessions
    }
    await endAll(editorKey)
    const tokens: string[] = []
    for (let count = 0; count < 21; count++)
      tokens.push((await signIn(await messageWith())).data.signIn.token)
    const open = []
    for (const token of tokens)
      if ((await channels(key.address, token)).errors === undefined) open.push(token)
    expect(open).toHaveLength(20)
    expect(await endAll(open[0] ?? '')).toBe(20)
    expect((await channels(key.address, open[1])).errors?.[0]?.extensions.code).toBe('Unauthorized')
  })

  test('the key of the content system acts for every account', async () => {
    expect((await channels(wallet, editorKey)).data.channelSubscriptions).toEqual([])
    expect((await channels(wallet)).errors?.[0]?.extensions?.code).toBe('Unauthorized')
    expect((await channels(wallet, 'tgs_unknown')).errors?.[0]?.extensions?.code).toBe('Unauthorized')
  })

  test('a session that has expired opens nothing', async () => {
    const { data } = await signIn(await messageWith())
    const client = await connectDirectly(server.database.url)
    await client.query(`UPDATE sessions SET expires_at = to_timestamp(${now / 1_000})`)
    await client.end()
    expect((await channels(key.address, data.signIn.token)).errors?.[0]?.extensions?.code).toBe(
      'Unauthorized',
    )
  })
})
