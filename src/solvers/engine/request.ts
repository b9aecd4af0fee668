import { mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import { derivedOnce } from '../../domain/derived.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { type FeePolicy, factorScale, type QuotedPrice } from '../../domain/fee/policy.ts'
import {
  type BuyTokenDestination,
  duePreInteractions,
  type Interaction,
  type OrderKind,
  type OrderUid,
  type SellTokenSource,
  type SigningScheme,
} from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'
import { type Token, wrappedForm } from '../../domain/token/token.ts'

/**
 * An order in a request to a solver engine. `full…` amounts are the signed amounts, the other amounts are the
 * remaining ones.
 */
export interface EngineOrder {
  uid: OrderUid
  sellToken: Address
  buyToken: Address
  sellAmount: bigint
  fullSellAmount: bigint
  buyAmount: bigint
  fullBuyAmount: bigint
  validTo: number
  kind: OrderKind
  receiver: Address | null
  owner: Address
  partiallyFillable: boolean
  sellTokenSource: SellTokenSource
  buyTokenDestination: BuyTokenDestination
  class: 'market' | 'limit'
  appData: Bytes32
  signingScheme: SigningScheme
  signature: Hex
  feePolicies: readonly FeePolicy[]
  /** The reference for fees on the improvement over the quote. */
  quote: QuotedPrice | null
  preInteractions: readonly Interaction[]
  postInteractions: readonly Interaction[]
}

/** The auction in a request to a solver engine. */
export interface EngineAuction {
  /** The id; null for a quote. */
  id: bigint | null
  orders: readonly EngineOrder[]
  pools: readonly Pool[]
  /** The tokens of the orders and the pools. A missing token is sent without metadata. */
  tokens: ReadonlyMap<Address, Pick<Token, 'symbol' | 'decimals'>>
  /** Returns the native atoms for 10^18 token atoms; null if unknown. */
  referencePrice(token: Address): bigint | null
  /** Wei for one unit of gas. */
  gasPrice: bigint
  deadline: Date
  /** The owners of orders that count for the score although a solver brings them; none if absent. */
  surplusCapturingOwners?: readonly Address[]
}

/**
 * The body of POST /solve. Amounts are strings of digits. A missing value is null if the protocol lists the
 * key, otherwise left out.
 */
export function writeAuction(auction: EngineAuction) {
  return {
    id: auction.id?.toString() ?? null,
    tokens: Object.fromEntries(tokensOf(auction).map((token) => [token, writeToken(token, auction)])),
    orders: auction.orders.map(writeOrder),
    liquidity: auction.pools.map(writePool),
    effectiveGasPrice: auction.gasPrice.toString(),
    deadline: auction.deadline.toISOString(),
    surplusCapturingJitOrderOwners: [...(auction.surplusCapturingOwners ?? [])],
  }
}

type EngineRequest = ReturnType<typeof writeAuction>

/** The request for an engine that may use these amounts of the settlement contract's tokens. */
function withAvailable(request: EngineRequest, available: ReadonlyMap<Address, bigint>): EngineRequest {
  const permitted = [...available].flatMap(([token, amount]) => {
    const written = request.tokens[token]
    return written ? [[token, { ...written, availableBalance: amount.toString(), trusted: true }]] : []
  })
  return { ...request, tokens: { ...request.tokens, ...Object.fromEntries(permitted) } }
}

export function tokensOf({
  orders,
  pools,
}: {
  orders: readonly Pick<EngineOrder, 'sellToken' | 'buyToken'>[]
  pools: readonly Pool[]
}): Address[] {
  return [
    ...new Set([
      ...orders.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]),
      ...pools.flatMap(({ token0, token1 }) => [token0, token1]),
    ]),
  ]
}

/**
 * Writes a token without an available balance: a settlement must not use tokens that the settlement contract
 * already holds.
 */
function writeToken(token: Address, { tokens, referencePrice }: EngineAuction) {
  const { decimals = null, symbol = null } = tokens.get(token) ?? {}
  return {
    decimals,
    symbol,
    referencePrice: referencePrice(token)?.toString() ?? null,
    availableBalance: '0',
    trusted: false,
  }
}

function writeOrder({ receiver, quote, ...order }: EngineOrder) {
  return {
    ...order,
    sellAmount: order.sellAmount.toString(),
    fullSellAmount: order.fullSellAmount.toString(),
    buyAmount: order.buyAmount.toString(),
    fullBuyAmount: order.fullBuyAmount.toString(),
    ...(receiver && { receiver }),
    feePolicies: order.feePolicies.map((policy) => writePolicy(policy, quote)),
    preInteractions: order.preInteractions.map(writeInteraction),
    postInteractions: order.postInteractions.map(writeInteraction),
  }
}

export function writeInteraction({ target, value, callData }: Interaction) {
  return { target, value: value.toString(), callData }
}

/** Writes a policy without the amount of the fee. */
export function writePolicy(policy: FeePolicy, quote: QuotedPrice | null) {
  const factor = Number(policy.factor) / Number(factorScale)
  if (policy.kind === 'volume') return { volume: { factor } }
  const terms = { factor, maxVolumeFactor: Number(policy.maxVolumeFactor) / Number(factorScale) }
  if (policy.kind === 'surplus') return { surplus: terms }
  const { feeAmount = 0n, sellAmount = 0n, buyAmount = 0n } = quote ?? {}
  const quoted = { fee: `${feeAmount}`, sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}` }
  return { priceImprovement: { ...terms, quote: quoted } }
}

/**
 * Writes a pool. The engine refers to it by its address. Swaps call the pool itself, so there is no router.
 */
function writePool({ address, token0, token1, reserve0, reserve1 }: Pool) {
  return {
    kind: 'constantProduct',
    id: address,
    address,
    gasEstimate: gasUnits.hop.toString(),
    router: zeroAddress,
    tokens: {
      [token0]: { balance: reserve0.toString() },
      [token1]: { balance: reserve1.toString() },
    },
    fee: '0.003',
  }
}

interface AuctionWriterOptions {
  wrappedNative: Address
  /** Returns the known tokens; the other tokens are sent without metadata. */
  tokens(addresses: readonly Address[]): Promise<ReadonlyMap<Address, Pick<Token, 'symbol' | 'decimals'>>>
  /** Keeps the sent text. */
  keep(auction: Auction, text: string): void
}

/**
 * Writes the request about an auction as JSON text. The text is shared by all engines, except for those that
 * may use some of the settlement contract's tokens.
 * @param available amounts that may be used, by token
 */
export type AuctionWriter = (
  auction: Auction,
  pools: readonly Pool[],
  deadline: Date,
  available?: ReadonlyMap<Address, bigint>,
) => Promise<string>

export function createAuctionWriter({ wrappedNative, tokens, keep }: AuctionWriterOptions): AuctionWriter {
  const write = derivedOnce(async (auction: Auction, pools: readonly Pool[], deadline: Date) => {
    const orders = auction.orders.map((entry) => toEngineOrder(entry, wrappedNative))
    const body = writeAuction({
      id: auction.id,
      orders,
      pools,
      tokens: await tokens(tokensOf({ orders, pools })),
      referencePrice: (token) => auction.nativePrices.get(token) ?? null,
      gasPrice: auction.gasPrice,
      deadline,
      surplusCapturingOwners: auction.surplusCapturingOwners,
    })
    const text = JSON.stringify(body)
    keep(auction, text)
    return { body, text }
  })

  return async (auction, pools, deadline, available = new Map()) => {
    const { body, text } = await write(auction, pools, deadline)
    return available.size === 0 ? text : JSON.stringify(withAvailable(body, available))
  }
}

/** Converts an order. Engines trade the wrapped form of the native coin: the settlement unwraps it. */
function toEngineOrder({ order, remaining, feePolicies }: AuctionOrder, wrappedNative: Address): EngineOrder {
  const { kind, sellAmount, buyAmount } = order
  const rest =
    kind === 'sell'
      ? { sellAmount: remaining, buyAmount: mulDivUp(buyAmount, remaining, sellAmount) }
      : { sellAmount: mulDivDown(sellAmount, remaining, buyAmount), buyAmount: remaining }
  return {
    uid: order.uid,
    sellToken: order.sellToken,
    buyToken: wrappedForm(order.buyToken, wrappedNative),
    ...rest,
    fullSellAmount: sellAmount,
    fullBuyAmount: buyAmount,
    validTo: order.validTo,
    kind,
    receiver: order.receiver,
    owner: order.owner,
    partiallyFillable: order.partiallyFillable,
    sellTokenSource: order.sellTokenBalance,
    buyTokenDestination: order.buyTokenBalance,
    class: order.class === 'market' ? 'market' : 'limit',
    appData: order.appData,
    signingScheme: order.signingScheme,
    signature: order.signature,
    feePolicies,
    quote: order.quote,
    preInteractions: duePreInteractions(order),
    postInteractions: order.interactions.post,
  }
}
