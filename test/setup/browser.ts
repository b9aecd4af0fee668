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
]

/** The Chromium named in CHROMIUM, or one in the PATH. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: flags })

function findChromium(): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const names = ['chromium', 'chromium-browser', 'google-chrome']
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
