import { SigningKey } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkProposal } from '../../src/auctions/check-proposal.ts'
import { guardedSolution } from '../../src/auctions/inspection.ts'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import type { AuctionOrder } from '../../src/domain/auction/auction.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { type Pool, poolOutputDown } from '../../src/domain/routing/pool.ts'
import { transferCall } from '../../src/domain/settlement/calldata.ts'
import { orderDigest } from '../../src/domain/signing/signing.ts'
import { createPools } from '../../src/market/pools/pools.ts'
import type { EngineInteraction, EngineSolution } from '../../src/solvers/engine/client.ts'
import { toProposal } from '../../src/solvers/engine/proposal.ts'
import { auctionOrder, sampleAuction } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { inspectionServices } from '../setup/inspection.ts'
import { stageThefts } from '../setup/thefts.ts'

/** HONEST_SOLUTIONS=1000 runs a thousand. */
const count = Number(process.env.HONEST_SOLUTIONS ?? 40)
const coin = 10n ** 18n
/** Fees of earlier settlements; the stage adds 1,000 DAI. */
const kept = { WETH: 5n * coin, USDC: 20_000n * 10n ** 6n, COW: 500n * coin } as const

let chain: TestChain
let stage: Awaited<ReturnType<typeof stageThefts>>
let pools: readonly Pool[]

beforeAll(async () => {
  chain = await startTestChain()
  const { rpc, market } = chain
  const { network, tokens } = market
  await rpc.call('evm_setIntervalMining', [0])
  stage = await stageThefts(chain)
  for (const [symbol, amount] of Object.entries(kept) as [TokenSymbol, bigint][])
    await stage.send(transferCall(tokens[symbol].address, network.settlement, amount))
  const head = await rpc.call<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  pools = await createPools({ rpc, network, now: Date.now, log: silentLog }).around(
    [
      [tokens.WETH.address, tokens.USDC.address],
      [tokens.WETH.address, tokens.DAI.address],
      [tokens.USDC.address, tokens.DAI.address],
      [tokens.WETH.address, tokens.COW.address],
    ],
    head.hash,
  )
})
afterAll(() => chain?.[Symbol.asyncDispose]())

function createRandom(seed: number) {
  let state = Math.imul(seed, 2_654_435_761)
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, chance: (share: number) => next() < share }
}
type Random = ReturnType<typeof createRandom>

/** A whole order over one pool, signed by one of the traders, and what the pool pays for it. */
function randomTrade(random: Random, pool: Pool, seed: number) {
  const { network, accounts } = chain.market
  const account = accounts[random.below(accounts.length)] ?? expect.fail()
  const isForward = random.chance(0.5)
  const [sellToken, buyToken] = isForward ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const reserve = isForward ? pool.reserve0 : pool.reserve1
  const input = (reserve * BigInt(1 + random.below(900))) / 100_000_000n + BigInt(random.below(997))
  const output = poolOutputDown(pool, sellToken, input)
  const isSell = random.chance(0.5)
  const unsigned = auctionOrder(
    {
      sellToken,
      buyToken,
      owner: account.address,
      validTo: 4_000_000_000 + seed,
      kind: isSell ? 'sell' : 'buy',
      sellAmount: isSell ? input : (input * 11n) / 10n,
      buyAmount: isSell ? (output * 9n) / 10n : output,
    },
    random.chance(0.3) ? [{ kind: 'volume', factor: BigInt(1 + random.below(5_000)) }] : [],
  )
  const digest = orderDigest(network, unsigned.order)
  const signature = new SigningKey(account.privateKey).sign(digest).serialized as Hex
  const entry: AuctionOrder = { ...unsigned, order: { ...unsigned.order, signature } }
  const fee = isSell && random.chance(0.3) ? input / BigInt(1_000 + random.below(9_000)) : 0n
  return { entry, pool, input, output, fee }
}
type Trade = ReturnType<typeof randomTrade>

/** Through the pool, through a contract of the solver's own, or from what the settlement contract has. */
function interactionOf({ entry: { order }, pool, input, output }: Trade, way: string): EngineInteraction {
  const { sellToken, buyToken } = order
  const through = { inputToken: sellToken, outputToken: buyToken, inputAmount: input, outputAmount: output }
  if (way !== 'custom')
    return { kind: 'liquidity', internalize: way === 'internal', id: pool.address, ...through }
  const amounts = buyToken === pool.token0 ? [output, 0n] : [0n, output]
  const call = stage.call('BurningPool', 'trade', [sellToken, pool.address, input, ...amounts])
  return {
    kind: 'custom',
    internalize: false,
    ...call,
    allowances: [{ token: sellToken, spender: call.target, amount: input }],
    inputs: [{ token: sellToken, amount: input }],
    outputs: [{ token: buyToken, amount: output }],
  }
}

const permitted = { perSettlement: 10n ** 40n, perDay: 10n ** 40n }

/** @returns what becomes of an honest solution, and of which kind it is */
async function outcome(seed: number, services: ReturnType<typeof inspectionServices>['services']) {
  const random = createRandom(seed)
  const { network, tokens } = chain.market
  const pool = pools[random.below(pools.length)] ?? expect.fail()
  const placed = randomTrade(random, pool, 2 * seed)
  // Two orders with a token in common would have to agree on its price.
  const isApart = (other: Pool) =>
    [other.token0, other.token1].every((token) => token !== pool.token0 && token !== pool.token1)
  const apart = random.chance(0.6) ? pools.find(isApart) : undefined
  const brought = apart && randomTrade(random, apart, 2 * seed + 1)
  const isKept = Object.entries({ ...kept, DAI: 1_000n * coin }).some(
    ([symbol, amount]) =>
      tokens[symbol as TokenSymbol].address === placed.entry.order.buyToken && amount >= placed.output,
  )
  const way = ['pool', 'custom', isKept ? 'internal' : 'pool'][random.below(3)] ?? 'pool'
  const prices = new Map([
    [placed.entry.order.sellToken, placed.output],
    [placed.entry.order.buyToken, placed.input],
  ])
  if (brought)
    prices.set(brought.entry.order.sellToken, brought.output).set(brought.entry.order.buyToken, brought.input)
  const used = brought ? [placed, brought] : [placed]
  const amountOf = ({ entry: { order }, fee }: Trade) =>
    order.kind === 'sell' ? order.sellAmount - fee : order.buyAmount
  const solution: EngineSolution = {
    id: 1,
    prices,
    preInteractions: [],
    postInteractions: [],
    gas: 400_000n,
    flashloans: new Map(),
    wrappers: [],
    trades: used.map((trade, index) => {
      const { order } = trade.entry
      const about = { executedAmount: amountOf(trade), fee: trade.fee }
      if (index === 0) return { kind: 'fulfillment', order: order.uid, ...about }
      const { receiver, ...data } = order
      return {
        kind: 'jit',
        ...about,
        order: { ...data, receiver: receiver ?? zeroAddress, signingScheme: 'eip712' },
      }
    }),
    interactions: used.map((trade, index) => interactionOf(trade, index === 0 ? way : 'pool')),
  }
  const symbols = ['WETH', 'USDC', 'DAI', 'COW'] as const
  const proposal = toProposal(solution, {
    pools,
    settlement: network.settlement,
    forbidden: [network.settlement, network.vaultRelayer],
    permission: {
      limits: new Map(symbols.map((symbol) => [tokens[symbol].address, permitted])),
      paid: new Map(),
    },
    jit: { domain: network, wrappedNative: network.wrappedNative, now: 1_000 },
  })
  if ('kind' in proposal) throw new Error(proposal.reason)
  const nativePrices = new Map(symbols.map((symbol) => [tokens[symbol].address, coin]))
  const auction = { ...sampleAuction([placed.entry]), nativePrices }
  const checked = checkProposal(auction, stage.solver.address, proposal, network.wrappedNative)
  if ('fault' in checked) throw new Error(checked.fault)
  const guarded = await guardedSolution(auction, checked, services)
  const kind = `${way}${used.length > 1 ? ' with an order of its own' : ''}`
  return { kind, result: 'reason' in guarded ? guarded.reason : 'passes' }
}

test('random honest solutions pass, though the settlement contract holds tokens of all of them', async () => {
  const { tokens } = chain.market
  const held = (['WETH', 'USDC', 'DAI', 'COW'] as const).map((symbol) => tokens[symbol].address)
  const { services } = inspectionServices(chain, { held })
  services.knownPools.note(pools)
  const kinds = new Map<string, number>()
  const refused: string[] = []
  for (let seed = 1; seed <= count; seed++) {
    const { kind, result } = await outcome(seed, services)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if (result !== 'passes') refused.push(`${seed} ${kind}: ${result}`)
  }
  expect(refused).toEqual([])
  expect([...kinds.keys()].toSorted()).toEqual(
    expect.arrayContaining(['custom', 'internal', 'pool', 'pool with an order of its own']),
  )
})
