import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { describeMarket } from '../../../src/dev/market/market.ts'
import { type Affiliate, defaultProgramme } from '../../../src/domain/affiliate/affiliate.ts'
import { address } from '../../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { sample } from '../../../src/rest/openapi/sample.ts'
import { insertAffiliate } from '../../../src/storage/affiliate/affiliates.ts'
import { storeCurrentAuction, storeRound } from '../../../src/storage/auction/current-auction.ts'
import { insertChainFacts } from '../../../src/storage/chain/indexed-logs.ts'
import { insertChannel, storeConfirmation } from '../../../src/storage/channels/channels.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { refreshProgress } from '../../../src/storage/order/progress.ts'
import { insertNonce, insertSession } from '../../../src/storage/sign-in-sessions.ts'
import { auctionOrder, numbered, sampleAuction } from '../../fakes/order.ts'
import { indexedUpTo, storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeTokens } from '../../fakes/stored-tokens.ts'
import { storeOrder, storeSettledOrder } from '../../fakes/story.ts'

const { network, tokens } = describeMarket()
const solver = numbered('50')
const settledIn = sample.transaction as Bytes32
const referredIn: Bytes32 = `0x${'cd'.repeat(32)}` as const

/** What the examples read: a settled order, orders to cancel, an affiliate and a trader with his code. */
export async function seedSamples(db: Database): Promise<void> {
  const weth = { chainId: network.chainId, address: address(sample.weth), symbol: 'WETH' }
  await storeTokens(db, [{ ...weth, name: 'Wrapped Ether', decimals: 18 }])
  await seedReferredTrade(db)
  await seedSettledOrder(db)
  await seedOpenOrders(db)
  await seedChannels(db)
  await indexedUpTo(db, 110)
  await storeRound(db, { chainId: network.chainId, at: new Date(1_800_000_000_000) })
}

async function seedChannels(db: Database): Promise<void> {
  const account = address(sample.trader)
  const at = new Date(1_799_999_000_000)
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  const soon = new Date(1_800_000_600_000)
  await insertNonce(db, sample.nonce, soon)
  await insertSession(db, { tokenHash: hashOf(sample.session), account, createdAt: at, expiresAt: soon }, 20)
  const standard = { account, kind: 'webhook' as const, types: [], chainIds: [], leastImprovement: null }
  const keys = { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }
  for (const [id, token, host] of [
    [sample.channel, 'another', 'hooks'],
    [sample.pendingChannel, sample.confirmation, 'later'],
  ] as const) {
    const confirmation = { hash: hashOf(token), expiresAt: soon }
    const created = { id, keys, createdAt: at, address: `https://${host}.example.com/orders?key=secret` }
    await db.transaction((tx) => insertChannel(tx, { ...standard, ...created, confirmation }, 10))
  }
  const kinds = ['webhook'] as const
  await storeConfirmation(db, hashOf('another'), { now: new Date(1_799_999_001_000), kinds })
  const times = {
    createdAt: at,
    attemptedAt: new Date(1_799_999_002_000),
    endedAt: new Date(1_799_999_003_000),
  }
  await sql(db).delivery.create({
    data: {
      channelId: sample.channel,
      kind: 'webhook',
      state: 'delivered',
      attempts: 1,
      status: 204,
      ...times,
    },
  })
}

async function seedSettledOrder(db: Database): Promise<void> {
  const trader = address(sample.otherTrader)
  await storeSettledOrder(db, 9n, trader)
  const settlement = {
    blockNumber: 109,
    logIndex: 4,
    txHash: settledIn,
    solver,
    auctionId: 9n,
    solutionUid: 0,
  }
  await db.transaction(async (tx) => {
    await insertChainFacts(tx, network.chainId, {
      trades: [],
      settlements: [settlement],
      invalidations: [],
      presignatures: [],
      executions: [],
    })
    await recordNotifications(tx, [
      {
        cause: `filled:${network.chainId}:${sample.settled}`,
        account: trader,
        type: 'order_filled',
        message: 'Order filled: 1 WETH for 2,940 USDC',
        timestamp: new Date(1_799_999_003_000),
        metadata: {
          orderId: sample.settled,
          chainId: network.chainId,
          executedAmount: '2940000000',
          txHash: settledIn,
        },
        blockNumber: 109,
      },
    ])
  })
}

/** Their UIDs depend on their terms, and the signatures in the examples on those. */
async function seedOpenOrders(db: Database): Promise<void> {
  const orders: Order[] = []
  for (const validTo of [1_800_001_201, 1_800_001_202, 1_800_001_203]) {
    const order = await storeOrder(db, {
      owner: address(sample.trader),
      receiver: address(sample.trader),
      sellToken: tokens.WETH.address,
      buyToken: tokens.USDC.address,
      validTo,
      effectiveValidTo: validTo,
    })
    orders.push(order)
  }
  const held = auctionOrder(orders[0] ?? expect.fail(), [
    { kind: 'priceImprovement', factor: 500_000n, maxVolumeFactor: 10_000n },
  ])
  await storeCurrentAuction(db, { ...sampleAuction([held]), id: 10n, chainId: network.chainId })
}

async function seedReferredTrade(db: Database): Promise<void> {
  await seedAffiliate(db, { wallet: address(sample.guide), code: 'LOCAL-GUIDE', enabled: true })
  await seedAffiliate(db, { wallet: numbered('e1'), code: 'LOCAL-ENDED', enabled: false })
  const document = '{"metadata":{"referrer":{"code":"LOCAL-GUIDE"}}}'
  const order = await storeOrder(db, {
    owner: address(sample.guided),
    sellToken: tokens.WETH.address,
    buyToken: tokens.USDC.address,
    sellAmount: 100n * 10n ** 18n,
    buyAmount: 290_000n * 10n ** 6n,
    appData: keccakText(document),
    fullAppData: document,
  })
  const trade = { order, sell: order.sellAmount, buy: 299_000n * 10n ** 6n }
  await storeContest(db, {
    id: 8n,
    orders: [order],
    nativePrices: new Map([
      [tokens.WETH.address, 10n ** 18n],
      [tokens.USDC.address, 10n ** 30n / 3_000n],
    ]),
    solutions: [{ solver, score: 1n, isWinner: true, referenceScore: 0n, fills: [trade] }],
  })
  await sql(db).$executeRaw`UPDATE auctions SET created_at = '2027-01-15T07:30:00Z' WHERE id = 8`
  await storeSettlement(db, {
    txHash: referredIn,
    blockNumber: 105,
    logIndex: 2,
    auctionId: 8n,
    solver,
    trades: [trade],
  })
  await db.transaction((tx) => refreshProgress(tx, [order.id]))
}

async function seedAffiliate(
  db: Database,
  affiliate: Pick<Affiliate, 'wallet' | 'code' | 'enabled'>,
): Promise<void> {
  await insertAffiliate(db, {
    ...affiliate,
    ...defaultProgramme,
    createdAt: new Date(1_799_990_000_000),
    digest: keccakText(affiliate.code),
    signedMessage: '0x',
  })
}
