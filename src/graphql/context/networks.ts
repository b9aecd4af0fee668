import type { Diagnosis, Reason } from '../../domain/diagnosis/diagnosis.ts'
import { type Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { BundleSimulation, BundleTransaction, OrderSimulation } from '../../domain/evm/simulation.ts'
import { chainIdOfName } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Cancellation, OrderCreation } from '../../domain/order/creation.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import type { QuoteReply, QuoteRequest } from '../../domain/quote/quote.ts'
import type { MarketDepth } from '../../domain/routing/depth.ts'
import type { PriceHistory, PriceInterval } from '../../domain/token/price-history.ts'
import type { Sourced } from '../../domain/token/sourced.ts'
import type { Token, TokenHolder } from '../../domain/token/token.ts'
import type { Asker } from '../../mirror/client-limits.ts'
import type { ReadRates } from '../../mirror/native-rates.ts'
import type { PassedAnswer, PassedRequest } from '../../mirror/writes.ts'
import type { ExplainOptions, OrderToExplain } from '../../orders/explain/explain.ts'
import type { WarningFacts } from '../../orders/explain/quote-warnings.ts'
import type { OrderToSimulate } from '../../orders/simulate.ts'
import type { StoredFacts } from '../../storage/order/diagnosis-facts.ts'
import type { BalanceWatch, ReadBalances } from '../../tokens/balances.ts'
import type { TokenRoom } from '../../tokens/metadata.ts'
import type { OwnHolders } from '../../tokens/own-holders.ts'
import type { PoolFigures } from '../../tokens/pool-figures.ts'
import type { PriceWatch } from '../../tokens/prices.ts'

/** The client of an operation. Its meter counts the gas that the node runs for a request. */
type Asking = GasMeter & Asker

/** Trading operations of one network. */
export interface TradingServices {
  network: Network
  /** Stores the order if every check passes. @throws Refusal of the first check that fails */
  placeOrder(creation: OrderCreation, asking?: Asking): Promise<OrderUid>
  /** The order's UID if the same order was placed at `since` or later. @throws Refusal */
  placedSince(creation: OrderCreation, since: Date): Promise<OrderUid | undefined>
  /**
   * Reads orders that are not stored from the order book that the network follows; undefined on networks that
   * follow none. @returns whether any may be stored now @throws Outage; Refusal RateLimited
   */
  readOrders?(uids: readonly OrderUid[], client: string): Promise<boolean>
  /**
   * The same for the newest orders of an account. @returns whether they were read now, and not a moment
   * before
   */
  readAccount?(owner: Address, client: string): Promise<boolean>
  /** Reports whether `readAccount` would read nothing. */
  hasReadAccount?(owner: Address): boolean
  /** The same for what a transaction settled. */
  readTransaction?(hash: Bytes32, client: string): Promise<boolean>
  /** The same for the auction with this number. */
  readAuction?(number: bigint, client: string): Promise<boolean>
  /** The same for a document. */
  readDocument?(hash: Bytes32, client: string): Promise<boolean>
  /**
   * Returns the answer of the order book that the network follows, as it came.
   * @throws Outage; Refusal RateLimited, UpstreamRefused
   */
  passOn?(request: PassedRequest, asker: Asker): Promise<PassedAnswer>
  /** The surplus of an account by the order book that the network follows. @throws Outage; Refusal */
  totalSurplus?(owner: Address, asker: Asker): Promise<bigint>
  /** Uploads a document to the order book that the network follows. @throws Outage; Refusal */
  uploadDocument?(document: string, asker: Asker): Promise<void>
  /** All or none. @throws Refusal */
  cancelOrders(cancellation: Cancellation, asking?: Asking): Promise<OrderUid[]>
  /** @throws Refusal */
  cancelOrder(
    cancellation: Omit<Cancellation, 'orderUids'> & { orderUid: OrderUid },
    asking?: Asking,
  ): Promise<OrderUid>
  /** Cancels for the operator, without a signature. All or none. @throws Refusal */
  cancelByPolicy(cancellation: { orderUids: readonly OrderUid[]; reason: string | null }): Promise<OrderUid[]>
  /** @throws Refusal */
  quote(request: QuoteRequest, asking?: Asking): Promise<QuoteReply>
  /**
   * Yields and stores each quote that is better than the one before. Ends when all estimators have answered,
   * at the deadline, or when `signal` aborts. On a network that follows an order book it yields each quote
   * that differs, until `signal` aborts.
   * @throws Refusal at once for an invalid request, and at the end when there was no quote
   */
  quotes(
    request: QuoteRequest,
    signal: AbortSignal,
    asking?: Asking,
  ): Promise<AsyncGenerator<QuoteReply, void>>
  /** Why each of these orders is not filled, in their order. */
  diagnose(orders: readonly StoredFacts[], asker?: Asker): Promise<Diagnosis[]>
  /**
   * Returns the obstacles to placing and filling an order, which may be unsigned. Stores nothing.
   * @throws Refusal MissingFrom, Unavailable, RateLimited; Outage of the database
   */
  explainOrder(order: OrderToExplain, options: ExplainOptions, asking?: Asking): Promise<Diagnosis>
  /** Reads the facts that decide about an order before its price is known. A read that fails is no fault. */
  lookAhead(order: { from: Address; sellToken: Address; buyToken: Address }): Promise<WarningFacts>
  /** The reasons that would keep a quote's order from being filled. Too little gas left is no fault. */
  quoteWarnings(
    reply: QuoteReply,
    slippageBps: number,
    look: WarningFacts,
    meter?: GasMeter,
  ): Promise<Reason[]>
  /**
   * Simulates a settlement of what remains of a stored order.
   * @throws Refusal OrderNotFound, NotFound for the block; Outage
   */
  simulateStored(uid: OrderUid, block: number | null): Promise<OrderSimulation>
  /**
   * The same for an order that a client describes.
   * @throws Refusal InvalidParameter, BadRequest, NotFound; Outage
   */
  simulateOrder(order: OrderToSimulate, block: number | null): Promise<OrderSimulation>
  /**
   * Runs transactions without sending them. Clients are served in rotation.
   * @throws Refusal QueryTooComplex, InvalidParameter, FeatureDisabled, as `SimulateBundle`; Outage
   */
  simulateBundle(transactions: readonly BundleTransaction[], client: string): Promise<BundleSimulation>
  /** A stored quote as it was returned to `from`; undefined for quotes of other traders. */
  storedQuote(id: bigint, from: Address): Promise<QuoteReply | undefined>
  /**
   * Metadata of tokens. Members that a contract does not return are null, addresses without a token are left
   * out, and failed reads have an Outage.
   */
  tokens(addresses: readonly Address[], room?: TokenRoom): Promise<Map<Address, Token | Outage>>
  /**
   * US dollars for one whole token; undefined when no source has a price. Clients are served in rotation.
   * @throws Outage when no source has a price and one of them failed
   */
  usdPrice(token: Address, client: string): Promise<Sourced<string> | undefined>
  /** The price if a fresh one is in memory; undefined means that `usdPrice` has to call a source. */
  peekUsdPrice(token: Address): Sourced<string> | undefined
  /**
   * The largest holders, largest first; undefined when no source has them.
   * @throws Outage when no source has them and one of them failed
   */
  topHolders(token: Address, client: string): Promise<Sourced<readonly TokenHolder[]> | undefined>
  /**
   * Prices of a token in US dollars over the last day or month; undefined when no source has any.
   * @throws Outage when no source has them and one of them failed
   */
  priceHistory(
    token: Address,
    interval: PriceInterval,
    client: string,
  ): Promise<Sourced<PriceHistory> | undefined>
  /**
   * The amounts that sell through the pools at most `levels` basis points below the price of a first atom.
   * @param levels ascending @returns undefined without a route @throws Outage
   */
  depth(base: Address, quote: Address, levels: readonly number[]): Promise<MarketDepth | undefined>
  /** The holders if fresh ones are in memory, like `peekUsdPrice`. */
  peekTopHolders(token: Address): Sourced<readonly TokenHolder[]> | undefined
  /**
   * Current rates of tokens in the native coin. Tokens without a route are left out, tokens that are not
   * traded have a Refusal.
   * @throws Outage
   */
  nativeRates: ReadRates
  /** See `ReadBalances`. @throws Outage */
  balances: ReadBalances
  /** See `createHeldTokens`. @throws Outage */
  heldTokens: OwnHolders
  /** The pools that are followed; undefined while none are. @throws Outage */
  poolFigures(): Promise<Sourced<PoolFigures> | undefined>
  /** Balances of one account as they change, as `BalanceWatch`. @throws Refusal when too many are watched */
  watchBalances: BalanceWatch['subscribe']
  /** Prices of tokens as they change, as `PriceWatch`. @throws Refusal when too many are watched */
  watchPrices: PriceWatch['subscribe']
  /** Reports whether all dependencies of this network (node, database) respond. */
  ready(): Promise<boolean>
}

export interface TradingNetworks {
  all: readonly TradingServices[]
  byName(name: string): TradingServices | undefined
  byChainId(chainId: number): TradingServices | undefined
}

/** Reports whether a network follows an order book, from which what is not stored is read. */
export const isFollowing = ({ all }: TradingNetworks): boolean =>
  all.some(({ readOrders }) => readOrders !== undefined)

/** Finds networks by name or alias. A network's own name comes before an alias of another chain. */
export function createTradingNetworks(all: readonly TradingServices[]): TradingNetworks {
  const byChainId = (chainId: number | undefined) => all.find(({ network }) => network.chainId === chainId)
  return {
    all,
    byChainId,
    byName: (name) => all.find(({ network }) => network.name === name) ?? byChainId(chainIdOfName(name)),
  }
}

/**
 * Services of the network that a request names; without a name, of the only network.
 * @param field that holds the name
 * @throws Refusal InvalidParameter, NotFound
 */
export function tradingOn(
  { networks }: { networks: TradingNetworks },
  name: string | null | undefined,
  field = 'network',
): TradingServices {
  const [only, second] = networks.all
  if (name == null) {
    if (only && !second) return only
    throw new Refusal('InvalidParameter', `${field} is required: one of ${networkNames(networks)}`, { field })
  }
  const trading = networks.byName(name)
  if (trading) return trading
  const shortName = name.slice(0, 40)
  const fault =
    chainIdOfName(name) === undefined ? `there is no network ${shortName}` : `${shortName} is not served here`
  throw new Refusal('NotFound', `${fault}, but ${networkNames(networks)}`, { field })
}

/** The chain id of the named network; undefined without a name, which means all. */
export function chainIdOf(
  services: { networks: TradingNetworks },
  name: string | null | undefined,
): number | undefined {
  return name == null ? undefined : tradingOn(services, name).network.chainId
}

function networkNames({ all }: TradingNetworks): string {
  return all.map(({ network }) => network.name).join(', ')
}
