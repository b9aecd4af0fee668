import {
  buyTokenDestinations,
  orderKinds,
  orderTexts,
  sellTokenSources,
  signingSchemes,
} from '../../domain/order/order.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from '../enums.ts'
import {
  addressField,
  amountField,
  appDataHashField,
  enumField,
  flagField,
  textField,
  uint32Field,
} from './fields.ts'

const erc20 = 'ERC20 if left out.'

/** Members of orders that several inputs have. */
export const orderFields = {
  sellToken: addressField.meta({ description: orderTexts.sellToken }),
  buyToken: addressField.meta({ description: orderTexts.buyToken }),
  receiver: addressField.nullish().meta({ description: orderTexts.receiver }),
  buyAmount: amountField('BuyAmountOverflow').meta({ description: 'The buy amount, in atoms.' }),
  validTo: uint32Field.meta({ description: orderTexts.validTo }),
  kind: enumField(OrderKind, orderKinds).meta({ description: orderTexts.kind }),
  partiallyFillable: flagField.meta({ description: orderTexts.partiallyFillable }),
  sellTokenBalance: enumField(SellTokenSource, sellTokenSources).nullish().meta({ description: erc20 }),
  buyTokenBalance: enumField(BuyTokenDestination, buyTokenDestinations)
    .nullish()
    .meta({ description: erc20 }),
  signingScheme: enumField(SigningScheme, signingSchemes).meta({ description: orderTexts.signingScheme }),
  appData: textField.meta({ description: orderTexts.documentOrHash }),
  appDataHash: appDataHashField.nullish().meta({ description: 'The document’s hash, to be checked.' }),
}
