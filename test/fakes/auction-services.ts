import { createCodeChecks } from '../../src/auctions/admission/code-checks.ts'
import { createHoldings } from '../../src/auctions/admission/holdings.ts'
import { createLiveBook } from '../../src/auctions/admission/order-book.ts'
import {
  createCurrentAuction,
  createExclusions,
  createMarketPrices,
  createRounds,
} from '../../src/auctions/admission/publish-auction.ts'
import { createRoutedPrices } from '../../src/auctions/admission/routed-prices.ts'
import { createStandings } from '../../src/auctions/admission/standings.ts'
import { createKnownPools } from '../../src/auctions/known-pools.ts'
import type { AuctionMeter } from '../../src/auctions/meter.ts'
import type { AuctionServices } from '../../src/auctions/services.ts'
import type { Spendable } from '../../src/chain/chain.ts'
import type { CheckOrder } from '../../src/chain/order/order-check.ts'
import type { SettlementOutcome, Settler } from '../../src/chain/settlement/settler.ts'
import type { CheckTrade } from '../../src/chain/trade/check.ts'
import { createBackOff } from '../../src/concurrency/back-off.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { Auction } from '../../src/domain/auction/auction.ts'
import type { Proposal } from '../../src/domain/auction/solution.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { createLateDocumentReader } from '../../src/orders/late-document.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { samplePool } from './market.ts'
import { sampleNetwork } from './network.ts'
import { dollar, numbered, wrapped } from './order.ts'
import { silentLog } from './silent-log.ts'

export const silentMeter: AuctionMeter = {
  began() {},
  took() {},
  stand() {},
  answered() {},
  settled() {},
  lost() {},
  inspects() {},
  holds() {},
}

export const solverAddress = numbered('51')
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}` as const
const hash = `0x${'00'.repeat(32)}` as const
/** The hash of the transactions that the settlers send. */
export const fakeTransaction = `0x${'f7'.repeat(32)}` as const

/** Fills the remaining amounts of these orders at 3,000 dollars, without a network fee. */
export function propose(auction: Auction, chosen = (_: Order) => true): Proposal {
  return {
    prices: new Map([
      [wrapped, 3_000n * 10n ** 6n],
      [dollar, 10n ** 18n],
    ]),
    trades: auction.orders
      .filter(({ order }) => chosen(order))
      .map(({ order, remaining }) => ({ orderUid: order.uid, executedAmount: remaining, fee: 0n })),
    interactions: [],
    gas: 100_000n,
  }
}

export function createSolver(
  solve: Solver['solve'],
  address: Address = solverAddress,
): Solver & { auctions: Auction[] } {
  const auctions: Auction[] = []
  return {
    address,
    name: address,
    auctions,
    solve(auction, market, signal) {
      auctions.push(auction)
      return solve(auction, market, signal)
    },
  }
}

/** Auction services over a real database; the test sets the chain, the solvers and the settler. */
export function createAuctionServices(db: Database) {
  const world = {
    block: 10,
    seconds: 1_000_000,
    funds: new Map<string, Spendable>(),
    /** Of funds: each makes another block. */
    changes: 0,
    solvers: [] as Solver[],
    /** The outcome of submissions, by solver. */
    outcomes: new Map<Address, SettlementOutcome | Error>(),
    /** The answers of contract wallets and tokens about an order. */
    check: (async ({ owner, sellToken, signature }) => ({
      ...(world.funds.get(`${owner}:${sellToken}`) ?? { balance: maxUint256, allowance: maxUint256 }),
      transfer: 'ok',
      signature: signature ? 'valid' : 'unasked',
      signatureGas: signature ? 5_000n : 0n,
      ownerHasCode: signature !== undefined,
      exhausted: false,
    })) as CheckOrder,
    /** The reason for which a settlement reverts. */
    dryRun: (_calldata: Hex): string | undefined => undefined,
    /** What settlements change of the settlement contract's tokens. */
    changesOf: undefined as ReadonlyMap<Address, bigint> | undefined,
    /** Accounts that cannot pay for gas. */
    poor: new Set<Address>(),
    submitted: [] as { deadlineBlock: number }[],
    /** The answer about trades without an order. */
    trade: (async () => undefined) as CheckTrade,
    /** Why tokens are refused. */
    refusedTokens: new Map<Address, string>(),
  }
  const success = () => ({ outcome: 'success', txHash: fakeTransaction, block: world.block }) as const
  const settler = (address: Address): Settler => ({
    address,
    simulate: async () => ({ gas: 1n }),
    dryRun: async (calldata) => world.dryRun(calldata),
    async submit(_calldata, { deadlineBlock, record }) {
      world.submitted.push({ deadlineBlock })
      const outcome = world.outcomes.get(address) ?? success()
      if (outcome instanceof Error) throw outcome
      const txHash = 'txHash' in outcome ? outcome.txHash : undefined
      const refusal = txHash && (await record({ raw: '0x02', hash: txHash, submission: 'sent' }))
      return refusal ? { outcome: 'failed', reason: refusal, block: world.block } : outcome
    },
    resume: async () => success(),
  })
  const services: AuctionServices = {
    network: { ...sampleNetwork, blockTimeMs: 1 },
    db,
    now: () => world.seconds * 1_000,
    log: silentLog,
    random: () => 0.5,
    settings: {
      everyBlocks: 1,
      deadlineBlocks: 3,
      solveMs: 50,
      maxWinners: 5,
      maxUnderWay: 16,
      maxOrders: 100,
      minLifetime: 60,
    },
    feePolicies: [],
    surplusCapturingOwners: [],
    policy: { deniedAccounts: new Set(), deniedTokens: new Set(), sameToken: 'disallow' },
    codeChecks: createCodeChecks({
      check: (question) => world.check(question),
      network: sampleNetwork,
      log: silentLog,
      limits: { perBlock: 10, perOwner: 2, waitMs: 50, atOnce: 2 },
    }),
    backOffs: createBackOff(64),
    head: async () => ({
      number: world.block,
      hash: hashOf(world.block * 1_000 + world.changes),
      parentHash: hash,
      timestamp: world.seconds,
    }),
    gasPrice: async () => 1n,
    book: createLiveBook({
      db,
      chainId: sampleNetwork.chainId,
      log: silentLog,
      maxOrders: 10_000,
      readDocument: createLateDocumentReader({
        network: sampleNetwork,
        limits: { maxGas: 8_000_000n, minValidity: 60 },
      }),
    }),
    standings: createStandings({
      db,
      chainId: sampleNetwork.chainId,
      now: () => world.seconds * 1_000,
      notificationPauseMs: 3_600_000,
    }),
    exclusions: createExclusions(),
    marketPrices: createMarketPrices({
      db,
      chainId: sampleNetwork.chainId,
      now: () => world.seconds * 1_000,
    }),
    current: createCurrentAuction({ db, network: sampleNetwork, log: silentLog }),
    rounds: createRounds({
      db,
      chainId: sampleNetwork.chainId,
      now: () => world.seconds * 1_000,
      log: silentLog,
    }),
    routedPrices: createRoutedPrices(sampleNetwork, 20),
    holdings: createHoldings({
      spendable: async (holdings) =>
        holdings.map(
          ({ owner, token }) =>
            world.funds.get(`${owner}:${token}`) ?? { balance: maxUint256, allowance: maxUint256 },
        ),
      changes: { upTo: async () => new Set(world.funds.keys()), forget: () => {} },
      limits: { reads: 100, turns: 100 },
    }),
    pools: async () => [samplePool('01', wrapped, dollar, 10_000n)],
    meter: silentMeter,
    get solvers() {
      return world.solvers
    },
    settlers: new Map([solverAddress, numbered('52')].map((address) => [address, settler(address)])),
    balanceChanges: async () => world.changesOf,
    balancesAround: async () => new Map(),
    dryRuns: new Map(
      [solverAddress, numbered('52')].map((address) => [address, async (calldata) => world.dryRun(calldata)]),
    ),
    buffers: async (tokens) => tokens.map(() => 0n),
    knownPools: createKnownPools(),
    failedGas: { refresh: async () => {}, pauseOf: () => undefined, pauseOfToken: () => undefined },
    heldTokens: { list: () => [], isReady: () => true, drop: () => false, refresh: async () => {} },
    effects: {
      support: async () => ({ logs: true, storage: true }),
      async observe({ calldata }) {
        const revert = world.dryRun(calldata)
        return revert === undefined ? { gas: 1n, logs: [], balances: new Map(), allowances: [] } : { revert }
      },
      footprint: async () => ({ writes: [], reads: [] }),
      minedFootprint: async () => ({ writes: [], reads: [] }),
      minedCall: async () => ({ to: null, input: '0x', gasUsed: 200_000n, logs: [] }),
      allowances: async (pairs) => pairs.map(() => 0n),
      isUnreadable: async () => false,
      revertPlace: async () => undefined,
      viewedSlots: async () => ({ balances: [], allowances: [] }),
      realAllowances: async (approvals) => [...approvals],
    },
    rights: async (rights) => rights.map((right) => ({ ...right, value: 0n })),
    accounts: {
      refresh: async () => {},
      refusal: (account) =>
        world.poor.has(account) ? { code: 'solver_cannot_pay', message: 'its account is empty' } : undefined,
    },
    trials: {
      trade: (question) => world.trade(question),
      token: async (token) => world.refusedTokens.get(token),
    },
    sequence: {
      simulate: async (calls) =>
        calls.map(({ calldata }) => {
          const revert = world.dryRun(calldata)
          return revert === undefined ? { gas: 1n } : { revert }
        }),
    },
  }
  return {
    services,
    world,
    fund({ owner, sellToken }: Order, balance: bigint, allowance = balance) {
      world.funds.set(`${owner}:${sellToken}`, { balance, allowance })
      world.changes++
    },
  }
}
