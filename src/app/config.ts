import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { maxChainId } from '../domain/auction/key.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import { chains, goesBy } from '../domain/network/chains.ts'
import {
  defaultConditionalOrders,
  defaultHooksTrampoline,
  defaultPoolProject,
  defaultPriceAmount,
  ethFlowOf,
  type Network,
  type Profile,
  type SettlementPair,
  settlementPairs,
} from '../domain/network/network.ts'
import type { AccessRules, Features } from '../graphql/context/access.ts'
import { emailFaults, pushFaults, telegramFaults } from './channels/settings.ts'
import { addressText, httpUrl, members, nearestName, parseAddress } from './settings/setting-readers.ts'
import { accountOf, accountOfKey } from './settings/source-settings.ts'
import { type Settings, settings } from './settings.ts'

/** Settings that a command cannot run with. */
export class ConfigError extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(`configuration: ${faults.join('; ')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** One network of a deployment, and its nodes. */
export interface NetworkConfig {
  network: Network
  /** One URL, or several of which the first healthy one is used. */
  rpcUrl: string | readonly string[]
  /** Endpoint that takes settlements before other nodes see them. */
  privateRpc?: PrivateRpcConfig | undefined
  /** If set, the orders are those of this order book, and no auctions are held here. */
  orderBook?: OrderBookConfig | undefined
}

const holderToken = members({ address: addressText, fromBlock: z.int().min(0) })

const conditionalOrders = members({
  composableCow: addressText.prefault(defaultConditionalOrders.composableCow),
  firstBlock: z.int().min(0).optional(),
  shedFactories: z
    .array(addressText)
    .max(10)
    .default([...defaultConditionalOrders.shedFactories]),
})

const maxNodes = 5

const privateRpc = members({
  url: httpUrl,
  publicAfterBlocks: z.int().min(0).max(1_000).default(3),
  whenDown: z.enum(['wait', 'public']).default('wait'),
}).refine(
  ({ publicAfterBlocks, whenDown }) => publicAfterBlocks > 0 || whenDown === 'wait',
  'whenDown is wait where publicAfterBlocks is 0: nothing is ever public',
)

const orderBook = members({
  url: httpUrl,
  apiKey: z.string().min(1).max(500).optional(),
  callsPerMinute: z.int().min(4).max(1_000_000).default(100),
  history: z.union([z.enum(['accounts', 'all']), members({ fromBlock: z.int().min(0) })]).optional(),
  quotesPerSecond: z.number().min(0.1).max(100_000).optional(),
  submissionsPerSecond: z.number().min(0.1).max(100_000).optional(),
  forwardKeys: z.boolean().optional(),
})

/** The order book that a network follows. */
export type OrderBookConfig = z.infer<typeof orderBook>

type PrivateRpcConfig = z.infer<typeof privateRpc>

export const networkRow = members({
  rpcUrl: z.union([httpUrl, z.array(httpUrl).min(1).max(maxNodes)]),
  privateRpc: privateRpc.optional(),
  orderBook: orderBook.optional(),
  name: z
    .string()
    .regex(/^[a-z0-9_-]{2,30}$/)
    .optional(),
  chainId: z.int().min(1).max(maxChainId),
  settlement: addressText.optional(),
  vaultRelayer: addressText.optional(),
  hooksTrampoline: addressText.prefault(defaultHooksTrampoline),
  balanceGuard: addressText.optional(),
  ethFlows: z.array(addressText).max(10).optional(),
  conditionalOrders: conditionalOrders.nullish(),
  wrappedNative: addressText.optional(),
  poolFactory: addressText.optional(),
  poolProject: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .default(defaultPoolProject),
  explorer: httpUrl.transform((url) => url.replace(/\/$/, '')).optional(),
  baseTokens: z.array(addressText).max(20).optional(),
  priceAmount: z
    .string()
    .regex(/^[1-9][0-9]{0,29}$/)
    .default(String(defaultPriceAmount))
    .transform(BigInt),
  usdReference: addressText.nullish(),
  holderTokens: z.array(holderToken).max(100).default([]),
  firstBlock: z.int().min(0).optional(),
  finalityBlocks: z.int().min(1).max(100_000).optional(),
  blockTimeMs: z.int().min(100).optional(),
})

type NetworkRow = z.infer<typeof networkRow>

/** The members of a row that the table of chains completes. */
const completed = ['name', 'wrappedNative', 'firstBlock', 'finalityBlocks', 'blockTimeMs'] as const
type CompleteRow = NetworkRow & { [Member in (typeof completed)[number]]-?: NonNullable<NetworkRow[Member]> }

/** Takes missing members of a row from the table of chains. */
function complete(row: NetworkRow, context: z.RefinementCtx): CompleteRow {
  const { names, facts } = chains.get(row.chainId) ?? {}
  // Another contract than the profile's may be older. Without a first block, old trades are sought from 0.
  const known = row.settlement ? undefined : facts?.firstBlock
  const isSought = row.orderBook && (row.orderBook.history ?? 'accounts') === 'accounts'
  const firstBlock = known ?? (isSought ? 0 : undefined)
  const full = { name: names?.[0], ...facts, firstBlock, ...row }
  for (const member of completed)
    if (full[member] === undefined)
      context.addIssue({ code: 'custom', path: [member], message: 'is needed for this chain' })
  return full as CompleteRow
}

/**
 * The contracts of programmatic orders of a row. Those of a known chain are followed with an order book,
 * unless its parts are settled by another contract than that of production.
 */
function programmaticOf(
  {
    conditionalOrders,
    orderBook,
    chainId,
    firstBlock,
  }: Pick<CompleteRow, 'conditionalOrders' | 'orderBook' | 'chainId' | 'firstBlock'>,
  { settlement }: SettlementPair,
): Pick<Network, 'conditionalOrders'> {
  const known = chains.get(chainId)?.conditionalOrdersFrom
  const isDefault = orderBook && known !== undefined && settlement === settlementPairs.production.settlement
  const contracts =
    conditionalOrders === undefined && isDefault ? defaultConditionalOrders : conditionalOrders
  return contracts ? { conditionalOrders: { firstBlock: known ?? firstBlock, ...contracts } } : {}
}

/** Contracts of a row without `settlement` and `vaultRelayer` come from the profile. */
function networkFileSchema(profile: Profile) {
  return z.array(
    networkRow
      .refine(
        ({ settlement, vaultRelayer }) => (settlement === undefined) === (vaultRelayer === undefined),
        'settlement and vaultRelayer go together',
      )
      .refine(
        ({ orderBook, poolFactory, baseTokens }) => orderBook || (poolFactory && baseTokens),
        'poolFactory and baseTokens are needed where no orderBook is followed',
      )
      .transform(complete)
      .transform(
        ({
          rpcUrl,
          privateRpc,
          orderBook,
          settlement,
          vaultRelayer,
          usdReference,
          conditionalOrders,
          ethFlows = [ethFlowOf[profile]],
          // Without a factory there are no pools.
          poolFactory = zeroAddress,
          baseTokens = [],
          ...rest
        }): NetworkConfig => {
          const contracts =
            settlement && vaultRelayer ? { settlement, vaultRelayer } : settlementPairs[profile]
          const reference = usdReference === undefined ? chains.get(rest.chainId)?.usdReference : usdReference
          return {
            rpcUrl,
            privateRpc,
            orderBook,
            network: {
              ...rest,
              ...contracts,
              ethFlows,
              poolFactory,
              baseTokens,
              usdReference: reference ?? null,
              ...programmaticOf({ ...rest, conditionalOrders, orderBook }, contracts),
            },
          }
        },
      ),
  )
}

/** @param environment an empty value counts as unset. @throws ConfigError with every fault at once */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settings.safeParse(values)
  const faults = parsed.success
    ? faultsBetween(parsed.data)
    : faultsIn(parsed.error, values).map(({ at, message }) => `${at}: ${message}`)
  if (parsed.success && faults.length === 0) return parsed.data
  throw new ConfigError(faults)
}

/** Faults between settings that are valid each for itself. Two senders of one account share its nonces. */
function faultsBetween(settings: Settings): string[] {
  const { CMS_ENABLED, CMS_API_KEY, CMS_URL, REFUND_PRIVATE_KEY, SOLVER_PRIVATE_KEY, SOLVERS } = settings
  const faults = [...emailFaults(settings), ...pushFaults(settings), ...telegramFaults(settings)]
  if (CMS_ENABLED && CMS_API_KEY === undefined)
    faults.push('CMS_API_KEY: is needed where CMS_ENABLED is true')
  if (CMS_URL !== undefined && CMS_API_KEY === undefined) faults.push('CMS_URL: needs CMS_API_KEY')
  const builtIn = SOLVER_PRIVATE_KEY && accountOfKey(SOLVER_PRIVATE_KEY)
  const accounts = SOLVERS.map(accountOf)
  for (const [index, account] of builtIn ? accounts.entries() : []) {
    const key = SOLVERS[index]?.kind === 'driver' ? 'address' : 'privateKey'
    if (account === builtIn)
      faults.push(`${placeIn({ SOLVERS }, ['SOLVERS', index, key])}: is the built-in solver’s too`)
  }
  const refunder = REFUND_PRIVATE_KEY && accountOfKey(REFUND_PRIVATE_KEY)
  if (refunder && [builtIn, ...accounts].includes(refunder))
    faults.push('REFUND_PRIVATE_KEY: is the key of a solver, from whose account nothing else may be sent')
  return faults
}

export function accessOf(
  settings: Pick<Settings, 'CURRENT_AUCTION_ACCESS' | 'SIMULATION_ACCESS' | 'BOOK_FEED_ACCESS'>,
): AccessRules {
  return {
    currentAuction: settings.CURRENT_AUCTION_ACCESS ?? 'operator',
    simulation: settings.SIMULATION_ACCESS,
    bookFeed: settings.BOOK_FEED_ACCESS ?? 'operator',
  }
}

/** Optional parts of the service that the settings enable. */
export function featuresOf(
  settings: Pick<Settings, 'CMS_ENABLED' | 'CMS_API_KEY' | 'STATS_SOURCE' | 'DUNE_API_KEY'>,
): Features {
  return {
    cms: settings.CMS_ENABLED ?? settings.CMS_API_KEY !== undefined,
    statistics: settings.STATS_SOURCE === 'own' || settings.DUNE_API_KEY !== undefined,
  }
}

/** @throws ConfigError */
export function readNetworks(path: string | undefined, profile: Profile): NetworkConfig[] {
  if (!path) throw new ConfigError(['NETWORKS_FILE: is needed for this command'])
  const rows = readJson(path)
  const parsed = networkFileSchema(profile).safeParse(rows)
  if (parsed.success) return parsed.data
  throw new ConfigError(
    faultsIn(parsed.error, rows).map(({ at, message }) => [path, at, message].filter(Boolean).join(': ')),
  )
}

/** The place of a fault, with rows by their names if they have one: `SOLVERS.mine.url`. */
function placeIn(value: unknown, path: readonly PropertyKey[]): string {
  let inner = value
  return path
    .map((key) => {
      // Lists in the environment are JSON.
      if (typeof inner === 'string') inner = jsonIn(inner)
      inner = (inner as Record<PropertyKey, unknown> | null | undefined)?.[key]
      return (typeof key === 'number' && nameOfRow(inner)) || String(key)
    })
    .join('.')
}

function nameOfRow(row: unknown): string | undefined {
  const { name, chainId } = (row ?? {}) as { name?: unknown; chainId?: unknown }
  if (typeof name === 'string' && /^[\w-]{1,60}$/.test(name)) return name
  return name === undefined ? chains.get(Number(chainId))?.names[0] : undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The faults of a value with their places. Of a union, they are those of the form with members. */
function faultsIn(
  { issues }: z.core.$ZodError,
  value: unknown,
  above: PropertyKey[] = [],
): { at: string; message: string }[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path]
    const forms = issue.code === 'invalid_union' ? issue.errors : []
    const withMembers = forms.find((form) => form.some(({ code }) => code === 'unrecognized_keys'))
    return withMembers
      ? faultsIn(new z.core.$ZodError(withMembers), value, path)
      : [{ at: placeIn(value, path), message: issue.message }]
  })
}

type SettingsWithNetworks = Pick<
  Settings,
  | 'QUOTE_ESTIMATORS'
  | 'SOLVERS'
  | 'SURPLUS_CAPTURING_JIT_ORDER_OWNERS'
  | 'USD_PRICE_SOURCES'
  | 'HOLDER_SOURCES'
  | 'AFFILIATE_NETWORK'
>

/** @throws ConfigError that names each setting with a network that is not configured */
export function checkNetworksNamed(
  settings: SettingsWithNetworks,
  networks: readonly Pick<NetworkConfig, 'network'>[],
): void {
  const isServed = (name: string) => networks.some(({ network }) => goesBy(network, name))
  const lists = ['QUOTE_ESTIMATORS', 'SOLVERS', 'USD_PRICE_SOURCES', 'HOLDER_SOURCES'] as const
  const faults = lists.flatMap((list) =>
    settings[list].flatMap(({ network }, index) =>
      network === undefined || isServed(network)
        ? []
        : [`${placeIn(settings, [list, index, 'network'])}: "${network}" is no network here`],
    ),
  )
  for (const [index, { owner, network }] of settings.SURPLUS_CAPTURING_JIT_ORDER_OWNERS.entries()) {
    if (network === undefined || isServed(network)) continue
    faults.push(
      `SURPLUS_CAPTURING_JIT_ORDER_OWNERS.${index}.network: ${owner} is named for "${network}", which is no network here`,
    )
  }
  const { AFFILIATE_NETWORK: affiliateName } = settings
  if (affiliateName !== undefined && !isServed(affiliateName))
    faults.push(`AFFILIATE_NETWORK: "${affiliateName}" is no network here`)
  if (faults.length > 0) throw new ConfigError(faults)
}

/** The network of affiliates' contract wallets; undefined if none is configured. */
export function affiliateNetwork<Served extends Pick<NetworkConfig, 'network'>>(
  networks: readonly Served[],
  { AFFILIATE_NETWORK: name = 'mainnet' }: Pick<Settings, 'AFFILIATE_NETWORK'>,
): Served | undefined {
  return networks.find(({ network }) => goesBy(network, name)) ?? networks[0]
}

/** Persisted documents, which clients may send by hash alone: text by SHA-256. @throws ConfigError */
export function readDocuments(path: string | undefined): Record<string, string> {
  if (!path) return {}
  const parsed = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string()).safeParse(readJson(path))
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => `${path}: ${issue.message}`))
  const mismatched = Object.entries(parsed.data).filter(
    ([hash, text]) => createHash('sha256').update(text).digest('hex') !== hash,
  )
  if (mismatched.length > 0)
    throw new ConfigError(mismatched.map(([hash]) => `${path}: the text of ${hash} has another hash`))
  return parsed.data
}

/** One address a line; `#` begins a comment. @throws ConfigError that names the lines at fault */
export function readAddresses(path: string | undefined): ReadonlySet<Address> {
  if (!path) return new Set()
  const addresses = new Set<Address>()
  const faults: string[] = []
  for (const [index, line] of readText(path).split('\n').entries()) {
    const text = line.replace(/#.*/, '').trim()
    const parsed = parseAddress(text)
    if (parsed) addresses.add(parsed)
    else if (text) faults.push(`${path}:${index + 1}: must be an address`)
  }
  if (faults.length > 0) throw new ConfigError(faults.slice(0, 20))
  return addresses
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

/** The text of each setting, with its default, for help. */
export function describeSettings(
  names: readonly (keyof Settings)[] = settingNames,
): { name: string; says: string }[] {
  return names.map((name) => {
    const schema = settings.shape[name]
    const value = defaultOf(schema)
    const fallback = value === undefined ? '' : ` ${showDefault(value)}`
    return { name, says: `${schema.description ?? ''}${fallback}` }
  })
}

const settingNames = Object.keys(settings.shape) as (keyof Settings)[]

/** The value of a setting that is not set, as an operator would write it; undefined if it has none. */
export function defaultOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodDefault) return defaultOf(schema.in)
  return schema.safeParse(undefined).data
}

/** Brackets a default; a list already has brackets. */
function showDefault(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : `[${value}]`
}

/** Shortest name to compare: shorter ones resemble variables of other programs. */
const minLength = 6

/** Variables of the environment that resemble settings. */
export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { name: string; meant: string }[] {
  const names = new Set(known)
  const own = known.filter((name) => name.length >= minLength)
  return Object.keys(environment).flatMap((name) => {
    const meant = names.has(name) || name.length < minLength ? undefined : nearestName(name, own)
    return meant === undefined ? [] : [{ name, meant }]
  })
}
