import { afterAll, beforeAll, expect, test } from 'vitest'
import * as clientPackage from '../../src/client/package.ts'
import {
  AccountNotificationsDocument,
  createClient,
  OrderProgressDocument,
  subscribe,
  type TradegraphError,
  waitForOrder,
} from '../../src/client/package.ts'
import { numbered } from '../fakes/order.ts'
import { storeNotification, storeOrder } from '../fakes/story.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'
import { readThroughKills } from './killed-stream.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { streamLimits: { perClient: 10_000 } })
})
afterAll(() => server?.[Symbol.asyncDispose]())

test('a stream that is killed fifty times misses and repeats nothing', async () => {
  const { read, written, kills } = await readThroughKills(clientPackage, server, 50)
  expect(kills).toBeGreaterThanOrEqual(50)
  expect(read).toEqual(written)
})

/** The answer to what the deployment has disabled. */
const disabled = {
  errors: [{ message: 'disabled', extensions: { code: 'FeatureDisabled', retryable: false } }],
}

/** A `fetch` whose streams can be killed, and held up. @param answer to all that are no streams */
function killableFetch(answer?: object) {
  let kill = new AbortController()
  let open = () => {}
  let isOpen = Promise.resolve()
  const opened: string[] = []
  let pulls = 0
  return {
    opened,
    /** Reads of bodies so far. The client has handled a chunk when it reads the next one. */
    pulls: () => pulls,
    kill(): void {
      isOpen = new Promise((resolve) => {
        open = resolve
      })
      kill.abort(new Error('the connection is lost'))
      kill = new AbortController()
    },
    release: () => open(),
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      if (!String(input).includes('/stream')) return answer ? Response.json(answer) : fetch(input, init)
      await isOpen
      const signals = [init?.signal ?? new AbortController().signal, kill.signal]
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
      opened.push(String(input))
      const reader = response.body?.getReader()
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(stream) {
            pulls++
            const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
            if (done) stream.close()
            else stream.enqueue(value)
          },
          cancel: (reason) => reader?.cancel(reason),
        },
        { highWaterMark: 0 },
      )
      return new Response(body, response)
    },
  }
}

test.each([
  ['', 'fc'],
  [', where the newest place cannot be read before', 'f1'],
])('what is written while a new stream without a cursor is cut off comes as well%s', async (how, digits) => {
  const account = numbered(digits)
  await storeNotification(server.database.db, account, 0)
  const connection = killableFetch(how === '' ? undefined : disabled)
  const client = createClient({ url: server.url, fetch: connection.fetch })
  const cursors: string[] = []
  const faults: TradegraphError[] = []
  const stream = subscribe(
    client,
    AccountNotificationsDocument,
    { account },
    {
      onCursor: (cursor) => cursors.push(cursor),
      onDisconnect(fault) {
        faults.push(fault)
        void storeNotification(server.database.db, account, 1).then(connection.release)
      },
    },
  )
  const first = stream.next()
  await expect.poll(() => connection.opened.length).toBe(1)
  // The first lines of the stream have its place.
  await expect.poll(connection.pulls).toBeGreaterThan(1)
  connection.kill()
  const { value } = await first
  expect(value?.notifications.node.message).toBe('notification 1')
  expect(faults.map(({ code, retryable }) => [code, retryable])).toEqual([['Unavailable', true]])
  // A cursor is given when its event was handled.
  expect(cursors).toEqual([])
  await storeNotification(server.database.db, account, 2)
  expect((await stream.next()).value?.notifications.node.message).toBe('notification 2')
  expect(cursors).toEqual([value?.notifications.cursor])
  await stream.return()
})

test('a stream continues behind a stored cursor', async () => {
  const account = numbered('fd')
  for (const index of [0, 1, 2]) await storeNotification(server.database.db, account, index)
  const client = createClient({ url: server.url })
  const read = async (after: string) => {
    for await (const { notifications } of subscribe(
      client,
      AccountNotificationsDocument,
      { account },
      { after },
    ))
      return notifications
    return undefined
  }
  const first = await read('earliest')
  expect(first?.node.message).toBe('notification 0')
  expect((await read(first?.cursor ?? ''))?.node.message).toBe('notification 1')
})

test('a gap ends the stream with the first kept place, from which it continues', async () => {
  // A process that has not read these entries itself.
  await using fresh = await openTestServer()
  const account = numbered('f3')
  for (const index of [0, 1, 2]) await storeNotification(fresh.database.db, account, index)
  const page = `{ notifications(account: "${account}", after: "earliest") { edges { cursor } } }`
  const { notifications } = await graphql(fresh.url, page)
  const [first, second] = notifications.edges.map(({ cursor }: { cursor: string }) => cursor)
  await using database = await connectDirectly(fresh.database.url)
  await database.query(`INSERT INTO feed_marks (feed, key, place) VALUES ('account', $1, $2)`, [
    Buffer.from(account.slice(2), 'hex'),
    second,
  ])
  const client = createClient({ url: fresh.url })
  const behind = subscribe(client, AccountNotificationsDocument, { account }, { after: first })
  const fault = await behind.next().catch((error: TradegraphError) => error)
  expect(fault).toMatchObject({ name: 'TradegraphError', code: 'FeedGap', reason: 'GAP', cursor: second })
  const { cursor } = fault as TradegraphError
  const next = subscribe(client, AccountNotificationsDocument, { account }, cursor ? { after: cursor } : {})
  expect((await next.next()).value?.notifications.node.message).toBe('notification 2')
  await next.return()
})

test('the snapshot of orders comes first, in native form', async () => {
  const order = await storeOrder(server.database.db, { owner: numbered('e5') })
  const client = createClient({ url: server.url, scalars: 'native' })
  for await (const { orderEvents } of subscribe(client, OrderProgressDocument, { uid: order.uid })) {
    expect(orderEvents).toMatchObject({
      event: null,
      order: { uid: order.uid, sellAmount: order.sellAmount },
    })
    expect(orderEvents.order.creationDate).toEqual(order.creationDate)
    break
  }
  const open = await waitForOrder(client, order.uid, { until: ({ status }) => status === 'OPEN' })
  expect(open.sellAmount).toBe(order.sellAmount)
})

test('a signal ends a stream that waits, and one that is lost', async () => {
  const client = createClient({ url: server.url })
  const end = new AbortController()
  const stream = subscribe(
    client,
    AccountNotificationsDocument,
    { account: numbered('fe') },
    { signal: end.signal },
  )
  const next = stream.next()
  end.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')
  const lost = createClient({ url: 'http://127.0.0.1:9' })
  const giveUp = new AbortController()
  const waiting = subscribe(
    lost,
    OrderProgressDocument,
    { uid: '0x' },
    {
      signal: giveUp.signal,
      onDisconnect: () => giveUp.abort(new Error('gave up')),
    },
  ).next()
  await expect(waiting).rejects.toThrow('gave up')
}, 20_000)

test('a loop that is slow gets all events', async () => {
  const account = numbered('ff')
  const count = 300
  for (let index = 0; index < count; index++) await storeNotification(server.database.db, account, index)
  const client = createClient({ url: server.url })
  const read: string[] = []
  for await (const { notifications } of subscribe(
    client,
    AccountNotificationsDocument,
    { account },
    { after: 'earliest' },
  )) {
    read.push(notifications.node.message)
    await new Promise(setImmediate)
    if (read.length === count) break
  }
  expect(read).toEqual(Array.from({ length: count }, (_, index) => `notification ${index}`))
})

test('a refused subscription is an error at once', async () => {
  const client = createClient({ url: server.url })
  const stream = subscribe(client, OrderProgressDocument, { uid: '0x12' })
  await expect(stream.next()).rejects.toMatchObject({
    code: 'InvalidParameter',
    field: 'uid',
    retryable: false,
  })
})

test('onConnect is called after each connection; the loop throws its fault', async () => {
  const connection = killableFetch()
  const client = createClient({ url: server.url, fetch: connection.fetch })
  let connects = 0
  let losses = 0
  const stream = subscribe(
    client,
    AccountNotificationsDocument,
    { account: numbered('fa') },
    {
      onConnect() {
        if (++connects === 2) throw new TypeError('the mark is gone')
      },
      onDisconnect() {
        losses++
        connection.release()
      },
    },
  )
  const first = stream.next()
  first.catch(() => {})
  await expect.poll(() => connects).toBe(1)
  await expect.poll(connection.pulls).toBeGreaterThan(1)
  connection.kill()
  await expect(first).rejects.toThrow(new TypeError('the mark is gone'))
  expect([connects, losses]).toEqual([2, 1])
})
