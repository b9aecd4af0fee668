import { z } from 'zod'
import { address, amount, bytes32, count, orderUid, share } from './primitives.ts'

export const tradeFeePolicy = z.union([
  z.object({ surplus: z.object({ factor: share, maxVolumeFactor: share }) }),
  z.object({ volume: z.object({ factor: share }) }),
  z.object({
    priceImprovement: z.object({
      factor: share,
      maxVolumeFactor: share,
      quote: z.object({ fee: amount, sellAmount: amount, buyAmount: amount }),
    }),
  }),
])

export const executedProtocolFee = z.object({ policy: tradeFeePolicy, amount, token: address })

export const trade = z.object({
  blockNumber: count,
  logIndex: count,
  orderUid,
  owner: address,
  buyToken: address,
  sellToken: address,
  buyAmount: amount,
  sellAmount: amount,
  sellAmountBeforeFees: amount,
  txHash: bytes32.nullable(),
  executedProtocolFees: z.array(executedProtocolFee),
})

export const trades = z.array(trade)
