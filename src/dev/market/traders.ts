import { setTimeout as delay } from 'node:timers/promises'
import { parseUnits, Wallet } from 'ethers'
import { z } from 'zod'
import { mulDivDown } from '../../domain/amount.ts'
import { type Clock, type Log, unixSeconds } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { orderTypes } from '../../domain/signing/signing.ts'
import { readableDown } from '../../domain/text/readable.ts'
import type { Account, Market, TokenSymbol } from './market.ts'

interface TraderOptions {
  /** Base URL of the service, such as `http://127.0.0.1:4000`. */
  baseUrl: string
  market: Market
  log: Log
  now: Clock
  /** Number from 0 to below 1. */
  random: () => number
  /** Average time between two orders. */
  pauseMs?: number
  /** Called when the first order has traded. */
  onFirstTrade?(trade: FirstTrade): void
}

export interface FirstTrade {
  uid: string
  /** Such as `0.2 WETH for 596.12 USDC`. */
  text: string
}

/** Indexes of the accounts that trade by themselves; the other accounts are for the user of the stack. */
export const tradingAccounts = [3, 4]

/**
 * Trades of each account, repeated: sell token, greatest amount in whole tokens, buy token. An account sells
 * less of a token than it bought before, so that no balance runs out.
 */
const cycle: [sell: TokenSymbol, maxAmount: string, buy: TokenSymbol][] = [
  ['WETH', '0.3', 'USDC'],
  ['USDC', '200', 'DAI'],
  ['COW', '3000', 'WETH'],
  ['DAI', '90', 'WETH'],
  ['WETH', '0.2', 'COW'],
  ['USDC', '200', 'WETH'],
]

const requestTimeoutMs = 15_000
const validSeconds = 20 * 60
const slippageBps = 100n

/** Empty app data: `{}` and its hash. */
const appData = { document: '{}', hash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d' }

const tradePauseMs = 200

const uidAnswer = z.string()
const tradesAnswer = z.array(z.object({ sellAmount: z.coerce.bigint(), buyAmount: z.coerce.bigint() }))

const quoteAnswer = z.object({
  id: z.int().optional(),
  quote: z.object({ sellAmount: z.string(), feeAmount: z.string(), buyAmount: z.string() }),
})

/** Pause before the first order is tried again: a service that has just started may not quote yet. */
const firstPauseMs = 500

/** Lets some accounts place small orders, at once and then from time to time, over REST like any client. */
export function startTraders(options: TraderOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const { log, random, pauseMs = 10_000, onFirstTrade } = options
  const steps = tradingAccounts.length * cycle.length
  let reported: Promise<void> | undefined

  async function run(): Promise<void> {
    for (let index = 0; !signal.aborted; index = (index + 1) % steps) {
      await trade(options, index, signal).then(
        (placed) => {
          log.debug('a trader placed an order', { uid: placed.uid })
          reported ??= firstTrade(options, placed, signal).then(onFirstTrade, () => {})
        },
        (cause) => log.debug('a trader could not place an order', { cause: String(cause) }),
      )
      const pause = reported ? pauseMs * (0.5 + random()) : Math.min(pauseMs, firstPauseMs)
      await delay(pause, undefined, { signal, ref: false }).catch(() => {})
    }
    await reported
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

const apiOf = ({ baseUrl, market }: TraderOptions) => `${baseUrl}/${market.network.name}/api/v1`

/** Waits until an order has traded, also while the service does not answer. */
async function firstTrade(
  options: TraderOptions,
  { uid, sell, buy }: Placed,
  signal: AbortSignal,
): Promise<FirstTrade> {
  const tradesOf = async () =>
    tradesAnswer.parse(await ask(`${apiOf(options)}/trades?orderUid=${uid}`, {}, signal))
  for (;;) {
    const [amounts] = await tradesOf().catch(() => [])
    if (amounts)
      return {
        uid,
        text: `${readableDown(amounts.sellAmount, sell)} for ${readableDown(amounts.buyAmount, buy)}`,
      }
    await delay(tradePauseMs, undefined, { signal, ref: false })
  }
}

interface Placed {
  uid: string
  sell: Parameters<typeof readableDown>[1]
  buy: Parameters<typeof readableDown>[1]
}

async function trade(options: TraderOptions, index: number, signal: AbortSignal): Promise<Placed> {
  const { market, now, random } = options
  const { network, tokens } = market
  const account = market.accounts[tradingAccounts[index % tradingAccounts.length] ?? 0]
  const step = cycle[Math.floor(index / tradingAccounts.length) % cycle.length]
  if (!account || !step) throw new RangeError(`no trade ${index}`)
  const [sell, maxAmount, buy] = step
  const percent = 50n + BigInt(Math.floor(random() * 50))
  const budget = mulDivDown(parseUnits(maxAmount, tokens[sell].decimals), percent, 100n)
  const terms = {
    sellToken: tokens[sell].address,
    buyToken: tokens[buy].address,
    receiver: account.address,
    validTo: unixSeconds(now()) + validSeconds,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const request = { ...terms, from: account.address, sellAmountBeforeFee: budget.toString() }
  const api = apiOf(options)

  const answer = await postJson(`${api}/quote`, { ...request, appData: appData.document }, signal)
  const { id, quote } = quoteAnswer.parse(answer)
  const order = {
    ...terms,
    sellAmount: (BigInt(quote.sellAmount) + BigInt(quote.feeAmount)).toString(),
    buyAmount: mulDivDown(BigInt(quote.buyAmount), 10_000n - slippageBps, 10_000n).toString(),
    feeAmount: '0',
  }
  const signature = await signOrder(account, network, { ...order, appData: appData.hash })
  const origin = {
    from: account.address,
    signingScheme: 'eip712',
    signature,
    ...(id !== undefined && { quoteId: id }),
  }
  const document = { appData: appData.document, appDataHash: appData.hash }
  const uid = uidAnswer.parse(await postJson(`${api}/orders`, { ...order, ...document, ...origin }, signal))
  const named = (symbol: TokenSymbol) => ({ symbol, ...tokens[symbol] })
  return { uid, sell: named(sell), buy: named(buy) }
}

/** Signs an order by the key of its account. */
export function signOrder(
  account: Account,
  network: Network,
  order: Record<string, unknown>,
): Promise<string> {
  const { chainId, settlement: verifyingContract } = network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract }
  return new Wallet(account.privateKey).signTypedData(domain, orderTypes, order)
}

/** Posts JSON. @throws Error if the service refuses it */
export function postJson(url: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return ask(url, { method: 'POST', headers, body: JSON.stringify(body) }, signal)
}

async function ask(url: string, request: RequestInit, signal: AbortSignal): Promise<unknown> {
  const limits = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
  const response = await fetch(url, { ...request, signal: limits })
  if (!response.ok)
    throw new Error(`${url} answers ${response.status}: ${(await response.text()).slice(0, 300)}`)
  return response.json()
}
