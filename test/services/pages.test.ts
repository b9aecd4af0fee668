import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSampleWorld } from '../rest/openapi/world.ts'
import { launchBrowser } from '../setup/browser.ts'
import type { TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'
import { faultsOfAccess, visit as open, visitTimeoutMs } from '../setup/visit.ts'

vi.setConfig({ testTimeout: 2 * visitTimeoutMs })

/** Web pages in a browser. */
let server: TestServer
let browser: Browser

beforeAll(async () => {
  server = await openSampleWorld()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const visit = (at: string, options: BrowserContextOptions = {}) =>
  open(browser, `${server.url}${at}`, options)
const here = () => [new URL(server.url).host]

test('GraphiQL opens on the report of the newest order, executes it, and contacts no other host', async () => {
  await using visited = await visit('/graphql')
  const { page, hosts, warnings } = visited
  const query = page.locator('.graphiql-query-editor')
  await query.getByText('debugReport').first().waitFor()
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes('NewestOrder') ?? false,
  )
  await page.locator('.graphiql-execute-button').click()
  const answer = await (await answered).json()
  expect(answer.errors).toBeUndefined()
  expect(answer.data.orders.nodes[0].debugReport.events.nodes[0].label).toBe('CREATED')
  await page.locator('.graphiql-response').getByText('debugReport').first().waitFor()
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

test.each([
  ['/', 'Why is my order not filled?'],
  ['/orders/UID', 'Why it is not filled'],
  ['/orders/UID', 'What happened'],
  ['/auctions/AUCTION', 'Solutions, the best first'],
])('%s says on a phone: %s', async (path, heading) => {
  const { orders, latestAuction } = await graphql(
    server.url,
    '{ orders(first: 1, status: OPEN) { nodes { uid } } latestAuction(network: SEPOLIA) { auctionId } }',
  )
  const at = path.replace('UID', orders.nodes[0].uid).replace('AUCTION', latestAuction.auctionId)
  await using visited = await visit(at, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  const { page, hosts, warnings } = visited
  await page.getByRole('heading', { name: heading }).waitFor()
  await page.getByText('Reading…').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

const found = (page: Page) => page.locator('[role=status] h2').allInnerTexts()

async function search(page: Page, text: string, code: string): Promise<string> {
  await page.getByRole('searchbox').fill(text)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('heading', { name: code, exact: true }).waitFor()
  expect((await found(page))[0]).toBe(code)
  return page.locator('[role=status]').innerText()
}

test('the search finds an error by what the wallet shows, and says what to approve', async () => {
  const { networks } = await graphql(server.url, '{ networks { name vaultRelayer } }')
  await using visited = await visit('/', { viewport: { width: 390, height: 844 } })
  const { page, warnings, bytes } = visited
  await page.getByText('Reading…').waitFor({ state: 'detached' })
  expect(bytes()).toBeLessThan(100_000)
  const message = 'Failed: vault relayer may spend 0 of the sell token, the order needs 1000000000000000000'
  const allowance = await search(page, message, 'InsufficientAllowance')
  expect(allowance).toContain(
    'The contract that takes the tokens when an order is filled (the vault relayer)',
  )
  for (const { name, vaultRelayer } of networks) {
    expect(allowance).toContain(`The contract to approve on ${name}:`)
    expect(await page.getByTitle(vaultRelayer).or(page.getByText(vaultRelayer)).count()).toBe(1)
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])

  const account = `0x${'ab'.repeat(20)}`
  const denied = await search(page, `${account} may not trade here`, 'Forbidden')
  expect(denied).toContain('The text names 0xababab…ababab too.')
  const link = page.getByRole('link', { name: '0xababab…ababab' })
  expect(await link.getAttribute('href')).toBe(`${server.url}/?q=${account}`)
  expect(await search(page, 'AN ORDER WITH THIS UID EXISTS ALREADY', 'DuplicatedOrder')).toContain(
    'The order is there, once: nothing was placed a second time.',
  )
  expect(await faultsOfAccess(page)).toEqual([])
  await link.waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('the weather is nice today')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('heading', { name: 'Nothing was found' }).waitFor()
  await page.getByRole('searchbox').fill(account)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/\/(accounts|tokens)\//)
  expect(warnings).toEqual([])
})

test('the page of an order that is not there leads to the search for its error', async () => {
  await using visited = await visit(`/orders/0x${'12'.repeat(56)}`)
  const { page } = visited
  await page.getByRole('link', { name: 'InsufficientBalance' }).click()
  await page.getByRole('heading', { name: 'InsufficientBalance' }).waitFor()
  expect(await found(page)).toEqual(['InsufficientBalance'])
})

test('the viewer lists the operations, tries one out, and contacts no other host', async () => {
  await using visited = await visit('/docs')
  const { page, hosts, warnings } = visited
  const document = await (await fetch(`${server.url}/openapi.json`)).json()
  const known = Object.values<object>(document.paths).flatMap((item) => Object.keys(item))
  await page.locator('.opblock').first().waitFor()
  expect(await page.locator('.opblock').count()).toBe(known.length)
  expect(await page.locator('.errors-wrapper').count()).toBe(0)

  const version = page.locator('#operations-Networks-version')
  await version.locator('.opblock-summary-control').click()
  await version.getByRole('button', { name: 'Try it out' }).click()
  await version.getByRole('button', { name: 'Execute' }).click()
  const answer = version.locator('.live-responses-table')
  await answer.getByText('0.1.0').first().waitFor()
  expect(await answer.locator('tbody .response-col_status').first().innerText()).toContain('200')
  expect(await version.locator('.request-url').innerText()).toContain(`${server.url}/sepolia/api/v1/version`)

  const quote = page.locator('#operations-Quotes-quote')
  await quote.locator('.opblock-summary-control').click()
  await quote.getByRole('button', { name: 'Try it out' }).click()
  await quote.getByRole('button', { name: 'Execute' }).click()
  await quote.locator('.live-responses-table').getByText('sellTokenPrice').first().waitFor()
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

test('the browser blocks resources from other hosts', async () => {
  await using visited = await visit('/docs')
  const { page, warnings } = visited
  const refused = await page.evaluate(async () => {
    const violated = new Promise<string>((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
        once: true,
      })
    })
    const script = document.createElement('script')
    script.src = 'http://elsewhere.invalid/script.js'
    document.head.append(script)
    return violated
  })
  expect(refused).toBe('script-src-elem')
  await expect
    .poll(() => warnings, { timeout: visitTimeoutMs })
    .toContain('failed: http://elsewhere.invalid/script.js')
})
