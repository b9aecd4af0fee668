import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { TypedDataEncoder, verifyTypedData } from 'ethers'
import { expect, it, onTestFinished } from 'vitest'
import { describeMarket } from '../../../src/dev/market/market.ts'
import { type FirstTrade, startTraders } from '../../../src/dev/market/traders.ts'
import { address } from '../../../src/domain/evm/address.ts'
import { orderTypes } from '../../../src/domain/signing/signing.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'

interface Received {
  path: string
  body: Record<string, string>
}

const uid = `0x${'12'.repeat(56)}`

/** Quotes 1000 for everything; the first quote fails. Trades are there when they are read a third time. */
async function startService() {
  const received: Received[] = []
  let reads = 0
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    if (path === `/sepolia/api/v1/trades?orderUid=${uid}`) {
      const trade = { sellAmount: '250000000000000000', buyAmount: '700000000' }
      reads++
      response.statusCode = reads === 1 ? 503 : 200
      return response.end(JSON.stringify(reads > 2 ? [trade] : []))
    }
    const body = JSON.parse(await text(request))
    received.push({ path, body })
    const quote = { sellAmount: '990', feeAmount: '10', buyAmount: '1000' }
    const isQuote = path.endsWith('/quote')
    response.statusCode = received.length === 1 ? 500 : isQuote ? 200 : 201
    response.end(JSON.stringify(isQuote ? { id: 7, quote } : uid))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it('places the first order at once, again soon if it fails, and reports its trade', async () => {
  const { received, url } = await startService()
  const reported: FirstTrade[] = []
  const traders = startTraders({
    baseUrl: url,
    market: describeMarket(),
    log: silentLog,
    pauseMs: 3_600_000,
    now: Date.now,
    random: () => 0.5,
    onFirstTrade: (trade) => reported.push(trade),
  })
  onTestFinished(traders.stop)
  await eventually('the trade', () => reported.length > 0)
  // The second trade of the cycle: the first one was not quoted.
  expect(reported).toEqual([{ uid, text: '0.25 WETH for 700 USDC' }])
  expect(received.filter(({ path }) => path.endsWith('/orders'))).toHaveLength(1)
})

it('places signed orders of accounts 3 and 4 over REST, and continues after a failure', async () => {
  const { received, url } = await startService()
  const market = describeMarket()
  const traders = startTraders({
    baseUrl: url,
    market,
    log: silentLog,
    pauseMs: 2,
    now: () => 1_700_000_000_000,
    random: () => 0.5,
  })
  onTestFinished(traders.stop)
  const orders = await eventually('three orders', () => {
    const placed = received.filter(({ path }) => path === '/sepolia/api/v1/orders')
    return placed.length >= 3 ? placed : undefined
  })
  expect(received[0]).toMatchObject({
    path: '/sepolia/api/v1/quote',
    body: { kind: 'sell', sellAmountBeforeFee: '225000000000000000', from: market.accounts[3]?.address },
  })

  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: 11155111,
    verifyingContract: market.network.settlement,
  }
  expect(TypedDataEncoder.hashDomain(domain)).toBe(
    '0xdaee378bd0eb30ddf479272accf91761e697bc00e067a268f95f1d2732ed230b',
  )
  for (const { body } of orders) {
    expect(body).toMatchObject({
      sellAmount: '1000',
      buyAmount: '990',
      feeAmount: '0',
      quoteId: 7,
      validTo: 1_700_001_200,
    })
    const { appDataHash, signature = '' } = body
    const signer = verifyTypedData(domain, orderTypes, { ...body, appData: appDataHash }, signature)
    expect(address(signer)).toBe(body.from)
  }
  const [third, fourth] = market.accounts.slice(3)
  // The third account had the first slot, and its quote failed.
  const placedBy = orders.slice(0, 3).map(({ body }) => body.from)
  expect(placedBy).toEqual([fourth?.address, third?.address, fourth?.address])
})
