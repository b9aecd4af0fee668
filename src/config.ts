import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Address, toAddress } from './domain/address.ts'
import { type Network, usualHooksTrampoline, usualPriceAmount } from './domain/network.ts'
import { goesBy } from './domain/network-names.ts'
import { addressText, type Settings, settings } from './settings.ts'

/** One network of a deployment: its row of data and how to reach it. */
export interface NetworkConfig {
  network: Network
  rpcUrl: string
}

const networkFile = z.array(
  z
    .object({
      rpcUrl: z.url(),
      name: z.string().regex(/^[a-z0-9_-]{2,30}$/),
      chainId: z.int().min(1),
      settlement: addressText,
      vaultRelayer: addressText,
      hooksTrampoline: addressText.prefault(usualHooksTrampoline),
      wrappedNative: addressText,
      poolFactory: addressText,
      baseTokens: z.array(addressText).max(20),
      priceAmount: z
        .string()
        .regex(/^[1-9][0-9]{0,29}$/)
        .default(String(usualPriceAmount))
        .transform(BigInt),
      firstBlock: z.int().min(0),
      finalityBlocks: z.int().min(1).max(100_000),
      blockTimeMs: z.int().min(100),
    })
    .transform(({ rpcUrl, ...network }): NetworkConfig => ({ rpcUrl, network })),
)

/** The only reader of the environment. @throws ConfigError with every fault at once */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settings.safeParse(given)
  if (parsed.success) return parsed.data
  throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
}

/** @throws ConfigError */
export function readNetworks(path: string | undefined): NetworkConfig[] {
  if (!path) throw new ConfigError(['NETWORKS_FILE: is needed for this command'])
  const parsed = networkFile.safeParse(readJson(path))
  if (parsed.success) return parsed.data
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${path}: ${issue.path.join('.')} ${issue.message}`),
  )
}

/** Nobody is to be asked on a network that is not there. @throws ConfigError that names the entries at fault */
export function checkEstimators(
  { QUOTE_ESTIMATORS: sources }: Pick<Settings, 'QUOTE_ESTIMATORS'>,
  networks: readonly Pick<NetworkConfig, 'network'>[],
): void {
  const isServed = (named: string) => networks.some(({ network }) => goesBy(network, named))
  const faults = sources.flatMap(({ name, network }, index) =>
    network === undefined || isServed(network)
      ? []
      : [
          `QUOTE_ESTIMATORS.${index}.network: ${name} is to be asked on "${network}", which is no network here`,
        ],
  )
  if (faults.length > 0) throw new ConfigError(faults)
}

/** Documents that clients may name by their hash alone. @throws ConfigError */
export function readDocuments(path: string | undefined): Record<string, string> {
  if (!path) return {}
  const parsed = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string()).safeParse(readJson(path))
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => `${path}: ${issue.message}`))
  const wrong = Object.entries(parsed.data).filter(
    ([hash, text]) => createHash('sha256').update(text).digest('hex') !== hash,
  )
  if (wrong.length > 0)
    throw new ConfigError(wrong.map(([hash]) => `${path}: the text of ${hash} has another hash`))
  return parsed.data
}

/** One address a line; `#` begins a comment. @throws ConfigError that names the lines at fault */
export function readAddresses(path: string | undefined): ReadonlySet<Address> {
  if (!path) return new Set()
  const found = new Set<Address>()
  const faults: string[] = []
  for (const [index, line] of readText(path).split('\n').entries()) {
    const text = line.replace(/#.*/, '').trim()
    const parsed = toAddress(text)
    if (parsed) found.add(parsed)
    else if (text) faults.push(`${path}:${index + 1}: must be an address`)
  }
  if (faults.length > 0) throw new ConfigError(faults.slice(0, 20))
  return found
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError([`${path}: can't be read`])
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new ConfigError([`${path}: can't be read as JSON`])
  }
}

/** One line a setting, for `--help`. */
export function describeSettings(): string {
  const widest = Math.max(...Object.keys(settings.shape).map(({ length }) => length))
  return Object.entries(settings.shape)
    .map(([name, schema]) => {
      const fallback = schema.safeParse(undefined)
      const standard = fallback.success && fallback.data !== undefined ? ` [${String(fallback.data)}]` : ''
      return `  ${name.padEnd(widest + 2)}${schema.description ?? ''}${standard}`
    })
    .join('\n')
}

export class ConfigError extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(`configuration: ${faults.join('; ')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}
