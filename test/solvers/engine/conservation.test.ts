import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { checkProposal, solutionBookings } from '../../../src/auctions/check-proposal.ts'
import { guarded, touchedBy } from '../../../src/auctions/guards.ts'
import { type SettlementPlan, toSettlementPlan } from '../../../src/auctions/settlement-calldata.ts'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import { type Proposal, type Solution, toJitEntry } from '../../../src/domain/auction/solution.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { FeePolicy } from '../../../src/domain/fee/policy.ts'
import { type Pool, poolAfterSwap, poolOutputDown } from '../../../src/domain/routing/pool.ts'
import type { Booking, Slippage } from '../../../src/domain/settlement/accounting.ts'
import type { EngineSolution } from '../../../src/solvers/engine/client.ts'
import { toProposal } from '../../../src/solvers/engine/proposal.ts'
import { samplePool } from '../../fakes/market.ts'
import {
  auctionOrder,
  coin,
  dollar,
  numbered,
  sampleAuction,
  sampleOrder,
  settlement,
  wrapped,
} from '../../fakes/order.ts'
import { simulate } from '../../fakes/settlement-simulator.ts'

/** The change of the contract's balance beyond all fees. */
const slippageOf = ({ change, networkFee, protocolFee }: Slippage) => change - networkFee - protocolFee

const transfers = new Interface(['function transfer(address to, uint256 amount)'])
const guardAbi = new Interface([
  'function note(address[] tokens)',
  'function check(address[] tokens, int256[] least)',
])
const balanceGuard = numbered('99')
const tokens = [wrapped, dollar, coin] as const
/** Atoms of equal value. */
const units: Record<Address, bigint> = {
  [wrapped]: 10n ** 18n,
  [dollar]: 3_000_000_000n,
  [coin]: 6_000n * 10n ** 18n,
}
const held = new Map(tokens.map((token) => [token, 1_000n * (units[token] ?? 1n)] as const))
const pools: Pool[] = [samplePool('01', wrapped, dollar, 10_000n), samplePool('02', wrapped, coin, 10_000n)]

function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    chance: (share: number) => next() < share,
    below: (count: number) => Math.floor(next() * count),
    /** Up to a part of `most`, uneven in its last digits. */
    amount: (max: bigint) =>
      (max * BigInt(1 + Math.floor(next() * 1e6))) / 1_000_000n + BigInt(Math.floor(next() * 997)),
  }
}

type Random = ReturnType<typeof createRandom>

function randomPolicies(random: Random): FeePolicy[] {
  const factor = () => BigInt(1 + random.below(400_000))
  const policies: FeePolicy[] = [
    { kind: 'volume', factor: BigInt(1 + random.below(10_000)) },
    { kind: 'surplus', factor: factor(), maxVolumeFactor: BigInt(1 + random.below(20_000)) },
    { kind: 'priceImprovement', factor: factor(), maxVolumeFactor: BigInt(1 + random.below(20_000)) },
  ]
  return policies.filter(() => random.chance(0.5))
}

/** One order over a pool, and what its engine says about it. */
function randomTrade(random: Random, index: number, isJit: boolean) {
  const pool = pools[random.below(pools.length)] as Pool
  const [sellToken, buyToken] = random.chance(0.5) ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const kind = random.chance(0.5) ? ('sell' as const) : ('buy' as const)
  const sellAmount = random.amount(units[sellToken] ?? 1n)
  const buyAmount = (sellAmount * (units[buyToken] ?? 1n) * 8n) / ((units[sellToken] ?? 1n) * 10n) + 1n
  const values = { sellToken, buyToken, kind, sellAmount, buyAmount, validTo: 2_000_000_000 + index }
  const entry: AuctionOrder = isJit
    ? toJitEntry(sampleOrder({ ...values, class: 'liquidity' }), false)
    : auctionOrder(values, randomPolicies(random))
  return { entry, pool, fee: random.chance(0.5) ? random.amount(sellAmount / 50n) : 0n }
}

/**
 * Honest swaps: at the prices of the solution each order sells what its swap takes, and the swap pays what it
 * buys.
 */
function randomProposal(random: Random) {
  const placed = randomTrade(random, 0, false)
  const all = [placed, ...(random.chance(0.5) ? [randomTrade(random, 1, true)] : [])]
  const isPair = (one: typeof placed) =>
    one.pool === placed.pool && one.entry.order.sellToken === placed.entry.order.sellToken
  const trades = all.filter((one, index) => index === 0 || (!isPair(one) && one.pool !== placed.pool))
  const state = new Map(pools.map((pool) => [pool.address, pool]))
  const prices = new Map<Address, bigint>()
  const interactions: EngineSolution['interactions'] = []
  for (const { entry, pool, fee } of trades) {
    const { sellToken, buyToken, kind, sellAmount } = entry.order
    const input = kind === 'sell' ? sellAmount - fee : (sellAmount * 9n) / 10n
    const now = state.get(pool.address) ?? pool
    const output = poolOutputDown(now, sellToken, input)
    state.set(pool.address, poolAfterSwap(now, sellToken, input, output))
    interactions.push({
      kind: 'liquidity',
      id: pool.address,
      internalize: random.chance(0.4),
      inputToken: sellToken,
      outputToken: buyToken,
      inputAmount: input,
      outputAmount: output,
    })
    // The common token of two pools keeps its price.
    const scale = prices.get(sellToken) ?? prices.get(buyToken) ?? 10n ** 30n
    const known = prices.has(sellToken) ? 'sell' : 'buy'
    if (known === 'sell') prices.set(buyToken, (scale * input) / output)
    else prices.set(buyToken, scale).set(sellToken, (scale * output) / input)
    const isFirst = prices.size === 2
    if (isFirst) prices.set(sellToken, output * 10n ** 9n).set(buyToken, input * 10n ** 9n)
  }
  return { trades, prices, interactions }
}

interface Case {
  auction: ReturnType<typeof sampleAuction>
  solution: Solution
  bookings: Booking[]
}

function randomCase(random: Random): Case | undefined {
  const { trades, prices, interactions } = randomProposal(random)
  const limits = new Map(tokens.map((token) => [token, { perSettlement: 10n ** 40n, perDay: 10n ** 40n }]))
  const engine: EngineSolution = {
    id: 1,
    prices,
    trades: [],
    interactions,
    preInteractions: [],
    postInteractions: [],
    gas: 1n,
    flashloans: new Map(),
    wrappers: [],
  }
  const made = toProposal(
    { ...engine, trades: [{ kind: 'fulfillment', order: '0x', executedAmount: 1n, fee: 0n }] },
    { pools, settlement, forbidden: [], permission: { limits, paid: new Map() } },
  )
  if ('kind' in made) throw new Error(made.reason)
  const [placed, ...brought] = trades.map(({ entry }) => entry) as [AuctionOrder, ...AuctionOrder[]]
  const traded = trades.map(({ entry: { order, remaining }, fee }) => ({
    orderUid: order.uid,
    executedAmount: order.kind === 'sell' ? remaining - fee : remaining,
    fee,
  }))
  const form = (proposal: Proposal): Proposal => ({ ...proposal, trades: traded, jitOrders: brought })
  const { uninternalized } = made
  const proposal = { ...form(made), ...(uninternalized && { uninternalized: form(uninternalized) }) }
  const auction = sampleAuction([placed])
  const solution = checkProposal(auction, numbered('50'), proposal, wrapped)
  if ('fault' in solution) return undefined
  const bookings = solutionBookings(auction, solution, { wrappedNative: wrapped })
  return { auction, solution, bookings }
}

/**
 * What the settlement contract has more of each token after the plan, and whether the calls at its end pass.
 */
function settled({ auction, solution, bookings }: Case, form: 'kept' | 'whole', max = held) {
  const touched = touchedBy(solution.proposal, auction, wrapped)
  const balances = new Map([...max].filter(([token]) => touched.includes(token)))
  const planOf = (network: Parameters<typeof guarded>[3]) => {
    const { proposal } = guarded(solution, bookings, balances, network)
    const shown = form === 'kept' ? proposal : (proposal.uninternalized ?? proposal)
    return toSettlementPlan(auction, { ...solution, proposal: shown }, wrapped)
  }
  const plan = planOf({ settlement })
  const { left, fills } = simulate(plan, pools, held)
  const passes = plan.interactions[2].every(({ target, callData }) => {
    const [to, amount] = transfers.decodeFunctionData('transfer', callData)
    return String(to).toLowerCase() === settlement && (left.get(target) ?? 0n) >= amount
  })
  const changes = new Map(
    tokens.map((token) => [token, (left.get(token) ?? held.get(token) ?? 0n) - (held.get(token) ?? 0n)]),
  )
  return { changes, passes, fills, passesGuard: passesGuard(planOf({ settlement, balanceGuard }), changes) }
}

/** As the guard contract does; it has to be called first and last, with the same tokens. */
function passesGuard({ interactions: [pre, , post] }: SettlementPlan, changes: ReadonlyMap<Address, bigint>) {
  const [note, check] = [pre[0], post.at(-1)]
  expect([note?.target, check?.target]).toEqual([balanceGuard, balanceGuard])
  const noted = guardAbi.decodeFunctionData('note', note?.callData ?? '0x').tokens
  const [checked, least] = guardAbi.decodeFunctionData('check', check?.callData ?? '0x')
  expect([...checked]).toEqual([...noted])
  return noted.every((token: string, index: number) => {
    return (changes.get(address(token)) ?? 0n) >= least[index]
  })
}

const cases = Array.from({ length: 200 }, (_, seed) => randomCase(createRandom(seed + 1))).filter(
  (one) => one !== undefined,
)

describe('over random solutions', () => {
  test('there are enough of each kind', () => {
    const count = (is: (one: Case) => unknown) => cases.filter(is).length
    expect(count(() => true)).toBeGreaterThan(50)
    expect(count(({ solution }) => solution.proposal.internalized)).toBeGreaterThan(15)
    expect(count(({ solution }) => solution.proposal.jitOrders?.length)).toBeGreaterThan(5)
    expect(count(({ bookings }) => bookings.some(({ protocolFee }) => protocolFee > 0n))).toBeGreaterThan(15)
  })

  test('what goes in is what goes out, fees and slippage, to the atom', () => {
    for (const one of cases) {
      const { changes, fills } = settled(one, 'kept')
      const { executions, proposal } = one.solution
      expect(fills).toEqual(executions.map(({ sell, buy }) => ({ sell, buy })))
      for (const token of tokens) {
        const none = { token, networkFee: 0n, protocolFee: 0n, internalized: 0n, least: 0n }
        const booking = one.bookings.find((each) => each.token === token) ?? none
        const change = changes.get(token) ?? 0n
        const entries = [...one.auction.orders, ...(proposal.jitOrders ?? [])]
        const inOut = executions.reduce((sum, { orderUid, sell, buy }) => {
          const order = entries.find((entry) => entry.order.uid === orderUid)?.order
          return sum + (order?.sellToken === token ? sell : 0n) - (order?.buyToken === token ? buy : 0n)
        }, 0n)
        // What swaps gave or took is the difference of the two forms, where all are left out.
        const whole = settled(one, 'whole').changes.get(token) ?? 0n
        expect(whole - change).toBe(-booking.internalized)
        const swapped = whole - inOut
        expect(inOut + swapped + booking.internalized).toBe(
          booking.networkFee + booking.protocolFee + slippageOf({ ...booking, change }),
        )
      }
    }
  })

  test('the calls at the end pass exactly if the contract has what it must', () => {
    const passed = { kept: 0, whole: 0 }
    for (const one of cases) {
      for (const form of ['kept', 'whole'] as const) {
        const { changes, passes, passesGuard } = settled(one, form)
        const isEnough = tokens.every((token) => {
          const { least = 0n, internalized = 0n } = one.bookings.find((each) => each.token === token) ?? {}
          return (changes.get(token) ?? 0n) >= (form === 'kept' ? least : least - internalized)
        })
        expect(passes).toBe(isEnough)
        expect(passesGuard).toBe(isEnough)
        if (passes) passed[form]++
        // With an atom more before, what just passed may pass no more: nothing else in the contract makes up
        // for it.
        const short = [...one.bookings.map(({ token }) => token)].some((token) => {
          const { least = 0n, internalized = 0n } = one.bookings.find((each) => each.token === token) ?? {}
          return (changes.get(token) ?? 0n) === (form === 'kept' ? least : least - internalized)
        })
        const more = new Map([...held].map(([token, amount]) => [token, amount + 1n]))
        if (short) expect(settled(one, form, more).passes).toBe(false)
      }
    }
    expect(Math.min(passed.kept, passed.whole)).toBeGreaterThan(cases.length / 4)
  })

  test('slippage is never below what fees of the network and permission leave room for', () => {
    for (const one of cases) {
      const { changes, passes } = settled(one, 'kept')
      if (!passes) continue
      for (const booking of one.bookings) {
        const slippage = slippageOf({ ...booking, change: changes.get(booking.token) ?? 0n })
        const atoms = 3n * BigInt(one.solution.executions.length)
        expect(slippage).toBeGreaterThanOrEqual(booking.internalized - booking.networkFee - atoms)
      }
    }
  })
})
