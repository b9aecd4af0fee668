/**
 * Fields that the database does not answer, and why: `outside` is fetched over the network, `process` is
 * computed by the process or is part of the request. A stored column is never among them.
 */
const answeredElsewhere: Readonly<Record<string, Partial<Record<'outside' | 'process', string>>>> = {
  Account: { outside: 'announcements balances' },
  AffiliateStatistics: {
    process:
      'activeTraders code computedAt leftToNextReward nextPayout paidOut totalEarned totalTraders totalVolume triggerVolume wallet',
  },
  AmountsEvidence: { process: 'available missing needed token' },
  Announcement: { outside: 'createdAt description id isForAll location thumbnail title url' },
  Auction: { process: 'network' },
  BlocksEvidence: { process: 'at head number' },
  BookWebhook: {
    process:
      'address createdAt cursor failures fault filter gapAt gapFrom gapTo id isPaused lagEntries lagSeconds name partner sentAt',
  },
  BookWebhookPayload: { process: 'webhook' },
  CancellationEvidence: { process: 'by detail' },
  CompetitionEvidence: { process: 'auctionId refusal score scoreGap solver winningScore' },
  CreateBookWebhookPayload: { process: 'secret webhook' },
  DeleteBookWebhookPayload: { process: 'id' },
  Diagnosed: { process: 'advice code evidence ownSummary retryable since summary' },
  DiagnosisReason: { process: 'advice code evidence ownSummary retryable since summary' },
  FeeEvidence: { process: 'fee leastAmount left token' },
  OrderDiagnosis: { process: 'advice code evidence further ownSummary retryable since summary' },
  HookEvidence: { process: 'gasLimit gasUsed index outcome phase target' },
  OrderEvidence: { process: 'order uid' },
  ProgrammaticOrderEvidence: { process: 'hash owner removedBlock status' },
  PriceAmounts: { process: 'buyAmount decimal sellAmount' },
  PriceEvidence: {
    process:
      'best dayMovementPercent foundAt foundAtBlock foundBy foundInAuction gapPercent gapSeenAt limit secondsNeeded',
  },
  RefusalEvidence: { process: 'code field message' },
  PoolEvidence: { process: 'pool' },
  RevertEvidence: { process: 'reason' },
  TokenEvidence: { process: 'token' },
  TransactionEvidence: { process: 'block txHash' },
  ValidityEvidence: { process: 'from offeredUntil until' },
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
  MarkNotificationsReadPayload: { process: 'account hasMore marked' },
  Market: { outside: 'base depth network prices quote slippage spot' },
  MarketDepth: { outside: 'block levels' },
  DepthLevel: { outside: 'bps buyAmount sellAmount' },
  MarketSlippage: { outside: 'basis bps volatility' },
  MarketSpot: { outside: 'base price quote' },
  PriceHistory: { outside: 'age asOf deviation isStale maxAge points source' },
  PriceImpact: { outside: 'isNotable needsAcceptance share usd' },
  PricePoint: { outside: 'at price volume' },
  QuoteSlippage: { outside: 'bps measuredBps' },
  BalanceChange: { outside: 'account change token' },
  BundleSimulation: { outside: 'block transactions' },
  DecodedArgument: { outside: 'name type value' },
  DecodedEvent: { outside: 'arguments name' },
  SimulatedLog: { outside: 'address data event topics' },
  SimulatedTransaction: {
    outside: 'balanceChanges error gasUsed hasAllBalanceChanges hasAllLogs logs storageChanges succeeds',
  },
  StorageChange: { outside: 'account after before slot' },
  Meta: { process: 'network version' },
  Mutation: {
    process:
      'cancelOrder cancelOrders cancelOrdersByPolicy changePartnerKey confirmChannel createBookWebhook createPartnerKey createSignInChallenge deleteBookWebhook markNotificationsRead pauseBookWebhook placeOrder placeOrders quote registerAffiliate replayChannel resumeBookWebhook revokePartnerKey rotateChannelSecret rotatePartnerKey setAffiliateEnabled signIn signOut signOutEverywhere subscribeChannel testChannel unsubscribeChannel updateChannel uploadAppData',
  },
  Network: {
    process:
      'chainId contracts explorerUrl id isTest name poolProject pools ready settlementContract vaultRelayer wrappedNative',
  },
  NetworkContracts: {
    process:
      'balanceGuard composableCow ethFlows hooksTrampoline poolFactory settlement signing vaultRelayer wrappedNative',
  },
  SigningTerms: { process: 'chainId name separator types verifyingContract version' },
  Node: { process: 'id' },
  Order: { outside: 'simulation', process: 'diagnosis network' },
  OrderSimulation: { outside: 'block error from gas input stateOverrides to' },
  OrderToSign: {
    process:
      'appData buyAmount buyToken buyTokenBalance digest feeAmount kind partiallyFillable receiver sellAmount sellToken sellTokenBalance typedData uid validTo',
  },
  PartnerKey: {
    process:
      'costUnits costUnitsPerSecond createdAt events id lastUsedAt name prefix previousUntil requests revokedAt streams',
  },
  PartnerKeyConnection: { process: 'edges nodes pageInfo' },
  PartnerKeyEdge: { process: 'cursor node' },
  PartnerKeyPayload: { process: 'partnerKey' },
  PartnerKeySecretPayload: { process: 'key partnerKey' },
  PlaceOrderError: { process: 'code data field index message retryable' },
  PlaceOrderPayload: { process: 'order' },
  PlaceOrderResult: { process: 'error index order' },
  PlaceOrdersPayload: { process: 'results' },
  Pool: {
    outside:
      'address apr feeBps feesNative feesUsd price0 price1 project reserve0 reserve1 token0 token1 valueNative valueUsd volume0 volume1 volumeNative volumeUsd',
  },
  PoolConnection: {
    outside:
      'age asOf averageApr edges fromBlock fromTime isStale maxAge nodes pageInfo source toBlock toTime totalCount',
  },
  PoolEdge: { outside: 'cursor node' },
  PricesUpdate: { outside: 'block isAvailable isComplete prices' },
  Query: {
    outside: 'explainOrder explainSignature market simulateBundle simulateOrder',
    process:
      'affiliateStatistics affiliateTypedData bookWebhooks channelSubscription channelSubscriptions commit currentAuction enabledChannelKinds network networks partnerKeys pushPublicKey quote traderActivity traderStatistics version',
  },
  Quote: { outside: 'id network quoteId response' },
  QuoteHop: { outside: 'amountIn amountOut pool tokenIn tokenOut' },
  QuotePath: { outside: 'amountIn amountOut hops' },
  QuoteResponse: {
    outside:
      'expiration from order priceImpact protocolFeeBps quote quoteId route slippage stored verified warnings',
  },
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
  SubscribeChannelPayload: { process: 'channel confirmationLink secret' },
  TestChannelPayload: { process: 'messageId' },
  UnsubscribeChannelPayload: { process: 'id' },
  SignatureExplanation: {
    process: 'digest domainSeparator expectedSigner explanation mistake recoveredSigner structHash valid',
  },
  Subscription: {
    outside: 'balances quotes tokenPrices',
    process: 'auctions bookEvents notifications orderEvents trades',
  },
  Token: { outside: 'holders nativePrice priceHistory usdPrice' },
  TokenBalance: { outside: 'allowance balance nativeValue state token usdValue' },
  TokenBalanceConnection: { outside: 'block edges nodes pageInfo' },
  TokenBalanceEdge: { outside: 'cursor node' },
  TokenHolder: { outside: 'account address balance' },
  TokenHolderConnection: { outside: 'age asOf edges isStale maxAge nodes pageInfo source' },
  TokenHolderEdge: { outside: 'cursor node' },
  TokenPrices: { outside: 'nativePrice nativePriceState token usdPrice usdPriceState' },
  TraderActivityConnection: { process: 'computedAt edges nodes pageInfo' },
  TraderStatistics: {
    process:
      'account boundCode computedAt eligibleVolume leftToNextReward linkedSince nextPayout paidOut rewardsEnd totalEarned triggerVolume',
  },
  CirclesBackingInput: { process: 'appData buyAmount buyToken validTo' },
  FeeBurnerInput: { process: 'tokenIn' },
  GoodAfterTimeInput: {
    process:
      'allowPartialFill appData buyToken endTime minSellBalance priceCheckerPayload receiver sellAmount sellToken startTime',
  },
  PerpetualSwapInput: { process: 'appData halfSpreadBps tokenA tokenB validityBucketSeconds' },
  ProgrammaticDiagnosis: { process: 'code text' },
  ProgrammaticOrder: { process: 'decodeError diagnosis input network nextPart parts' },
  ProgrammaticOrderPart: { process: 'buyAmount index order sellAmount status uid validFrom validTo' },
  ProgrammaticOrderPartConnection: { process: 'edges nodes pageInfo' },
  ProgrammaticOrderPartEdge: { process: 'cursor node' },
  StopLossInput: {
    process:
      'appData buyAmount buyToken buyTokenPriceOracle isPartiallyFillable isSellOrder maxTimeSinceLastOracleUpdate receiver sellAmount sellToken sellTokenPriceOracle strike validTo',
  },
  SwapOrderInput: { process: 'appData buyToken receiver sellToken validityPeriod' },
  TradeAboveThresholdInput: {
    process: 'appData buyToken receiver sellToken threshold validityBucketSeconds',
  },
  TwapInput: { process: 'appData buyToken minPartLimit n partSellAmount receiver sellToken span t t0' },
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

/**
 * Stored, and left out of generated documents: sums over a range of blocks, what auctions left out and
 * refused, tokens of a network, the feed of the book, and programmatic orders, which have tests of their own.
 */
const typesApart = new Set([
  'AccountPartner',
  'AccountToken',
  'Accounting',
  'BookEvent',
  'BookEventConnection',
  'BookEventEdge',
  'SolverAccount',
  'ExcludedOrder',
  'ExcludedOrderConnection',
  'ExcludedOrderEdge',
  'ProgrammaticOrder',
  'ProgrammaticOrderConnection',
  'ProgrammaticOrderCreation',
  'ProgrammaticOrderCreationConnection',
  'ProgrammaticOrderCreationEdge',
  'ProgrammaticOrderEdge',
  'ProgrammaticOrderPoll',
  'RefusedSolution',
  'RefusedSolutionConnection',
  'RefusedSolutionEdge',
  'SolutionRefusal',
  'SolverAnswer',
  'SolverOutcome',
  'TokenConnection',
  'TokenEdge',
  'TradeEvent',
])

const fieldsApart = new Set([
  'Query.accounting',
  'Query.bookEvents',
  'Query.programmaticOrder',
  'Query.programmaticOrders',
  'Account.programmaticOrders',
  // test/mirror/unknown.test.ts and test/mirror/reported.test.ts have them.
  'Account.isTotalSurplusComplete',
  'OrderMirror.isBalanceReported',
  'OrderQuote.exactGasAmount',
  'OrderQuote.exactGasPrice',
  'Auction.excludedOrders',
  'Auction.refusedSolutions',
  'Auction.solverAnswers',
  'Network.tokens',
  'Order.programmaticOrder',
  'Order.refusedSolutions',
  'Order.solverOutcomes',
  'Solution.refusal',
])

/** Fields that say whether a list is complete. test/mirror/names.long.test.ts and test/mirror/unknown.test.ts have them. */
const saysWhetherComplete = (type: string, field: string) =>
  /^hasAll[A-Z]/.test(field) || (field === 'isComplete' && type.endsWith('Connection'))

export const isApart = (type: string, field: string) =>
  typesApart.has(type) || fieldsApart.has(`${type}.${field}`) || saysWhetherComplete(type, field)

/** Fields of Query that read stored rows. */
export const storedRoots = [
  'order',
  'orders',
  'account',
  'ordersByUids',
  'transactionOrders',
  'auction',
  'latestAuction',
  'auctions',
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
