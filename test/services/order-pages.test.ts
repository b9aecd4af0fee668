import path from 'node:path'
import { Interface, Wallet } from 'ethers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { startPrivateEndpoint } from '../fakes/private-endpoint.ts'
import { launchBrowser } from '../setup/browser.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish } from '../setup/trader.ts'
import { faultsOfAccess, visit, visitTimeoutMs } from '../setup/visit.ts'
import { startProgram, unlimited } from '../setup/world.ts'

/**
 * The page of an order in a browser, for each way that an order may go. With SCREENSHOTS=1 its picture in
 * docs/images is made anew.
 */
vi.setConfig({ testTimeout: 3 * visitTimeoutMs })

const coin = 10n ** 18n
const million = 10n ** 6n
const explorer = 'https://explorer.example'
const screens = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const
const calls = new Interface([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function sync()',
  'function approve(address spender, uint256 amount)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function getPair(address, address) view returns (address)',
])
/** The upper part of a page, as a picture of the documentation. */
const clip = { x: 0, y: 0, width: 1280, height: 1_350 }
const images = path.join(import.meta.dirname, '..', '..', 'docs', 'images')

let chain: TestChain
let database: TestDatabase
let endpoint: Awaited<ReturnType<typeof startPrivateEndpoint>>
const metricsKey = 'metrics-key-of-the-tests'
let app: Awaited<ReturnType<typeof startProgram>>
let browser: Browser
/** Of COW and WETH, the only one of COW. */
let pool: Address

beforeAll(async () => {
  ;[database, chain, browser] = await Promise.all([createTestDatabase(), startTestChain(), launchBrowser()])
  const { market, rpc, rpcUrl } = chain
  endpoint = await startPrivateEndpoint(rpc)
  const privateRpc = { url: endpoint.url, publicAfterBlocks: 50, whenDown: 'wait' } as const
  const networks = [{ network: { ...market.network, explorer }, rpcUrl: [rpcUrl], privateRpc }]
  const environment = { ...unlimited, METRICS_KEY: metricsKey, SOLVER_PRIVATE_KEY: market.solver.privateKey }
  const roles = ['serve', 'index', 'auction'] as const
  app = await startProgram({ database, chain }, environment, { networks, roles })
  const { COW, WETH } = market.tokens
  const data = calls.encodeFunctionData('getPair', [COW.address, WETH.address])
  const pair = await rpc.call<string>('eth_call', [{ to: market.network.poolFactory, data }, 'latest'])
  pool = address(`0x${pair.slice(-40)}`)
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
  for (const each of [endpoint, chain, database]) await each?.[Symbol.asyncDispose]()
})

const trader = (account: number) => createTrader(app.url ?? '', chain.market, account)

async function place(wish: OrderWish, account: number): Promise<string> {
  const { status, body } = await trader(account).place(wish)
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

/** A limit of 1.5 % below the market. */
const placeCow = (account: number) =>
  place({ sell: 'COW', buy: 'WETH', sellAmount: 20_000n * coin, buyAmount: (197n * coin) / 100n }, account)

const transaction = (to: Address, method: string, ...values: unknown[]) => ({
  from: chain.market.accounts[4]?.address,
  to,
  gas: '0x2dc6c0',
  data: calls.encodeFunctionData(method, values),
})
/** COW falls by three per cent. */
const fall = () => [
  transaction(chain.market.tokens.COW.address, 'mint', pool, 3_000_000n * coin),
  transaction(pool, 'sync'),
]
/** COW is as dear again as before the fall. */
const rise = () => [
  transaction(chain.market.tokens.WETH.address, 'transfer', pool, 320n * coin),
  transaction(pool, 'sync'),
]
async function send(transactions: object[]): Promise<void> {
  for (const each of transactions) await chain.rpc.call('eth_sendTransaction', [each])
}

const becomes = (uid: string, status: string) =>
  eventually(`it is ${status}`, async () => (await trader(0).order(uid)).status === status)

let fills = 0
/** The settler is done too: one that still follows its transaction sends it again after a reorganisation. */
async function becomesFilled(uid: string): Promise<void> {
  await becomes(uid, 'fulfilled')
  fills++
  await eventually('its settler is done', async () => {
    const answer = await fetch(`${app.url}/metrics`, { headers: { 'x-api-key': metricsKey } })
    const [, settled = 0] =
      /^tradegraph_settlements_total\{.*outcome="success".*\} (\d+)$/m.exec(await answer.text()) ?? []
    return Number(settled) >= fills
  })
}

/** Waits for these reasons. */
async function diagnosedAs(uid: string, ...codes: string[]): Promise<void> {
  const question = '{ order(uid: "UID") { diagnosis { code further { code } } } }'.replace('UID', uid)
  const seen = async () => {
    const { code, further } = (await graphql(app.url ?? '', question)).order.diagnosis
    return [code, ...further.map((each: { code: string }) => each.code)]
  }
  await expect.poll(seen, { timeout: 45_000, interval: 25 }).toEqual(codes)
}

/** What a reader sees of an order. */
interface Story {
  badge: string
  title: string
  summary: string
  /** The other reasons. */
  further: string[]
  /**
   * Titles of the timeline, the newest first. That it is on its way is left out: it is told only if an
   * auction sees it so.
   */
  steps: string[]
  trades: string[]
}

async function readStory(page: Page): Promise<Story> {
  const texts = (selector: string) => page.locator(selector).allInnerTexts()
  const steps = await texts('.entry h3')
  return {
    badge: await page.locator('.badge').innerText(),
    title: await page.locator('#reasons-title').innerText(),
    summary: await page.locator('.summary').innerText(),
    further: await texts('section[aria-labelledby=reasons-title] .group p:first-child'),
    steps: steps.filter((step) => step !== 'On its way'),
    trades: await texts('section[aria-labelledby=trades-title] h3'),
  }
}

/** Opens the page of an order on each screen, where it has to tell this and nothing else. */
async function expectStory(
  uid: string,
  story: Story,
  more = async (_page: Page) => {},
  picture?: string,
): Promise<void> {
  for (const { colorScheme, ...viewport } of screens) {
    const options = { viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' }
    await using visited = await visit(browser, `${app.url}/orders/${uid}`, options)
    const { page, hosts, warnings, bytes, shift } = visited
    await page.locator('.summary').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    // An auction that began before the last block may give another reason for a moment.
    await expect.poll(() => readStory(page), { timeout: 45_000, interval: 50 }).toEqual(story)
    await more(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    expect(await faultsOfAccess(page)).toEqual([])
    expect([...hosts]).toEqual([new URL(app.url ?? '').host])
    expect(warnings).toEqual([])
    expect(bytes()).toBeLessThan(100_000)
    expect(await shift()).toBeLessThan(0.1)
    if (process.env.SCREENSHOTS && picture && viewport.width > 1_000)
      await page.screenshot({ path: path.join(images, picture), fullPage: true, clip })
  }
}

/** Of the trades, the newest first. */
async function transactionsOf(uid: string): Promise<{ txHash: string; blockNumber: number }[]> {
  const question = `{ order(uid: "${uid}") { trades(first: 10) { nodes { txHash blockNumber } } } }`
  return (await graphql(app.url ?? '', question)).order.trades.nodes
}

const begin = ['A trade was found', 'Offered to solvers', 'Placed']
const outOfReach = expect.stringMatching(
  /^The order asks for a better price than the market gives\. For (its whole amount, [\d.,]+ \w+,|a small amount) the market is \d+(\.\d\d?)? % worse than the limit, before the fee of the network\.$/,
)
const waiting = { badge: 'Open, not filled yet', title: 'Why it is not filled', trades: [] }

/** Of a filled sale of COW. */
const cowSold = {
  badge: 'Filled',
  title: 'How it ended',
  further: [],
  summary: expect.stringMatching(/^The order is filled: 20,000 COW for [12]\.\d+ WETH\.$/),
  trades: [expect.stringMatching(/^20,000 COW for [12]\.\d+ WETH$/)],
}

test('a filled order says what was traded, and leads to its transaction', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 2_900n * million }, 0)
  await becomesFilled(uid)
  // The first order of a token is placed before its name is stored.
  await eventually('its tokens have names', async () =>
    (
      await graphql(app.url ?? '', `{ order(uid: "${uid}") { diagnosis { summary } } }`)
    ).order.diagnosis.summary.includes('WETH'),
  )
  const [trade] = await transactionsOf(uid)
  const story = {
    badge: 'Filled',
    title: 'How it ended',
    further: [],
    steps: ['Traded', ...begin],
    summary: expect.stringMatching(/^The order is filled: 1 WETH for 2,9\d\d\.\d+ USDC\.$/),
    trades: [expect.stringMatching(/^1 WETH for 2,9\d\d\.\d+ USDC$/)],
  }
  await expectStory(uid, story, async (page) => {
    const links = page.locator('section[aria-labelledby=trades-title] a[rel=noreferrer]')
    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
      `${explorer}/tx/${trade?.txHash}`,
    ])
    const total = await fact(page, 'Fees in total')
    expect(total).toMatch(/^−0\.000\d+ WETH \$\d\.\d+$/)
    expect(await fact(page, 'Network fee')).toBe(total)
    expect(await fact(page, 'Against the limit')).toMatch(
      /^3(\.\d+)? % better: 8\d(\.\d+)? USDC more received \$8\d\.\d\d$/,
    )
    expect(await fact(page, 'Against the quote')).toMatch(
      /^(Equal|(less than )?0\.\d+ % (better|worse): .+)$/,
    )
    expect(await fact(page, 'Against the auction’s prices')).toMatch(
      /^0\.\d+ % worse: \d+\.\d+ USDC less received \$\d+\.\d\d$/,
    )
    expect(await fact(page, 'Time')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/)
    expect(await page.locator('#actions-title').count()).toBe(0)
    const placed = await page.locator('dd time').first().innerText()
    expect(placed).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/)
  })
})

/** A fact of the page by its name. */
const fact = (page: Page, name: string) =>
  page.locator('dl > div', { hasText: name }).locator('dd').first().innerText()

test('an order that expires too soon for another auction says so before it expires', async () => {
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_600n * million } as const
  const uid = await place({ ...wish, validTo: Math.floor(Date.now() / 1_000) + 68 }, 3)
  await diagnosedAs(uid, 'EXPIRES_TOO_SOON', 'PRICE_OUT_OF_REACH')
  await expectStory(
    uid,
    {
      badge: 'Not offered any more',
      title: 'Why it is not offered any more',
      trades: [],
      summary:
        'The order expires in less than 60 seconds: it is not offered to solvers any more. Only an auction that has begun already can still fill it.',
      further: [expect.stringMatching(/^The order asked for a better price than the market gave\./)],
      steps: ['No longer offered to solvers', 'Offered to solvers', 'Placed'],
    },
    async (page) => {
      const text = await page.locator('main').innerText()
      expect(text).toContain('Place a new order with a later expiry, once this one has expired.')
      expect(text).toContain('The limit was at least 3,600 USDC for each WETH, after all fees.')
      expect(text).not.toContain('Wait for the market')
    },
  )
})

test('an order far from the market says how far', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_600n * million }, 3)
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  await expectStory(uid, {
    ...waiting,
    summary: outOfReach,
    further: [],
    steps: ['Offered to solvers', 'Placed'],
  })
})

test('an order whose transaction reverted says so with the answer of the contract, and is filled later', async () => {
  endpoint.onSent = async () => {
    endpoint.onSent = async () => {}
    await send(fall())
    await chain.rpc.call('evm_mine')
  }
  const uid = await placeCow(1)
  const failed = ['Offered to solvers', 'The trade failed', ...begin]
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  await expectStory(uid, { ...waiting, summary: outOfReach, further: [], steps: failed }, async (page) => {
    const entry = page.locator('.entry', { hasText: 'The trade failed' })
    expect(await entry.locator('p').allInnerTexts()).toEqual([
      'The transaction was refused, and nothing of the order was sold.',
      'Reported error: Pool: too little sent',
      expect.stringMatching(/^Transaction 0x/),
    ])
  })
  await send(rise())
  await becomesFilled(uid)
  await expectStory(uid, { ...cowSold, steps: ['Traded', 'A trade was found', ...failed] })
})

test('an order whose fill a reorganisation took back says where the fill went, and is filled later', async () => {
  const uid = await placeCow(2)
  await becomesFilled(uid)
  const [{ blockNumber = 0 } = {}] = await transactionsOf(uid)
  const head = Number(await chain.rpc.call<string>('eth_blockNumber'))
  const others = fall().map((each) => [each, 0])
  await chain.rpc.call('anvil_reorg', [head - blockNumber + 1, others])
  await becomes(uid, 'open')
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH', 'SETTLEMENT_TIMED_OUT')
  const lost = `The order was filled in block ${blockNumber}, but the chain replaced that block by another without the trade (a reorganisation). Nothing is sold.`
  const steps = ['The trade did not come back', 'Offered to solvers', 'Traded', ...begin]
  const takenBack = async (page: Page) => {
    const entry = page.locator('.entry', { hasText: 'Taken back.' })
    expect(await entry.locator('h3').innerText()).toBe('Traded')
    expect(await entry.locator('.kept').innerText()).toBe(
      'Taken back. The chain replaced the block in which this happened by another without it (a reorganisation). It counts as never happened: the account has what it had before.',
    )
    await page.getByText('Won, but the chain took it back').waitFor()
  }
  await expectStory(uid, { ...waiting, summary: outOfReach, further: [lost], steps }, takenBack)
  await send(rise())
  await becomesFilled(uid)
  await expectStory(uid, { ...cowSold, steps: ['Traded', 'A trade was found', ...steps] }, takenBack)
})

test('an order that is filled in part says how much, and what keeps the rest', async () => {
  const sale = { sell: 'WETH', buy: 'USDC', partiallyFillable: true } as const
  const amounts = { sellAmount: 1_500n * coin, buyAmount: 1_500n * 2_900n * million }
  const uid = await place({ ...sale, ...amounts }, 0)
  await diagnosedAs(uid, 'PARTLY_FILLED', 'PRICE_OUT_OF_REACH')
  const story = {
    badge: expect.stringMatching(/^Open, \d\d(\.\d)? % filled$/),
    title: 'Why the rest is not filled',
    summary: expect.stringMatching(
      /^\d\d\.\d+ % is filled: \d{3}\.\d+ WETH of 1,500 WETH\. 1,\d{3}\.\d+ WETH is left\.$/,
    ),
    further: [expect.stringMatching(/the market is \d+(\.\d\d?)? % worse than the limit/i)],
    steps: ['Offered to solvers', 'Traded', ...begin],
    trades: [expect.stringMatching(/^\d{3}\.\d+ WETH for \d{3},\d{3}(\.\d+)? USDC$/)],
  }
  await expectStory(uid, story, async () => {}, 'order-page.png')
})

/** A wallet in the browser with one of the accounts, on a network. */
interface TestWallet {
  account: number
  chainId: number
  /** The code of its error for a method, also for a call of one function: `eth_call 0x095ea7b3`. */
  errors: Record<string, number>
  signed: { domain: object; message: object }[]
}

const ownerOf = (account: number) => chain.market.accounts[account]?.address ?? ''

async function answerOf(wallet: TestWallet, method: string, params: unknown[]): Promise<unknown> {
  switch (method) {
    case 'eth_requestAccounts':
      return [ownerOf(wallet.account)]
    case 'eth_chainId':
      return `0x${wallet.chainId.toString(16)}`
    case 'wallet_switchEthereumChain':
      wallet.chainId = Number((params[0] as { chainId: string }).chainId)
      return null
    case 'eth_signTypedData_v4': {
      const { domain, types, message } = JSON.parse(String(params[1]))
      const { EIP712Domain: _, ...own } = types
      wallet.signed.push({ domain, message })
      const key = chain.market.accounts[wallet.account]?.privateKey ?? ''
      return new Wallet(key).signTypedData(domain, own, message)
    }
    default:
      return chain.rpc.call(method, params)
  }
}

/** Opens a page with a wallet that announces itself (EIP-6963), or that is `window.ethereum`. */
async function visitWithWallet(
  uid: string,
  wallet: TestWallet,
  isAnnounced = true,
  viewport = { width: 390, height: 844 },
) {
  const visited = await visit(browser, `${app.url}/orders/${uid}`, { viewport, locale: 'en-GB' })
  const { page } = visited
  await page.exposeFunction('walletRequest', async (method: string, params: unknown[] = []) => {
    const [{ data = '' } = {}] = params as { data?: string }[]
    const code = wallet.errors[method] ?? wallet.errors[`${method} ${data.slice(0, 10)}`]
    return code === undefined ? { result: await answerOf(wallet, method, params) } : { code }
  })
  await page.addInitScript((isAnnounced) => {
    type Request = (method: string, params: unknown) => Promise<{ result?: unknown; code?: number }>
    const { walletRequest } = window as unknown as { walletRequest: Request }
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const { result, code } = await walletRequest(method, params)
        if (code !== undefined) throw Object.assign(new Error('no'), { code })
        return result
      },
    }
    if (!isAnnounced) Object.assign(window, { ethereum: provider })
    else
      addEventListener('eip6963:requestProvider', () => {
        const info = { uuid: 'test', name: 'Test Wallet', icon: '', rdns: 'example.wallet' }
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
      })
  }, isAnnounced)
  await page.reload()
  // Requests of the first page were cut off.
  visited.warnings.length = 0
  return visited
}

const alertIn = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text).waitFor()

/** Checks whether the result of an action has the focus. */
const hasFocus = (page: Page) =>
  page.locator('.result').evaluate((element) => element === document.activeElement)

test('the owner cancels an order with the wallet, and only with the account and network of the order', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_600n * million }, 3)
  const wallet: TestWallet = { account: 4, chainId: 1, errors: {}, signed: [] }
  await using visited = await visitWithWallet(uid, wallet)
  const { page, warnings, shift } = visited
  const cancel = page.getByRole('button', { name: 'Cancel the order with Test Wallet' })
  await cancel.click()
  const [other, owner] = [ownerOf(4), ownerOf(3)].map((each) => `${each.slice(0, 8)}…${each.slice(-6)}`)
  await alertIn(
    page,
    `The wallet is on the account ${other}. The order belongs to ${owner}: choose that account in the wallet, then try again.`,
  )
  wallet.account = 3
  await cancel.click()
  await alertIn(page, 'The wallet is on another network than the order.')
  await expect.poll(() => hasFocus(page)).toBe(true)
  expect(await faultsOfAccess(page)).toEqual([])
  wallet.errors = { eth_signTypedData_v4: 4001 }
  await page.getByRole('button', { name: `Switch the wallet to ${chain.market.network.name}` }).click()
  await alertIn(page, 'You declined the request in the wallet. Nothing was signed or sent.')
  expect(wallet.chainId).toBe(chain.market.network.chainId)
  wallet.errors = { eth_signTypedData_v4: -32_002 }
  await cancel.click()
  await alertIn(page, 'An earlier request is still open in the wallet.')
  expect((await trader(3).order(uid)).status).toBe('open')
  expect(await shift()).toBeLessThan(0.1)

  wallet.errors = {}
  await cancel.click()
  await page.getByRole('status').getByText('Cancelled.').waitFor()
  await becomes(uid, 'cancelled')
  await page.locator('.badge', { hasText: 'Cancelled' }).waitFor()
  const { chainId, settlement } = chain.market.network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: settlement }
  expect(wallet.signed).toEqual([{ domain, message: { orderUids: [uid] } }])
  expect(await cancel.isDisabled()).toBe(true)
  expect(await faultsOfAccess(page)).toEqual([])
  expect(warnings).toEqual([])
})

test('a wallet signs nothing for an order that is not the one of the address', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_601n * million }, 3)
  const { chainId } = chain.market.network
  const wallet: TestWallet = { account: 3, chainId, errors: {}, signed: [] }
  await using visited = await visitWithWallet(uid, wallet, false)
  const { page } = visited
  await page.route(`${app.url}/graphql`, async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    if (json.data?.order?.network) json.data.order.network.settlementContract = ownerOf(1)
    await route.fulfill({ response, json })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Cancel the order with your wallet' }).click()
  await alertIn(page, 'The service describes another order than the one in this page’s address.')
  expect(wallet.signed).toEqual([])
  await page.unrouteAll({ behavior: 'wait' })
})

/** Acts without input: the browser does not count what moves soon after one. */
async function press(page: Page, name: RegExp): Promise<void> {
  const button = page.getByRole('button', { name })
  await button.waitFor()
  await button.dispatchEvent('click')
}

test.each(screens)('the page stays where it is after a cancellation on $width px', async (viewport) => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_604n * million }, 3)
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  const { chainId } = chain.market.network
  const wallet: TestWallet = { account: 3, chainId, errors: {}, signed: [] }
  await using visited = await visitWithWallet(uid, wallet, true, viewport)
  const { page, shift } = visited
  await page.locator('.summary').waitFor()
  await press(page, /^Cancel the order/)
  await page.locator('.badge', { hasText: 'Cancelled' }).waitFor()
  await page.locator('.summary', { hasText: 'Its owner cancelled the order.' }).waitFor()
  await page.locator('.entry h3', { hasText: 'Cancelled' }).waitFor()
  expect(await shift()).toBeLessThan(0.1)
})

test('the page stays where it is after an approval, and shows the fill that follows', async () => {
  const { vaultRelayer, chainId } = chain.market.network
  await send(fall())
  const uid = await placeCow(1)
  const data = calls.encodeFunctionData('approve', [vaultRelayer, 0])
  await send([{ from: ownerOf(1), to: chain.market.tokens.COW.address, data, gas: '0x30d40' }])
  await diagnosedAs(uid, 'ALLOWANCE_MISSING', 'PRICE_OUT_OF_REACH')
  const wallet: TestWallet = { account: 1, chainId, errors: {}, signed: [] }
  const [viewport] = screens
  await using visited = await visitWithWallet(uid, wallet, true, viewport)
  const { page, shift } = visited
  await page.locator('.summary').waitFor()
  await press(page, /^Approve 20,000 COW/)
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  await page.getByRole('status').getByText('Approved.').waitFor()
  expect(await shift()).toBeLessThan(0.1)
  await send(rise())
  await becomesFilled(uid)
  await page.locator('.badge', { hasText: 'Filled' }).waitFor()
  await page.locator('.summary', { hasText: 'The order is filled' }).waitFor()
  await page.locator('#quality-title').waitFor()
  expect(await page.getByRole('button', { name: /^(Approve 20,000 COW|Cancel the order)/ }).count()).toBe(2)
})

async function allowanceOf(account: number, token: Address): Promise<bigint> {
  const data = calls.encodeFunctionData('allowance', [ownerOf(account), chain.market.network.vaultRelayer])
  return BigInt(await chain.rpc.call<string>('eth_call', [{ to: token, data }, 'latest']))
}

test('the owner approves what is left to sell, and no more, after seeing amount and spender', async () => {
  const { DAI } = chain.market.tokens
  const { vaultRelayer, chainId } = chain.market.network
  const sellAmount = 1_000n * coin + 1n
  const uid = await place({ sell: 'DAI', buy: 'USDC', sellAmount, buyAmount: 2_000n * million }, 2)
  const data = calls.encodeFunctionData('approve', [vaultRelayer, 0])
  await send([{ from: ownerOf(2), to: DAI.address, data, gas: '0x30d40' }])
  await diagnosedAs(uid, 'ALLOWANCE_MISSING', 'PRICE_OUT_OF_REACH')
  const wallet: TestWallet = { account: 2, chainId, errors: { eth_sendTransaction: 4001 }, signed: [] }
  await using visited = await visitWithWallet(uid, wallet)
  const { page, warnings, shift } = visited
  const approve = page.getByRole('button', { name: 'Approve 1,000.000000000000000001 DAI with Test Wallet' })
  await approve.waitFor()
  expect(await fact(page, 'Amount')).toBe('1,000.000000000000000001 DAI')
  expect(await fact(page, 'Spender')).toMatch(vaultRelayer)
  expect(await allowanceOf(2, DAI.address)).toBe(0n)
  await approve.click()
  await alertIn(page, 'You declined the request in the wallet. Nothing was signed or sent.')
  expect(await shift()).toBeLessThan(0.1)
  wallet.errors = {}
  await approve.click()
  await page.getByRole('status').getByText('Approved.').waitFor()
  expect(await allowanceOf(2, DAI.address)).toBe(sellAmount)
  expect(await approve.isDisabled()).toBe(true)
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  expect(await faultsOfAccess(page)).toEqual([])
  expect(warnings).toEqual([])
})

test('an approval that waits for its block is kept, and blocks no cancellation', async () => {
  const { COW } = chain.market.tokens
  const { vaultRelayer, chainId } = chain.market.network
  const approveCall = (amount: bigint) => {
    const data = calls.encodeFunctionData('approve', [vaultRelayer, amount])
    return [{ from: ownerOf(2), to: COW.address, data, gas: '0x30d40' }]
  }
  const sale = { sell: 'COW', buy: 'USDC', sellAmount: 1_000n * coin, buyAmount: million ** 2n } as const
  const uid = await place(sale, 2)
  await send(approveCall(5n))
  await diagnosedAs(uid, 'ALLOWANCE_MISSING', 'PRICE_OUT_OF_REACH')
  const wallet: TestWallet = { account: 2, chainId, errors: { 'eth_call 0x095ea7b3': 3 }, signed: [] }
  await using visited = await visitWithWallet(uid, wallet)
  const { page, warnings } = visited
  const approve = page.getByRole('button', { name: 'Approve 1,000 COW with Test Wallet' })
  await approve.click()
  await alertIn(page, 'Set the approval of this token to 0 in the wallet first, then approve here.')
  await expect.poll(() => hasFocus(page)).toBe(true)
  expect(await allowanceOf(2, COW.address)).toBe(5n)

  // From zero no token refuses it.
  await send(approveCall(0n))
  await expect.poll(() => allowanceOf(2, COW.address)).toBe(0n)
  Object.assign(wallet.errors, { eth_getTransactionReceipt: -32_603 })
  await approve.click()
  const sent = page.getByRole('status').filter({ hasText: 'The approval is sent.' })
  await sent.waitFor()
  expect(await sent.locator('a').count()).toBe(1)
  await expect.poll(() => allowanceOf(2, COW.address)).toBe(1_000n * coin)
  expect(await approve.isDisabled()).toBe(true)

  // The focus scrolls the result into view.
  await expect.poll(() => hasFocus(page)).toBe(true)
  await page.getByRole('button', { name: 'Cancel the order with Test Wallet' }).click()
  await page.getByRole('status').getByText('Cancelled.').waitFor()
  expect(await sent.count()).toBe(1)
  expect(await page.getByRole('alert').count()).toBe(0)
  wallet.errors = {}
  await page
    .getByRole('status')
    .getByText(/^Approved\. +Transaction/)
    .waitFor()
  expect(await faultsOfAccess(page)).toEqual([])
  expect(warnings).toEqual([])
})

test('copies the order id by the keyboard, and says so', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_602n * million }, 3)
  await using visited = await visit(browser, `${app.url}/orders/${uid}`)
  const { page } = visited
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copy = page.getByRole('button', { name: 'Copy the order id' })
  await copy.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Copied: the order id.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(uid)
})

test('the distance to the market is the same in all parts of the page', async () => {
  const uid = await place({ sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 3_603n * million }, 3)
  await diagnosedAs(uid, 'PRICE_OUT_OF_REACH')
  await using visited = await visit(browser, `${app.url}/orders/${uid}`)
  const { page } = visited
  const line = page.getByText(
    /^For this order the market is [\d.]+ % worse than the limit, before the network fee/,
  )
  // The text of a page that is still hidden is empty.
  await line.waitFor()
  const [share] = /[\d.]+ %/.exec(await line.innerText()) ?? []
  expect(await page.locator('.summary').innerText()).toContain(`the market is ${share} worse than the limit`)
  const shares = (await page.locator('main').innerText()).match(/[\d.]+ % (worse|better)/g)
  expect(new Set(shares)).toEqual(new Set([`${share} worse`]))
})
