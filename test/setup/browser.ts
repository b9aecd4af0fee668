import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** A browser without GPU, without background network requests, and with little shared memory. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // All pages are of one site: a process for each visit takes a sixth of the time.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
]

/** The Chromium named in CHROMIUM, or one in the PATH: the shell without windows takes half of the time. */
export const launchBrowser = (): Promise<Browser> => launch(['chromium-headless-shell', ...whole])

/** A browser that can show notifications too. */
export const launchWholeBrowser = (): Promise<Browser> => launch(whole)

const whole = ['chromium', 'chromium-browser', 'google-chrome']

const launch = (names: readonly string[]) =>
  chromium.launch({ executablePath: findChromium(names), args: flags })

function findChromium(names: readonly string[]): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const places = (process.env.PATH ?? '').split(path.delimiter)
  const found = names.flatMap((name) => places.map((place) => path.join(place, name))).find(isExecutable)
  if (!found) throw new Error('no Chromium in the PATH: name one in CHROMIUM')
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
