import { affiliateSwitch, registerAffiliateInput } from '../../graphql/affiliate/input.ts'
import { appDataBody } from '../../graphql/app-data/input.ts'
import { cancellationBody, singleCancellationBody } from '../../graphql/order/cancellation-input.ts'
import { orderInput } from '../../graphql/order/creation-input.ts'
import { simulationBody } from '../../graphql/order/simulation-input.ts'
import { orderUidsInput } from '../../graphql/order/uids-input.ts'
import { quoteBody } from '../../graphql/quote/rest-input.ts'
import { tokenDetailsInput } from '../../graphql/token/addresses-input.ts'
import { affiliate, referralCode, registeredAffiliate, switchedCode } from '../affiliate/schema.ts'
import {
  affiliateStatistics,
  referredTrade,
  traderActivity,
  traderStatistics,
} from '../affiliate/statistics-schema.ts'
import { appDataDocument } from '../app-data/schema.ts'
import { solverNotices } from '../competition/notices.ts'
import { orderSimulation, tenderlyRequest } from '../order/simulation-schema.ts'
import { quotedOrder, quoteResponse } from '../quote/schema.ts'
import { tokenDetails, tokenDetailsList, tokenHolder, tokenHolders, usdPrice } from '../token/data-schema.ts'
import { nativePrice, tokenMetadata, totalSurplus } from '../token/schema.ts'
import type { NamedSchema } from './operation.ts'
import { accountError, orderBookError } from './schemas/errors.ts'
import { storedSchemas } from './stored-schemas.ts'

/** Schemas that have a name in the document. */
export const namedSchemas: Readonly<Record<string, NamedSchema>> = {
  ...storedSchemas,
  SolverNotices: { schema: solverNotices, description: 'The newest 100, newest first.' },
  SolverNotice: { schema: solverNotices.element, description: 'What became of solutions of a solver.' },
  QuoteRequest: {
    schema: quoteBody,
    graphqlType: 'QuoteInput',
    description:
      'What to quote: exactly one amount that fits the kind, and at most one of validTo and validFor.',
  },
  QuoteResponse: {
    schema: quoteResponse,
    graphqlType: 'QuoteResponse',
    description: 'A quote, and its terms.',
  },
  QuotedOrder: {
    schema: quotedOrder,
    graphqlType: 'QuotedOrder',
    description: 'The order that a quote stands for, ready to be signed with a `feeAmount` of 0.',
  },
  OrderCreation: { schema: orderInput.schema, graphqlType: 'OrderInput', description: 'A signed order.' },
  OrderToSimulate: {
    schema: simulationBody,
    graphqlType: 'SimulateOrderInput',
    description: 'An order that need not be stored, nor be acceptable.',
  },
  OrderSimulation: {
    schema: orderSimulation,
    description: 'What would become of a settlement of the order.',
  },
  TenderlyRequest: { schema: tenderlyRequest, description: 'The call, in the form that Tenderly takes.' },
  OrderUids: { schema: orderUidsInput, description: 'UIDs of at most 128 orders.' },
  OrderCancellations: {
    schema: cancellationBody,
    description: 'UIDs and the owner’s signature over `OrderCancellations(bytes[] orderUids)`.',
  },
  OrderCancellation: {
    schema: singleCancellationBody,
    description: 'The owner’s signature over `OrderCancellation(bytes orderUid)`, or over a list of one.',
  },
  AppDataDocument: { schema: appDataDocument, description: 'A document, byte for byte.' },
  AppDataUpload: { schema: appDataBody, description: 'A document to be stored.' },
  NativePrice: { schema: nativePrice, description: 'The price of a token in the native coin.' },
  TokenMetadata: {
    schema: tokenMetadata,
    graphqlType: 'Token',
    description: 'What the auctions know of a token.',
  },
  TotalSurplus: {
    schema: totalSurplus,
    graphqlType: 'Account',
    description: 'The surplus of all trades of an account over their limit prices.',
  },
  UsdPrice: { schema: usdPrice, description: 'The price of a token in US dollars.' },
  TokenHolder: { schema: tokenHolder, description: 'A holder of a token.' },
  TokenHolders: { schema: tokenHolders, description: 'The largest holders, the greatest first.' },
  TokenDetails: {
    schema: tokenDetails,
    graphqlType: 'Token',
    description: 'Metadata from the contract of a token.',
  },
  TokenDetailsList: { schema: tokenDetailsList, description: 'The addresses that are tokens.' },
  TokenAddresses: { schema: tokenDetailsInput, description: 'Up to 100 tokens.' },
  AffiliateRegistration: {
    schema: registerAffiliateInput.schema,
    graphqlType: 'RegisterAffiliateInput',
    description: 'A wallet’s signed request for a code.',
  },
  RegisteredAffiliate: {
    schema: registeredAffiliate,
    graphqlType: 'Affiliate',
    description: 'A code that was bound.',
  },
  Affiliate: {
    schema: affiliate,
    graphqlType: 'Affiliate',
    description: 'A wallet that brings traders. Amounts are US dollars.',
  },
  ReferralCode: {
    schema: referralCode,
    graphqlType: 'ReferralCode',
    description: 'A code as a trader sees it.',
  },
  AffiliateSwitch: { schema: affiliateSwitch, description: 'Whether traders may use a code.' },
  SwitchedCode: { schema: switchedCode, graphqlType: 'Affiliate', description: 'A code that was switched.' },
  AffiliateStatistics: {
    schema: affiliateStatistics,
    description: 'What a wallet’s code brought, in US dollars.',
  },
  TraderStatistics: {
    schema: traderStatistics,
    description: 'What a trader’s own trades earned him, in US dollars.',
  },
  TraderActivity: { schema: traderActivity, description: 'A trader’s trades that name a code.' },
  ReferredTrade: { schema: referredTrade, description: 'A trade, and what it counts for its code.' },
  OrderBookError: { schema: orderBookError, description: 'Why an order book route refused.' },
  AccountError: {
    schema: accountError,
    description: 'Why a route of tokens, accounts or affiliates refused.',
  },
}
