import { z } from 'zod'
import { type Bytes32, toHex } from '../domain/evm/hex.ts'
import { toOrderUid } from '../domain/order/order.ts'
import { isObject } from '../outside/http-json.ts'
import type { ReportedFee, ReportedTrade } from '../storage/order/reported-fees.ts'
import { address, amount, hash, parsed } from './read-order.ts'

const share = z.number().min(0).max(1_000)
const limited = z.object({ factor: share, maxVolumeFactor: share })
const amountText = amount.transform(String)
const quote = z.object({ sellAmount: amountText, buyAmount: amountText, fee: amountText })

/** A policy as an object whose only key is its kind. */
const policy = z.union([
  z.object({ surplus: limited }).transform(({ surplus }) => ({ kind: 'surplus' as const, ...surplus })),
  z
    .object({ volume: z.object({ factor: share }) })
    .transform(({ volume }) => ({ kind: 'volume' as const, ...volume })),
  z
    .object({ priceImprovement: limited.extend({ quote }) })
    .transform(({ priceImprovement }) => ({ kind: 'priceImprovement' as const, ...priceImprovement })),
])

const feeShape = z
  .object({ policy, amount: amountText, token: address })
  .transform(({ policy, ...fee }): ReportedFee => ({ ...policy, ...fee }))

const tradeShape = z.object({
  blockNumber: z.int().min(0),
  logIndex: z.int().min(0).max(0x7fffffff),
  orderUid: parsed(toOrderUid),
  txHash: hash,
  executedProtocolFees: z.array(feeShape).max(100),
})

/** Reads the fees of a trade as an order book writes it; undefined if a member is malformed. */
export function readTrade(body: unknown): ReportedTrade | undefined {
  const { data } = tradeShape.safeParse(body)
  if (!data) return undefined
  const { executedProtocolFees: fees, ...trade } = data
  return { ...trade, fees }
}

/** The transactions of trades as order books write them. */
export function transactionsOf(bodies: readonly unknown[]): Bytes32[] {
  const hashes = bodies.map((body) => isObject(body) && toHex(String(body.txHash), 32))
  return [...new Set(hashes.filter((hash) => typeof hash === 'string'))]
}
