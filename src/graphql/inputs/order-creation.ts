import { z } from 'zod'
import { toAppDataInput } from '../../domain/app-data.ts'
import { buyTokenDestinations, orderKinds, sellTokenSources, signingSchemes } from '../../domain/order.ts'
import type { OrderCreation } from '../../domain/order-creation.ts'
import {
  addressField,
  amountField,
  flagField,
  hexField,
  objectExpected,
  safeIntField,
  textField,
  uint32Field,
  wordField,
} from './fields.ts'

/**
 * A signed order as a client sends it. Malformed input is InvalidParameter; whether a well-formed order is acceptable
 * (its signature's length and v included) is for the checks to say.
 */
export const orderCreationInput = z
  .object(
    {
      sellToken: addressField,
      buyToken: addressField,
      receiver: addressField.nullish(),
      sellAmount: amountField('SellAmountOverflow'),
      buyAmount: amountField('BuyAmountOverflow'),
      validTo: uint32Field,
      appData: textField,
      appDataHash: textField.nullish(),
      feeAmount: amountField('SellAmountOverflow'),
      kind: wordField(orderKinds),
      partiallyFillable: flagField,
      sellTokenBalance: wordField(sellTokenSources).nullish(),
      buyTokenBalance: wordField(buyTokenDestinations).nullish(),
      signingScheme: wordField(signingSchemes),
      signature: hexField,
      from: addressField.nullish(),
      quoteId: safeIntField.nullish(),
      fullBalanceCheck: flagField.nullish(),
    },
    objectExpected,
  )
  .transform(
    ({ appDataHash, ...order }): OrderCreation => ({
      ...order,
      receiver: order.receiver ?? null,
      appData: toAppDataInput(order.appData, appDataHash),
      sellTokenBalance: order.sellTokenBalance ?? 'erc20',
      buyTokenBalance: order.buyTokenBalance ?? 'erc20',
      from: order.from ?? null,
      quoteId: order.quoteId == null ? null : BigInt(order.quoteId),
      fullBalanceCheck: order.fullBalanceCheck ?? false,
    }),
  )
