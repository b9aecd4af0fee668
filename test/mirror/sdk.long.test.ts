import { OrderBookApi } from '@cowprotocol/cow-sdk'
import { describe, expect, test } from 'vitest'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createSdk } from '../setup/sdk.ts'
import { sdkStatements } from '../setup/sdk-statements.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

type QuoteRequest = Parameters<OrderBookApi['getQuote']>[0]

let book: World
let follower: World

/** The SDK at a service that follows the order book of the world, without pools of its own. */
sdkStatements(async () => {
  const [world, database] = await Promise.all([startWorld(), createTestDatabase()])
  const network = { ...world.market.network, poolFactory: zeroAddress, baseTokens: [] }
  const orderBook = { url: `${world.url}/${network.name}`, callsPerMinute: 100_000 }
  const networks = [{ network, rpcUrl: world.chain.rpcUrl, orderBook }]
  const roles = ['serve', 'index'] as const
  const app = await startProgram({ database, chain: world.chain }, unlimited, { roles, networks })
  book = world
  follower = {
    ...world,
    url: app.url ?? '',
    async [Symbol.asyncDispose]() {
      await app.close()
      await database[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
  return follower
})

describe('every method of OrderBookApi answers as the order book would', () => {
  const owner = () => book.market.accounts[0]?.address ?? expect.fail()
  const { WETH, USDC } = {
    WETH: () => book.market.tokens.WETH.address,
    USDC: () => book.market.tokens.USDC.address,
  }
  const filled = async (api: OrderBookApi) =>
    (await api.getOrders({ owner: owner() })).filter(({ status }) => status === 'fulfilled')
  const trade = async (api: OrderBookApi) => {
    const [order] = await filled(api)
    const [found] = await api.getTrades({ orderUid: order?.uid ?? expect.fail() })
    return found ?? expect.fail()
  }
  const unknownUid = `0x${'17'.repeat(56)}`
  const unknownToken = `0x${'19'.repeat(20)}`
  const unknownHash = `0x${'18'.repeat(32)}`

  const asked: Partial<Record<keyof OrderBookApi, (api: OrderBookApi) => Promise<unknown>>> = {
    getVersion: (api) => api.getVersion(),
    getTrades: async (api) => [
      await api.getTrades({ owner: owner() }),
      await api.getTrades({ owner: owner(), offset: 1, limit: 2 }),
      await api.getTrades({ orderUid: unknownUid }),
    ],
    getOrders: async (api) => [
      await api.getOrders({ owner: owner() }),
      await api.getOrders({ owner: owner(), offset: 1, limit: 2 }),
      await refusal(api.getOrders({ owner: owner(), limit: 1_001 })),
    ],
    getTxOrders: async (api) => [
      await api.getTxOrders((await trade(api)).txHash ?? ''),
      await api.getTxOrders(unknownHash),
    ],
    getOrder: async (api) => [
      await api.getOrder((await trade(api)).orderUid),
      await refusal(api.getOrder(unknownUid)),
    ],
    getOrderCompetitionStatus: async (api) => [
      await api.getOrderCompetitionStatus((await trade(api)).orderUid),
      await refusal(api.getOrderCompetitionStatus(unknownUid)),
    ],
    getOrderMultiEnv: async (api) => [
      await api.getOrderMultiEnv((await trade(api)).orderUid),
      await refusal(api.getOrderMultiEnv(unknownUid)),
    ],
    getQuote: async (api) => {
      const quote = { kind: 'sell', sellAmountBeforeFee: `${10n ** 18n}`, from: owner(), buyToken: USDC() }
      return [
        await refusal(api.getQuote({ ...quote, sellToken: unknownToken, appData: '{}' } as QuoteRequest)),
        await refusal(api.getQuote({ ...quote, sellToken: unknownUid } as QuoteRequest)),
      ]
    },
    sendSignedOrderCancellations: (api) =>
      refusal(
        api.sendSignedOrderCancellations({
          orderUids: [unknownUid],
          signature: `0x${'11'.repeat(65)}`,
          signingScheme: 'eip712',
        } as Parameters<OrderBookApi['sendSignedOrderCancellations']>[0]),
      ),
    sendOrder: (api) =>
      refusal(api.sendOrder({ sellToken: WETH() } as Parameters<OrderBookApi['sendOrder']>[0])),
    getNativePrice: async (api) => [
      await api.getNativePrice(USDC()),
      await refusal(api.getNativePrice(zeroAddress)),
    ],
    getTotalSurplus: (api) => api.getTotalSurplus(owner()),
    getAppData: async (api) => api.getAppData((await api.getOrder((await trade(api)).orderUid)).appData),
    uploadAppData: async (api) => [
      await api.uploadAppData(`0x${'b4'.repeat(32)}`, '{}').catch((fault: { body: unknown }) => fault.body),
    ],
    getSolverCompetition: async (api) => {
      const { auctionId = 0 } = await api.getSolverCompetition((await trade(api)).txHash ?? '')
      return [await api.getSolverCompetition(auctionId), await refusal(api.getSolverCompetition(unknownHash))]
    },
    getOrderLink: async (api) => api.getOrderLink(unknownUid).replace(/^.*(?=\/api)/, ''),
  }

  /** The status and the body of an error. */
  const refusal = (answer: Promise<unknown>) =>
    answer.then(
      (value) => ({ value }),
      ({ response, body }: { response: Response; body: unknown }) => ({ status: response?.status, body }),
    )

  /** Members that only the order book knows: fees by its auctions, and how its quote would be filled. */
  const withoutFees = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (name, inner) =>
      ['executedFee', 'executedFeeToken', 'totalFee', 'executedProtocolFees', 'metadata'].includes(name)
        ? undefined
        : inner,
    )

  test('which the list below names', () => {
    const others = ['constructor', 'getContextWithOverride', 'getApiBaseUrls', 'fetch']
    const methods = Object.getOwnPropertyNames(OrderBookApi.prototype).filter(
      (name) => !others.includes(name),
    )
    expect(Object.keys(asked).toSorted()).toEqual(methods.toSorted())
  })

  test.each(Object.entries(asked))('%s', async (_, ask) => {
    const [there, here] = [createSdk(book).api, createSdk(follower).api]
    await eventually('both have the same fills', async () => {
      const uids = async (api: OrderBookApi) => (await filled(api)).map(({ uid }) => uid).join()
      return (await uids(there)) === (await uids(here))
    })
    expect(withoutFees(await ask(here))).toEqual(withoutFees(await ask(there)))
  })
})
