import { createSocket } from 'node:dgram'
import { lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { createWebhookSender } from '../../../src/notifications/channels/webhook.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import { createReceivers, type Lookup, lookupAt } from '../../../src/outside/receiver.ts'
import { openSignals } from '../../../src/storage/database/signals.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { startReceiver } from '../../setup/receiver.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { ask } from '../../setup/session.ts'

const key = 'editor-key-of-16-or-more'
/** One of the two ports that webhooks may have. */
const port = 8443

/** What a name leads to, one after the other; the last one from then on. */
const names = new Map<string, string[][]>()
/** How the look-up of a name fails. */
const unknown = new Map<string, string>()
const looked: string[] = []
const lookup = ((host: string, options: object, answer: (...result: unknown[]) => void) => {
  looked.push(host)
  const code = unknown.get(host)
  if (code !== undefined) {
    const fault = Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, hostname: host })
    return setImmediate(() => answer(fault))
  }
  const left = names.get(host)
  if (!left) return systemLookup(host, options, answer)
  const addresses = (left.length > 1 ? left.shift() : left[0]) ?? []
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  setImmediate(() =>
    (options as { all?: boolean }).all
      ? answer(null, found)
      : answer(null, found[0]?.address, found[0]?.family),
  )
}) as unknown as Lookup

const receivers = createReceivers([], { lookup, timeoutMs: 500 })
const now = () => 1_800_000_000_000
const senders = { webhook: createWebhookSender({ receivers, now }) }

let server: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
const listeners: Server[] = []
let connections = 0
let otherPort = 0
let accounts = 0

/** On all addresses of this machine. */
async function listen(on: number): Promise<number> {
  const listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  listeners.push(listener)
  await new Promise<void>((listening, reject) =>
    listener.once('error', reject).listen({ host: '::', port: on, ipv6Only: false }, listening),
  )
  return (listener.address() as AddressInfo).port
}

beforeAll(async () => {
  await listen(port)
  otherPort = await listen(0)
  server = await openTestServer(
    {},
    { isEditor: operatorCheck(key), channels: { senders, addressFault: receivers.fault } },
  )
  client = await connectDirectly(server.database.url)
})
beforeEach(() => {
  connections = 0
})
afterAll(async () => {
  for (const listener of listeners) listener.close()
  await client.end()
  await server[Symbol.asyncDispose]()
})

/** Addresses of private and reserved networks, as a resolver may return them. */
const inside = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.1',
  '192.88.99.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
]

function hostile(): string[] {
  const hosts = [
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.1',
    '127.0.1',
    '0',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    'ip6-localhost',
    ...inside.map((address) => (address.includes(':') ? `[${address}]` : address)),
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:7f00:1]',
    '[fe80::1%25lo]',
  ]
  return [
    ...hosts.map((host) => `https://${host}:${port}/`),
    `http://127.0.0.1:${otherPort}/`,
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${otherPort}/`,
    `https://[::1]:${otherPort}/`,
    `https://public.example:${otherPort}/`,
    `https://public.example@127.0.0.1:${port}/`,
    `https://user:password@public.example:${port}/`,
    `https:\\\\127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `https://public.example:${port}\t@127.0.0.1:${port}/`,
    `ftp://127.0.0.1:${otherPort}/`,
    `gopher://127.0.0.1:${otherPort}/`,
    `ws://127.0.0.1:${otherPort}/`,
    'file:///etc/passwd',
    'unix:/run/docker.sock',
    'data:text/plain,hello',
    'javascript:0',
  ]
}

const subscribe = async (address: string, account = numbered((0xa000 + accounts++).toString(16))) => {
  const { errors } = await ask(
    server.url,
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { channel { id } } }',
    { input: { account, kind: 'WEBHOOK', address } },
    key,
  )
  return errors?.[0]
}

/**
 * Stores channels with these addresses, as if they had been confirmed, and sends to each.
 * @returns the faults of the attempts, in their order
 */
async function send(addresses: readonly string[]): Promise<(string | null)[]> {
  await client.query('DELETE FROM deliveries; DELETE FROM channels')
  for (const [index, address] of addresses.entries()) {
    const values = [
      numbered((0xb000 + index).toString(16)).slice(2),
      address,
      JSON.stringify({ secret: 'whsec_AAAA' }),
      index,
    ]
    await client.query(
      `WITH c AS (INSERT INTO channels (id, account, kind, state, address, keys, created_at)
         VALUES (gen_random_uuid(), decode($1, 'hex'), 'webhook', 'active', $2, $3, now()) RETURNING id)
       INSERT INTO deliveries (id, channel_id, kind) SELECT $4, id, 'webhook' FROM c`,
      values,
    )
  }
  const signals = await openSignals(server.database.url, silentLog)
  const stopping = new AbortController()
  const running = runDelivery(
    {
      db: server.database.db,
      signals,
      senders,
      confirmations: {},
      now,
      random: () => 0.5,
      log: silentLog,
    },
    stopping.signal,
  )
  const faults = () =>
    client
      .query<{ fault: string | null }>('SELECT fault FROM deliveries ORDER BY id')
      .then(({ rows }) => rows)
  await eventually('an attempt for each', async () => (await faults()).every(({ fault }) => fault !== null))
  stopping.abort()
  await running
  await signals.close()
  return (await faults()).map(({ fault }) => fault)
}

test('no spelling of an inner address gets a connection, at registration or at a send', async () => {
  const addresses = hostile()
  expect(addresses.length).toBeGreaterThan(60)
  for (const address of addresses) {
    const error = await subscribe(address)
    expect([address, error?.extensions.code]).toEqual([
      address,
      expect.stringMatching(/^(InvalidParameter|ChannelUnreachable)$/),
    ])
  }
  for (const fault of await send(addresses))
    expect(fault).toMatch(/^(the host has no public address|the address must .*)$/)
  expect(connections).toBe(0)
})

test('no name that leads inside gets a connection, and none is told from one that does not exist', async () => {
  for (const [index, address] of inside.entries()) names.set(`n${index}.example`, [[address]])
  // All of several addresses must be public.
  names.set('mixed.example', [['3ffe::1', '127.0.0.1']])
  names.set('mixed-6.example', [['3ffe::1', '::1']])
  // What the resolver says of a name that it does not know.
  for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']) unknown.set(`${code}.example`.toLowerCase(), code)
  const hosts = [...names.keys(), ...unknown.keys(), 'nowhere.invalid']
  const addresses = hosts.map((name) => `https://${name}:${port}/`)
  for (const address of addresses)
    expect([address, (await subscribe(address))?.message]).toEqual([
      address,
      'the receiver cannot be reached: the host has no public address',
    ])
  expect(await send(addresses)).toEqual(addresses.map(() => 'the host has no public address'))
  expect(connections).toBe(0)
})

test('a name is asked for at each connection, which goes to what was checked', async () => {
  // A network that nobody has.
  names.set('rebound.example', [['3ffe::1'], ['127.0.0.1']])
  const address = `https://rebound.example:${port}/`
  looked.length = 0
  expect((await subscribe(address))?.message).toMatch(
    /^the receiver cannot be reached: no (connection \(E\w+\)|answer in time)$/,
  )
  expect(looked).toEqual(['rebound.example'])
  expect((await subscribe(address))?.message).toBe(
    'the receiver cannot be reached: the host has no public address',
  )
  names.set('rebound.example', [['3ffe::1'], ['::1']])
  expect((await send([address]))[0]).toMatch(/^no (connection \(E\w+\)|answer in time)$/)
  expect(await send([address])).toEqual(['the host has no public address'])
  expect(looked).toHaveLength(4)
  expect(connections).toBe(0)
})

test('tokens for a host that wants none, and those of an account, are few in a day', async () => {
  names.set('victim.example', [['127.0.0.1']])
  const codes = async (addresses: string[], account?: ReturnType<typeof numbered>) => {
    const found: string[] = []
    for (const address of addresses) found.push((await subscribe(address, account))?.extensions.code ?? '')
    return found
  }
  const paths = Array.from({ length: 102 }, (_, n) => `https://victim.example:${port}/${n}`)
  expect(await codes(paths)).toEqual([
    ...Array(100).fill('ChannelUnreachable'),
    ...Array(2).fill('TooManyConfirmations'),
  ])
  for (let n = 0; n < 52; n++) names.set(`v${n}.example`, [['127.0.0.1']])
  const hosts = Array.from({ length: 52 }, (_, n) => `https://v${n}.example:${port}/`)
  expect(await codes(hosts, numbered('ac'))).toEqual([
    ...Array(50).fill('ChannelUnreachable'),
    ...Array(2).fill('TooManyConfirmations'),
  ])
  expect(connections).toBe(0)
})

test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
  await using receiver = await startReceiver()
  const location = `http://127.0.0.1:${otherPort}/`
  receiver.answer = () => ({ status, headers: { location } })
  const answer = await createReceivers(['127.0.0.1']).post(receiver.url, {}, '{}')
  expect(answer.status).toBe(status)
  expect(receiver.received).toHaveLength(1)
  expect(connections).toBe(0)
})

test('names that a name server does not answer delay no other name', async () => {
  const nameServer = createSocket('udp4')
  let silent = 0
  nameServer.on('message', (question, { port, address }) => {
    if (question.includes('slow')) return void silent++
    // The question with one answer: its own name, A, IN, 60 seconds, 10.0.0.1.
    const answer = Buffer.concat([
      question.subarray(0, question.indexOf(0, 12) + 5),
      Buffer.from('c00c00010001' + '0000003c' + '00040a000001', 'hex'),
    ])
    answer.writeUInt16BE(0x8180, 2)
    answer.writeUInt16BE(1, 6)
    answer.fill(0, 8, 12)
    nameServer.send(answer, port, address)
  })
  nameServer.bind(0, '127.0.0.1')
  await once(nameServer, 'listening')
  const servers = [`127.0.0.1:${nameServer.address().port}`]
  const { post } = createReceivers([], { lookup: lookupAt(servers) })
  const stop = new AbortController()
  const send = (host: string) => post(`https://${host}/`, {}, '{}', stop.signal).catch(String)
  const slow = Array.from({ length: 40 }, (_, index) => send(`h${index}.slow.test`))
  await eventually('the slow names wait', () => silent >= 40)
  expect(await send('fast.test')).toBe('Error: the host has no public address')
  stop.abort()
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['Error: no answer in time']))
  nameServer.close()
})

/** Every file that opens connections, and who says where to. */
const callers: Record<string, string> = {
  'src/outside/receiver.ts': 'clients: the guard that is tested here',
  'src/outside/http-json.ts': 'settings, without redirects',
  'src/outside/smtp.ts': 'settings',
  'src/app-data/gateway.ts': 'settings, with a hash as the path, without redirects',
  'src/chain/rpc/post.ts': 'settings',
  'src/notifications/telegram/bot.ts': 'settings',
  'src/sse/client.ts': 'who runs the command, without redirects',
  'src/storage/database/connections/server.ts': 'settings: the database',
  'src/dev/chain/state.ts': 'the local stack',
  'src/dev/market/traders.ts': 'the local stack',
  'src/server/pages/browser/ask.ts': 'the host of the page, in a browser',
  'src/server/pages/browser/home/find.ts': 'the host of the page, in a browser',
  'src/client/client.ts': 'the application that uses the client: no part of the service',
}

test('no other file fetches what somebody names', () => {
  const root = path.join(import.meta.dirname, '..', '..', '..')
  const opens =
    /(?<![.\w])fetch\(|globalThis\.fetch|\bsendNotification\(|new WebSocket\(|from '(node:https|node:tls|node:http2|node:dgram|undici|nodemailer|grammy)'|\b(connect|createConnection|Socket)\b.* from 'node:net'/
  const found = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('storage/generated'))
    .filter((name) =>
      readFileSync(path.join(root, 'src', name), 'utf8')
        .split('\n')
        .some((line) => opens.test(line) && !/^import type/.test(line)),
    )
    .map((name) => `src/${name}`)
  expect(found.toSorted()).toEqual(Object.keys(callers).toSorted())
})
