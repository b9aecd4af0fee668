import { computeAddress } from 'ethers'
import { z } from 'zod'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import {
  addressText,
  httpUrl,
  integer,
  jsonText,
  members,
  privateKey,
  sourceName,
  uniquelyNamed,
} from './setting-readers.ts'

/** The only network to ask it about, by name, alias or chain id; without it, all networks. */
const network = z.string().optional()
const key = z.string().regex(/^[!-~]{1,1000}$/)

/** An amount in atoms. */
const atoms = z
  .string()
  .regex(/^[1-9][0-9]{0,77}$/, 'must be atoms as digits')
  .transform(BigInt)

const feeds = z
  .record(addressText, addressText)
  .transform((aggregators) => new Map(Object.entries(aggregators) as [Address, Address][]))

const priceSource = z.discriminatedUnion('kind', [
  members({
    kind: z.literal('coingecko'),
    name: sourceName.default('coingecko'),
    url: httpUrl.default('https://api.coingecko.com/api/v3'),
    apiKey: key.optional(),
    /** Header of the key; `x-cg-demo-api-key` for keys of the free plan. */
    keyHeader: z
      .string()
      .regex(/^[\w-]{1,60}$/)
      .default('x-cg-pro-api-key'),
    /** Tokens in a call; 30 with a key, 1 without. */
    addressesPerCall: z.int().min(1).max(100).optional(),
    network,
  }),
  members({ kind: z.literal('orderbook'), name: sourceName.default('orderbook'), network }),
  members({
    kind: z.literal('chainlink'),
    name: sourceName.default('chainlink'),
    network: z.string(),
    /** Aggregator by token. */
    feeds,
    /** Older answers are ignored. */
    maxAgeSeconds: z.int().min(1).max(10_000_000).default(86_400),
  }),
])

const holderSource = z.discriminatedUnion('kind', [
  members({
    kind: z.literal('moralis'),
    name: sourceName.default('moralis'),
    url: httpUrl.optional(),
    apiKey: key,
    network,
  }),
  members({
    kind: z.literal('ethplorer'),
    name: sourceName.default('ethplorer'),
    /** Each Ethplorer host serves one chain; by default, the host of each chain. */
    url: httpUrl.optional(),
    apiKey: key,
    network,
  }).refine(({ url, network }) => url === undefined || network !== undefined, 'url needs a network too'),
  members({ kind: z.literal('transfers'), name: sourceName.default('transfers'), network }),
])

export type PriceSourceSetting = z.infer<typeof priceSource>
export type HolderSourceSetting = z.infer<typeof holderSource>

const solverName = sourceName.refine((name) => name !== 'built-in', 'is the name of the built-in solver')

/** A solver engine that takes part in auctions. */
const engineSource = members({
  kind: z.literal('engine'),
  name: solverName,
  url: httpUrl,
  /** The account that submits its settlements, not shared with another solver. */
  privateKey: privateKey,
  /** True if it may settle JIT orders. */
  jitOrders: z.boolean().default(false),
  /**
   * Tokens of which it may leave interactions out, so that the settlement contract pays and keeps them; none
   * by default.
   */
  internalize: z
    .array(members({ token: addressText, perSettlement: atoms, perDay: atoms }))
    .max(50)
    .default([])
    .superRefine((limits, context) => {
      for (const [index, { token }] of limits.entries()) {
        if (limits.findIndex((other) => other.token === token) === index) continue
        context.addIssue({ code: 'custom', path: [index, 'token'], message: 'is there already' })
      }
    }),
  network,
})

/** A driver that takes part in auctions. */
const driverSource = members({
  kind: z.literal('driver'),
  name: solverName,
  url: httpUrl,
  /** The account that submits its settlements, not shared with another solver. */
  address: addressText,
  network,
})

/** The account that a solver's settlements are sent from. */
export function accountOf(source: SolverSetting): Address | undefined {
  return source.kind === 'driver' ? source.address : accountOfKey(source.privateKey)
}

/** Undefined for a number that is no key. */
export function accountOfKey(key: Hex): Address | undefined {
  try {
    return address(computeAddress(key))
  } catch {
    return undefined
  }
}

const solvers = uniquelyNamed(z.discriminatedUnion('kind', [engineSource, driverSource])).superRefine(
  (sources, context) => {
    const accounts = sources.map(accountOf)
    for (const [index, { kind }] of sources.entries()) {
      if (accounts[index] === undefined || accounts.indexOf(accounts[index]) === index) continue
      const path = [index, kind === 'driver' ? 'address' : 'privateKey']
      context.addIssue({ code: 'custom', path, message: 'is another solver’s too' })
    }
  },
)

export type SolverSetting = z.infer<typeof engineSource> | z.infer<typeof driverSource>

/** Settings of outside solvers, of sources of token data in order of use, and of streamed data. */
export const sourceSettings = {
  SOLVERS: jsonText(solvers)
    .default([])
    .describe(
      'Outside solvers that take part in auctions, JSON: [{"kind":"engine","name":"x","url":"http://…","privateKey":"0x…"}, {"kind":"driver","name":"y","url":"http://…","address":"0x…"}], the address being the account that the driver submits from; each has an account of its own, on the allow-list of the settlement contract; "network" limits it to one network; for an engine, "internalize" ([{"token":"0x…","perSettlement":"1000","perDay":"5000"}], in atoms) lets the settlement contract pay and keep these tokens instead of a swap, and "jitOrders":true lets it settle its own JIT orders.',
    ),
  SURPLUS_CAPTURING_JIT_ORDER_OWNERS: jsonText(z.array(members({ owner: addressText, network })).max(1_000))
    .default([])
    .describe(
      'Owners whose JIT orders count for the score, JSON: [{"owner":"0x…"}]; "network" limits it to one network. Their placed orders pay no protocol fees.',
    ),
  USD_PRICE_SOURCES: jsonText(uniquelyNamed(priceSource))
    .default([{ kind: 'orderbook', name: 'orderbook' }])
    .describe(
      'Sources of USD prices, in order of use, JSON: [{"kind":"coingecko","apiKey":"…"}, {"kind":"chainlink","network":"mainnet","feeds":{"0xtoken":"0xaggregator"}}, {"kind":"orderbook"}]; the order book prices against the network’s usdReference.',
    ),
  HOLDER_SOURCES: jsonText(uniquelyNamed(holderSource))
    .default([{ kind: 'transfers', name: 'transfers' }])
    .describe(
      'Sources of top holders, in order of use, JSON: [{"kind":"moralis","apiKey":"…"}, {"kind":"ethplorer","apiKey":"…"}, {"kind":"transfers"}]; transfers are those of the network’s holderTokens.',
    ),
  FOLLOWED_POOLS: integer(0, 10_000)
    .default(1_000)
    .describe(
      'Maximum pools of one network whose logs the role index counts for volume, fees and value: those between baseTokens, and those that quotes and auctions used within a week; 0 is off.',
    ),
  TOKEN_LISTS: z
    .string()
    .transform((text) => text.split(',').map((address) => address.trim()))
    .pipe(z.array(httpUrl.transform((address) => new URL(address).href)))
    .default([])
    .describe(
      'Prefixes of token lists’ addresses that clients may name for sessions of balances, with commas: https://lists.example.com/. By default none: no stranger chooses a host for requests of the service.',
    ),
  WATCHED_BALANCES: integer(1, 1_000_000)
    .default(20_000)
    .describe(
      'Maximum balances that the streams of one network watch together, in this process; one client may use a quarter. A balance that several streams watch counts once.',
    ),
  WATCHED_PRICES: integer(1, 10_000)
    .default(200)
    .describe(
      'Maximum tokens whose prices the streams of one network watch together, in this process; one client may use a quarter.',
    ),
}
