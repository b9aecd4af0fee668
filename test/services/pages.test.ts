import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { sample } from '../../src/rest/openapi/sample.ts'
import { insertProgrammaticFacts } from '../../src/storage/chain/programmatic.ts'
import { sql } from '../../src/storage/database/database.ts'
import { ids, owner, paramsOf, start, word } from '../domain/programmatic/vectors.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { storeContest, storeSettlement } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/story.ts'
import { openSampleWorld } from '../rest/openapi/world.ts'
import { launchBrowser } from '../setup/browser.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'
import { faultsOfAccess, visit as open, untilRead, visitTimeoutMs } from '../setup/visit.ts'

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

test('GraphiQL opens on the diagnosis of the newest orders, executes it, and contacts no other host', async () => {
  await using visited = await visit('/graphql')
  const { page, hosts, warnings } = visited
  const query = page.locator('.graphiql-query-editor')
  await query.getByText('diagnosis').first().waitFor()
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes('NewestOrder') ?? false,
  )
  await page.locator('.graphiql-execute-button').click()
  const answer = await (await answered).json()
  expect(answer.errors).toBeUndefined()
  expect(answer.data.orders.nodes[0].debugReport.events.nodes[0].label).toBe('CREATED')
  await page.locator('.graphiql-response').getByText('diagnosis').first().waitFor()
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

test.each([
  ['/', 'Why is my order not filled?'],
  ['/?q=order%20expired', 'OrderExpired'],
  ['/orders/UID', 'Why it is not filled'],
  ['/orders/UID', 'What happened'],
  ['/auctions/AUCTION', 'Solutions, best first'],
  ['/accounts/OWNER', 'Orders'],
])('%s says on a phone: %s', async (path, heading) => {
  const { orders, latestAuction } = await graphql(
    server.url,
    '{ orders(first: 1, status: OPEN) { nodes { uid owner } } latestAuction(network: SEPOLIA) { auctionId } }',
  )
  const [{ uid, owner }] = orders.nodes
  const at = path.replace('UID', uid).replace('OWNER', owner).replace('AUCTION', latestAuction.auctionId)
  await using visited = await visit(at, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  const { page, hosts, warnings } = visited
  await page.getByRole('heading', { name: heading }).waitFor()
  await untilRead(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(await visited.shift()).toBeLessThan(0.1)
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

test('a programmatic order shows its schedule, its parts and the next one on a phone', async () => {
  const { db } = server.database
  const params = paramsOf('A')
  const position = { blockNumber: 5, logIndex: 0, txHash: word(5) }
  const creation = { ...position, owner, hash: ids.A, params, blockTime: new Date(1_799_999_000_000) }
  await db.transaction((tx) =>
    insertProgrammaticFacts(tx, signingDomain.chainId, { creations: [creation], roots: [], sheds: [] }),
  )
  await sql(db).$executeRaw`
    UPDATE programmatic_orders SET looked_block = 6, part_count = 4, starts_at = ${start}, ends_at = ${start + 14_399}`
  const { programmaticOrders } = await graphql(server.url, '{ programmaticOrders { nodes { id } } }')
  const viewport = { width: 390, height: 844 }
  await using visited = await visit(`/programmatic/${programmaticOrders.nodes[0].id}`, { viewport })
  const { page, hosts, warnings } = visited
  await page.getByRole('heading', { name: /^TWAP: sell .* in 4 parts$/ }).waitFor()
  const parts = page.getByRole('table', { name: 'Parts' }).locator('tbody tr')
  await expect.poll(() => parts.count()).toBe(4)
  expect(await parts.locator('.badge').allTextContents()).toEqual([
    'Not placed yet',
    'Later',
    'Later',
    'Later',
  ])
  const next = page.locator('section[aria-labelledby=next-title]')
  expect(await next.locator('dd').first().textContent()).toBe('1 of 4')
  expect(await next.locator('.note').last().textContent()).toMatch(/^The watch tower has not polled it/)
  expect(await page.getByText('1 hour', { exact: true }).count()).toBe(2)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(await visited.shift()).toBeLessThan(0.1)
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
  await page.goto(`${server.url}/programmatic/${'x'.repeat(150)}`)
  await page.getByRole('alert').waitFor()

  const own = `/programmatic/${programmaticOrders.nodes[0].id}`
  const linked = page.locator(`a[href="${server.url}${own}"]`)
  for (const path of ['/', '/programmatic-orders?type=TWAP', `/programmatic-orders?owner=${owner}`]) {
    await page.goto(`${server.url}${path}`)
    await linked.getByText(/^TWAP: sell .* in 4 parts$/).waitFor()
    await page.getByText('0 of 4 parts filled').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await faultsOfAccess(page)).toEqual([])
  }
  await page.goto(`${server.url}/accounts/${owner}`)
  await page.getByRole('region', { name: 'Programmatic orders' }).locator(linked).waitFor()
  await page.goto(`${server.url}/programmatic-orders?type=STOP_LOSS`)
  await page.getByText('Nothing matches.').waitFor()
  for (const searched of [ids.A, `${ids.A}${owner.slice(2)}00000000`, word(5)]) {
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? request.url()))
    await page.goto(`${server.url}/`)
    await page.getByRole('searchbox').fill(searched)
    await page.keyboard.press('Enter')
    if (searched === word(5)) await page.getByRole('link', { name: 'look it up' }).click()
    await page.waitForURL(`${server.url}${own}`)
    if (searched === ids.A) expect(sent.join()).not.toContain(ids.A.slice(2))
  }
})

test('the page of a token does not move while it loads', async () => {
  const { orders } = await graphql(server.url, '{ orders(first: 1) { nodes { sellToken { address } } } }')
  const options = { viewport: { width: 390, height: 844 } }
  await using visited = await visit(`/tokens/${orders.nodes[0].sellToken.address}`, options)
  await visited.page.locator('section[aria-labelledby=history-title]').locator('.plot, .empty').waitFor()
  await visited.page.locator('section[aria-labelledby=holders-title]').waitFor()
  expect(await visited.shift()).toBeLessThan(0.1)
})

test('the page of a token shows the time that was chosen last, also where an earlier answer is late', async () => {
  const { orders } = await graphql(server.url, '{ orders(first: 1) { nodes { sellToken { address } } } }')
  await using visited = await visit('/nothing')
  const { page } = visited
  let answerMonth = () => {}
  const asked = new Promise<void>((resolve) => {
    answerMonth = resolve
  })
  await page.route('**/graphql', async (route) => {
    const { query, variables } = route.request().postDataJSON()
    if (!query.includes('priceHistory')) return route.continue()
    const isMonth = variables.interval === 'ONE_DAY'
    if (isMonth) await asked
    const points = [1, 2].map((day) => ({ at: `2027-01-0${day}T00:00:00Z`, price: String(day) }))
    const priceHistory = { source: isMonth ? 'of a month' : 'of a day', points }
    await route.fulfill({ json: { data: { token: { priceHistory } } } })
  })
  await page.goto(`${server.url}/tokens/${orders.nodes[0].sellToken.address}`)
  const history = page.locator('section[aria-labelledby=history-title]')
  await history.getByText('Source: of a day').waitFor()
  const answered = page.waitForResponse(
    (response) => response.request().postDataJSON()?.variables?.interval === 'ONE_DAY',
  )
  await history.getByRole('button', { name: 'Month' }).click()
  await history.getByRole('button', { name: 'Day' }).click()
  answerMonth()
  await (await answered).finished()
  await page.waitForTimeout(1_000)
  expect(await history.getByText('Source:').innerText()).toBe('Source: of a day')
  await history.getByRole('button', { name: 'Month' }).click()
  await history.getByText('Source: of a month').waitFor()
})

const sectionText = async (page: Page, id: string) =>
  (await page.locator(`section[aria-labelledby=${id}-title]`).innerText()).replaceAll(/\s+/g, ' ')

test('the page of an auction shows its time, its state, and which lines of solutions were traded', async () => {
  await using visited = await visit('/auctions/9', { timezoneId: 'UTC', locale: 'en-GB' })
  const { page } = visited
  await page.locator('h1 + .badge', { hasText: 'Settled' }).waitFor()
  expect(await page.locator('.state').count()).toBe(0)
  const { auction } = await graphql(server.url, '{ auction(id: 9, network: SEPOLIA) { createdAt } }')
  expect(await page.locator('time').first().getAttribute('datetime')).toBe(
    new Date(auction.createdAt).toISOString(),
  )
  const marks = await page.locator('section li .note:last-child').allInnerTexts()
  expect(marks).toEqual(['Traded in block 109', 'Not traded', 'Traded in block 109'])
})

test('the page of an auction is live until a settlement', async () => {
  const { db } = server.database
  const order = await storeOrder(db, { owner: numbered('71') })
  const fill = { order, sell: order.sellAmount, buy: order.buyAmount + 5n }
  const solver = numbered('52')
  await storeContest(db, {
    id: 12n,
    orders: [order],
    deadlineBlock: 1_000,
    solutions: [
      { solver, score: 2n, isWinner: true, fills: [fill] },
      { solver: numbered('53'), score: 1n, fills: [fill] },
    ],
  })
  await using visited = await visit('/auctions/12')
  const { page } = visited
  await page.locator('h1 + .badge', { hasText: 'Waiting for the chain' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const marks = page.locator('section li .note:last-child')
  expect(await marks.allInnerTexts()).toEqual(['Not traded yet', 'Not traded', 'Not traded yet'])
  const settled = { txHash: `0x${'7c'.repeat(32)}` as const, blockNumber: 110, logIndex: 9 }
  await storeSettlement(db, { ...settled, auctionId: 12n, solver, trades: [fill] })
  await page.locator('h1 + .badge', { hasText: 'Settled' }).waitFor()
  expect(await marks.allInnerTexts()).toEqual(['Traded in block 110', 'Not traded', 'Traded in block 110'])
  await page.locator('.state').waitFor({ state: 'detached' })
})

test('the page of a token names the pools that hold it, and links its orders', async () => {
  await using visited = await visit(`/tokens/${sample.usdc}`)
  const { page } = visited
  await page.getByText('Pool USDC/WETH').waitFor()
  const { networks } = await graphql(server.url, '{ networks { name wrappedNative { address } } }')
  const [{ name, wrappedNative }] = networks
  const links = page.locator('section[aria-labelledby=orders-title] a')
  expect(await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))).toEqual([
    `${server.url}/orders?network=${name}&sell=${sample.usdc}&buy=${wrappedNative.address}`,
    `${server.url}/orders?network=${name}&sell=${wrappedNative.address}&buy=${sample.usdc}`,
  ])
})

test('the page of a token names contracts, and is live only with a price', async () => {
  const [priced, unpriced] = [numbered('81'), numbered('82')]
  const decimals = { symbol: 'TKN', name: null, decimals: 6 }
  let names: Record<'vaultRelayer' | 'settlementContract', Address> | undefined
  const holder = (address: Address) => ({ address, balance: 5_000_000n })
  const value = <Value>(value: Value) => ({ value, source: 'own', at: 0, keepMs: 1, isStale: false })
  await using other = await openTestServer({
    tokens: async (asked) =>
      new Map(asked.map((address) => [address, { ...decimals, address, chainId: signingDomain.chainId }])),
    topHolders: async (token) =>
      names &&
      value(
        [numbered('00'), token, names.vaultRelayer, names.settlementContract, numbered('91')].map(holder),
      ),
    async *watchPrices([token], { signal }) {
      const usd = token === priced ? value('2.5') : ('absent' as const)
      const subject = token ?? expect.fail()
      const changes = [{ subject, value: { usd, native: 'absent' as const }, before: undefined }]
      yield { block: 7, isComplete: true, isAvailable: true, changes }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  const { networks } = await graphql(other.url, '{ networks { vaultRelayer settlementContract } }')
  names = networks[0]
  await using visited = await open(browser, `${other.url}/tokens/${priced}`)
  const { page } = visited
  await page.getByText('$2.50').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('The settlement contract on').waitFor()
  expect((await page.locator('ol li').allInnerTexts()).map((text) => text.split(/,? ?0x/)[0])).toEqual([
    'Burned',
    'The token’s own contract',
    'The vault relayer on sepolia',
    'The settlement contract on sepolia',
    '',
  ])
  await page.goto(`${other.url}/tokens/${unpriced}`)
  await page.getByText('No source has a price in US dollars.').waitFor()
  await page.locator('.state').waitFor({ state: 'detached' })
})

test('the page of an account shows what waits for a signature, balances, allowances and the surplus', async () => {
  const { db } = server.database
  const presigned = await storeOrder(db, {
    owner: address(sample.trader),
    signingScheme: 'presign',
    sellToken: address(sample.usdc),
    sellAmount: 2_000n * 10n ** 6n,
    feeAmount: 5n * 10n ** 6n,
  })
  // The contract that placed it has its amount.
  await storeOrder(db, {
    owner: numbered('72'),
    onchainUser: address(sample.trader),
    signingScheme: 'eip1271',
    sellToken: address(sample.usdc),
    sellAmount: 700n * 10n ** 6n,
  })
  await using visited = await visit(`/accounts/${sample.trader}`, { viewport: { width: 390, height: 844 } })
  const { page, warnings } = visited
  await page.getByRole('heading', { name: 'Waiting for a signature' }).waitFor()
  await page.getByText('$2,500.00').waitFor()
  expect((await page.locator('section h2').allInnerTexts()).slice(0, 3)).toEqual([
    'Waiting for a signature',
    'Orders',
    'Balances on sepolia',
  ])
  const unsigned = page.locator('section[aria-labelledby=unsigned-title] .order a')
  expect(await unsigned.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).title))).toEqual([
    presigned.uid,
  ])
  const rows = await page.locator('tbody tr').allInnerTexts()
  expect(rows.map((row) => row.split(/\s*\n\s*|\t/))).toEqual([
    ['USDC', '2,500 USDC', '$2,500.00', '2,005 USDC', '1,000 USDC: too low'],
    ['WETH', 'Not known', '–', '3 WETH', 'Not known'],
    ['ETH', '2 ETH', '$6,000.00', '–', '–'],
  ])
  expect(await sectionText(page, 'balances-sepolia')).toContain('Surplus of all trades 0 ETH')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(await visited.shift()).toBeLessThan(0.1)
  expect(visited.bytes()).toBeLessThan(60_000)
  expect(warnings).toEqual([])
  await page.goto(`${server.url}/accounts/${sample.guided}`)
  await page.getByText('Surplus of all trades').waitFor()
  const { account } = await graphql(
    server.url,
    `{ account(address: "${sample.guided}") { totalSurplus(network: SEPOLIA) } }`,
  )
  expect(account.totalSurplus).toBe('2999999999999999999')
  expect(await sectionText(page, 'balances-sepolia')).toContain('Surplus of all trades 2.99999 ETH')
  expect(await page.locator('#unsigned-title').count()).toBe(0)
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
  await untilRead(page)
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

const searched = (text: string) => `/?q=${encodeURIComponent(text)}`
const answer = (page: Page) => page.locator('[role=status]')

test('the address of the page has the search: it is there after a reload, and when going back', async () => {
  await using visited = await visit('/')
  const { page } = visited
  await search(page, 'order expired', 'OrderExpired')
  expect(page.url()).toBe(`${server.url}/?q=order%20expired`)
  await search(page, 'no liquidity', 'NoLiquidity')
  await page.goBack()
  await page.getByRole('heading', { name: 'OrderExpired' }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('order expired')
  expect(await found(page)).toEqual(['OrderExpired', 'ORDER_EXPIRED', 'Expiry'])
  await page.reload()
  await page.getByRole('heading', { name: 'OrderExpired' }).waitFor()
  await page.goBack()
  await expect.poll(() => found(page)).toEqual([])
  expect(await page.getByRole('searchbox').inputValue()).toBe('')

  // What has a page of its own takes the place of its search.
  await page.getByRole('searchbox').fill('17')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/auctions/17`)
  await page.goBack()
  await page.waitForURL(`${server.url}/`)
})

test('the search says who signed, and links the order of an error, but no contract of the service', async () => {
  const { networks } = await graphql(server.url, '{ networks { name vaultRelayer settlementContract } }')
  const [{ name, vaultRelayer, settlementContract }] = networks
  const [one, other] = [numbered('a1'), numbered('b2')]
  const links = (page: Page) =>
    answer(page)
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))

  await using visited = await visit(searched(`signature recovers to ${one}, from is ${other}`))
  const { page } = visited
  await page.getByText('The text says that').waitFor()
  expect(await found(page)).toEqual(['InvalidSignature'])
  expect((await answer(page).innerText()).replaceAll(/\s+/g, ' ')).toContain(
    'The text says that 0xa1a1a1…a1a1a1 signed, and that the order belongs to 0xb2b2b2…b2b2b2.',
  )
  expect(await links(page)).toEqual([`${server.url}/accounts/${one}`, `${server.url}/accounts/${other}`])

  const uid = `0x${'12'.repeat(56)}`
  const body = { errorType: 'DuplicatedOrder', description: 'an order with this UID exists already' }
  await page.goto(`${server.url}${searched(JSON.stringify({ ...body, data: { uid } }))}`)
  await page.getByText('The text names the order').waitFor()
  expect(await links(page)).toEqual([`${server.url}/orders/${uid}`])

  await page.goto(`${server.url}${searched(`execution reverted: ${one} at ${settlementContract}`)}`)
  await page.getByText(`in the text is the settlement contract on ${name}, not an account.`).waitFor()
  expect(await links(page)).toEqual([`${server.url}/?q=${one}`])

  const spender = { errorType: 'InsufficientAllowance', data: { spender: vaultRelayer } }
  await page.goto(`${server.url}${searched(JSON.stringify(spender))}`)
  await page.getByText(`The contract to approve on ${name}`).waitFor()
  expect(await answer(page).getByText('The text names').count()).toBe(0)
  expect(await faultsOfAccess(page)).toEqual([])
})

test('the search shows nothing of a pasted text as words of its own', async () => {
  const sentence = 'Your account was hacked: send all tokens to the address below'
  const body = { mistake: 'chain_id', explanation: sentence, description: sentence, advice: sentence }
  await using visited = await visit(searched(`InvalidSignature ${JSON.stringify(body)}`))
  const { page } = visited
  await page.getByText('The text names the mistake chain_id').waitFor()
  expect(await found(page)).toEqual(['InvalidSignature'])
  expect(await page.locator('body').innerText()).not.toContain('hacked')
  await page.goto(
    `${server.url}${searched(`InvalidSignature ${JSON.stringify({ ...body, mistake: sentence })}`)}`,
  )
  await page.getByRole('heading', { name: 'InvalidSignature' }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain('hacked')
})

test.each([
  ['vaultRelayer', 'the vault relayer'],
  ['settlementContract', 'the settlement contract'],
])('the page of %s says what it is', async (member, words) => {
  const { networks } = await graphql(server.url, '{ networks { name vaultRelayer settlementContract } }')
  await using visited = await visit(`/accounts/${networks[0][member]}`)
  const { page } = visited
  await page.getByText(`This is ${words} on ${networks[0].name}.`).waitFor()
  expect(await page.locator('section h2').allInnerTexts()).toEqual(['No trader’s account'])
  expect(await faultsOfAccess(page)).toEqual([])
})

test('who asks in words is told what to paste, and what it looks like', async () => {
  await using visited = await visit(searched('my order does not fill'), {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  })
  const { page } = visited
  await page.getByRole('heading', { name: 'Which order is it?' }).waitFor()
  const examples = await answer(page).locator('code').allInnerTexts()
  expect(examples.map((example) => example.length)).toEqual([42, 114, 66])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
})

test('the search explains what wallets say, and numbers that are cut short or mean two things', async () => {
  await using visited = await visit(searched('insufficient funds for gas * price + value'), {
    viewport: { width: 390, height: 844 },
  })
  const { page } = visited
  await page.getByRole('heading', { name: 'Too little coin for gas' }).waitFor()
  expect(await found(page)).toEqual(['Too little coin for gas'])
  expect(await answer(page).innerText()).toContain('places the order by a signature, which costs no gas.')
  expect(await faultsOfAccess(page)).toEqual([])

  await page.goto(`${server.url}${searched('404')}`)
  await page.getByRole('heading', { name: 'HTTP status 404: Not Found' }).waitFor()
  const auction = answer(page).getByRole('link')
  expect(await auction.getAttribute('href')).toBe(`${server.url}/auctions/404`)
  await page.goto(`${server.url}${searched('#404')}`)
  await page.waitForURL(`${server.url}/auctions/404`)

  const cut = [
    ['0x1234…abcd', 'cut short', /^Copy it whole/],
    ['my order 0x…abcd is not filled', 'cut short', /^Copy it whole/],
    [`0x${'ab'.repeat(19)}a`, 'cut short', /^It has 39 digits after 0x\. Copy it whole/],
    [`0x${'ab'.repeat(57)}`, 'too long', /^It has 114 digits after 0x\. Copy it whole/],
  ] as const
  for (const [text, how, words] of cut) {
    await page.goto(`${server.url}${searched(text)}`)
    await page.getByRole('heading', { name: `This number is ${how}` }).waitFor()
    expect(await answer(page).locator('p').first().innerText()).toMatch(words)
  }
  const examples = await answer(page).locator('code').allInnerTexts()
  expect(examples.map((example) => example.length)).toEqual([42, 114, 66])

  await page.goto(`${server.url}${searched('Nicht genug Guthaben')}`)
  await page.getByText('Errors are found by their English text or by their code.').waitFor()
  expect(await found(page)).toEqual(['Nothing was found'])

  await page.goto(`${server.url}${searched('my uniswap order has been pending since Tuesday')}`)
  await page.getByText('Or is it the text of an error? Errors are found by their English text').waitFor()
  expect(await found(page)).toEqual(['Which order is it?'])
})

test('the search finds tokens, codes, settings and topics, and else nothing', async () => {
  await using visited = await visit('/', { viewport: { width: 390, height: 844 } })
  const { page, warnings } = visited
  const { networks } = await graphql(
    server.url,
    '{ networks { name tokens(search: "WETH", first: 1) { nodes { address } } } }',
  )
  const [{ name, tokens }] = networks
  const one = await search(page, 'weth', 'Is it this token?')
  expect(one).toContain(tokens.nodes[0].address)
  const links = answer(page).getByRole('link')
  expect(await links.first().getAttribute('href')).toBe(
    `${server.url}/tokens/${tokens.nodes[0].address}?network=${name}`,
  )
  expect(await faultsOfAccess(page)).toEqual([])
  await search(page, 'sell weth for usdc', 'The first token')
  expect(await found(page)).toEqual(['The first token', 'The second token'])
  expect(await search(page, 'price out of reach', 'PRICE_OUT_OF_REACH')).toContain(
    'What to do: Wait for the market, or place a new order with a limit nearer to it.',
  )
  expect(await search(page, 'FEE_POLICIES', 'FEE_POLICIES')).toContain('Protocol fees in order, JSON')
  expect(await search(page, 'do I need to approve every time?', 'Approvals')).toContain(
    'The contract to approve on',
  )
  const more = answer(page).getByRole('link', { name: 'More in the documentation' })
  expect((await request((await more.getAttribute('href')) ?? '')).status).toBe(200)
  await search(page, 'vitalik.eth', 'Names are not looked up here')
  await search(page, 'token not found', 'Is it one of these?')
  expect(await search(page, 'slipage', 'Is it one of these?')).toContain('Slippage')
  await search(page, 'qwertyuiop', 'Nothing was found')
  expect(await faultsOfAccess(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(warnings).toEqual([])
})

test('a recovery phrase is not sent, gets into no address, and is warned of', async () => {
  const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const { orders } = await graphql(server.url, '{ orders(first: 1) { nodes { uid } } }')
  for (const path of ['/', `/orders/${orders.nodes[0].uid}`, '/tokens']) {
    await using visited = await visit(path)
    const { page } = visited
    const sent: string[] = []
    page.on('request', (each) => sent.push(`${each.url()} ${each.postData() ?? ''}`))
    await untilRead(page)
    const field = path === '/tokens' ? page.getByLabel('Symbol or name') : page.getByRole('searchbox')
    await field.fill(phrase)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'This looks like a recovery phrase' }).waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('The text was not sent to the service.')
    expect(page.url()).toBe(`${server.url}${path}`)
    expect(await faultsOfAccess(page)).toEqual([])
    expect(sent.filter((text) => text.includes('sausage'))).toEqual([])
  }
  await using visited = await visit(searched(phrase))
  await visited.page.getByRole('heading', { name: 'This looks like a recovery phrase' }).waitFor()
  expect(visited.page.url()).toBe(`${server.url}/`)
  const warning = await visited.page.getByRole('alert').innerText()
  expect(warning).toContain('The address with this text was sent to the service, and may be in its logs')
  expect(warning).not.toContain('was not sent')
})

test('an account with a thousand open orders: the page says why five are not filled, and is charged for it', async () => {
  const { db, statements } = server.database
  const owner = numbered('77')
  const stored: Order[] = []
  for (let index = 0; index < 1_000; index++) {
    const creationDate = new Date(1_799_999_000_000 + index)
    stored.push(await storeOrder(db, { owner, sellAmount: 10n ** 18n + BigInt(index), creationDate }))
  }
  await using visited = await visit(`/accounts/${owner}`, { viewport: { width: 390, height: 844 } })
  const { page, warnings } = visited
  const newest = stored.toReversed().slice(0, 5)
  const reasons = page.locator('.order p a')
  await reasons.first().waitFor()
  expect(await reasons.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))).toEqual(
    newest.map(({ uid }) => `${server.url}/orders/${uid}`),
  )
  expect(new Set(await reasons.allInnerTexts())).toEqual(
    new Set(['The order is new: solvers have not looked for a trade yet.']),
  )
  await page.getByText('Only the newest 50 open orders count here. The account has more.').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(warnings).toEqual([])

  const asked = page.waitForRequest((sent) => sent.postData()?.includes('ordersByUids') ?? false)
  await page.reload()
  const { query, variables } = (await asked).postDataJSON()
  expect(variables.uids).toEqual(newest.map(({ uid }) => uid))
  await reasons.first().waitFor()
  await page.goto('about:blank')
  const counts: number[] = []
  let costs = 0
  // What the page asked last may still be under way: the fewest of three count.
  for (let turn = 0; turn < 3; turn++) {
    const before = statements.length
    const again = await request(`${server.url}/graphql`, 'POST', { query, variables })
    counts.push(statements.length - before)
    costs = again.body.extensions.cost.requested
  }
  expect(Math.min(...counts)).toBe(1)
  expect(costs).toBe(415)
})

test('the page of an order that is not there leads to the search for its error', async () => {
  await using visited = await visit(`/orders/0x${'12'.repeat(56)}`)
  const { page } = visited
  await page.getByRole('link', { name: 'InsufficientBalance' }).click()
  await page.getByRole('heading', { name: 'InsufficientBalance' }).waitFor()
  // Of a standing, of a programmatic order, and of a notification.
  const term = 'INSUFFICIENT_BALANCE'
  expect(await found(page)).toEqual(['InsufficientBalance', term, term, term])
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
