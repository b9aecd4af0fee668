import { createCodeChecks } from '../auctions/admission/code-checks.ts'
import { createHoldings } from '../auctions/admission/holdings.ts'
import { createLiveBook, type LiveBookOptions } from '../auctions/admission/order-book.ts'
import {
  createCurrentAuction,
  createExclusions,
  createMarketPrices,
  createRounds,
  hiddenAuction,
} from '../auctions/admission/publish-auction.ts'
import { createRoutedPrices } from '../auctions/admission/routed-prices.ts'
import { createStandings } from '../auctions/admission/standings.ts'
import { createFailedGas } from '../auctions/failures/failed-gas.ts'
import { createHeldTokens } from '../auctions/held-tokens.ts'
import { createKnownPools } from '../auctions/known-pools.ts'
import { saleValues } from '../auctions/market.ts'
import type { AuctionMeter } from '../auctions/meter.ts'
import { type AuctionServices, maxBackOff } from '../auctions/services.ts'
import type { Chain, ReadBalance } from '../chain/chain.ts'
import { createHoldingChanges } from '../chain/logs/holding-changes.ts'
import type { CheckOrder } from '../chain/order/order-check.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { BalanceChange, SettlementEffects } from '../chain/settlement/effects.ts'
import { readRights } from '../chain/settlement/rights.ts'
import { createDryRun, type DryRun, type SettlementSequence } from '../chain/settlement/sequence.ts'
import { createSettler, type Settler } from '../chain/settlement/settler.ts'
import type { AccountBalances } from '../chain/transaction/account-balances.ts'
import type { PrivateEndpoint } from '../chain/transaction/broadcast.ts'
import { createBackOff } from '../concurrency/back-off.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import { type Clock, type Log, unixSeconds } from '../domain/log.ts'
import { goesBy } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import type { Pools } from '../market/pools/pools.ts'
import { createHealth, type HealthLimits } from '../outside/health.ts'
import { createBuiltInSolver } from '../solvers/built-in/solver.ts'
import { connectDriver } from '../solvers/driver/solver.ts'
import { createSolverEngine } from '../solvers/engine/client.ts'
import { type AuctionWriter, createAuctionWriter } from '../solvers/engine/request.ts'
import { createEngineSolver } from '../solvers/engine/solver.ts'
import { createNotices, type SolutionNotice } from '../solvers/outside/notices.ts'
import type { Solver } from '../solvers/solver.ts'
import { paidByPermission } from '../storage/auction/accounting.ts'
import { insertNotice, insertRequest } from '../storage/auction/solver-messages.ts'
import { findCheckpoint } from '../storage/chain/indexed-logs.ts'
import { findHoldingIndex, settlementTokens } from '../storage/chain/settlement-holdings.ts'
import type { Database } from '../storage/database/database.ts'
import type { SolverSetting } from './settings/source-settings.ts'
import type { Settings } from './settings.ts'

interface AuctionsOptions
  extends Pick<
    AuctionServices,
    'network' | 'db' | 'log' | 'now' | 'random' | 'policy' | 'accounts' | 'trials'
  > {
  chain: Chain
  pools: Pools
  settings: Settings
  checkOrder: CheckOrder
  readDocument: LiveBookOptions['readDocument']
  /** Empty if the deployment has no key for one: then no solver bids. */
  solvers: readonly Competitor[]
  rpc: Rpc
  sequence: SettlementSequence
  effects: SettlementEffects
  meter: AuctionMeter
}

/** Time for the router's prices of live orders after each auction, in milliseconds. */
const routingMs = 50

/** Services that auctions need on one network. */
export function composeAuctions({
  network,
  chain,
  rpc,
  pools,
  db,
  settings,
  log,
  now,
  random,
  policy,
  checkOrder,
  readDocument,
  accounts,
  solvers,
  sequence,
  effects,
  trials,
  meter,
}: AuctionsOptions): AuctionServices {
  return {
    network,
    db,
    now,
    log,
    random,
    settings: {
      everyBlocks: settings.AUCTION_EVERY_BLOCKS,
      deadlineBlocks: settings.AUCTION_DEADLINE_BLOCKS,
      solveMs: settings.AUCTION_SOLVE_MS,
      maxWinners: settings.AUCTION_MAX_WINNERS,
      maxUnderWay: settings.AUCTION_MAX_UNDER_WAY,
      maxOrders: settings.AUCTION_MAX_ORDERS,
      minLifetime: settings.ORDER_MIN_VALIDITY,
    },
    feePolicies: settings.FEE_POLICIES ?? [],
    surplusCapturingOwners: settings.SURPLUS_CAPTURING_JIT_ORDER_OWNERS.flatMap((entry) =>
      entry.network === undefined || goesBy(network, entry.network) ? [entry.owner] : [],
    ),
    policy,
    codeChecks: createCodeChecks({
      check: checkOrder,
      network,
      log,
      limits: {
        perBlock: settings.AUCTION_CHECKS_PER_BLOCK,
        perOwner: settings.AUCTION_CHECKS_PER_OWNER,
        waitMs: settings.AUCTION_CHECK_MS,
        atOnce: settings.EIP1271_AT_ONCE,
      },
    }),
    backOffs: createBackOff(maxBackOff),
    head: () => chain.head(),
    gasPrice: () => chain.gasPrice(),
    book: createLiveBook({
      db,
      chainId: network.chainId,
      log,
      readDocument,
      maxOrders: settings.AUCTION_MAX_LIVE_ORDERS,
    }),
    exclusions: createExclusions(),
    standings: createStandings({
      db,
      chainId: network.chainId,
      now,
      notificationPauseMs: settings.NOTIFICATION_BALANCE_PAUSE * 1_000,
    }),
    marketPrices: createMarketPrices({ db, chainId: network.chainId, now }),
    current:
      settings.CURRENT_AUCTION_ACCESS === 'off' ? hiddenAuction : createCurrentAuction({ db, network, log }),
    rounds: createRounds({ db, chainId: network.chainId, now, log }),
    routedPrices: createRoutedPrices(network, routingMs),
    holdings: createHoldings({
      spendable: (holdings) => chain.spendable(holdings),
      changes: createHoldingChanges({ chain, log }),
      limits: { reads: settings.AUCTION_BALANCE_READS, turns: Math.ceil(settings.AUCTION_BALANCE_READS / 4) },
    }),
    pools: (pairs, blockHash) => pools.around(pairs, blockHash),
    solvers: solvers.map(({ solver }) => solver),
    meter,
    settlers: new Map(solvers.flatMap(({ settler }) => (settler ? [[settler.address, settler]] : []))),
    dryRuns: new Map(solvers.map(({ solver, dryRun }) => [solver.address, dryRun])),
    buffers: (tokens) => buffersOf(tokens, chain, network),
    accounts,
    sequence,
    effects,
    knownPools: createKnownPools(),
    failedGas: createFailedGas({ db, network }),
    heldTokens: createHeldTokens({
      received: async (limit) => {
        await requireHoldings(db, network)
        const tokens = await settlementTokens(db, network.chainId, limit)
        return tokens.map(({ token }) => token).filter((token) => !policy.deniedTokens.has(token))
      },
      balances: async (tokens) => (await readBuffers(tokens, chain, network)).map(balanceOf),
      values: (amounts, blockHash) => saleValues(amounts, blockHash, { network, pools }),
      minValue: settings.GUARD_MIN_VALUE,
      now,
      log,
      onRead: meter.holds,
    }),
    balancesAround: (tokens, block) => balancesAround(tokens, block, chain, network),
    trials,
    rights: (rights) => readRights(rpc, network.settlement, rights, { now: unixSeconds(now()) }),
    balanceChanges: (txHash) => chain.settledChanges(txHash),
  }
}

interface SolversOptions {
  network: Network
  rpc: Rpc
  balances: AccountBalances
  privateEndpoint: PrivateEndpoint | undefined
  chain: Chain
  sequence: SettlementSequence
  db: Database
  settings: Settings
  log: Log
  now: Clock
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

/** A solver, and the account that submits its settlements, if the service does that. */
interface Competitor {
  solver: Solver
  settler?: Settler
  dryRun: DryRun
}

const gwei = 10n ** 9n

/** Highest price in wei that a transaction offers for a unit of gas. */
export const maxFeeOf = (settings: Pick<Settings, 'SETTLEMENT_MAX_GAS_PRICE'>) =>
  BigInt(settings.SETTLEMENT_MAX_GAS_PRICE) * gwei
/** Several times the size of one response's solutions. */
const maxAnswerBytes = 1_000_000
/** Longest wait for metadata of tokens before engines are called without. */
const metadataMs = 300

const healthLimits: HealthLimits = {
  failures: 3,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
  // Two auctions at once, or two competitions of one.
  atOnce: 2,
}

/** The solvers of one network: the built-in one, and those of the settings. */
export function composeSolvers(options: SolversOptions): Competitor[] {
  const { network, settings } = options
  const { SOLVER_PRIVATE_KEY: privateKey, SOLVERS: sources } = settings
  const asked = sources.filter((source) => source.network === undefined || goesBy(network, source.network))
  const write = createAuctionWriter({
    wrappedNative: network.wrappedNative,
    tokens: (addresses) => inTime(options.tokens(addresses), metadataMs),
    keep: ({ id }, text) => void keepRequest(id, text, options),
  })
  const settlerOf = (key: Hex) =>
    createSettler({
      ...options,
      privateKey: key,
      maxFeePerGas: maxFeeOf(settings),
      maxGas: BigInt(settings.SETTLEMENT_MAX_GAS),
    })
  const outside = asked.map((source): Competitor => {
    if (source.kind === 'driver') {
      const { address } = source
      return {
        solver: driverSolver(source, options),
        dryRun: createDryRun(options.rpc, network.settlement, address),
      }
    }
    const settler = settlerOf(source.privateKey)
    return { settler, dryRun: settler.dryRun, solver: engineSolver(source, settler.address, write, options) }
  })
  if (privateKey === undefined) return outside
  const settler = settlerOf(privateKey)
  const solver = createBuiltInSolver({ ...network, name: 'built-in', address: settler.address })
  return [{ settler, dryRun: settler.dryRun, solver }, ...outside]
}

function driverSolver(
  source: Extract<SolverSetting, { kind: 'driver' }>,
  { network: { chainId }, db, settings, log, now }: SolversOptions,
): Solver {
  const { name, url, address } = source
  return connectDriver({
    name,
    url,
    address,
    now,
    solveMs: settings.AUCTION_SOLVE_MS,
    health: createHealth({ name, limits: healthLimits, now, log }),
    store: (notice) => insertNotice(db, toRow(notice, chainId, address, now)),
  })
}

/** The settlement contract's balance of each token; undefined for an address that is no token. */
async function buffersOf(tokens: readonly Address[], chain: Chain, network: Network) {
  const balances = await readBuffers(tokens, chain, network)
  return balances.map((read) => {
    if (read instanceof Outage) throw read
    return balanceOf(read)
  })
}

/** Blocks that the index of holdings may lack. */
const maxUnknownBlocks = 10

/** @throws Outage while the tokens that the settlement contract received are unknown */
async function requireHoldings(db: Database, { chainId }: Network): Promise<void> {
  const [index, checkpoint] = await Promise.all([findHoldingIndex(db, chainId), findCheckpoint(db, chainId)])
  const isKnown = index && checkpoint && index.block >= checkpoint.number - maxUnknownBlocks
  if (!isKnown) throw new Outage('the index of what the settlement contract holds')
}

function readBuffers(tokens: readonly Address[], chain: Chain, { settlement: owner }: Network) {
  return chain.balances(tokens.map((token) => ({ owner, token })))
}

async function balancesAround(
  tokens: readonly Address[],
  block: number,
  chain: Chain,
  { settlement: owner }: Network,
): Promise<Map<Address, BalanceChange>> {
  const holdings = tokens.map((token) => ({ owner, token }))
  const [before = [], after = []] = await Promise.all(
    [block - 1, block].map(async (number) => {
      const found = await chain.block(number)
      if (!found) throw new Outage(`block ${number}`)
      return (await chain.balances(holdings, found.hash)).map(balanceOf)
    }),
  )
  return new Map(
    tokens.flatMap((token, index): [Address, BalanceChange][] => {
      const first = before[index]
      return first === undefined ? [] : [[token, { before: first, after: after[index] ?? 0n }]]
    }),
  )
}

/** A token that cannot be read has no balance. */
function balanceOf(read: ReadBalance | Outage): bigint | undefined {
  return read === 'absent' || read instanceof Outage ? undefined : read.balance
}

function engineSolver(
  { name, url, internalize, jitOrders }: Extract<SolverSetting, { kind: 'engine' }>,
  address: Address,
  write: AuctionWriter,
  { network, chain, db, settings, log, now }: SolversOptions,
): Solver {
  const solveMs = settings.AUCTION_SOLVE_MS
  const peer = { name, url, now, timeoutMs: solveMs, maxBytes: maxAnswerBytes }
  return createEngineSolver({
    name,
    address,
    engine: createSolverEngine(peer),
    health: createHealth({ name, limits: healthLimits, now, log }),
    write,
    notify: createNotices({
      peer,
      store: (notice) => insertNotice(db, toRow(notice, network.chainId, address, now)),
    }),
    network,
    buffers: (tokens) => buffersOf(tokens, chain, network),
    internalize: {
      limits: new Map(internalize.map(({ token, ...limit }) => [token, limit])),
      paid: (since) => paidByPermission(db, { chainId: network.chainId, solver: address, since }),
    },
    jitOrders,
    now,
    solveMs,
  })
}

const maxReason = 500

function toRow(notice: SolutionNotice, chainId: number, solver: Address, now: Clock) {
  const { auctionId, solutionIds, kind, reason } = notice
  return {
    chainId,
    solver,
    auctionId,
    solutionIds: solutionIds.map(BigInt).filter((id) => id < 2n ** 63n),
    kind,
    reason: reason.slice(0, maxReason),
    at: new Date(now()),
  }
}

/** Stores a request for a replay. A fault costs the replay, not the auction. */
async function keepRequest(auctionId: bigint, text: string, { db, network, log }: SolversOptions) {
  try {
    await insertRequest(db, { auctionId, chainId: network.chainId, text })
  } catch (error) {
    log.warn('the request of an auction is not kept', { auctionId: String(auctionId), error: String(error) })
  }
}

function inTime<K, V>(values: Promise<Map<K, V>>, milliseconds: number): Promise<Map<K, V>> {
  const none = new Promise<Map<K, V>>((resolve) => setTimeout(() => resolve(new Map()), milliseconds).unref())
  return Promise.race([values.catch(() => new Map<K, V>()), none])
}
