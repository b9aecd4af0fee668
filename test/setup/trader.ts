import { Wallet } from 'ethers'
import type { Market, TokenSymbol } from '../../src/dev/market/market.ts'
import { orderTypes } from '../../src/domain/signing/signing.ts'

/** `{}` and its hash. */
const appData = '{}'
const appDataHash = '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any
}

/** A plain HTTP client without code of the program. */
export async function request(url: string, method = 'GET', body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export async function graphql(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Answer['body']> {
  const { body } = await request(`${url}/graphql`, 'POST', { query, variables })
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  return body.data
}

export interface OrderWish {
  sell: TokenSymbol
  buy: TokenSymbol
  sellAmount: bigint
  buyAmount: bigint
  kind?: 'sell' | 'buy'
  partiallyFillable?: boolean
  validTo?: number
  /** The hash of a document, sent without the document. */
  appDataHash?: string
}

/** Wishes that are equal in all else become two orders, also within a second. */
let signed = 0

/** An account of the local market that signs as a wallet does, and trades over REST. */
export function createTrader(url: string, market: Market, account = 0) {
  const wallet = new Wallet(market.accounts[account]?.privateKey ?? '')
  const base = `${url}/${market.network.name}`
  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: market.network.chainId,
    verifyingContract: market.network.settlement,
  }

  async function sign(wish: OrderWish) {
    const order = {
      sellToken: market.tokens[wish.sell].address,
      buyToken: market.tokens[wish.buy].address,
      receiver: wallet.address,
      sellAmount: wish.sellAmount.toString(),
      buyAmount: wish.buyAmount.toString(),
      validTo: wish.validTo ?? Math.floor(Date.now() / 1000) + 1200 + (signed++ % 600),
      appData: wish.appDataHash ?? appDataHash,
      feeAmount: '0',
      kind: wish.kind ?? 'sell',
      partiallyFillable: wish.partiallyFillable ?? false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    }
    const signature = await wallet.signTypedData(domain, orderTypes, order)
    const document = wish.appDataHash ? {} : { appData, appDataHash }
    return { ...order, ...document, from: wallet.address, signature, signingScheme: 'eip712' }
  }

  async function cancel(uids: string[]) {
    const types = { OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }] }
    const signature = await wallet.signTypedData(domain, types, { orderUids: uids })
    return request(`${base}/api/v1/orders`, 'DELETE', { orderUids: uids, signature, signingScheme: 'eip712' })
  }

  return {
    address: wallet.address,
    base,
    sign,
    cancel,
    place: async (wish: OrderWish) => request(`${base}/api/v1/orders`, 'POST', await sign(wish)),
    order: async (uid: string) => (await request(`${base}/api/v1/orders/${uid}`)).body,
    notifications: async () => (await request(`${url}/accounts/${wallet.address}/notifications`)).body,
  }
}
