import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

export interface Visit extends AsyncDisposable {
  page: Page
  /** All hosts that received a request from the page. */
  hosts: Set<string>
  /** Errors in the browser: blocked or missing resources, script errors. */
  warnings: string[]
  /** What came over the network so far, with headers, as it was compressed. */
  bytes(): number
  /** How much of the page has moved by itself so far, as Cumulative Layout Shift: below 0.1 is good. */
  shift(): Promise<number>
}

type Shifting = Window & { shift?: number }

/** How much the pages of a context move by themselves, as {@link Visit.shift}. */
export async function watchShifts(context: BrowserContext) {
  await context.addInitScript(addShifts)
  return (page: Page) => page.evaluate(() => (window as Shifting).shift ?? Number.NaN)
}

/**
 * Runs in the page before its scripts. Measures cumulative layout shift as Web Vitals define it: the largest
 * sum of a burst, which lasts at most five seconds and ends with a second without a shift.
 */
function addShifts() {
  const shifting = window as Shifting
  shifting.shift = 0
  let burst = { sum: 0, from: 0, last: 0 }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[]) {
      if (entry.hadRecentInput) continue
      const at = entry.startTime
      const isNew = at - burst.last >= 1_000 || at - burst.from >= 5_000
      burst = isNew
        ? { sum: entry.value, from: at, last: at }
        : { ...burst, sum: burst.sum + entry.value, last: at }
      shifting.shift = Math.max(shifting.shift ?? 0, burst.sum)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Waits until the page is shown and no part of it is still read; several may be. */
export async function untilRead(page: Page): Promise<void> {
  const unread = page.locator('html.opening').or(page.getByText('Reading…'))
  await expect.poll(() => unread.count(), { timeout: visitTimeoutMs }).toBe(0)
}

/** A page of more than a megabyte takes time on a busy machine. */
export const visitTimeoutMs = 90_000

/** Opens a page in a browser without anything kept. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ serviceWorkers: 'block', ...options })
  const shiftOf = await watchShifts(context)
  const page = await context.newPage()
  page.setDefaultTimeout(visitTimeoutMs)
  const hosts = new Set<string>()
  const warnings: string[] = []
  const note = (url: string) => {
    const { host, protocol } = new URL(url)
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host)
  }
  context.on('request', (request) => note(request.url()))
  page.on('websocket', (socket) => note(socket.url()))
  page.on('requestfailed', (request) => warnings.push(`failed: ${request.url()}`))
  page.on('pageerror', (error) => warnings.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') warnings.push(message.text())
  })
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const received = new Map<string, number>()
  session.on('Network.dataReceived', ({ requestId, dataLength, encodedDataLength }) =>
    received.set(requestId, (received.get(requestId) ?? 0) + (encodedDataLength || dataLength)),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    received.set(requestId, encodedDataLength),
  )
  // Not networkidle: the browser never reports requests of workers as finished.
  await page.goto(url, { waitUntil: 'load' })
  return {
    page,
    hosts,
    warnings,
    bytes: () => [...received.values()].reduce((sum, bytes) => sum + bytes, 0),
    shift: () => shiftOf(page),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What keeps some people from using the page: the rules that it breaks, and where. */
export async function faultsOfAccess(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
