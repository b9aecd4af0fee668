/**
 * Fields that the database does not answer, and why: `outside` is fetched over the network, `process` is computed by the process or
 * is part of the request. A stored column is never among them.
 */
export const answeredElsewhere: Readonly<Record<string, Partial<Record<'outside' | 'process', string>>>> = {
  AffiliateStatistics: {
    process:
      'activeTraders code computedAt leftToNextReward nextPayout paidOut totalEarned totalTraders totalVolume triggerVolume wallet',
  },
  Auction: { process: 'network' },
  BalancesUpdate: { outside: 'balances block isAvailable isComplete' },
  Channel: {
    process: 'address confirmedAt createdAt deliveries id kind leastImprovement networks state types',
  },
  ChannelPayload: { process: 'channel' },
  ChannelSecretPayload: { process: 'channel secret' },
  Delivery: {
    process: 'attemptedAt attempts createdAt endedAt fault messageId notificationId revision state status',
  },
  DeliveryConnection: { process: 'edges nodes pageInfo' },
  DeliveryEdge: { process: 'cursor node' },
  CancelOrderPayload: { process: 'order' },
  CancelOrdersByPolicyPayload: { process: 'orders' },
  CancelOrdersPayload: { process: 'orders' },
  Meta: { process: 'network version' },
  Mutation: {
    process:
      'cancelOrder cancelOrders cancelOrdersByPolicy confirmChannel createSignInChallenge placeOrder placeOrders quote registerAffiliate replayChannel rotateChannelSecret setAffiliateEnabled signIn signOut signOutEverywhere subscribeChannel testChannel unsubscribeChannel updateChannel uploadAppData',
  },
  Network: { process: 'chainId id name ready settlementContract vaultRelayer wrappedNative' },
  Node: { process: 'id' },
  Order: { outside: 'simulation', process: 'network' },
  OrderSimulation: { outside: 'block error from gas input stateOverrides to' },
  OrderToSign: {
    process:
      'appData buyAmount buyToken buyTokenBalance digest feeAmount kind partiallyFillable receiver sellAmount sellToken sellTokenBalance typedData uid validTo',
  },
  PlaceOrderError: { process: 'code data field index message retryable' },
  PlaceOrderPayload: { process: 'order' },
  PlaceOrderResult: { process: 'error index order' },
  PlaceOrdersPayload: { process: 'results' },
  PricesUpdate: { outside: 'block isAvailable isComplete prices' },
  Query: {
    outside: 'explainSignature simulateOrder',
    process:
      'affiliateStatistics affiliateTypedData channelSubscriptions currentAuction network networks quote traderActivity traderStatistics version',
  },
  Quote: { outside: 'id network quoteId response' },
  QuoteHop: { outside: 'amountIn amountOut pool tokenIn tokenOut' },
  QuotePath: { outside: 'amountIn amountOut hops' },
  QuoteResponse: { outside: 'expiration from order protocolFeeBps quote quoteId route stored verified' },
  QuoteRoute: { outside: 'block paths priceImpact' },
  QuotedOrder: {
    outside:
      'appData appDataHash buyAmount buyToken buyTokenBalance feeAmount gasAmount gasPrice kind partiallyFillable receiver sellAmount sellToken sellTokenBalance sellTokenPrice signingScheme validTo',
  },
  ReferredTrade: {
    process: 'boundCode chainId code eligibility eligibleVolume isBoundToCode isEligible time trade usdValue',
  },
  ReferredTradeEdge: { process: 'cursor node' },
  RegisterAffiliatePayload: { process: 'affiliate' },
  SetAffiliateEnabledPayload: { process: 'affiliate' },
  Settlement: { process: 'network' },
  ReplayChannelPayload: { process: 'deliveries' },
  SignInChallengePayload: { process: 'domain expiresAt nonce uri' },
  SignInPayload: { process: 'account expiresAt token' },
  SignOutPayload: { process: 'sessions' },
  TestChannelPayload: { process: 'messageId' },
  UnsubscribeChannelPayload: { process: 'id' },
  SignatureExplanation: {
    process: 'digest domainSeparator expectedSigner explanation mistake recoveredSigner structHash valid',
  },
  Subscription: { outside: 'balances quotes tokenPrices', process: 'auctions notifications orderEvents' },
  Token: { outside: 'holders nativePrice usdPrice' },
  TokenBalance: { outside: 'allowance balance state token' },
  TokenHolder: { outside: 'account address balance' },
  TokenHolderConnection: { outside: 'age asOf edges isStale maxAge nodes pageInfo source' },
  TokenHolderEdge: { outside: 'cursor node' },
  TokenPrices: { outside: 'nativePrice nativePriceState token usdPrice usdPriceState' },
  TraderActivityConnection: { process: 'computedAt edges nodes pageInfo' },
  TraderStatistics: {
    process:
      'account boundCode computedAt eligibleVolume leftToNextReward linkedSince nextPayout paidOut rewardsEnd totalEarned triggerVolume',
  },
  UploadAppDataPayload: { process: 'appData created hash' },
  UsdPrice: { outside: 'age asOf isStale maxAge price source' },
}

const places = new Set(
  Object.entries(answeredElsewhere).flatMap(([type, reasons]) =>
    Object.values(reasons).flatMap((names) => names.split(' ').map((name) => `${type}.${name}`)),
  ),
)

/** Each as `Type.field`. */
export const placesElsewhere: readonly string[] = [...places]

export const isElsewhere = (type: string, field: string) => places.has(`${type}.${field}`)

/** Stored, and left out of generated documents: sums over a range of blocks, which have tests of their own. */
const typesApart = new Set(['AccountPartner', 'AccountToken', 'Accounting', 'SolverAccount'])

export const isApart = (type: string, field: string) =>
  typesApart.has(type) || (type === 'Query' && field === 'accounting')

/** Fields of Query that read stored rows. */
export const storedRoots = [
  'order',
  'orders',
  'account',
  'ordersByUids',
  'transactionOrders',
  'auction',
  'latestAuction',
  'meta',
  'auctionOfTransaction',
  'trades',
  'settlements',
  'settlementsOfTransaction',
  'notifications',
  'node',
  'appData',
  'affiliate',
  'referralCode',
  'token',
  'tokens',
]
