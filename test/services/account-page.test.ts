import { createECDH } from 'node:crypto'
import path from 'node:path'
import { Wallet } from 'ethers'
import { decrypt as decryptPushed } from 'http_ece'
import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import webPush from 'web-push'
import { freePort } from '../../src/dev/process/process.ts'
import { address } from '../../src/domain/evm/address.ts'
import type { NotificationType } from '../../src/domain/notification/notification.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { launchBrowser, launchWholeBrowser } from '../setup/browser.ts'
import { eventually } from '../setup/eventually.ts'
import { type PushService, startPushService } from '../setup/push-service.ts'
import { type Receiver, startReceiver } from '../setup/receiver.ts'
import { faultsOfAccess, watchShifts } from '../setup/visit.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** The page of an account in a browser. With SCREENSHOTS=1 its pictures in docs/images are made anew. */
vi.setConfig({ testTimeout: 180_000 })

const vapid = webPush.generateVAPIDKeys()
const owner = new Wallet(`0x${'5a'.repeat(32)}`)
const account = address(owner.address)
const images = path.join(import.meta.dirname, '..', '..', 'docs', 'images')

let world: World
let browser: Browser
let receiver: Receiver
let pushService: PushService
let stored = 0

const trade = '0.5 WETH for 1,493.97 USDC'
const earlier: [type: NotificationType, message: string][] = [
  ['order_expired', 'Order expired: sell 20 GNO for at least 0.91 WETH'],
  ['insufficient_balance', 'Balance too low, 112.4 USDC missing: buy 0.3 WETH for at most 912.4 USDC'],
  [
    'price_improvement',
    `Order filled, at a better price: 33.2 USDC (2.27 %) more than the limit, 3.2 USDC more than quoted, ${trade}`,
  ],
]

beforeAll(async () => {
  const port = await freePort()
  ;[world, browser, receiver, pushService] = await Promise.all([
    startWorld({
      roles: ['serve', 'deliver'],
      environment: {
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        CHANNEL_ALLOWED_HOSTS: '127.0.0.1',
        VAPID_PUBLIC_KEY: vapid.publicKey,
        VAPID_PRIVATE_KEY: vapid.privateKey,
        VAPID_SUBJECT: 'mailto:operator@trade.example',
      },
    }),
    launchBrowser(),
    startReceiver(),
    startPushService(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await receiver?.[Symbol.asyncDispose]()
  await pushService?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

interface Visit extends AsyncDisposable {
  page: Page
  /** Hosts that were asked, and what the browser complained of. */
  hosts: Set<string>
  warnings: string[]
  shift(): Promise<number>
}

/** @param key of a wallet in the page; it signs in this process */
async function visit(
  at: string,
  { key, by = browser, ...options }: BrowserContextOptions & { key?: Wallet; by?: Browser } = {},
): Promise<Visit> {
  const context = await by.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
  const shiftOf = await watchShifts(context)
  const hosts = new Set<string>()
  const warnings: string[] = []
  context.on('request', (request) => hosts.add(new URL(request.url()).host))
  const page = await context.newPage()
  page.on('pageerror', (error) => warnings.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') warnings.push(message.text())
  })
  if (key) {
    await page.exposeFunction('walletRequest', async (method: string, params: string[] = []) => {
      if (method === 'eth_chainId') return `0x${world.market.network.chainId.toString(16)}`
      if (method === 'eth_requestAccounts') return [key.address]
      if (method === 'personal_sign') return key.signMessage(Buffer.from((params[0] ?? '').slice(2), 'hex'))
      throw new Error(`unknown method ${method}`)
    })
    await page.addInitScript(() => {
      const { walletRequest } = window as unknown as {
        walletRequest(method: string, params: unknown): Promise<unknown>
      }
      const provider = {
        request: ({ method, params }: { method: string; params?: unknown }) => walletRequest(method, params),
      }
      addEventListener('eip6963:requestProvider', () => {
        const info = { uuid: 'test', name: 'Test Wallet', icon: '', rdns: 'example.wallet' }
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
      })
    })
  }
  await page.goto(new URL(at, world.url).href)
  const shift = () => shiftOf(page)
  return { page, hosts, warnings, shift, [Symbol.asyncDispose]: () => context.close() }
}

async function notify(type: NotificationType, message: string): Promise<void> {
  const notification = {
    account,
    type,
    message,
    cause: `test:${++stored}`,
    timestamp: new Date(1_800_000_000_000 + stored * 977_000),
    metadata: { orderId: '0x12' as const, chainId: world.market.network.chainId },
    blockNumber: null,
  }
  await world.database.db.transaction((tx) => recordNotifications(tx, [notification]))
}

const isFocused = (element: Element) => element === document.activeElement
const here = () => [new URL(world.url).host]

async function picture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: path.join(images, name) })
}

test('the feed shows what there is, and what comes, with a line that screen readers say', async () => {
  for (const [type, message] of earlier) await notify(type, message)
  await using visited = await visit(`/accounts/${owner.address}`)
  const { page, hosts, warnings } = visited
  const entries = page.locator('.entry h3')
  await entries.getByText('Order filled, at a better price', { exact: true }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await visited.shift()).toBeLessThan(0.1)
  await notify('order_filled', `Order filled: ${trade}`)
  await entries.getByText('Order filled', { exact: true }).waitFor()
  expect(await entries.allInnerTexts()).toEqual([
    'Order filled',
    'Order filled, at a better price',
    'Balance too low, 112.4 USDC missing',
    'Order expired',
  ])
  expect(await page.locator('.entry p').first().innerText()).toBe(trade)
  expect(await page.getByRole('status').first().innerText()).toBe(`Order filled: ${trade}`)
  expect(await page.getByText('There is no wallet in this browser.').count()).toBe(1)
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
  expect(await faultsOfAccess(page)).toEqual([])
})

test('a page that stays open over a restart of the service misses nothing', async () => {
  const environment = {
    ...unlimited,
    PORT: String(await freePort()),
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'cms-key-of-the-tests',
  }
  await notify('order_filled', 'Order filled: before')
  const service = await startProgram(world, environment)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${service.url}/accounts/${account}`)
  const filled = page.locator('.entry h3', { hasText: /^Order filled$/ })
  const before = await filled
    .first()
    .waitFor()
    .then(() => filled.count())
  await page.getByText('Live', { exact: true }).waitFor()
  await service.close()
  await page.getByText('Connecting…').waitFor()
  await notify('order_filled', 'Order filled: while it was away')
  const again = await startProgram(world, environment)
  await page.getByText('while it was away').last().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await filled.count()).toBe(before + 1)
  await context.close()
  await again.close()
})

test('the owner signs in, switches a webhook on, tries it, and switches it off', async () => {
  await using visited = await visit(`/accounts/${account}`, { key: owner })
  const { page, hosts, warnings } = visited
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
  await page.getByLabel('URL of your webhook').fill(`${receiver.url}/orders`)
  await page.keyboard.press('Enter')
  await page
    .getByText(/^Messages are signed with whsec_[\w+/]{43}=\. Copy it now: it is shown only once\.$/)
    .waitFor()
  const channel = page.locator('.channels li')
  await channel.getByText('On', { exact: true }).waitFor()
  await channel.getByRole('button', { name: /^Send a test/ }).click()
  await page.getByText('The test was delivered.').waitFor()
  expect(receiver.received.map(({ path, body }) => [path, body.type])).toEqual([
    ['/orders', 'channel.confirmation'],
    ['/orders', 'test'],
  ])
  expect(await faultsOfAccess(page)).toEqual([])
  await picture(page, 'account-page.png')

  // The session is that of the tab: it survives a reload.
  await page.reload()
  await channel.getByRole('button', { name: /^Turn off/ }).click()
  await page.getByText(/^Webhook .+ is off\.$/).waitFor()
  expect(await channel.count()).toBe(0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).waitFor()
  expect([...hosts]).toEqual(here())
  expect(warnings).toEqual([])
})

test('the owner signs in at the other name of this machine too', async () => {
  const other = world.url.replace('127.0.0.1', 'localhost')
  await using visited = await visit(`${other}/accounts/${account}`, { key: owner })
  const { page } = visited
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
  await page.getByLabel('URL of your webhook').waitFor()
  expect(page.url()).toBe(`${other}/accounts/${account}`)
})

test('on a phone in the dark nothing is wider than the screen, and all is reached by keyboard', async () => {
  const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2 } as const
  await using visited = await visit(`/accounts/${account}`, { key: owner, ...phone, hasTouch: true })
  const { page } = visited
  await page.locator('.entry').first().waitFor()
  const signIn = page.getByRole('button', { name: 'Sign in with Test Wallet' })
  await signIn.waitFor()
  expect(await visited.shift()).toBeLessThan(0.1)
  const links = await page.locator('a, input, button').count()
  for (let step = 0; step < links && !(await signIn.evaluate(isFocused)); step++)
    await page.keyboard.press('Tab')
  expect(await signIn.evaluate(isFocused)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Notify this browser' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await faultsOfAccess(page)).toEqual([])
  await picture(page, 'account-page-phone.png')
})

test('a wallet with another account is shown the way to that account’s page', async () => {
  const other = new Wallet(`0x${'6b'.repeat(32)}`)
  await using visited = await visit(`/accounts/${account}`, { key: other })
  const { page } = visited
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
  await page.getByRole('alert').getByText('The wallet has another account.').waitFor()
  await page.getByRole('link', { name: 'Open its page' }).click()
  await page.waitForURL(`${world.url}/accounts/${other.address.toLowerCase()}`)
  await page.getByText('None yet. Notifications appear').waitFor()
  expect(await page.getByRole('link', { name: 'search for the error' }).getAttribute('href')).toBe(
    `${world.url}/`,
  )
})

/**
 * What a browser does at a push service's host, without that host: keys of WebCrypto, and an endpoint on this
 * machine.
 */
async function standInForPushService(page: Page, endpoint: string): Promise<void> {
  await page.addInitScript((endpoint) => {
    const base64url = (bytes: Uint8Array) =>
      btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '')
    PushManager.prototype.subscribe = async function subscribe(options) {
      const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, [
        'deriveBits',
      ])
      const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
      const auth = base64url(crypto.getRandomValues(new Uint8Array(16)))
      const { d } = await crypto.subtle.exportKey('jwk', pair.privateKey)
      Object.assign(window, { pushSecrets: { d, auth, key: options?.applicationServerKey } })
      const keys = { p256dh: base64url(publicKey), auth }
      return { toJSON: () => ({ endpoint, keys }) } as unknown as PushSubscription
    }
  }, endpoint)
}

/** Delivers to the page's service worker, as the browser does with a message of its push service. */
async function createDelivery(page: Page): Promise<(data: string) => Promise<unknown>> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) resolve(registration.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  return (data) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(world.url).origin,
      registrationId,
      data,
    })
}

test('a browser confirms itself by what is pushed to it, and shows each notification once', async () => {
  await using by = await launchWholeBrowser()
  await using visited = await visit('/docs', { key: owner, by, permissions: ['notifications'] })
  const { page, hosts } = visited
  await standInForPushService(page, `${pushService.url}/push/1`)
  await page.goto(`${world.url}/accounts/${account}`)
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
  await page.getByRole('button', { name: 'Notify this browser' }).click()
  await page.getByText('Waits for the push service of this browser.').first().waitFor()
  const secrets = await page.evaluate(
    () => (window as unknown as { pushSecrets: { d: string; auth: string; key: string } }).pushSecrets,
  )
  expect(secrets.key).toBe(vapid.publicKey)
  const privateKey = createECDH('prime256v1')
  privateKey.setPrivateKey(secrets.d, 'base64url')
  const decrypt = (body: Buffer) =>
    decryptPushed(body, { version: 'aes128gcm', privateKey, authSecret: secrets.auth }).toString('utf8')
  const deliver = await createDelivery(page)

  await deliver(decrypt(pushService.received[0]?.body ?? Buffer.of()))
  const channel = page.locator('.channels li', { hasText: 'Browser' })
  await channel.getByText('On', { exact: true }).waitFor()

  await channel.getByRole('button', { name: /^Send a test/ }).click()
  await page.getByText('The test was delivered.').waitFor()
  await notify('order_filled', 'Order filled: all')
  const [, tested, filled] = await eventually(
    'what is pushed',
    () => pushService.received.length === 3 && pushService.received,
  )
  const texts = [tested, filled].map((pushed) => decrypt(pushed?.body ?? Buffer.of()))
  for (const text of [...texts, ...texts]) await deliver(text)
  const shown = () =>
    page.evaluate(async () => {
      const list = await (await navigator.serviceWorker.ready).getNotifications()
      return list.map(({ title, body, tag, data }) => ({ title, body, tag, link: data.link }))
    })
  const link = `${world.url}/accounts/${account}`
  await eventually('the notification', async () =>
    (await shown()).some(({ title }) => title === 'Order filled'),
  )
  const list = await shown()
  expect(list.map(({ title, body }) => `${title}: ${body}`).toSorted()).toEqual([
    'Notifications are on: This browser gets the notifications of your account.',
    'Order filled: all',
    'Test: This is a test.',
  ])
  expect(new Set(list.map(({ tag }) => tag)).size).toBe(3)
  expect(list.map(({ link }) => link)).toEqual([link, link, link])

  const [worker] = page.context().serviceWorkers()
  const opened = await worker?.evaluate(async () => {
    const scope = self as unknown as {
      clients: { openWindow(url: string): Promise<void>; matchAll(): Promise<object[]> }
      registration: ServiceWorkerRegistration
    }
    const urls: string[] = []
    scope.clients.openWindow = async (url) => void urls.push(url)
    scope.clients.matchAll = async () => []
    const [notification] = await scope.registration.getNotifications()
    const { NotificationEvent } = self as unknown as {
      NotificationEvent: new (type: string, init: object) => Event
    }
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    const deadline = Date.now() + 5_000
    while (urls.length === 0 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 10))
    return { urls, left: (await scope.registration.getNotifications()).length }
  })
  expect(opened).toEqual({ urls: [link], left: 2 })
  expect([...hosts]).toEqual(here())
})
