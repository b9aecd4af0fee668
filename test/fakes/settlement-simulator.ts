import { Interface } from 'ethers'
import type { SettlementPlan } from '../../src/auctions/settlement-calldata.ts'
import { type Address, address, nativeMarker } from '../../src/domain/evm/address.ts'
import type { Fill } from '../../src/domain/fee/policy.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import { contractFill } from '../../src/domain/settlement/fees.ts'
import { settlement, wrapped } from './order.ts'

const calls = new Interface([
  'function transfer(address to, uint256 amount)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function withdraw(uint256 amount)',
])

interface Simulation {
  fills: Fill[]
  /** The remaining balance of the settlement contract in each token. */
  left: Map<Address, bigint>
}

/**
 * Executes a plan as the contracts would: sell tokens in at the trades' clearing prices, interactions against
 * the pools, buy tokens out. The settlement contract has `held` before. Throws where a contract would revert,
 * and when the settlement contract pays what it does not have.
 */
export function simulate(
  plan: SettlementPlan,
  pools: readonly Pool[],
  held: ReadonlyMap<Address, bigint> = new Map(),
): Simulation {
  const ledger = createLedger(pools)
  for (const [token, amount] of held) ledger.add(settlement, token, amount)
  const fills = plan.trades.map(({ order, sellTokenIndex, buyTokenIndex, executedAmount }) => {
    const [sell, buy] = [plan.clearingPrices[sellTokenIndex], plan.clearingPrices[buyTokenIndex]]
    if (!sell || !buy) throw new Error('no clearing price')
    if (plan.tokens[sellTokenIndex] !== order.sellToken || plan.tokens[buyTokenIndex] !== order.buyToken) {
      throw new Error('wrong token index')
    }
    if (order.sellAmount * sell < order.buyAmount * buy) throw new Error('limit price not respected')
    const fill = contractFill(order, executedAmount, { sell, buy })
    ledger.add(settlement, order.sellToken, fill.sell)
    return fill
  })
  for (const { target, callData } of plan.interactions[1]) {
    const call = calls.parseTransaction({ data: callData })
    if (!call) throw new Error('unknown call')
    if (call.name === 'transfer') ledger.move(target, settlement, address(call.args[0]), call.args[1])
    else if (call.name === 'withdraw') {
      const amount: bigint = call.args[0]
      ledger.add(settlement, target, -amount)
      ledger.add(settlement, nativeMarker, amount)
    } else ledger.swap(target, call.args[0], call.args[1], address(call.args[2]))
  }
  for (const [index, { order }] of plan.trades.entries()) {
    ledger.add(settlement, order.buyToken, -(fills[index]?.buy ?? 0n))
  }
  const tokens = [wrapped, nativeMarker, ...plan.tokens]
  return { fills, left: new Map(tokens.map((token) => [token, ledger.balance(settlement, token)])) }
}

function createLedger(pools: readonly Pool[]) {
  const balances = new Map<string, bigint>()
  const byAddress = new Map(pools.map((pool) => [pool.address, pool]))
  const key = (holder: Address, token: Address) => `${holder} ${token}`
  const balance = (holder: Address, token: Address) => balances.get(key(holder, token)) ?? 0n
  const add = (holder: Address, token: Address, amount: bigint) => {
    const after = balance(holder, token) + amount
    if (after < 0n) throw new Error(`${holder} lacks ${-after} of ${token}`)
    balances.set(key(holder, token), after)
  }
  const move = (token: Address, from: Address, to: Address, amount: bigint) => {
    add(from, token, -amount)
    add(to, token, amount)
  }
  for (const pool of pools) {
    add(pool.address, pool.token0, pool.reserve0)
    add(pool.address, pool.token1, pool.reserve1)
  }

  /** The pool contract's swap: pays first, then checks the constant product with the received amount. */
  function swap(at: Address, amount0: bigint, amount1: bigint, to: Address) {
    const pool = byAddress.get(at)
    if (!pool) throw new Error('no such pool')
    const in0 = balance(at, pool.token0) - pool.reserve0
    const in1 = balance(at, pool.token1) - pool.reserve1
    if (amount0 >= pool.reserve0 || amount1 >= pool.reserve1) throw new Error('insufficient liquidity')
    move(pool.token0, at, to, amount0)
    move(pool.token1, at, to, amount1)
    const after = { ...pool, reserve0: balance(at, pool.token0), reserve1: balance(at, pool.token1) }
    const adjusted0 = after.reserve0 * 1_000n - in0 * 3n
    const adjusted1 = after.reserve1 * 1_000n - in1 * 3n
    if (adjusted0 * adjusted1 < pool.reserve0 * pool.reserve1 * 1_000_000n) throw new Error('K')
    byAddress.set(at, after)
  }

  return { add, move, swap, balance }
}
