import { setTimeout as pause } from 'node:timers/promises'
import type { Market } from '../../src/dev/market/market.ts'
import { hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { type OrderData, packOrderUid } from '../../src/domain/order/order.ts'
import { createRandom } from '../database/subjects.ts'
import { get, post } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'
import { signOrder } from '../placing/submissions.ts'

const document = '{"appCode":"bench swaps","metadata":{},"version":"1.3.0"}'
const maxMs = 60_000

/**
 * Places swaps of the market's traders over REST one by one, each at another moment of a block.
 * @returns milliseconds from sending each order until REST reports it as filled
 */
export async function timeSwaps(port: number, market: Market, count: number): Promise<number[]> {
  const random = createRandom(4)
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    await pause(random() * 1_000)
    times.push(await timeSwap(port, market, index))
  }
  return times
}

async function timeSwap(port: number, market: Market, index: number): Promise<number> {
  const { request, uid } = swap(market, index)
  const path = `/${market.network.name}/api/v1/orders`
  const started = performance.now()
  const placed = await askOnce(port, request)
  if (placed.status !== 201) throw new Error(`a swap was refused: ${placed.body}`)
  while (performance.now() - started < maxMs) {
    const { body } = await askOnce(port, get(`${path}/${uid}`))
    if (JSON.parse(body.toString()).status === 'fulfilled') return performance.now() - started
    await pause(10)
  }
  const { body } = await askOnce(port, get(`${path}/${uid}/status`))
  throw new Error(`a swap was not filled in ${maxMs / 1_000} s: ${body}`)
}

/** Returns a swap of 0.1 WETH for USDC, for a fifth less than the pools' initial price. */
function swap(market: Market, index: number) {
  const { network, tokens, accounts } = market
  const account = accounts[index % accounts.length]
  if (!account) throw new Error('the market has no traders')
  const data: OrderData = {
    sellToken: tokens.WETH.address,
    buyToken: tokens.USDC.address,
    receiver: account.address,
    sellAmount: 10n ** 17n,
    buyAmount: 240n * 10n ** 6n,
    validTo: Math.floor(Date.now() / 1_000) + 3_600 + index,
    appData: keccakText(document),
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const { digest, signature } = signOrder({ key: hexToBytes(account.privateKey) }, data, market)
  const body = {
    ...data,
    sellAmount: String(data.sellAmount),
    buyAmount: String(data.buyAmount),
    feeAmount: '0',
    appData: document,
    appDataHash: data.appData,
    from: account.address,
    signature,
    signingScheme: 'eip712',
  }
  return {
    request: post(`/${network.name}/api/v1/orders`, JSON.stringify(body)),
    uid: packOrderUid(digest, account.address, data.validTo),
  }
}
