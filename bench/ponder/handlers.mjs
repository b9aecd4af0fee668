import { ponder } from 'ponder:registry'
import { orders, settlements, trades } from 'ponder:schema'

ponder.on('Settlement:Trade', async ({ event, context: { db } }) => {
  const { orderUid, owner, sellAmount, buyAmount } = event.args
  await db.insert(trades).values({
    ...event.args,
    id: event.id,
    txHash: event.transaction.hash,
    blockNumber: event.block.number,
    timestamp: event.block.timestamp,
  })
  await db
    .insert(orders)
    .values({ uid: orderUid, owner, executedSellAmount: sellAmount, executedBuyAmount: buyAmount })
    .onConflictDoUpdate((order) => ({
      executedSellAmount: order.executedSellAmount + sellAmount,
      executedBuyAmount: order.executedBuyAmount + buyAmount,
    }))
})

ponder.on('Settlement:Settlement', async ({ event, context: { db } }) => {
  await db.insert(settlements).values({
    id: event.id,
    solver: event.args.solver,
    txHash: event.transaction.hash,
    blockNumber: event.block.number,
  })
})
