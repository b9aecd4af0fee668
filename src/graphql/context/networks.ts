import { type Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { chainIdOfName } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Cancellation, OrderCreation } from '../../domain/order/creation.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import type { QuoteReply, QuoteRequest } from '../../domain/quote/quote.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import type { Sourced } from '../../domain/token/sourced.ts'
import type { Token, TokenHolder } from '../../domain/token/token.ts'

/** What can be done on one network. */
export interface TradingServices {
  network: Network
  /** Stores the order when every check passes. @throws Refusal naming the first fault */
  placeOrder(creation: OrderCreation): Promise<OrderUid>
  /** The UID of this very order if it was placed at `since` or later. @throws Refusal */
  placedSince(creation: OrderCreation, since: Date): Promise<OrderUid | undefined>
  /** All or none. @throws Refusal */
  cancelOrders(cancellation: Cancellation): Promise<OrderUid[]>
  /** @throws Refusal */
  cancelOrder(cancellation: Omit<Cancellation, 'orderUids'> & { orderUid: OrderUid }): Promise<OrderUid>
  /** The operator's, without a signature. All or none. @throws Refusal */
  cancelByPolicy(cancellation: { orderUids: readonly OrderUid[]; reason: string | null }): Promise<OrderUid[]>
  /** @throws Refusal */
  quote(request: QuoteRequest): Promise<QuoteReply>
  /**
   * Each quote better than the one before, as they are found, and each stored; ends when nothing better can
   * come, or when `signal` aborts.
   * @throws Refusal at once for what keeps it from starting, and in the end when there was no quote at all
   */
  quotes(request: QuoteRequest, signal: AbortSignal): Promise<AsyncGenerator<QuoteReply, void>>
  /** A quote that `from` was given, as it was answered; undefined for anybody else's. */
  storedQuote(id: bigint, from: Address): Promise<QuoteReply | undefined>
  /**
   * Metadata of tokens; a contract that does not say has null for it, one that is no token is left out, and
   * one that could not be asked has an Outage.
   */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token | Outage>>
  /**
   * In US dollars for one whole token; undefined when no source knows of a price. Turns go round the clients.
   * @throws Outage when one that might could not say
   */
  usdPrice(token: Address, client: string): Promise<Sourced<string> | undefined>
  /** The same, if it is in memory and fresh: nobody is asked, and undefined says nothing about the token. */
  peekUsdPrice(token: Address): Sourced<string> | undefined
  /**
   * Those who hold most, the greatest first; undefined when no source knows of any.
   * @throws Outage when one that might could not say
   */
  topHolders(token: Address, client: string): Promise<Sourced<readonly TokenHolder[]> | undefined>
  /** The same, as `peekUsdPrice` tells it. */
  peekTopHolders(token: Address): Sourced<readonly TokenHolder[]> | undefined
  /**
   * What tokens are worth now; one that no route leads from is left out, one that is not traded has a
   * Refusal.
   * @throws Outage
   */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  /** Whether everything that this network's answers depend on answers now. */
  ready(): Promise<boolean>
}

export interface TradingNetworks {
  all: readonly TradingServices[]
  byName(name: string): TradingServices | undefined
  byChainId(chainId: number): TradingServices | undefined
}

/**
 * The networks of this service by every name they go by; a network's own name comes before what others call
 * another chain.
 */
export function createTradingNetworks(all: readonly TradingServices[]): TradingNetworks {
  const byChainId = (chainId: number | undefined) => all.find(({ network }) => network.chainId === chainId)
  return {
    all,
    byChainId,
    byName: (name) => all.find(({ network }) => network.name === name) ?? byChainId(chainIdOfName(name)),
  }
}

/**
 * The network that a request names; without a name the only one there is.
 * @throws Refusal InvalidParameter, NotFound
 */
export function tradingOn(
  { networks }: { networks: TradingNetworks },
  name: string | null | undefined,
): TradingServices {
  const [only, second] = networks.all
  if (name == null) {
    if (only && !second) return only
    throw new Refusal('InvalidParameter', `network is required: one of ${names(networks)}`, {
      field: 'network',
    })
  }
  const trading = networks.byName(name)
  if (trading) return trading
  const shown = name.slice(0, 40)
  const fault =
    chainIdOfName(name) === undefined ? `there is no network ${shown}` : `${shown} is not served here`
  throw new Refusal('NotFound', `${fault}, but ${names(networks)}`, { field: 'network' })
}

/** Narrows a list to one network. */
export function chainIdOf(
  services: { networks: TradingNetworks },
  name: string | null | undefined,
): number | undefined {
  return name == null ? undefined : tradingOn(services, name).network.chainId
}

function names({ all }: TradingNetworks): string {
  return all.map(({ network }) => network.name).join(', ')
}
