import { onchainTable } from 'ponder'

export const trades = onchainTable('trades', (t) => ({
  id: t.text().primaryKey(),
  orderUid: t.hex().notNull(),
  owner: t.hex().notNull(),
  sellToken: t.hex().notNull(),
  buyToken: t.hex().notNull(),
  sellAmount: t.bigint().notNull(),
  buyAmount: t.bigint().notNull(),
  feeAmount: t.bigint().notNull(),
  txHash: t.hex().notNull(),
  blockNumber: t.bigint().notNull(),
  timestamp: t.bigint().notNull(),
}))

export const orders = onchainTable('orders', (t) => ({
  uid: t.hex().primaryKey(),
  owner: t.hex().notNull(),
  executedSellAmount: t.bigint().notNull(),
  executedBuyAmount: t.bigint().notNull(),
}))

export const settlements = onchainTable('settlements', (t) => ({
  id: t.text().primaryKey(),
  solver: t.hex().notNull(),
  txHash: t.hex().notNull(),
  blockNumber: t.bigint().notNull(),
}))
