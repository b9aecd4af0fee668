import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Interface, Wallet } from 'ethers'
import type { Browser, Page, Request, Route } from 'playwright-core'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../docs/pages.ts'
import { launchBrowser } from '../setup/browser.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { packClient } from '../setup/packed-client.ts'
import { createTrader } from '../setup/trader.ts'
import { faultsOfAccess, type Visit, visit } from '../setup/visit.ts'
import { startWorld, type World } from '../setup/world.ts'

// The page of examples/swap, built as its README states, with the packed client.
const run = promisify(execFile)
const example = path.join(root, 'examples', 'swap')
const token = new Interface([
  'function approve(address spender, uint256 amount)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

let folder: string
let world: World
let browser: Browser
let server: PreviewServer

beforeAll(async () => {
  folder = createTemporaryHome()
  cpSync(example, folder, { recursive: true })
  await packClient(folder)
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags], { cwd: folder })
  ;[world, browser] = await Promise.all([startWorld(), launchBrowser()])
  process.env.VITE_TRADEGRAPH_URL = world.url
  await build({ root: folder, configFile: false, logLevel: 'error' })
  server = await preview({ root: folder, configFile: false, logLevel: 'error', preview: { port: 0 } })
}, 600_000)
afterAll(async () => {
  delete process.env.VITE_TRADEGRAPH_URL
  await browser?.close()
  await server?.close()
  await world?.[Symbol.asyncDispose]()
  await removeTemporaryHome(folder)
})

const address = () => server.resolvedUrls?.local[0] ?? ''
const open = (options = {}) => visit(browser, address(), options)

/** Connects a test account: each test has its own. */
async function connect({ page }: Visit, account = 2): Promise<void> {
  await page.getByLabel('RPC URL of its chain').fill(world.chain.rpcUrl)
  await page.getByLabel('Test account').fill(String(account))
  await page.getByRole('button', { name: 'Use the test account' }).click()
  await page.getByLabel('Amount to sell').waitFor()
}

async function enterSale(page: Page, amount: string): Promise<void> {
  // WETH is chosen by itself, and ETH cannot be.
  const sold = page.getByLabel(/^Sell/)
  expect(await sold.inputValue()).toBe(tokenOf('WETH'))
  expect(await sold.getByRole('option', { name: 'ETH (' }).allInnerTexts()).toHaveLength(1)
  await page.getByLabel(/^Buy/).selectOption(tokenOf('USDC'))
  await page.getByLabel('Amount to sell').fill(amount)
}

const tokenOf = (symbol: 'WETH' | 'USDC') => world.market.tokens[symbol].address.toLowerCase()
const ownerOf = (account: number) => world.market.accounts[account]?.address ?? ''

async function allowanceOf(account: number): Promise<bigint> {
  const { vaultRelayer } = world.market.network
  const data = token.encodeFunctionData('allowance', [ownerOf(account), vaultRelayer])
  return BigInt(await world.chain.rpc.call<string>('eth_call', [{ to: tokenOf('WETH'), data }, 'latest']))
}

async function revoke(account: number): Promise<void> {
  const data = token.encodeFunctionData('approve', [world.market.network.vaultRelayer, 0])
  const call = { from: ownerOf(account), to: tokenOf('WETH'), data, gas: '0x30d40' }
  await world.chain.rpc.call('eth_sendTransaction', [call])
  await eventually('the allowance is gone', async () => (await allowanceOf(account)) === 0n)
}

test('its source has no more than 600 lines, and its types hold', async () => {
  const sources = readdirSync(path.join(example, 'src')).map((name) => path.join('src', name))
  const files = ['index.html', ...sources].map((name) => path.join(example, name))
  const lines = files.reduce((sum, file) => sum + readFileSync(file, 'utf8').trimEnd().split('\n').length, 0)
  expect(lines).toBeLessThanOrEqual(600)
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc')
  const { stdout } = await run(tsc, ['--noEmit', '-p', '.'], { cwd: folder }).catch((fault) => fault)
  expect(stdout).toBe('')
})

test('an account quotes, approves exactly what it sells, signs, and sees the order filled', async () => {
  await revoke(2)
  await using visited = await open()
  const { page, warnings } = visited
  await connect(visited)
  await enterSale(page, '0.1')
  await page.getByText(/^Quote: 29\d\.\d+ USDC/).waitFor()
  await page.getByRole('button', { name: 'Approve 0.1 WETH' }).click()
  const sign = page.getByRole('button', { name: 'Sign and place the order' })
  await page.getByText('Approved 0.1 WETH.').waitFor()
  expect(await allowanceOf(2)).toBe(10n ** 17n)
  await sign.click()
  await page.getByText('Placed: sell 0.1 WETH.').waitFor()
  const orders = page.getByRole('region', { name: 'Orders' }).getByRole('listitem')
  await orders
    .filter({ hasText: /^FULFILLED sell 0\.1 WETH for .* or more: received 29\d\.\d+ USDC/ })
    .waitFor()
  const notices = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')
  await notices.filter({ hasText: /^Order filled: 0\.1 WETH for 29\d/ }).waitFor()
  expect(await faultsOfAccess(page)).toEqual([])
  expect(warnings).toEqual([])

  // Both are there again after a reload: they are read, not remembered.
  await page.reload()
  await connect(visited)
  await orders.filter({ hasText: /^FULFILLED sell 0\.1 WETH/ }).waitFor()
  await notices.filter({ hasText: /^Order filled/ }).waitFor()
})

test('an order with a higher limit stays open until its owner cancels it', async () => {
  await using visited = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  const { page } = visited
  await connect(visited, 3)
  await enterSale(page, '0.2')
  await page.getByText(/^Quote: 59\d\.\d+ USDC/).waitFor()
  await page.getByLabel('Receive no less than').fill('1200')
  await page.getByRole('button', { name: 'Sign and place the order' }).click()
  const orders = page.getByRole('region', { name: 'Orders' }).getByRole('listitem')
  await orders.filter({ hasText: /^OPEN sell 0\.2 WETH for 1200 USDC or more/ }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await orders.filter({ hasText: /^CANCELLED sell 0\.2 WETH/ }).waitFor()
  const notices = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')
  await notices.filter({ hasText: 'Order cancelled' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await faultsOfAccess(page)).toEqual([])
})

test('a quote that is not needed any more is aborted, and a refusal is text', async () => {
  await using visited = await open()
  const { page } = visited
  await connect(visited, 4)
  // The first quote gets no answer.
  const isFirst = (request: Request) =>
    request.postDataJSON()?.variables?.input?.amount?.sellBeforeFee === String(10n ** 17n)
  await page.route(`${world.url}/graphql`, (route) =>
    isFirst(route.request()) ? undefined : route.continue(),
  )
  const asked = page.waitForRequest(isFirst)
  await enterSale(page, '0.1')
  await asked
  const aborted = page.waitForEvent('requestfailed', isFirst)
  await page.getByLabel('Amount to sell').fill('0.125')
  expect((await aborted).failure()?.errorText).toBe('net::ERR_ABORTED')
  await page.getByText(/^Quote: 37\d\.\d+ USDC/).waitFor()
  await page.getByLabel('Amount to sell').fill('1,5')
  await page.getByRole('alert').getByText('Enter an amount of WETH').waitFor()
  await page.getByLabel('Amount to sell').fill('0.000000000000000001')
  await page.getByRole('alert').getByText('(SellAmountDoesNotCoverFee). Sell more').waitFor()
})

/** Answers in the place of another host. */
const answer = (route: Route, body: object, status = 200) =>
  route.fulfill({ status, json: body, headers: { 'access-control-allow-origin': '*' } })

test('what the chain contradicts is neither approved nor signed, and what a quote adds is not signed', async () => {
  await revoke(0)
  await using visited = await open()
  const { page } = visited
  let contradicted = '0x9b552cc2' // vaultRelayer()
  const sent: string[] = []
  let signed: { domain: object; message: Record<string, unknown> } | undefined
  await page.route(`${world.chain.rpcUrl}/**`, (route) => {
    const { method, params, id } = route.request().postDataJSON()
    sent.push(method)
    if (method === 'eth_signTypedData_v4') signed = JSON.parse(params[1])
    if (method !== 'eth_call' || params[0].data !== contradicted) return route.continue()
    return answer(route, { jsonrpc: '2.0', id, result: `0x${'1'.padStart(64, '0')}` })
  })
  await page.route(`${world.url}/graphql`, async (route) => {
    if (!route.request().postDataJSON()?.variables?.input?.amount) return route.continue()
    const response = await route.fetch()
    const json = await response.json()
    const more = { feeAmount: '5', validTo: 4_000_000_000, partiallyFillable: true, kind: 'BUY' }
    const other = { appData: `0x${'2'.repeat(64)}`, sellTokenBalance: 'INTERNAL', receiver: ownerOf(1) }
    const domain = { name: 'Gnosis Protocol', version: 'v2', chainId: 1, verifyingContract: ownerOf(1) }
    Object.assign(json.data.quote.order, more, other, { typedData: { domain } })
    await route.fulfill({ response, json })
  })
  await connect(visited, 0)
  await enterSale(page, '0.1')
  await page.getByText(`The approval is for the spender ${world.market.network.vaultRelayer}.`).waitFor()
  const approve = page.getByRole('button', { name: 'Approve 0.1 WETH' })
  await approve.click()
  await page.getByRole('alert').getByText('differ about the spender').waitFor()
  contradicted = '0x313ce567' // decimals()
  await approve.click()
  await page.getByRole('alert').getByText('differ about the decimals of').waitFor()
  expect(sent).not.toContain('eth_sendTransaction')
  contradicted = ''
  await approve.click()
  await page.getByText('Approved 0.1 WETH.').waitFor()
  expect(await allowanceOf(0)).toBe(10n ** 17n)

  const sign = page.getByRole('button', { name: 'Sign and place the order' })
  contradicted = '0x313ce567'
  await sign.click()
  await page.getByRole('alert').getByText('differ about the decimals of').waitFor()
  expect(signed).toBeUndefined()
  contradicted = ''
  await page.getByLabel('Receive no less than').fill('1200')
  await sign.click()
  await page.getByText('Placed: sell 0.1 WETH.').waitFor()
  const { chainId, settlement } = world.market.network
  expect(signed?.domain).toMatchObject({ chainId, verifyingContract: settlement.toLowerCase() })
  const owner = ownerOf(0).toLowerCase()
  const terms = { feeAmount: '0', partiallyFillable: false, kind: 'sell', sellTokenBalance: 'erc20' }
  expect(signed?.message).toMatchObject({ ...terms, receiver: owner, buyAmount: '1200000000' })
  expect(Number(signed?.message.validTo)).toBeLessThanOrEqual(Date.now() / 1_000 + 1_800)

  // Its allowance is what the open order needs.
  await page.getByLabel('Amount to sell').fill('0.2')
  await page.getByText('Open orders sell 0.1 WETH more, which the allowance does not cover.').waitFor()
  await page.getByRole('button', { name: 'Approve 0.2 WETH' }).waitFor()
})

test('a limit ends with its terms, and quotes go on after a failure that passes', async () => {
  await using visited = await open()
  const { page } = visited
  let failures = 0
  await page.route(`${world.url}/graphql`, (route) => {
    const isQuote = route.request().postDataJSON()?.variables?.input?.amount !== undefined
    return isQuote && failures++ === 0 ? answer(route, {}, 503) : route.continue()
  })
  await connect(visited, 4)
  await enterSale(page, '0.1')
  await page.getByRole('alert').getByText('(Unavailable)').waitFor()
  await page.getByText(/^Quote: 29\d\.\d+ USDC/).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  const limit = page.getByLabel('Receive no less than')
  await limit.fill('250')
  await page.getByLabel('Amount to sell').fill('0.2')
  expect(await limit.inputValue()).toBe('')
  await limit.fill('250')
  await page.getByLabel(/^Sell/).selectOption(tokenOf('USDC'))
  expect(await limit.inputValue()).toBe('')
})

test('a wallet that announces itself connects, signs, and may refuse', async () => {
  await using visited = await open()
  const { page } = visited
  const key = world.market.accounts[1]?.privateKey ?? ''
  let refuses = true
  await page.exposeFunction('walletRequest', async (method: string, params: string[] = []) => {
    if (method === 'eth_chainId') return `0x${world.market.network.chainId.toString(16)}`
    if (method === 'eth_requestAccounts') return [ownerOf(1)]
    if (method === 'eth_call') return world.chain.rpc.call(method, params)
    if (method !== 'eth_signTypedData_v4') throw new Error(`unknown method ${method}`)
    if (refuses) return null
    const { domain, types, message } = JSON.parse(params[1] ?? '')
    const { EIP712Domain: _, ...own } = types
    return new Wallet(key).signTypedData(domain, own, message)
  })
  await page.addInitScript(() => {
    const { walletRequest } = window as unknown as {
      walletRequest(method: string, params: unknown): Promise<unknown>
    }
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const answer = await walletRequest(method, params)
        if (answer === null) throw Object.assign(new Error('rejected'), { code: 4001 })
        return answer
      },
    }
    addEventListener('eip6963:requestProvider', () => {
      const info = { uuid: 'test', name: 'Test <b>Wallet</b>', icon: '', rdns: 'example.wallet' }
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
    })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Connect Test <b>Wallet</b>' }).click()
  await enterSale(page, '0.05')
  const sign = page.getByRole('button', { name: 'Sign and place the order' })
  await page.getByText(/^Quote: /).waitFor()
  await sign.click()
  await page.getByRole('alert').getByText('Refused in the wallet.').waitFor()
  refuses = false
  await sign.click()
  await page.getByText('Placed: sell 0.05 WETH.').waitFor()
  const trader = createTrader(world.url, world.market, 1)
  await eventually('the notification is there', async () =>
    (await trader.notifications()).some(({ type }: { type: string }) => type === 'order_filled'),
  )
})
