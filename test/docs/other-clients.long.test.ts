import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { createTrader } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'
import { openFolder, type Run, runPage } from './examples.ts'
import { readPage } from './pages.ts'

let world: World
let uid: string
beforeAll(async () => {
  world = await startWorld()
  const trader = createTrader(world.url, world.market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 17n, buyAmount: 1n } as const
  uid = (await trader.place(wish)).body
  await eventually('the order trades', async () => (await trader.order(uid)).status === 'fulfilled')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const page = readPage('docs/how-to/use-other-clients.md')
const adapt = (text: string) => text.replaceAll('127.0.0.1:4000', new URL(world.url).host)

function outputOf(runs: Run[], program: string): string {
  return runs.find(({ commands }) => commands.includes(program))?.output ?? ''
}

test('the programs that need no tool print the order, a notification and a balance', async () => {
  using folder = openFolder(world)
  const programs = /^node (apollo|urql|events)\.mjs$/
  const runs = await runPage(page, { folder: folder.path, adapt, skips: (line) => !programs.test(line) })
  expect(runs).toHaveLength(3)
  const shown = `${uid} FULFILLED 100000000000000000n\nORDER_FILLED\n`
  expect(outputOf(runs, 'apollo')).toBe(shown)
  expect(outputOf(runs, 'urql')).toBe(shown)
  expect(outputOf(runs, 'events')).toMatch(/^\d+ ORDER_FILLED$/m)
  expect(outputOf(runs, 'events')).toMatch(/balance: '\d{20,}',[\s\S]*symbol: 'ETH'/)
})

test('the programs of the tools type-check, and print the order', async () => {
  const folder = createTemporaryHome()
  try {
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    const skips = (line: string) => plain.test(line)
    const runs = await runPage(page, { folder, adapt: quick, skips, maxMs: 570_000 })
    for (const program of ['tada.ts', 'preset.ts', 'relay.ts'])
      expect(outputOf(runs, `tsx ${program}`), program).toContain(`${uid} FULFILLED 100000000000000000n\n`)
    expect(outputOf(runs, 'tsx rest.ts')).toContain(`${uid} fulfilled 100000000000000000n\n`)
  } finally {
    removeTemporaryHome(folder)
  }
}, 600_000)

const plain = /^(node|npm install (@apollo|@urql|eventsource))/
const installs = page.blocks
  .filter(({ language, text }) => language === 'sh' && !plain.test(text))
  .flatMap(({ text }) => [...text.matchAll(/^npm install (.+)$/gm)].map(([, packages]) => packages ?? ''))

/** Installs all packages with the first ones, from npm's cache where it can: each install takes seconds. */
function quick(text: string): string {
  return adapt(text).replace(/^npm install (.+)$/gm, (_, packages) =>
    packages === installs[0]
      ? `npm install --prefer-offline --no-audit --no-fund ${installs.join(' ')}`
      : 'true',
  )
}
