import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const root = path.join(import.meta.dirname, '..', '..', 'src')
const inspector = new Session()
let world: World

beforeAll(async () => {
  world = await startWorld({ roles: ['serve'] })
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})
afterAll(async () => {
  await inspector.post('Profiler.stopPreciseCoverage')
  inspector.disconnect()
  await world[Symbol.asyncDispose]()
})

/** Returns the files of `src` that have a function which runs during the work. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  // Counts begin again with each report.
  await inspector.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  return result.flatMap(({ url, functions }) => {
    const file = path.relative(root, url.replace(/^file:\/\//, ''))
    const hasRun = functions.some(({ ranges }) => ranges[0]?.count)
    return !file.startsWith('..') && hasRun ? [file] : []
  })
}

/** Returns the files that some warm runs share: each may have work of the background in it. */
async function roadOf(work: () => Promise<unknown>): Promise<string[]> {
  for (let warm = 0; warm < 3; warm++) await work()
  let shared = await filesOf(work)
  // On a busy machine, each of a few runs has the work of a block in it.
  for (let run = 0; run < 12; run++) {
    const files = new Set(await filesOf(work))
    shared = shared.filter((file) => files.has(file))
  }
  return shared.sort()
}

test('few files stand between a request and its answer', async () => {
  const trader = createTrader(world.url, world.market)
  let amount = 10n ** 16n
  let uid = ''
  const placing = await roadOf(async () => {
    amount += 1n
    const { status, body } = await trader.place({
      sell: 'WETH',
      buy: 'USDC',
      sellAmount: amount,
      buyAmount: 1n,
    })
    expect(status).toBe(201)
    uid = body
  })
  const report = await roadOf(async () => {
    expect((await request(`${trader.base}/api/v1/debug/order/${uid}`)).status).toBe(200)
  })
  expect(placing).toContain('orders/place.ts')
  // They may fall, and do not rise unnoticed.
  expect(placing.length, placing.join('\n')).toBeLessThanOrEqual(108)
  expect(report.length, report.join('\n')).toBeLessThanOrEqual(44)
})
