import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sample } from '../../src/rest/openapi/sample.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/story.ts'
import { openSampleWorld } from '../rest/openapi/world.ts'
import { launchBrowser } from '../setup/browser.ts'
import type { TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'
import { faultsOfAccess, visit as open, untilRead, visitTimeoutMs } from '../setup/visit.ts'

vi.setConfig({ testTimeout: 2 * visitTimeoutMs })

/** The home page and the lists in a browser. */
let server: TestServer
let browser: Browser
const owner = numbered('77')
const uids: string[] = []

beforeAll(async () => {
  server = await openSampleWorld()
  browser = await launchBrowser()
  for (let index = 0; index < 45; index++) {
    const creationDate = new Date(1_799_000_000_000 + index * 1_000)
    const sellAmount = 10n ** 18n + BigInt(index)
    uids.unshift((await storeOrder(server.database.db, { owner, sellAmount, creationDate })).uid)
  }
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const visit = (at: string, options: BrowserContextOptions = {}) =>
  open(browser, `${server.url}${at}`, options)
const phone = { viewport: { width: 390, height: 844 } }

/** Links in the first column, in the order of the list. */
const rowsOf = (page: Page, list = page.locator('main')) =>
  list
    .locator('tbody td:first-child a')
    .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname))
const orderPath = (uid: string) => `/orders/${uid}`

const headings = [
  ['/', 'Newest orders'],
  ['/orders', 'Newest first'],
  ['/trades', 'Newest first'],
  ['/auctions', 'Newest first'],
  ['/tokens', 'Most traded first'],
  ['/programmatic-orders', 'Newest first'],
  ['/nothing/here', 'What you can do'],
] as const

test.each(
  headings.flatMap(([path, heading]) => [
    { path, heading, width: 390, colorScheme: 'dark' as const },
    { path, heading, width: 1_280, colorScheme: 'light' as const },
  ]),
)('$path fits $width px in $colorScheme colors, moves little and loads little', async (wanted) => {
  const { path, heading, width, colorScheme } = wanted
  await using visited = await visit(path, { viewport: { width, height: 844 }, colorScheme })
  const { page, hosts, warnings } = visited
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  await untilRead(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(await visited.shift()).toBeLessThan(0.1)
  expect(visited.bytes()).toBeLessThan(60_000)
  expect([...hosts]).toEqual([new URL(server.url).host])
  expect(warnings.filter((warning) => path !== '/nothing/here' || !warning.includes('404'))).toEqual([])
  const links = page.getByRole('navigation', { name: 'Lists' }).getByRole('link')
  expect(await links.allInnerTexts()).toEqual(['Orders', 'Trades', 'Auctions', 'Tokens', 'Programmatic'])
  const current = path === '/' || path === '/nothing/here' ? [] : [path.slice(1).split('-')[0]]
  const marked = page.locator('[aria-current=page]')
  expect((await marked.allInnerTexts()).map((text) => text.toLowerCase())).toEqual(current)
})

test('the home page links all that it lists, and shows a new order by itself', async () => {
  await using visited = await visit('/')
  const { page } = visited
  const section = (title: string) => page.getByRole('region', { name: title, exact: true })
  const newest = section('Newest orders')
  for (const title of ['Newest orders', 'Newest trades', 'Newest auctions'])
    await section(title).locator('tbody a').first().waitFor()
  await section('Tokens').getByText('$3,000.00').waitFor()
  expect((await rowsOf(page, newest)).length).toBe(5)
  expect(await rowsOf(page, section('Newest trades'))).toContain(orderPath(sample.settled))
  expect(await rowsOf(page, section('Newest auctions'))).toContain('/auctions/9')
  expect(await rowsOf(page, section('Tokens'))).toContain(`/tokens/${sample.weth}`)
  expect(await section('Tokens').locator('tr', { hasText: 'WETH' }).innerText()).toContain('$3,000.00')
  for (const list of ['orders', 'trades', 'auctions', 'tokens']) {
    const all = page.getByRole('link', { name: `All ${list}` })
    expect(await all.getAttribute('href')).toBe(`${server.url}/${list}`)
  }
  const creationDate = new Date(1_800_000_000_000)
  const placed = await storeOrder(server.database.db, { owner: numbered('78'), creationDate })
  await expect.poll(() => rowsOf(page, newest), { timeout: visitTimeoutMs }).toContain(orderPath(placed.uid))
})

test.each([
  ['/', 'Tokens', '$3,000'],
  ['/tokens', 'Most traded first', '$3,000'],
])('%s opens before prices are read, and does not move when they are there', async (path, title, price) => {
  await using visited = await visit('/nothing', phone)
  const { page } = visited
  // A page that waits for its parts opens after two seconds at the latest.
  await page.addInitScript(() => {
    const later = window.setTimeout
    const isLimit = (ms?: number) => ms === 2_000
    window.setTimeout = ((run: () => void, ms?: number) => (isLimit(ms) ? 0 : later(run, ms))) as typeof later
  })
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (/usdPrice|priceHistory|holders/.test(route.request().postDataJSON().query)) await asked
    await route.continue()
  })
  await page.goto(`${server.url}${path}`)
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
  const main = page.locator('main')
  expect(await main.innerText()).toContain('Reading…')
  expect(await main.innerText()).not.toContain(price)
  answer()
  await main.getByText(price).first().waitFor()
  await untilRead(page)
  expect(await visited.shift()).toBeLessThan(0.1)
})

test('readers that fail repeat less and less often, and recover', async () => {
  await using visited = await visit('/nothing')
  const { page } = visited
  const counts = new Map<string, number>()
  let isDown = true
  await page.clock.install()
  await page.route('**/graphql', (route) => {
    const { query } = route.request().postDataJSON()
    counts.set(query, (counts.get(query) ?? 0) + 1)
    return isDown ? route.fulfill({ status: 503, body: '' }) : route.continue()
  })
  await page.goto(`${server.url}/`)
  const alert = page.getByRole('alert').first()
  await alert.getByText('The service does not answer.').waitFor()
  for (let second = 0; second < 240; second++) await page.clock.runFor(1_000)
  // Pauses of 5, 10, 20, 40, 60, 60 and 60 s, or down to half of each.
  const maxReads = Math.max(...counts.values())
  expect(maxReads).toBeGreaterThan(4)
  expect(maxReads).toBeLessThan(11)
  isDown = false
  await page.clock.runFor(61_000)
  await page.locator('tbody a').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('orders are filtered and paged by the keyboard, and their address has both', async () => {
  await using visited = await visit('/orders')
  const { page, warnings } = visited
  await page.getByLabel('Status').focus()
  await page.keyboard.type('Open')
  await page.getByLabel('Account').focus()
  await page.keyboard.type(owner)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/orders?status=OPEN&owner=${owner}`)
  const shows = (from: number, to: number) =>
    expect.poll(() => rowsOf(page), { timeout: visitTimeoutMs }).toEqual(uids.slice(from, to).map(orderPath))
  await shows(0, 20)
  expect(await page.getByRole('link', { name: 'Previous' }).count()).toBe(0)
  const follow = async (name: string) => {
    await page.getByRole('link', { name }).focus()
    await page.keyboard.press('Enter')
  }
  await follow('Next')
  await shows(20, 40)
  await follow('Next')
  await shows(40, 45)
  expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
  const last = page.url()
  expect(last).toMatch(new RegExp(`/orders\\?status=OPEN&owner=${owner}&after=.+`))
  await follow('Previous')
  await shows(20, 40)
  await page.goBack()
  await shows(40, 45)
  await follow('First page')
  await shows(0, 20)
  expect(warnings).toEqual([])

  await using shared = await visit(last.slice(server.url.length), { ...phone, colorScheme: 'dark' })
  await shared.page.locator('tbody a').first().waitFor()
  expect(await rowsOf(shared.page)).toEqual(uids.slice(40).map(orderPath))
  await shared.page.getByText('Filters (2 used)').click()
  expect(await shared.page.getByLabel('Account').inputValue()).toBe(owner)
  expect(await shared.page.getByLabel('Status').inputValue()).toBe('OPEN')
  expect(await shared.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(shared.page)).toEqual([])
})

test('orders are filtered by their tokens and days; half a pair is refused in words', async () => {
  const { orders } = await graphql(
    server.url,
    `{ orders(filter: { statuses: FULFILLED, pair: { sellToken: "${sample.weth}", buyToken: "${sample.usdc}" } }) { nodes { uid } } }`,
  )
  expect(orders.nodes.length).toBe(1)
  await using visited = await visit(`/orders?status=FULFILLED&sell=${sample.weth}&buy=${sample.usdc}`)
  const { page } = visited
  await page.locator('tbody a').first().waitFor()
  expect(await rowsOf(page)).toEqual([orderPath(orders.nodes[0].uid)])
  await page.goto(`${server.url}/orders?sell=${sample.usdc}&buy=${sample.weth}`)
  await page.getByText('Nothing matches.').waitFor()
  await page.getByLabel('Token to buy').fill('')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('alert').getByText('Enter both tokens of the pair.').waitFor()
  await page.goto(`${server.url}/orders?owner=${owner}&until=2027-01-01`)
  await page.getByText('Nothing matches.').waitFor()
  await page.goto(`${server.url}/orders?owner=${owner}&from=2027-01-01`)
  await page.locator('tbody a').first().waitFor()
  expect(await rowsOf(page)).toEqual(uids.slice(0, 20).map(orderPath))
  await page.goto(`${server.url}/orders?owner=nobody&status=NONE`)
  await page.getByRole('alert').waitFor()
  expect(await faultsOfAccess(page)).toEqual([])
})

test('a part of a list without a match says that the list goes on', async () => {
  await using visited = await visit('/nothing')
  const { page } = visited
  await page.route('**/graphql', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    if (body.data?.orders)
      body.data.orders = {
        nodes: [],
        pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: 'next' },
      }
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto(`${server.url}/orders?owner=${owner}`)
  await page.getByText('No match in this part of the list. Continue with Next.').waitFor()
  expect(await page.getByRole('link', { name: 'Next' }).getAttribute('href')).toBe(
    `/orders?owner=${owner}&after=next`,
  )
})

test('trades, auctions and tokens are filtered', async () => {
  await using visited = await visit(`/trades?owner=${sample.otherTrader}`)
  const { page } = visited
  await page.locator('tbody a').first().waitFor()
  expect(await rowsOf(page)).toEqual([orderPath(sample.settled)])
  await page.goto(`${server.url}/trades?owner=${owner}`)
  await page.getByText('Nothing matches.').waitFor()
  await page.getByLabel('Order id').fill(sample.settled)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('alert').getByText('Enter an account or an order, not both.').waitFor()

  await page.goto(`${server.url}/auctions?network=sepolia`)
  await page.locator('tbody a').first().waitFor()
  expect(await rowsOf(page)).toContain('/auctions/9')

  await page.goto(`${server.url}/tokens`)
  await page.getByLabel('Symbol or name').fill('wrapped')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/tokens?network=sepolia&search=wrapped`)
  await page.locator('tbody a').first().waitFor()
  expect(await rowsOf(page)).toEqual([`/tokens/${sample.weth}`])
})

test('the page of a path that leads nowhere finds what is searched', async () => {
  await using visited = await visit('/nothing/here', phone)
  const { page } = visited
  await page.getByRole('searchbox').fill('InsufficientBalance')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/?q=InsufficientBalance`)
  await page.getByRole('heading', { name: 'InsufficientBalance', exact: true }).waitFor()
})
