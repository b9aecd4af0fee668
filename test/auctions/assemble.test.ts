import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { assembleAuction } from '../../src/auctions/assemble.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import { createAuctionServices } from '../fakes/auction-services.ts'
import { samplePool } from '../fakes/market.ts'
import { coin, dollar, wrapped } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { type TestDatabase, useTables } from '../setup/database.ts'

let database: TestDatabase
useTables((tables) => {
  database = tables.database
})

/** Prices of an auction of one order, where the coin stands for the dollar. */
async function pricesWith(poolsOf: (isOfCoin: boolean) => Promise<readonly Pool[]>): Promise<Address[]> {
  const { services } = createAuctionServices(database.db)
  services.network = { ...services.network, usdReference: coin }
  services.pools = (pairs) => poolsOf(pairs.flat().includes(coin))
  await storeOrder(database.db)
  const assembled = await assembleAuction(services)
  return [...(assembled?.auction.nativePrices.keys() ?? [])]
}
const poolOf = (isOfCoin: boolean) => [samplePool('01', wrapped, isOfCoin ? coin : dollar, 10_000n)]

test('an auction is held without the pools of the dollar if they never arrive', async () => {
  const never = new Promise<never>(() => {})
  const prices = await pricesWith(async (isOfCoin) => (isOfCoin ? never : poolOf(false)))
  expect(prices).toEqual([wrapped, dollar])
})

test('the pools of the dollar may take slightly longer than the pools of the auction', async () => {
  const prices = await pricesWith(async (isOfCoin) => setTimeout(isOfCoin ? 420 : 400, poolOf(isOfCoin)))
  expect(prices).toEqual([wrapped, dollar, coin])
})
