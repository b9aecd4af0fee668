import { z } from 'zod'
import {
  buyTokenDestinations,
  orderClasses,
  orderKinds,
  sellTokenSources,
  signingSchemes,
} from '../../../domain/order.ts'
import { orderStatuses } from '../../../domain/order-status.ts'
import { address, amount, bytes32, count, decimal, hex, orderUid, timestamp } from './primitives.ts'

export const interaction = z.object({ target: address, value: amount, callData: hex })

export const interactions = z.object({ pre: z.array(interaction), post: z.array(interaction) })

export const orderQuote = z.object({
  gasAmount: amount,
  gasPrice: amount,
  sellTokenPrice: decimal,
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  solver: address,
  verified: z.boolean(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
})

export const onchainOrderData = z.object({ sender: address, placementError: z.string().nullable() })

export const ethflowData = z.object({
  userValidTo: count,
  refundTxHash: bytes32.nullable(),
  isRefunded: z.boolean().meta({ description: 'Whether the coins were given back.' }),
})

export const order = z.object({
  creationDate: timestamp,
  owner: address,
  from: address,
  uid: orderUid,
  availableBalance: z.null(),
  executedBuyAmount: amount,
  executedSellAmount: amount,
  executedSellAmountBeforeFees: amount,
  executedFeeAmount: amount,
  executedFee: amount,
  executedFeeToken: address,
  invalidated: z.boolean(),
  status: z.enum(orderStatuses),
  class: z.enum(orderClasses),
  settlementContract: address,
  isLiquidityOrder: z.boolean(),
  fullAppData: z.string().nullable(),
  sellToken: address,
  buyToken: address,
  receiver: address.nullable(),
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  validTo: count,
  validFrom: count.optional(),
  appData: bytes32,
  appDataHash: bytes32,
  kind: z.enum(orderKinds),
  partiallyFillable: z.boolean(),
  sellTokenBalance: z.enum(sellTokenSources),
  buyTokenBalance: z.enum(buyTokenDestinations),
  signingScheme: z.enum(signingSchemes),
  signature: hex,
  quoteId: count.optional(),
  fullBalanceCheck: z.boolean(),
  interactions,
  onchainUser: address.optional(),
  onchainOrderData: onchainOrderData.optional(),
  ethflowData: ethflowData.optional(),
  quote: orderQuote.optional(),
})

export const orders = z.array(order)

export const wrappedOrders = z.array(z.object({ order }))
