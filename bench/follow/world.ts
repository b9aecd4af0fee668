import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { word } from '../../src/domain/evm/abi.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData, OrderUid } from '../../src/domain/order/order.ts'
import { createRandom } from '../database/subjects.ts'
import { auction, type Followed, firstBlockOf, quantile, settlement } from './shape.ts'
import { addressOf, bookOrder, hashOf, keyOf } from './signed-order.ts'

/** A token, with its price in dollars. */
interface Token {
  address: Address
  dollars: number
}

export interface LiveOrder {
  body: ReturnType<typeof bookOrder>
  data: OrderData
  status: 'open' | 'fulfilled' | 'cancelled'
  trade?: Trade
}

export interface Trade {
  order: LiveOrder
  sell: bigint
  buy: bigint
  block: number
  logIndex: number
  txHash: Bytes32
}

export interface Settlement {
  txHash: Bytes32
  block: number
  solver: Address
  number: number
  trades: Trade[]
  input: Hex
}

interface Solution {
  solver: Address
  /** The trades of a winner. */
  trades: readonly { order: LiveOrder; sell: bigint; buy: bigint }[]
  txHash: Bytes32 | null
}

export interface Competition {
  number: number
  startBlock: number
  deadlineBlock: number
  /** The UIDs of all live orders. */
  uids: readonly OrderUid[]
  solutions: readonly Solution[]
}

/** A fill as its block brought it, by the clock of the machine. */
export interface Fill {
  chainId: number
  uid: OrderUid
  txHash: Bytes32
  at: number
}

export const phases = ['blocks', 'load', 'rest'] as const
export type Phase = (typeof phases)[number]

const auctionMs = 12_000
/** The parts of fills that resting orders have; new orders have the others. */
const restingFills = 0.3
/** Orders that are cancelled off chain, for each fill. */
const cancelled = 0.05
const bids = 20
/** Times from an auction to its settlements, and to its deadline. */
const settledMs = 3_000
const deadlineMs = 24_000
const keptCompetitions = 400

/** A chain whose blocks come by the clock, and the orders, auctions and fills of its order book. */
export class World {
  readonly orders = new Map<string, LiveOrder>()
  readonly live = new Set<LiveOrder>()
  readonly tokens: readonly Token[]
  readonly settlements = new Map<number, Settlement[]>()
  readonly byHash = new Map<string, Settlement>()
  readonly competitions = new Map<number, Competition>()
  readonly fills: Fill[] = []
  /** Times of calls of the order book. */
  readonly calls: number[] = []
  readonly followed: Followed
  phase: Phase = 'blocks'
  head: number
  #latest: Competition | undefined
  #number = 0
  #due = 0
  #auctionAt = 0
  #cancelDue = 0
  readonly #first: number
  readonly #startedAt: number
  readonly #random: () => number
  readonly #weights: readonly number[]
  readonly #solvers: readonly Address[]
  readonly #size: { orders: number; fills: number }

  constructor(followed: Followed, size: { orders: number; fills: number }) {
    const { chainId, blockTimeMs, share } = followed
    this.followed = followed
    this.#size = { orders: Math.ceil(size.orders * share), fills: size.fills * share }
    this.#random = createRandom(chainId)
    this.#first = firstBlockOf(chainId) + 5_000
    this.head = this.#first
    this.#startedAt = Date.now() - this.#random() * blockTimeMs
    this.tokens = Array.from({ length: Math.max(20, Math.ceil(auction.tokens * share)) }, (_, index) => ({
      address: address(hashOf(`${chainId} token ${index}`).slice(0, 42)),
      dollars: quantile(auction.prices, this.#random()),
    }))
    this.#weights = weightsOf(this.tokens.length)
    this.#solvers = Array.from({ length: bids }, (_, index) =>
      address(hashOf(`solver ${index}`).slice(0, 42)),
    )
    this.#schedule()
  }

  timeOf(block: number): number {
    return Math.floor((this.#startedAt + (block - this.#first) * this.followed.blockTimeMs) / 1_000)
  }

  hashOf(block: number): Bytes32 {
    return hashOf(`${this.followed.chainId} block ${block}`)
  }

  latest(): Competition | undefined {
    return this.#latest
  }

  /** Blocks come by the clock, however late a timer is. */
  #schedule(): void {
    const next = this.#startedAt + (this.head + 1 - this.#first) * this.followed.blockTimeMs
    setTimeout(() => this.#mine(), Math.max(0, next - Date.now()))
  }

  #mine(): void {
    this.head++
    for (const { trades, txHash } of this.settlements.get(this.head) ?? [])
      for (const trade of trades) {
        trade.order.status = 'fulfilled'
        trade.order.trade = trade
        this.live.delete(trade.order)
        const { uid } = trade.order.body
        this.fills.push({ chainId: this.followed.chainId, uid, txHash, at: Date.now() })
      }
    for (const competition of this.competitions.values())
      if (competition.deadlineBlock <= this.head && competition.number > (this.#latest?.number ?? 0))
        this.#latest = competition
    if (this.phase === 'load' && Date.now() >= this.#auctionAt) this.#hold()
    this.#schedule()
  }

  setPhase(phase: Phase): void {
    this.phase = phase
    if (phase !== 'load') return
    while (this.live.size < this.#size.orders) this.#place('resting')
    this.#auctionAt = 0
  }

  /** Holds an auction. Its settlements come with later blocks, and its competition after its deadline. */
  #hold(): void {
    const blocks = (ms: number) => Math.max(1, Math.round(ms / this.followed.blockTimeMs))
    this.#auctionAt = Date.now() + auctionMs - this.followed.blockTimeMs / 2
    this.#due += (this.#size.fills * Math.max(auctionMs, this.followed.blockTimeMs)) / 60_000
    const count = Math.floor(this.#due)
    this.#due -= count
    if (count === 0) return
    const resting = Math.min(this.live.size, this.#wholeOf(count * restingFills))
    const filled = [...pick(this.live, resting, this.#random)]
    for (let index = resting; index < count; index++) filled.push(this.#place('market'))
    for (let index = 0; index < resting; index++) this.#place('resting')
    const number = ++this.#number
    const uids = [...this.live].map(({ body }) => body.uid)
    const solutions: Solution[] = []
    for (let index = 0; index < filled.length; ) {
      const size = 1 + this.#whole(3)
      const trades = filled.slice(index, index + size).map((order) => this.#execution(order))
      const place = solutions.length
      const solver = this.#solvers[place % bids] as Address
      const txHash = hashOf(`${this.followed.chainId} settlement ${number} ${place}`)
      solutions.push({ solver, trades, txHash })
      this.#settle(this.head + blocks(settledMs) + (place % 2), { number, solver, txHash, trades })
      index += size
    }
    while (solutions.length < bids) {
      const order = filled[solutions.length % filled.length] as LiveOrder
      const solver = this.#solvers[solutions.length] as Address
      solutions.push({ solver, trades: [this.#execution(order)], txHash: null })
    }
    const deadlineBlock = this.head + blocks(deadlineMs)
    this.competitions.set(number, { number, startBlock: this.head, deadlineBlock, uids, solutions })
    this.competitions.delete(number - keptCompetitions)
    this.#cancelDue += count * cancelled
    if (this.#cancelDue < 1) return
    this.#cancelDue--
    const [order] = pick(this.live, 1, this.#random)
    if (!order || filled.includes(order)) return
    order.status = 'cancelled'
    this.live.delete(order)
    this.#place('resting')
  }

  #settle(
    block: number,
    { number, solver, txHash, trades }: Solution & { number: number; txHash: Bytes32 },
  ): void {
    const before = (this.settlements.get(block) ?? []).reduce(
      (sum, each) => sum + logsOf(each.trades.length),
      0,
    )
    const placed = trades.map((trade, index) => ({
      ...trade,
      block,
      txHash,
      logIndex: before + index * logsPerTrade + logsPerTrade - 1,
    }))
    const input = encodeSettle({
      tokens: trades.flatMap(({ order }) => [order.data.sellToken, order.data.buyToken]),
      clearingPrices: trades.flatMap(({ sell, buy }) => [buy, sell]),
      trades: trades.map(({ order: { data, body }, sell }, index) => ({
        sellTokenIndex: 2 * index,
        buyTokenIndex: 2 * index + 1,
        receiver: body.owner,
        sellAmount: data.sellAmount,
        buyAmount: data.buyAmount,
        validTo: data.validTo,
        appData: data.appData,
        feeAmount: 0n,
        executedAmount: sell,
        flags: (data.kind === 'buy' ? 1n : 0n) | (isPresigned(body) ? 96n : 0n),
        signature: isPresigned(body) ? body.owner : (body as unknown as { signature: Hex }).signature,
      })),
      interactions: [[], trades.map(({ order }) => interaction(order.data.sellToken)), []],
      auctionId: BigInt(number),
    })
    const settled = { txHash, block, solver, number, trades: placed, input }
    this.settlements.set(block, [...(this.settlements.get(block) ?? []), settled])
    this.byHash.set(txHash, settled)
  }

  #execution(order: LiveOrder) {
    const { sellAmount, buyAmount, kind } = order.data
    return kind === 'sell'
      ? { order, sell: sellAmount, buy: buyAmount + buyAmount / 200n }
      : { order, sell: sellAmount - sellAmount / 200n, buy: buyAmount }
  }

  #place(kind: 'market' | 'resting'): LiveOrder {
    const random = this.#random
    const sell = this.#token()
    let buy = this.#token()
    while (buy === sell) buy = this.#token()
    const dollars = quantile(auction.dollars, random())
    const document = JSON.stringify({
      appCode: 'CoW Swap',
      environment: 'production',
      metadata: { orderClass: { orderClass: kind }, quote: { slippageBips: this.#whole(200) } },
      version: '1.14.0',
    })
    const isPresigned = random() < auction.presigned
    const limit = kind === 'market' ? 0.995 : 1 + random()
    const days = kind === 'market' ? 0.02 : quantile(auction.days, random())
    const createdAt = new Date()
    // The square leaves half of the owners with few orders.
    const owner = Math.floor(random() ** 2 * auction.owners * this.followed.share)
    const key = keyOf(`${this.followed.chainId} owner ${owner}`)
    const data: OrderData = {
      sellToken: sell.address,
      buyToken: buy.address,
      feeAmount: 0n,
      receiver: addressOf(key),
      sellAmount: atoms(dollars / sell.dollars),
      buyAmount: atoms((dollars / buy.dollars) * limit),
      // Orders of a minute would be filled as rarely as they are found.
      validTo: Math.floor(createdAt.getTime() / 1_000 + Math.max(300, days * 86_400)),
      appData: keccakText(document),
      kind: random() < auction.buyOrders ? ('buy' as const) : ('sell' as const),
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    }
    const signed = bookOrder({ chainId: this.followed.chainId, settlement }, data, {
      key,
      document,
      createdAt,
    })
    const body = isPresigned ? { ...signed, signingScheme: 'presign', signature: signed.owner } : signed
    const order: LiveOrder = { body: body as typeof signed, data, status: 'open' }
    this.orders.set(signed.uid, order)
    this.live.add(order)
    return order
  }

  #token(): Token {
    let at = this.#random()
    const index = this.#weights.findIndex((weight) => {
      at -= weight
      return at <= 0
    })
    return (this.tokens[index] ?? this.tokens.at(-1)) as Token
  }

  #whole(below: number): number {
    return Math.floor(this.#random() * below)
  }

  /** Rounds to one of the two neighbours, so that the mean is kept. */
  #wholeOf(value: number): number {
    return Math.floor(value + this.#random())
  }
}

/** Logs of each trade in a receipt: transfers in and out, those of a pool, its swap, and the trade. */
export const logsPerTrade = 6
export const logsOf = (trades: number) => trades * logsPerTrade + 1

export const isPresigned = (body: object) => 'signingScheme' in body && body.signingScheme === 'presign'

const interaction = (token: Address) => ({
  target: token,
  value: 0n,
  callData: `0x${'5c'.repeat(4)}${word(token).repeat(8)}` as Hex,
})

function weightsOf(tokens: number): number[] {
  const first = auction.firstTokens.slice(0, tokens)
  const rest = Array.from({ length: tokens - first.length }, (_, index) => 1 / (index + 10))
  const [left, sum] = [1 - sumOf(first), sumOf(rest)]
  return [...first, ...rest.map((weight) => (weight * left) / sum)]
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** All tokens have 18 decimals. */
const atoms = (amount: number): bigint => BigInt(Math.max(1, Math.floor(amount * 1e9))) * 10n ** 9n

function pick<Item>(items: ReadonlySet<Item>, count: number, random: () => number): Set<Item> {
  const all = [...items]
  const picked = new Set<Item>()
  while (picked.size < Math.min(count, all.length)) picked.add(all[Math.floor(random() * all.length)] as Item)
  return picked
}
