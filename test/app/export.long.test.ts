import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ExportFlags, exportFeed } from '../../src/app/commands/export/export.ts'
import type { ExportedEvent } from '../../src/app/commands/export/feed.ts'
import type { CommandFault } from '../../src/app/commands/service.ts'
import { readPage } from '../docs/pages.ts'
import { eventually } from '../setup/eventually.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'export-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const max = String(2n ** 256n - 1n)
const account = (index: number) => `0x${String(index).padStart(40, '0')}`

/** Members of an event that files do not have. */
const unread = { detail: null, source: null, txHash: null }

/** Event `index` of the book. Places have holes, as where other feeds took numbers. */
function eventAt(index: number) {
  const isTrade = index % 3 === 0
  return {
    cursor: String(7 + index * 3 + (index % 2)),
    isRemoved: index % 50 === 49,
    eventId: String(1_000_000 + index),
    event: {
      label: isTrade ? 'traded' : 'created',
      reason: index % 7 === 0 ? 'insufficientBalance' : null,
      ...unread,
      timestamp: new Date(1_700_000_000_000 + index * 1_500).toISOString(),
    },
    order: {
      uid: `0x${String(index).padStart(112, '0')}`,
      owner: account(index % 5),
      sellToken: account(11),
      buyToken: account(12),
      appCode: index % 4 === 0 ? null : 'shop “ß”',
      referrer: index % 6 === 0 ? 'FRIEND' : null,
      class: 'limit',
      kind: 'sell',
      status: 'open',
    },
    trade: isTrade
      ? {
          blockNumber: 2 ** 31 + index,
          logIndex: index % 9,
          txHash: `0x${'ab'.repeat(32)}`,
          sellAmount: max,
          sellAmountBeforeFees: '5',
          buyAmount: '0',
          auctionId: index % 2 === 0 ? null : index,
          executedProtocolFees:
            index % 2 === 0
              ? []
              : [
                  { amount: max, token: account(12) },
                  { amount: '1', token: account(12) },
                ],
        }
      : null,
  } satisfies ExportedEvent
}

interface Book extends AsyncDisposable {
  url: string
  events: ExportedEvent[]
  requests: { at: number; search: URLSearchParams }[]
  /** Places up to this one are removed. */
  kept: number
  /** Called with each request of the feed. Returns true where it has answered. */
  intercept: (res: ServerResponse, answer: () => void) => boolean
}

/** Serves a book as the path of the feed does. A page looks at up to `looks` events. */
async function startBook(count: number, { looks = 40, key = '' } = {}): Promise<Book> {
  const book = {
    events: Array.from({ length: count }, (_, index) => eventAt(index)),
    requests: [] as Book['requests'],
    kept: 0,
    intercept: (() => false) as Book['intercept'],
  }
  const server = createServer((req, res) => {
    const { pathname, searchParams: search } = new URL(req.url ?? '', 'http://book')
    const send = (status: number, body: object) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/graphql') {
      req.resume()
      return void send(200, { data: { networks: [{ name: 'sepolia', chainId: 11155111 }] } })
    }
    const answer = () => {
      if (pathname !== '/sepolia/api/v1/feed')
        return send(404, { errorType: 'NotFound', description: pathname })
      if (key && req.headers['x-api-key'] !== key)
        return send(401, { errorType: 'Unauthorized', description: 'send the operator’s key' })
      const given = search.get('after')
      const after = given === 'earliest' ? book.kept : Number(given)
      if (after < book.kept)
        return send(410, {
          errorType: 'FeedGap',
          description: 'removed',
          data: { cursor: String(book.kept) },
        })
      const behind = book.events.filter(({ cursor }) => Number(cursor) > after)
      const seen = behind.slice(0, Math.min(looks, Number(search.get('limit'))))
      const owners = search.getAll('owner')
      send(200, {
        events: seen.filter(({ order }) => owners.length === 0 || owners.includes(order?.owner ?? '')),
        cursor: seen.at(-1)?.cursor ?? String(after),
        hasMore: behind.length > seen.length,
      })
    }
    book.requests.push({ at: performance.now(), search })
    if (!book.intercept(res, answer)) answer()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(book, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

const standard: ExportFlags = {
  out: undefined,
  format: 'jsonl',
  after: undefined,
  network: undefined,
  rows: '100000',
  every: '60',
  label: [],
  owner: [],
  token: [],
  'app-code': [],
  referrer: [],
  class: [],
  kind: [],
  follow: false,
  'skip-gap': false,
}

async function run(book: Book, flags: Partial<ExportFlags> = {}, key?: string) {
  const lines: string[] = []
  const warnings: string[] = []
  const fault = await exportFeed(
    { ...standard, out: folder, ...flags },
    {
      service: { url: book.url, timeoutMs: 5_000 },
      key,
      random: () => 0,
      print: (line) => void lines.push(line),
      warn: (line) => void warnings.push(line),
    },
  ).then(
    () => undefined,
    (fault: CommandFault) => ({ code: fault.exitCode, message: fault.message, advice: fault.advice }),
  )
  return { lines, warnings, fault }
}

const ranges = () => readdirSync(folder).filter((name) => name.startsWith('book-'))
const eventsIn = (name: string): ExportedEvent[] =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const cursorsOf = (events: readonly ExportedEvent[]) => events.map(({ cursor }) => cursor)

/** Checks that ranges follow on each other, and hold each event of theirs once. */
function expectWhole(events: readonly ExportedEvent[]): void {
  let end = 0
  const written = ranges().flatMap((name) => {
    const [after, to] = name.split(/[-.]/).slice(2, 4).map(Number) as [number, number]
    expect(after, name).toBe(end)
    end = to
    const held = eventsIn(name)
    for (const { cursor } of held) expect(Number(cursor) > after && Number(cursor) <= to, name).toBe(true)
    return held
  })
  expect(cursorsOf(written)).toEqual(cursorsOf(events))
  expect(written).toEqual(events)
}

test('writes ranges of the wished size, and the same command goes on', async () => {
  await using book = await startBook(250)
  const { lines, fault } = await run(book, { rows: '100' })
  expect(fault).toBeUndefined()
  expect(lines).toEqual([
    'book-11155111-00000000000000000000-00000000000000000305.jsonl: 100 events',
    'book-11155111-00000000000000000305-00000000000000000605.jsonl: 100 events',
    'book-11155111-00000000000000000605-00000000000000000755.jsonl: 50 events',
  ])
  expectWhole(book.events)
  const asked = book.requests.length
  expect((await run(book, { rows: '100' })).lines).toEqual([])
  expect(book.requests.slice(asked).map(({ search }) => search.get('after'))).toEqual(['755'])
  book.events.push(eventAt(250))
  expect((await run(book, { rows: '100', after: 'earliest' })).lines).toEqual([
    'book-11155111-00000000000000000755-00000000000000000757.jsonl: 1 events',
  ])
  expectWhole(book.events)
})

test('keeps how far it has looked where no event matches', async () => {
  await using book = await startBook(100)
  const owner = account(77)
  expect((await run(book, { owner: [owner] })).fault).toBeUndefined()
  expect(ranges()).toEqual([])
  const asked = book.requests.length
  const late = { ...eventAt(100), order: { ...eventAt(100).order, owner } }
  book.events.push(late)
  await run(book, { owner: [owner] })
  expect(book.requests.slice(asked).map(({ search }) => [search.get('after'), search.get('owner')])).toEqual([
    ['305', owner],
  ])
  expect(ranges()).toEqual(['book-11155111-00000000000000000000-00000000000000000307.jsonl'])
  expectWhole([late])
})

test('refuses a folder with another filter, format or begin', async () => {
  await using book = await startBook(10)
  await run(book, { owner: [account(2), account(1)], after: '10' })
  const before = ranges()
  expect((await run(book, { owner: [account(1), account(2), account(1)] })).fault).toBeUndefined()
  for (const [flags, reason] of [
    [{ owner: [account(1)] }, /export with filter .*: name another folder/],
    [{ owner: [account(1), account(2)], format: 'parquet' }, /export with format "jsonl", not "parquet"/],
    [{ owner: [account(1), account(2)], after: 'earliest' }, /begins behind 10: name another folder/],
  ] as const) {
    const { fault } = await run(book, flags)
    expect(fault).toMatchObject({ code: 2, message: expect.stringMatching(reason) })
  }
  expect(ranges()).toEqual(before)
  rmSync(path.join(folder, 'export.json'))
  expect((await run(book)).fault).toMatchObject({
    code: 2,
    message: expect.stringContaining('without a readable export.json'),
  })
})

test('refuses wrong flags before it asks', async () => {
  await using book = await startBook(1)
  for (const flags of [
    { out: undefined },
    { format: 'csv' },
    { rows: '0' },
    { rows: '1000001' },
    { every: '-1' },
    { after: 'newest' },
    { after: '12.5' },
    { owner: ['0x12'] },
  ])
    expect((await run(book, { ...flags })).fault, JSON.stringify(flags)).toMatchObject({ code: 2 })
  expect(book.requests).toEqual([])
})

test('ends where events are no longer kept, and goes on behind them if it may', async () => {
  await using book = await startBook(100, { looks: 10 })
  book.kept = 100
  const expected = {
    code: 5,
    message: 'events behind 10 are no longer kept',
    advice: [expect.stringContaining('--after 100')],
  }
  expect((await run(book, { after: '10' })).fault).toEqual(expected)
  expect(ranges()).toEqual([])
  const { fault, lines, warnings } = await run(book, { after: '10', 'skip-gap': true })
  expect([fault, warnings]).toEqual([undefined, ['events behind 10 are no longer kept: going on behind 100']])
  expect(lines).toEqual(['book-11155111-00000000000000000100-00000000000000000305.jsonl: 69 events'])
})

test('writes what it has when it falls behind, and goes on by hand', async () => {
  await using book = await startBook(100, { looks: 10 })
  book.intercept = () => {
    if (book.requests.length === 3) book.kept = 200
    return false
  }
  const { fault, lines } = await run(book)
  expect(fault).toMatchObject({ code: 5, message: 'events behind 65 are no longer kept' })
  expect(lines).toEqual(['book-11155111-00000000000000000000-00000000000000000065.jsonl: 20 events'])
  expect((await run(book)).fault).toMatchObject({ code: 5 })
  expect((await run(book, { after: '200' })).lines).toEqual([
    'book-11155111-00000000000000000200-00000000000000000305.jsonl: 35 events',
  ])
})

test('refuses at once with a wrong key, and leaves nothing', async () => {
  await using book = await startBook(10, { key: 'right' })
  expect((await run(book, {}, 'wrong')).fault).toMatchObject({
    code: 1,
    message: expect.stringContaining('Unauthorized: send the operator’s key'),
  })
  expect(book.requests).toHaveLength(1)
  expect(readdirSync(folder)).toEqual([])
  expect((await run(book, {}, 'right')).fault).toBeUndefined()
  expectWhole(book.events)
})

test('asks again while the service is away, and when it says', async () => {
  await using book = await startBook(30, { looks: 10 })
  let count = 0
  book.intercept = (res, answer) => {
    count++
    if (count === 1) res.writeHead(503).end()
    else if (count === 3) res.writeHead(429, { 'retry-after': '2' }).end()
    else if (count === 5) res.destroy()
    else if (count === 7) res.writeHead(200).end('{"events":[],"cursor":"37","hasMore":true}')
    else answer()
    return true
  }
  const { fault, warnings } = await run(book)
  expect(fault).toBeUndefined()
  expect(warnings.map((line) => line.replace(/^the service at \S+ /, ''))).toEqual([
    'answers with status 503; asking again',
    'answers with status 429; asking again',
    expect.stringMatching(/^cannot be reached \(\w+\); asking again$/),
  ])
  const [, , limited, next] = book.requests
  expect((next?.at ?? 0) - (limited?.at ?? 0)).toBeGreaterThanOrEqual(2_000)
  expectWhole(book.events)
})

test('does not take pages that repeat events or do not move', async () => {
  await using book = await startBook(30)
  const [first, second] = book.events
  const bodies = [
    { events: [second, first], cursor: '100', hasMore: false },
    { events: [], cursor: '0', hasMore: true },
    { events: [first], cursor: '3', hasMore: false },
    { events: 'none', cursor: '3', hasMore: false },
  ]
  book.intercept = (res, answer) => {
    const body = bodies.shift()
    if (body) res.writeHead(200).end(JSON.stringify(body))
    else answer()
    return true
  }
  const { warnings } = await run(book)
  expect(warnings).toHaveLength(4)
  expect(warnings.every((line) => line.includes('sends an answer that is no page of the feed'))).toBe(true)
  expectWhole(book.events)
})

test('stops where another export has written', async () => {
  await using book = await startBook(30, { looks: 10 })
  const name = 'book-11155111-00000000000000000000-00000000000000000037.jsonl'
  book.intercept = () => {
    if (book.requests.length === 2) writeFileSync(path.join(folder, name), '')
    return false
  }
  expect((await run(book)).fault).toMatchObject({ code: 1, message: `another export writes to ${folder}` })
  expect(ranges()).toEqual([name])
})

test('Parquet has the same events as JSON lines', async () => {
  await using book = await startBook(12_345, { looks: 1_000 })
  book.events.push({ ...eventAt(12_345), event: null, order: null })
  const { lines } = await run(book, { format: 'parquet', rows: '12000' })
  expect(lines.map((line) => line.split(': ')[1])).toEqual(['12000 events', '346 events'])
  const rows = []
  for (const name of ranges()) {
    const file = await asyncBufferFromFile(path.join(folder, name))
    rows.push(...(await parquetReadObjects({ file })))
  }
  rmSync(folder, { recursive: true })
  await run(book)
  const events = ranges().flatMap(eventsIn)
  expect(rows).toHaveLength(12_346)
  for (const [index, { cursor, isRemoved, eventId, event, order, trade }] of events.entries()) {
    const fees = trade?.executedProtocolFees ?? []
    expect(rows[index]).toEqual({
      cursor: BigInt(cursor),
      is_removed: isRemoved,
      event_id: eventId,
      chain_id: 11155111n,
      label: event?.label ?? null,
      reason: event?.reason ?? null,
      timestamp: event && new Date(event.timestamp),
      order_uid: order?.uid ?? null,
      owner: order?.owner ?? null,
      status: order?.status ?? null,
      sell_token: order?.sellToken ?? null,
      buy_token: order?.buyToken ?? null,
      app_code: order?.appCode ?? null,
      referrer: order?.referrer ?? null,
      class: order?.class ?? null,
      kind: order?.kind ?? null,
      block_number: trade ? BigInt(trade.blockNumber) : null,
      log_index: trade?.logIndex ?? null,
      tx_hash: trade?.txHash ?? null,
      sell_amount: trade?.sellAmount ?? null,
      buy_amount: trade?.buyAmount ?? null,
      sell_amount_before_fees: trade?.sellAmountBeforeFees ?? null,
      auction_id: trade?.auctionId == null ? null : BigInt(trade.auctionId),
      protocol_fee_amount: trade ? (fees.length > 0 ? String(2n ** 256n) : '0') : null,
      protocol_fee_token: fees[0]?.token ?? null,
    })
  }
})

test('the script of the how-to page pays partners', async () => {
  const fee = 2n ** 256n
  const trade = (id: string, timestamp: string, more: object = {}) => ({
    id,
    isReverted: false,
    timestamp,
    sellAmount: '100',
    sellToken: { address: 'sold' },
    order: { appCode: 'shop' },
    executedProtocolFees: [{ amount: String(fee), token: { address: 'bought' } }],
    ...more,
  })
  const pages: Record<string, object> = {
    earliest: {
      nodes: [
        trade('before', '2026-10-31T23:59:59.999Z'),
        trade('first', '2026-11-01T00:00:00Z'),
        trade('late', '2026-11-02T00:00:00Z', { executedProtocolFees: [], order: null }),
        trade('gone', '2026-11-03T00:00:00Z'),
      ],
      pageInfo: { endCursor: '7', hasNextPage: true },
    },
    7: {
      nodes: [
        trade('late', '2026-11-02T00:00:00Z', { order: null }),
        trade('gone', '2026-11-03T00:00:00Z', { isReverted: true, executedProtocolFees: [] }),
        trade('after', '2026-12-01T00:00:00Z'),
      ],
      pageInfo: { endCursor: '9', hasNextPage: false },
    },
  }
  const server = createServer((request, response) => {
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (part: string) => {
      body += part
    })
    request.on('end', () =>
      response.end(JSON.stringify({ data: { trades: pages[JSON.parse(body).variables.place] } })),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const script = readPage('docs/how-to/build-an-index.md').blocks.find(({ name }) => name === 'partners.mjs')
  writeFileSync(path.join(folder, 'partners.mjs'), script?.text ?? '')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { stdout } = await promisify(execFile)(process.execPath, ['partners.mjs', url, '2026-11'], {
    cwd: folder,
  })
  server.close()
  expect(stdout.trim().split('\n')).toEqual([
    `(none) fees bought ${fee}`,
    '(none) volume sold 100',
    `shop fees bought ${fee}`,
    'shop volume sold 100',
  ])
})

test('goes on at the head with --follow', async () => {
  await using book = await startBook(5)
  const program = await bundledExport()
  const child = startExport(program, book.url, { rows: '3', follow: true, every: '1' })
  await eventually('the first files', () => ranges().length === 2)
  book.events.push(eventAt(5), eventAt(6))
  await eventually('the file of what came', () => ranges().length === 3)
  child.kill()
  await once(child, 'exit')
  expectWhole(book.events)
})

test('an export that is killed at any point leaves whole ranges, and goes on', async () => {
  await using book = await startBook(100, { looks: 17 })
  const program = await bundledExport()
  const grow = () => {
    for (let more = Math.random() * 30; more > 1; more--) book.events.push(eventAt(book.events.length))
  }
  const killed: string[] = []
  for (let kill = 0; kill < 16; kill++) {
    const child = startExport(program, book.url, { rows: '40' })
    const exit = once(child, 'exit')
    let left = Math.floor(Math.random() * 12)
    let turns = Math.floor(Math.random() * 40)
    const end = () => {
      if (turns-- > 0) setImmediate(end)
      else child.kill('SIGKILL')
    }
    book.intercept = (_, answer) => {
      grow()
      answer()
      if (left-- === 0) end()
      return true
    }
    const [, signal] = await exit
    killed.push(String(signal))
    expect(readdirSync(folder).filter((name) => /^book-/.test(name) && !name.endsWith('.jsonl'))).toEqual([])
  }
  expect(killed.filter((signal) => signal === 'SIGKILL').length).toBeGreaterThan(12)
  book.intercept = () => false
  expect((await run(book, { rows: '40' })).fault).toBeUndefined()
  expect(book.events.length).toBeGreaterThan(300)
  expectWhole(book.events)
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
})

/** Writes the export as one file, which starts in a fraction of a second. @returns its name */
async function bundledExport(): Promise<string> {
  const outfile = path.join(folder, 'program.mjs')
  await build({
    stdin: {
      contents: `import { exportFeed } from './src/app/commands/export/export.ts'
        const [url, flags] = process.argv.slice(2)
        await exportFeed(JSON.parse(flags), {
          service: { url, timeoutMs: 5_000 }, random: Math.random, print() {}, warn: console.error,
        })`,
      resolveDir: process.cwd(),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  return outfile
}

function startExport(program: string, url: string, flags: Partial<ExportFlags>) {
  const given = JSON.stringify({ ...standard, out: folder, ...flags })
  return spawn(process.execPath, [program, url, given], { stdio: ['ignore', 'ignore', 'inherit'] })
}
