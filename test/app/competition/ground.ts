import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import type { Market } from '../../../src/dev/market/market.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'

/** The environment of a competition: a running program over the local chain. */
export interface Ground {
  /** The program's URL. */
  url: string
  rpc: Rpc
  market: Market
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape are read
  body: any
}

const timeoutMs = 30_000

/** Requests REST of the ground's network, without the program's code. */
export async function ask(
  { url, market }: Pick<Ground, 'url' | 'market'>,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${url}/${market.network.name}${path}`, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

/** Returns the debug report of an order: its newest hundred auctions. */
export async function reportOf(ground: Ground, uid: string): Promise<Answer['body']> {
  const { status, body } = await ask(ground, `/api/v1/debug/order/${uid}`)
  if (status !== 200) throw new Error(`the report of ${uid}: ${status}`)
  return body
}

/** Sends a transaction, mined with a later block. @param from an account that the node signs for */
export function send(
  { rpc }: Pick<Ground, 'rpc'>,
  from: Address,
  { to, data, value = 0n }: { to?: Address; data: string; value?: bigint },
): Promise<Hex> {
  const transaction = { from, data, value: `0x${value.toString(16)}`, gas: '0x2dc6c0', ...(to && { to }) }
  return rpc.call<Hex>('eth_sendTransaction', [transaction])
}

export async function blockTime({ rpc }: Pick<Ground, 'rpc'>): Promise<number> {
  const block = await rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}
