import { parseEther } from 'ethers'
import { z } from 'zod'
import { maxAppDataBytes } from '../domain/app-data/document.ts'
import { factorScale } from '../domain/fee/policy.ts'
import { profiles } from '../domain/network/network.ts'
import { sameTokenPolicies } from '../domain/order/trading-policy.ts'
import { maxTransactionGas } from '../domain/settlement/gas.ts'
import { accessLevels, feedAccessLevels } from '../graphql/context/access.ts'
import { maxNamedOrders } from '../graphql/input/fields.ts'
import { trustedProxies } from '../http/client-address.ts'
import { verificationModes } from '../quotes/verification/policy.ts'
import { defaultReportAuctions } from '../storage/bodies/debug-report.ts'
import { channelSettings } from './channels/settings.ts'
import { connectionSettings, streamSettings } from './settings/connection-settings.ts'
import { databaseSettings } from './settings/database-settings.ts'
import { feeRule } from './settings/fee-settings.ts'
import { observingSettings } from './settings/observing-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import {
  addressText,
  hostNames,
  httpUrl,
  integer,
  jsonText,
  members,
  privateKey,
  refuse,
  sourceName,
  uniquelyNamed,
} from './settings/setting-readers.ts'
import { sourceSettings } from './settings/source-settings.ts'

/** Settings of node selection and of settlement costs. */
const submissionSettings = {
  RPC_MAX_LAG_BLOCKS: integer(1, 10_000)
    .default(5)
    .describe(
      'Maximum lag of a node, in blocks, behind another one of its network; beyond it that one is used.',
    ),
  SETTLEMENT_MAX_GAS_PRICE: integer(1, 1_000_000)
    .default(500)
    .describe('Maximum gas price of a settlement, in gwei: a pending one is raised up to it.'),
  GUARD_MIN_VALUE: z
    .string()
    .regex(/^[0-9]{1,9}(\.[0-9]{1,18})?$/, 'must be an amount of the native coin, such as 0.01')
    .default('0.01')
    .transform((coins) => parseEther(coins))
    .describe(
      'Minimum value of a held token, in native coins: every settlement of an outside solver compares the settlement contract’s balances of these tokens, and calls them only in known ways.',
    ),
  SETTLEMENT_MAX_GAS: integer(100_000, Number(maxTransactionGas))
    .default(Number(maxTransactionGas))
    .describe('Maximum gas of a settlement: a solution that uses more does not win.'),
}

const apiKey = z.string().regex(/^[!-~]{16,1000}$/, 'must be 16 to 1000 visible characters of ASCII')

const perSecond = (standard: number) => integer(0, 1_000_000).default(standard)

/** An outside price estimator: a solver engine (`POST …/solve`) or a driver (`GET …/quote`). */
const estimatorSource = members({
  kind: z.enum(['engine', 'driver']),
  name: sourceName,
  url: httpUrl,
  /** Submission address of its settlements. */
  address: addressText,
  /** The only network to ask it on, by name, alias or chain id; without it, all networks. */
  network: z.string().optional(),
})

/** Every setting. `tradegraph help settings` prints the descriptions. */
export const settings = z.object({
  ...databaseSettings,
  GIT_COMMIT_HASH: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/)
    .optional()
    .describe('Commit of the build, as hex. `GET /about` returns it.'),
  TRADEGRAPH_URL: httpUrl
    .optional()
    .describe('Base URL of the service that the commands of traders ask, such as `quote` and `watch`.'),
  TRADEGRAPH_KEY: apiKey
    .optional()
    .describe('Key that `tradegraph export` sends to that service, where the feed of the book needs one.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: integer(0, 65_535).default(4000).describe('Port to listen on; 0 takes any free one.'),
  MCP_HOSTS: hostNames
    .default([])
    .describe(
      'Host names by which agents reach `/mcp`, and of pages that may call it, separated by commas, such as `api.example.org`; an IPv6 address in brackets. Without any, `/mcp` is off. In `dev` it is on, for this machine.',
    ),
  METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Separate port for /metrics, /health/live and /health/ready, in every role; PORT then has no /metrics. 0 takes any free one. Processes on one machine need one each.',
    ),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address that METRICS_PORT listens on.'),
  METRICS_KEY: apiKey
    .optional()
    .describe(
      'Key for /metrics, sent as a bearer token or X-API-Key. Health needs none. With neither it nor METRICS_PORT there are no metrics, except in `dev`.',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Minimum level of log lines, which are JSON on stderr; of `dev` see LOG_FORMAT.'),
  ...observingSettings,
  NETWORKS_FILE: z.string().optional().describe('JSON list of networks with rpcUrl; not for `dev`.'),
  DOCUMENTS_FILE: z
    .string()
    .optional()
    .describe('JSON object of GraphQL documents known in advance: text by its SHA-256.'),
  RPC_TIMEOUT_MS: integer(100, 60_000)
    .default(5_000)
    .describe('Timeout of one attempt of a call to a node, in milliseconds.'),
  SOLVER_PRIVATE_KEY: privateKey
    .optional()
    .describe('Account of the built-in solver; on the allow-list of the settlement contract.'),
  REFUND_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      'Account by which the role `index` refunds expired orders that were placed on chain; not that of the solver. Without it users request refunds themselves.',
    ),
  FEE_POLICIES: jsonText(z.array(feeRule).max(10))
    .optional()
    .describe(
      'Protocol fees in order, JSON: [{"kind":"volume","factor":0.0002}]; each may have "orderClass" ("market" and "limit": in or out of market by the stored quote, "any") and "effectiveFrom" (RFC 3339); volume also "buckets" ([{"tokens":["0x…"],"factor":0}], the first that holds both tokens decides) and "sameToken" (charged too). Quotes show the volume fees of orders in market.',
    ),
  AUCTION_EVERY_BLOCKS: integer(1, 1_000).default(1).describe('Blocks from one auction to the next.'),
  AUCTION_DEADLINE_BLOCKS: integer(2, 1_000)
    .default(5)
    .describe('Blocks within which a winner has to settle; before the last of them it is cancelled.'),
  AUCTION_SOLVE_MS: integer(50, 120_000)
    .default(10_000)
    .describe('Time for solvers to respond, in milliseconds.'),
  AUCTION_MAX_WINNERS: integer(1, 100).default(20).describe('Maximum winners of one auction.'),
  AUCTION_MAX_UNDER_WAY: integer(1, 64)
    .default(16)
    .describe('Maximum settlements, of all auctions, that are sent and not yet mined.'),
  ...submissionSettings,
  AUCTION_HIDE_COMPETITIONS: z
    .stringbool()
    .default(false)
    .describe(
      'Show a competition, its solutions and its attempts only once its deadline block has passed. The operator’s paths (`/restricted`) show them at once.',
    ),
  CURRENT_AUCTION_ACCESS: z
    .enum(accessLevels)
    .optional()
    .describe(
      'Clients that may read the current auction of solvers: none (off), the operator, or all (public). The operator without it; all in `dev`.',
    ),
  SIMULATION_ACCESS: z
    .enum(accessLevels)
    .default('public')
    .describe(
      'Clients that may simulate orders and bundles of transactions: none (off), the operator, or all (public).',
    ),
  BOOK_FEED_ACCESS: z
    .enum(feedAccessLevels)
    .optional()
    .describe(
      'Clients that may read the feed of the whole book and lists by their changes: none (off), the operator, partners by their keys and the operator (partners), or all (public). The operator without it; all in `dev`.',
    ),
  AUCTION_MAX_ORDERS: integer(1, 10_000)
    .default(1_000)
    .describe('Maximum orders in one auction: those likeliest to be filled, shared by owner and pair.'),
  AUCTION_MAX_LIVE_ORDERS: integer(1_000, 1_000_000)
    .default(100_000)
    .describe('Maximum live orders in memory, of some two kilobytes each: those that expire first.'),
  AUCTION_BALANCE_READS: integer(10, 10_000)
    .default(400)
    .describe(
      'Maximum balances that one auction reads from the node: new and changed ones, then others in turns.',
    ),
  AUCTION_CHECKS_PER_BLOCK: integer(1, 1_000)
    .default(60)
    .describe(
      'Maximum orders of contract wallets, or with pre-hooks, that one auction checks. Others keep their last result for 10 to 100 blocks, longer if there are more.',
    ),
  AUCTION_CHECK_MS: integer(50, 60_000)
    .default(1_000)
    .describe('Longest wait of an auction for contract wallets and pre-hooks, in milliseconds.'),
  AUCTION_CHECKS_PER_OWNER: integer(1, 1_000)
    .default(20)
    .describe(
      'Maximum orders of one contract wallet, or of one owner with pre-hooks, that one auction checks.',
    ),
  ORDER_MIN_VALIDITY: integer(1, 86_400).default(60).describe('Minimum seconds from now to validTo.'),
  ORDER_MAX_VALIDITY: integer(60, 1_000_000_000)
    .default(31_536_000)
    .describe('Maximum seconds from now to validTo of an order.'),
  QUOTE_MAX_VALIDITY: integer(60, 1_000_000_000)
    .default(10_800)
    .describe('Maximum seconds from now to validTo of a quote.'),
  QUOTE_ESTIMATORS: jsonText(uniquelyNamed(estimatorSource))
    .default([])
    .describe(
      'Outside estimators of quotes, JSON: [{"kind":"engine","name":"x","url":"http://…","address":"0x…"}]; kind driver speaks GET /quote; "network" limits it to one network.',
    ),
  QUOTE_FAST_RESULTS: integer(1, 20)
    .default(2)
    .describe('Number of usable estimates after which a fast quote is returned.'),
  QUOTE_VERIFICATION: z
    .enum(verificationModes)
    .default('prefer')
    .describe(
      'Simulate verified quotes if possible, refuse those that cannot be simulated, or never simulate.',
    ),
  QUOTE_MAX_INACCURACY: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe(
      'Maximum share by which a simulation may fall short of its estimate: beyond it the estimate is dropped.',
    ),
  PRICE_IMPACT_WARNING: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe(
      'Per cent that a quote gives less than the market price from which it has the warning PRICE_IMPACT.',
    ),
  PRICE_IMPACT_ACCEPTANCE: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(20)
    .describe(
      'Per cent that a quote gives less than the market price from which wallets sign only after its acceptance.',
    ),
  ORDER_MAX_OUT_OF_MARKET: integer(0, 100_000)
    .default(10)
    .describe('Maximum open orders out of market of one owner; 0 is no limit.'),
  ORDER_MAX_UIDS: integer(1, maxNamedOrders)
    .default(maxNamedOrders)
    .describe('Maximum orders in one request.'),
  DEBUG_REPORT_AUCTIONS: integer(1, 10_000)
    .default(defaultReportAuctions)
    .describe('Number of newest auctions in a debug report over REST; its Link header leads to older ones.'),
  SAME_TOKEN_ORDERS: z
    .enum(sameTokenPolicies)
    .default('allow-sell')
    .describe('Orders that trade a token for itself: refused, only sell orders (allow-sell), or allowed.'),
  APP_DATA_MAX_BYTES: integer(2, 1_000_000)
    .default(maxAppDataBytes)
    .describe('Maximum bytes of an appData document; bodies of requests have limits of their own.'),
  APP_DATA_UNUSED_BYTES: integer(100_000, 1_000_000_000)
    .default(8_388_608)
    .describe(
      'Maximum stored bytes of one client’s appData documents that no order names; RETENTION_DOCUMENTS_DAYS is their age.',
    ),
  ORDER_CLIENT_BYTES: integer(0, 1_000_000_000_000)
    .default(134_217_728)
    .describe(
      'Maximum bytes of orders, with documents, that one client stores in a day through one process; 0 is no limit.',
    ),
  TOWER_OWNER_ORDERS: integer(0, 1_000_000_000)
    .default(1_000)
    .describe(
      'Maximum parts of one owner’s programmatic orders that the watch tower of a network places in a day; 0 is no limit.',
    ),
  TOWER_OWNER_BYTES: integer(0, 1_000_000_000_000)
    .default(16_777_216)
    .describe('Maximum bytes of the parts of one owner in a day; 0 is no limit.'),
  TOWER_ORDERS: integer(0, 1_000_000_000)
    .default(20_000)
    .describe(
      'Maximum parts that the watch tower of a network places in a day for all owners, half of them for owners who have not traded; 0 is no limit.',
    ),
  TOWER_BYTES: integer(0, 1_000_000_000_000)
    .default(268_435_456)
    .describe('Maximum bytes of the parts of all owners in a day; 0 is no limit.'),
  QUOTE_CLIENT_BYTES: integer(0, 1_000_000_000_000)
    .default(134_217_728)
    .describe(
      'Maximum bytes of quotes that one client has stored through one process; RETENTION_QUOTES_DAYS is their age; 0 is no limit.',
    ),
  IPFS_GATEWAY: httpUrl
    .optional()
    .describe('Gateway for appData documents that are not stored, below /ipfs/.'),
  DENIED_ACCOUNTS_FILE: z
    .string()
    .optional()
    .describe('File of accounts that may neither trade nor be paid: one address per line.'),
  DENIED_TOKENS_FILE: z
    .string()
    .optional()
    .describe('File of tokens that are not traded: one address per line.'),
  ADMIN_API_KEY: apiKey
    .optional()
    .describe(
      'Key to cancel orders by policy and to manage partners’ keys, sent as a bearer token or X-API-Key.',
    ),
  ORDER_MAX_GAS: integer(100_000, 100_000_000)
    .default(8_000_000)
    .describe('Maximum gas that one order may need.'),
  EIP1271_GAS_LIMIT: integer(21_000, 30_000_000)
    .default(1_000_000)
    .describe('Maximum gas for a contract wallet to judge a signature.'),
  EIP1271_TIMEOUT_MS: integer(50, 60_000)
    .default(1_000)
    .describe(
      'Timeout of a call that runs the code of an order (its wallet, its pre-hooks), in milliseconds.',
    ),
  EIP1271_AT_ONCE: integer(1, 1_000)
    .default(4)
    .describe(
      'Maximum concurrent calls of this kind on each network, one for each owner; three times as many wait. The watch tower makes up to twice as many of its own.',
    ),
  DISTINCT_SIGNATURE_CODES: z
    .stringbool()
    .default(false)
    .describe('Return WrongOwner instead of InvalidSignature for an order that another key signed.'),
  RATE_LIMIT_READS: perSecond(50).describe(
    'Maximum cost units of one client’s reads per second; 0 is no limit. A small read is one unit, of about 2 ms.',
  ),
  RATE_LIMIT_QUOTES: perSecond(10).describe('Maximum quotes of one client per second; 0 is no limit.'),
  RATE_LIMIT_ORDERS: perSecond(5).describe(
    'Maximum orders and cancellations of one client per second; 0 is no limit.',
  ),
  RATE_LIMIT_INTROSPECTIONS: integer(0, 1_000)
    .default(6)
    .describe(
      'Maximum introspection documents of one client per minute, cached answers aside; 0 is no limit.',
    ),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((entry) => entry.trim()))
    .transform((entries, context) => {
      try {
        return trustedProxies(entries)
      } catch (error) {
        return refuse(context, String(error instanceof Error ? error.message : error))
      }
    })
    .optional()
    .describe('Proxies that may name the client in X-Forwarded-For: addresses and CIDR ranges, with commas.'),
  ...connectionSettings,
  ...streamSettings,
  ...channelSettings,
  ...sourceSettings,
  ...retentionSettings,
  NOTIFICATION_LEAST_IMPROVEMENT: z.coerce
    .number()
    .min(0)
    .max(1_000)
    .default(0.02)
    .transform((share) => BigInt(Math.round(share * Number(factorScale))))
    .describe(
      'Minimum share by which a trade beats its signed limit for a notification price_improvement: 0.02 is 2 %.',
    ),
  NOTIFICATION_BALANCE_PAUSE: integer(0, 86_400)
    .default(3_600)
    .describe(
      'Seconds from the first notification insufficient_balance of an order to its second one; each further one doubles them, up to a week. Funds that are still missing then are notified then.',
    ),
  CMS_ENABLED: z
    .stringbool()
    .optional()
    .describe('Enable notifications and affiliates; by default if CMS_API_KEY is set.'),
  CMS_API_KEY: apiKey
    .optional()
    .describe('Key to enable and disable affiliate codes, sent as a bearer token or X-API-Key.'),
  CMS_URL: httpUrl
    .optional()
    .describe('Base URL of a content system with announcements for accounts; it receives CMS_API_KEY.'),
  AFFILIATE_BRAND: z
    .string()
    .regex(/^[\w .-]{1,40}$/)
    .default('Service')
    .describe('First word of the name in the domain that affiliates sign: "… Affiliate".'),
  AFFILIATE_NETWORK: z
    .string()
    .optional()
    .describe(
      'Network of affiliates’ contract wallets: by default mainnet if it is served, else the first one.',
    ),
  STATS_SOURCE: z
    .enum(['own'])
    .optional()
    .describe('Statistics of affiliates and traders: `own` computes them from the trades stored here.'),
  DUNE_API_KEY: z
    .string()
    .regex(/^[!-~]{1,1000}$/, 'must be visible characters of ASCII')
    .optional()
    .describe('Enables the statistics like STATS_SOURCE=own. It is never sent.'),
  PROFILE: z
    .enum(profiles)
    .default('production')
    .describe('Deployment of the settlement contract on networks that name none: production or staging.'),
  ANVIL: z
    .string()
    .optional()
    .describe('Path of anvil, for `dev`; by default that of npm for the platform, or that of the PATH.'),
})

export type Settings = z.infer<typeof settings>
