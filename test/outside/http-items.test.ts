import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutsideFault } from '../../src/outside/fault.ts'
import { exchangeItems } from '../../src/outside/http-json.ts'

/** What the server sends, in pieces of so many bytes; it goes on until the client has gone. */
let answer = { status: 200, text: '', piece: 7, isEndless: false }
let sent = 0
const server = createServer(async (_, res) => {
  const { status, text, piece, isEndless } = answer
  const bytes = Buffer.from(text)
  res.writeHead(status, { 'content-type': 'application/json' })
  sent = 0
  for (let from = 0; from < bytes.length && !res.destroyed; from += piece) {
    sent += Math.min(piece, bytes.length - from)
    if (!res.write(bytes.subarray(from, from + piece))) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  if (!isEndless) res.end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const read = (
  max: number,
  maxBytes = 100_000_000,
  mask = (text: string) => text.replaceAll('hidden', 'shown'),
) =>
  exchangeItems(
    {
      name: 'the book',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      now: Date.now,
      maxBytes,
      mask,
    },
    { path: '/' },
    max,
    AbortSignal.timeout(10_000),
  )
const ok = (text: string, more = {}) => {
  answer = { status: 200, text, piece: 7, isEndless: false, ...more }
}

test.each([
  ['[]', []],
  [' [ ] ', []],
  [
    '[1, "a]b,\\"c\\\\", {"x":[1,{"y":"}"}]}, [2,[3]], null, "€ hidden"]',
    [1, 'a]b,"c\\', { x: [1, { y: '}' }] }, [2, [3]], null, '€ shown'],
  ],
])('reads the items of %s in pieces of any size', async (text, items) => {
  for (const piece of [1, 2, 3, 5, 1_000]) {
    ok(text, { piece })
    expect(await read(10)).toEqual({ status: 200, items })
  }
})

test('reads no more than was requested, also of a list without an end', async () => {
  const item = JSON.stringify({ uid: '0x12', text: 'x'.repeat(1_000) })
  ok(`[${Array.from({ length: 30_000 }, () => item).join(',')}`, { piece: 65_536, isEndless: true })
  const { items } = await read(100)
  expect(items).toHaveLength(100)
  expect(sent).toBeLessThan(10_000_000)
})

test('lets other work have its turn', async () => {
  ok(`[${Array.from({ length: 1_000 }, (_, index) => index).join(',')}]`, { piece: 65_536 })
  let turn = 0
  let isDone = false
  const next = () => {
    turn++
    if (!isDone) setImmediate(next)
  }
  next()
  const readIn = new Map<number, number>()
  await read(1_000, 100_000, (text) => {
    readIn.set(turn, (readIn.get(turn) ?? 0) + 1)
    return text
  })
  isDone = true
  expect(Math.max(...readIn.values())).toBe(32)
})

test.each([
  ['{"orders":[]}', 200, { status: 200, items: undefined }],
  ['{"errorType":"NotFound"}', 404, { status: 404, items: undefined }],
])('%s with status %i is no list', async (text, status, expected) => {
  ok(text, { status })
  expect(await read(10)).toEqual(expected)
})

test.each([
  ['[1,2', 10, 1_000],
  ['[1,tru]', 10, 1_000],
  ['[{"a":1]', 10, 1_000],
  [`[${'['.repeat(100)}${']'.repeat(100)}]`, 10, 1_000],
  ['[1,2,3,4,5,6,7,8,9,10]', 10, 8],
  ['', 10, 1_000],
])('%s is no answer', async (text, max, maxBytes) => {
  ok(text)
  await expect(read(max, maxBytes)).rejects.toThrow(OutsideFault)
})
