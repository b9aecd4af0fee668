import { setTimeout as delay } from 'node:timers/promises'
import { parseUnits, Wallet } from 'ethers'
import { z } from 'zod'
import { mulDivDown } from '../../domain/amount.ts'
import { type Clock, type Log, unixSeconds } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { orderTypes } from '../../domain/signing/signing.ts'
import type { Account, Market, TokenSymbol } from './market.ts'

export interface TraderOptions {
  /** Base URL of the service, such as `http://127.0.0.1:4000`. */
  baseUrl: string
  market: Market
  log: Log
  now: Clock
  /** Number from 0 to below 1. */
  random: () => number
  /** Average time between two orders. */
  pauseMs?: number
}

/** Indexes of the accounts that trade by themselves; the others are for the user of the stack. */
const tradingAccounts = [3, 4]

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

const quoteAnswer = z.object({
  id: z.int().optional(),
  quote: z.object({ sellAmount: z.string(), feeAmount: z.string(), buyAmount: z.string() }),
})

/** Lets some accounts place small orders from time to time, over REST like any client. */
export function startTraders(options: TraderOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { log, random, pauseMs = 10_000 } = options
  const steps = tradingAccounts.length * cycle.length

  async function run(): Promise<void> {
    for (let index = 0; !stopping.signal.aborted; index = (index + 1) % steps) {
      const pause = pauseMs * (0.5 + random())
      await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      if (stopping.signal.aborted) return
      await trade(options, index, stopping.signal).then(
        (uid) => log.debug('a trader placed an order', { uid }),
        (cause) => log.debug('a trader could not place an order', { cause: String(cause) }),
      )
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function trade(options: TraderOptions, index: number, signal: AbortSignal): Promise<unknown> {
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
  const api = `${options.baseUrl}/${network.name}/api/v1`

  const answer = await post(`${api}/quote`, { ...request, appData: appData.document }, signal)
  const { id, quote } = quoteAnswer.parse(answer)
  const order = {
    ...terms,
    sellAmount: (BigInt(quote.sellAmount) + BigInt(quote.feeAmount)).toString(),
    buyAmount: mulDivDown(BigInt(quote.buyAmount), 10_000n - slippageBps, 10_000n).toString(),
    feeAmount: '0',
  }
  const signature = await sign(account, network, { ...order, appData: appData.hash })
  const origin = {
    from: account.address,
    signingScheme: 'eip712',
    signature,
    ...(id !== undefined && { quoteId: id }),
  }
  const document = { appData: appData.document, appDataHash: appData.hash }
  return post(`${api}/orders`, { ...order, ...document, ...origin }, signal)
}

function sign(account: Account, network: Network, order: Record<string, unknown>): Promise<string> {
  const { chainId, settlement: verifyingContract } = network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract }
  return new Wallet(account.privateKey).signTypedData(domain, orderTypes, order)
}

async function post(url: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
  })
  if (!response.ok)
    throw new Error(`${url} answers ${response.status}: ${(await response.text()).slice(0, 300)}`)
  return response.json()
}
