// Made from the documents of the REST rows by `npm run codegen`.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type BookFilter = {
  appCodes?: Array<string> | null | undefined;
  classes?: Array<OrderClass> | null | undefined;
  kinds?: Array<OrderKind> | null | undefined;
  labels?: Array<OrderEventLabel> | null | undefined;
  owners?: Array<string> | null | undefined;
  pair?: TokenPairInput | null | undefined;
  referrers?: Array<string> | null | undefined;
  tokens?: Array<string> | null | undefined;
};

export type BundleTransactionInput = {
  from: string;
  gas?: number | null | undefined;
  input: string;
  to: string;
  value?: string | null | undefined;
};

export type BuyTokenDestination =
  | 'erc20'
  | 'internal';

export type CancelOrderInput = {
  network?: string | null | undefined;
  orderUid: string;
  signature: string;
  signingScheme: SigningScheme;
};

export type CancelOrdersInput = {
  network?: string | null | undefined;
  orderUids: Array<string>;
  signature: string;
  signingScheme: SigningScheme;
};

export type CancellationSource =
  | 'api'
  | 'chain'
  | 'policy'
  | 'replacement';

export type ChannelInput = {
  account: string;
  id: string | number;
};

export type ChannelKind =
  | 'email'
  | 'push'
  | 'telegram'
  | 'webhook';

export type ChannelState =
  | 'active'
  | 'ended'
  | 'pending';

export type ConfirmChannelInput = {
  account?: string | null | undefined;
  token: string;
};

export type DeliveryState =
  | 'dead'
  | 'delivered'
  | 'dropped'
  | 'waiting';

export type DiagnosisCode =
  | 'accountDenied'
  | 'allowanceMissing'
  | 'auctionsHalted'
  | 'balanceHeld'
  | 'balanceMissing'
  | 'cancelled'
  | 'chainBehind'
  | 'costsMoreThanItBrings'
  | 'decidedElsewhere'
  | 'expired'
  | 'expiresTooSoon'
  | 'failedGasSpent'
  | 'filled'
  | 'filteredForFairness'
  | 'hooksFail'
  | 'hookGasTight'
  | 'lostCompetition'
  | 'marketUnknown'
  | 'neverTradable'
  | 'nodeAway'
  | 'notAccepted'
  | 'notProposed'
  | 'notReadYet'
  | 'notYetValid'
  | 'noLiquidity'
  | 'noNativePrice'
  | 'outOfPlaces'
  | 'partlyFilled'
  | 'placeable'
  | 'postHookFailed'
  | 'presignatureMissing'
  | 'priceImpact'
  | 'priceOutOfReach'
  | 'priceUnknown'
  | 'priceUnverified'
  | 'settlementFailed'
  | 'settlementPaused'
  | 'settlementReverts'
  | 'settlementStuck'
  | 'settlementTimedOut'
  | 'settling'
  | 'signatureInvalid'
  | 'solutionRefused'
  | 'tokenDenied'
  | 'tokenMisbehaves'
  | 'tooSmall'
  | 'tradesFail'
  | 'waitingForAuction';

export type Eligibility =
  | 'before_binding'
  | 'eligible'
  | 'not_bound'
  | 'no_dollar_value'
  | 'other_code'
  | 'same_token'
  | 'time_cap_reached'
  | 'volume_cap_reached';

export type ExplainOrderInput = {
  appData: string;
  appDataHash?: string | null | undefined;
  buyAmount: string;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  feeAmount: string;
  from?: string | null | undefined;
  fullBalanceCheck?: boolean | null | undefined;
  kind: OrderKind;
  network?: string | null | undefined;
  partiallyFillable: boolean;
  quoteId?: number | null | undefined;
  receiver?: string | null | undefined;
  sellAmount: string;
  sellToken: string;
  sellTokenBalance?: SellTokenSource | null | undefined;
  signature?: string | null | undefined;
  signingScheme: SigningScheme;
  validTo: number;
};

export type HookOutcome =
  | 'outOfGas'
  | 'reverted'
  | 'succeeded';

export type HookPhase =
  | 'post'
  | 'pre';

export type NotificationType =
  | 'insufficient_balance'
  | 'order_cancelled'
  | 'order_expired'
  | 'order_filled'
  | 'order_partially_filled'
  | 'part_failed'
  | 'part_filled'
  | 'post_hook_failed'
  | 'price_improvement'
  | 'programmatic_cancelled'
  | 'programmatic_finished';

export type OrderClass =
  | 'limit'
  | 'liquidity'
  | 'market';

export type OrderEventLabel =
  | 'cancelled'
  | 'considered'
  | 'created'
  | 'executing'
  | 'expired'
  | 'filtered'
  | 'hook_failed'
  | 'invalid'
  | 'ready'
  | 'refunded'
  | 'traded';

export type OrderEventReason =
  | 'banned_user'
  | 'dust_order'
  | 'insufficient_balance'
  | 'invalid_signature'
  | 'in_flight'
  | 'missing_native_price'
  | 'policy'
  | 'unsupported_token';

export type OrderKind =
  | 'buy'
  | 'sell';

export type OrderStatus =
  | 'cancelled'
  | 'expired'
  | 'fulfilled'
  | 'open'
  | 'presignaturePending';

export type PlaceOrderInput = {
  appData: string;
  appDataHash?: string | null | undefined;
  buyAmount: string;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  feeAmount: string;
  from?: string | null | undefined;
  fullBalanceCheck?: boolean | null | undefined;
  kind: OrderKind;
  network?: string | null | undefined;
  partiallyFillable: boolean;
  quoteId?: number | null | undefined;
  receiver?: string | null | undefined;
  sellAmount: string;
  sellToken: string;
  sellTokenBalance?: SellTokenSource | null | undefined;
  signature: string;
  signingScheme: SigningScheme;
  validTo: number;
};

export type PriceQuality =
  | 'fast'
  | 'optimal'
  | 'verified';

export type ProgrammaticOrderStatus =
  | 'active'
  | 'cancelled'
  | 'ended'
  | 'expired'
  | 'filled'
  | 'invalid'
  | 'partlyFilled'
  | 'scheduled';

export type PushKeysInput = {
  auth: string;
  p256dh: string;
};

export type QuoteAmountInput =
  {   buyAfterFee: string; sellAfterFee?: never; sellBeforeFee?: never; }
  |  { buyAfterFee?: never;   sellAfterFee: string; sellBeforeFee?: never; }
  |  { buyAfterFee?: never; sellAfterFee?: never;   sellBeforeFee: string; };

export type QuoteInput = {
  amount: QuoteAmountInput;
  appData?: string | null | undefined;
  appDataHash?: string | null | undefined;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  from: string;
  network?: string | null | undefined;
  onchainOrder?: boolean | null | undefined;
  priceQuality?: PriceQuality | null | undefined;
  receiver?: string | null | undefined;
  sellToken: string;
  sellTokenBalance?: SellTokenSource | null | undefined;
  signingScheme?: SigningScheme | null | undefined;
  slippage?: SlippageMode | null | undefined;
  timeout?: number | null | undefined;
  validity?: QuoteValidityInput | null | undefined;
  verificationGasLimit?: number | null | undefined;
};

export type QuoteValidityInput =
  {   validFor: number; validTo?: never; }
  |  { validFor?: never;   validTo: number; };

export type RegisterAffiliateInput = {
  code: string;
  signedMessage: string;
  walletAddress: string;
};

export type ReplayChannelInput = {
  account: string;
  from: string;
  id: string | number;
  state?: DeliveryState | null | undefined;
};

export type SellTokenSource =
  | 'erc20'
  | 'external'
  | 'internal';

export type SetAffiliateEnabledInput = {
  code: string;
  enabled: boolean;
};

export type SignInInput = {
  message: string;
  signature: string;
};

export type SignOutEverywhereInput = {
  account: string;
};

export type SigningScheme =
  | 'eip712'
  | 'eip1271'
  | 'ethsign'
  | 'presign';

export type SimulateBundleInput = {
  network?: string | null | undefined;
  transactions: Array<BundleTransactionInput>;
};

export type SimulateOrderInput = {
  appData: string;
  blockNumber?: number | null | undefined;
  buyAmount: string;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  feeAmount: string;
  kind: OrderKind;
  network?: string | null | undefined;
  owner: string;
  partiallyFillable: boolean;
  receiver?: string | null | undefined;
  sellAmount: string;
  sellToken: string;
  sellTokenBalance?: SellTokenSource | null | undefined;
  signature: string;
  signingScheme: SigningScheme;
  validTo: number;
};

export type SlippageMode =
  | 'auto';

export type SubscribeChannelInput = {
  account: string;
  address?: string | null | undefined;
  kind: ChannelKind;
  leastImprovement?: string | null | undefined;
  networks?: Array<string> | null | undefined;
  pushKeys?: PushKeysInput | null | undefined;
  types?: Array<NotificationType> | null | undefined;
};

export type TokenPairInput = {
  buyToken: string;
  sellToken: string;
};

export type UpdateChannelInput = {
  account: string;
  id: string | number;
  leastImprovement?: string | null | undefined;
  networks?: Array<string> | null | undefined;
  types?: Array<NotificationType> | null | undefined;
};

export type UploadAppDataInput = {
  document: string;
  hash?: string | null | undefined;
  network?: string | null | undefined;
};

export type ValueState =
  | 'absent'
  | 'known'
  | 'unavailable';

export type GetApiV1OrdersUidDiagnosisVariables = Exact<{
  network: string;
  uid: string;
}>;


export type GetApiV1OrdersUidDiagnosisResult = { order: { diagnosis: { code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, further: Array<{ code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, evidence: Array<
          | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
          | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
          | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
          | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
          | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
          | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
          | { __typename: 'OrderEvidence', uid: string }
          | { __typename: 'PoolEvidence', pool: string }
          | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
          | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
          | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
          | { __typename: 'RevertEvidence', reason: string }
          | { __typename: 'TokenEvidence', token: { address: string } }
          | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
          | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
        > }>, evidence: Array<
        | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
        | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
        | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
        | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
        | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
        | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
        | { __typename: 'OrderEvidence', uid: string }
        | { __typename: 'PoolEvidence', pool: string }
        | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
        | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
        | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
        | { __typename: 'RevertEvidence', reason: string }
        | { __typename: 'TokenEvidence', token: { address: string } }
        | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
        | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
      > } } | null };

type reason_DiagnosisReason = { code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, evidence: Array<
    | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
    | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
    | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
    | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
    | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
    | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
    | { __typename: 'OrderEvidence', uid: string }
    | { __typename: 'PoolEvidence', pool: string }
    | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
    | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
    | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
    | { __typename: 'RevertEvidence', reason: string }
    | { __typename: 'TokenEvidence', token: { address: string } }
    | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
    | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
  > };

type reason_OrderDiagnosis = { code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, evidence: Array<
    | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
    | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
    | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
    | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
    | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
    | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
    | { __typename: 'OrderEvidence', uid: string }
    | { __typename: 'PoolEvidence', pool: string }
    | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
    | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
    | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
    | { __typename: 'RevertEvidence', reason: string }
    | { __typename: 'TokenEvidence', token: { address: string } }
    | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
    | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
  > };

export type reason =
  | reason_DiagnosisReason
  | reason_OrderDiagnosis
;

export type PostApiV1OrdersDiagnosisVariables = Exact<{
  input: ExplainOrderInput;
}>;


export type PostApiV1OrdersDiagnosisResult = { explainOrder: { code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, further: Array<{ code: DiagnosisCode, summary: string, since: string | null, retryable: boolean, advice: string, evidence: Array<
        | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
        | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
        | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
        | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
        | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
        | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
        | { __typename: 'OrderEvidence', uid: string }
        | { __typename: 'PoolEvidence', pool: string }
        | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
        | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
        | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
        | { __typename: 'RevertEvidence', reason: string }
        | { __typename: 'TokenEvidence', token: { address: string } }
        | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
        | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
      > }>, evidence: Array<
      | { __typename: 'AmountsEvidence', needed: string, available: string, missing: string, token: { address: string } }
      | { __typename: 'BlocksEvidence', number: number, at: string | null, head: number | null }
      | { __typename: 'CancellationEvidence', by: CancellationSource, detail: string | null }
      | { __typename: 'CompetitionEvidence', auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null }
      | { __typename: 'FeeEvidence', fee: string, left: string, leastAmount: string | null, token: { address: string } }
      | { __typename: 'HookEvidence', phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null }
      | { __typename: 'OrderEvidence', uid: string }
      | { __typename: 'PoolEvidence', pool: string }
      | { __typename: 'PriceEvidence', foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, foundInAuction: number | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, limit: { decimal: string, sellAmount: string, buyAmount: string }, best: { decimal: string, sellAmount: string, buyAmount: string } | null }
      | { __typename: 'ProgrammaticOrderEvidence', owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null }
      | { __typename: 'RefusalEvidence', code: string, field: string | null, message: string }
      | { __typename: 'RevertEvidence', reason: string }
      | { __typename: 'TokenEvidence', token: { address: string } }
      | { __typename: 'TransactionEvidence', txHash: string, block: number | null }
      | { __typename: 'ValidityEvidence', from: string | null, until: string, offeredUntil: string }
    > } };

export type GetApiV1DebugSimulationUidVariables = Exact<{
  network: string;
  uid: string;
  blockNumber?: number | null | undefined;
}>;


export type GetApiV1DebugSimulationUidResult = { network: { chainId: number }, order: { simulation: { error: string | null, block: number | null, from: string, to: string, input: string, gas: number, stateOverrides: unknown } } | null };

export type PostApiV1DebugSimulationVariables = Exact<{
  network: string;
  input: SimulateOrderInput;
}>;


export type PostApiV1DebugSimulationResult = { network: { chainId: number }, simulateOrder: { error: string | null, block: number | null, from: string, to: string, input: string, gas: number, stateOverrides: unknown } };

export type GetApiV1FeedVariables = Exact<{
  network: string;
  filter?: BookFilter | null | undefined;
  after?: string | null | undefined;
  first: number;
}>;


export type GetApiV1FeedResult = { bookEvents: { cursor: string, nodes: Array<{ cursor: string, isRemoved: boolean, eventId: string, event: { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, txHash: string | null, timestamp: string } | null, order: { uid: string, owner: string, receiver: string | null, sellAmount: string, buyAmount: string, validTo: number, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, creationDate: string, status: OrderStatus, executedSellAmount: string, executedBuyAmount: string, appCode: string | null, referrer: string | null, sellToken: { address: string }, buyToken: { address: string } } | null, trade: { blockNumber: number, logIndex: number, txHash: string, sellAmount: string, sellAmountBeforeFees: string, buyAmount: string, auctionId: number | null, executedProtocolFees: Array<{ amount: string, token: { address: string } }> } | null }>, pageInfo: { hasNextPage: boolean } } };

export type GetApiV1FeedStreamVariables = Exact<{
  network: string;
  filter?: BookFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type GetApiV1FeedStreamResult = { bookEvents: { cursor: string, isRemoved: boolean, eventId: string, event: { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, txHash: string | null, timestamp: string } | null, order: { uid: string, owner: string, receiver: string | null, sellAmount: string, buyAmount: string, validTo: number, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, creationDate: string, status: OrderStatus, executedSellAmount: string, executedBuyAmount: string, appCode: string | null, referrer: string | null, sellToken: { address: string }, buyToken: { address: string } } | null, trade: { blockNumber: number, logIndex: number, txHash: string, sellAmount: string, sellAmountBeforeFees: string, buyAmount: string, auctionId: number | null, executedProtocolFees: Array<{ amount: string, token: { address: string } }> } | null } };

export type PostApiV1QuoteVariables = Exact<{
  input: QuoteInput;
}>;


export type PostApiV1QuoteResult = { quote: { from: string, expiration: string, verified: boolean, protocolFeeBps: string | null, id: number | null, quote: { receiver: string | null, sellAmount: string, buyAmount: string, feeAmount: string, validTo: number, appData: string, appDataHash: string, gasAmount: string, gasPrice: string, sellTokenPrice: string, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, signingScheme: SigningScheme, sellToken: { address: string }, buyToken: { address: string } }, slippage: { bps: number } | null } };

export type PostApiV1QuoteStreamVariables = Exact<{
  input: QuoteInput;
}>;


export type PostApiV1QuoteStreamResult = { quotes: { from: string, expiration: string, verified: boolean, protocolFeeBps: string | null, id: number | null, quote: { receiver: string | null, sellAmount: string, buyAmount: string, feeAmount: string, validTo: number, appData: string, appDataHash: string, gasAmount: string, gasPrice: string, sellTokenPrice: string, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, signingScheme: SigningScheme, sellToken: { address: string }, buyToken: { address: string } }, slippage: { bps: number } | null } };

export type PostApiV1OrdersVariables = Exact<{
  input: PlaceOrderInput;
}>;


export type PostApiV1OrdersResult = { placeOrder: { order: { uid: string } } };

export type DeleteApiV1OrdersVariables = Exact<{
  input: CancelOrdersInput;
}>;


export type DeleteApiV1OrdersResult = { cancelOrders: { orders: Array<{ uid: string, pendingSettlements: Array<{ auctionId: number, txHash: string | null }> }> } };

export type DeleteApiV1OrdersUidVariables = Exact<{
  input: CancelOrderInput;
}>;


export type DeleteApiV1OrdersUidResult = { cancelOrder: { order: { uid: string, pendingSettlements: Array<{ auctionId: number, txHash: string | null }> } } };

export type GetApiV1AppDataHashVariables = Exact<{
  hash: string;
}>;


export type GetApiV1AppDataHashResult = { appData: { fullAppData: string } | null };

export type PutApiV1AppDataHashVariables = Exact<{
  input: UploadAppDataInput;
}>;


export type PutApiV1AppDataHashResult = { uploadAppData: { hash: string, created: boolean } };

export type GetApiV1TokenTokenNativePriceVariables = Exact<{
  network: string;
  token: string;
}>;


export type GetApiV1TokenTokenNativePriceResult = { tokens: Array<{ nativePrice: string | null }> };

export type GetApiV1TokenTokenMetadataVariables = Exact<{
  network: string;
  token: string;
}>;


export type GetApiV1TokenTokenMetadataResult = { tokens: Array<{ firstTradeBlock: number | null, nativePrice: string | null }> };

export type GetApiV1UsersUserTotalSurplusVariables = Exact<{
  network: string;
  user: string;
}>;


export type GetApiV1UsersUserTotalSurplusResult = { account: { totalSurplus: string } };

export type GetApiV1ReadyVariables = Exact<{
  network: string;
}>;


export type GetApiV1ReadyResult = { network: { ready: boolean } };

export type GetApiV1VersionVariables = Exact<{ [key: string]: never; }>;


export type GetApiV1VersionResult = { version: string };

export type GetAboutVariables = Exact<{ [key: string]: never; }>;


export type GetAboutResult = { version: string, commit: string | null };

export type GetNetworkInfoContractsVariables = Exact<{
  network: string;
}>;


export type GetNetworkInfoContractsResult = { network: { name: string, chainId: number, contracts: { settlement: string, vaultRelayer: string, wrappedNative: string, hooksTrampoline: string, ethFlows: Array<string>, balanceGuard: string | null, poolFactory: string | null, signing: { name: string, version: string, chainId: number, verifyingContract: string, separator: string, types: unknown } } } };

export type GetAccountsAccountChannelsVariables = Exact<{
  account: string;
}>;


export type GetAccountsAccountChannelsResult = { channelSubscriptions: Array<{ id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> }> };

export type PostAccountsAccountChannelsVariables = Exact<{
  input: SubscribeChannelInput;
}>;


export type PostAccountsAccountChannelsResult = { subscribeChannel: { secret: string | null, confirmationLink: string | null, channel: { id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> } } };

export type PostAccountsAccountChannelsConfirmationVariables = Exact<{
  input: ConfirmChannelInput;
}>;


export type PostAccountsAccountChannelsConfirmationResult = { confirmChannel: { channel: { id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> } } };

export type GetAccountsAccountChannelsIdVariables = Exact<{
  account: string;
  id: string | number;
}>;


export type GetAccountsAccountChannelsIdResult = { channelSubscription: { id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> } | null };

export type GetAccountsAccountChannelsIdDeliveriesVariables = Exact<{
  account: string;
  id: string | number;
  limit: number;
  after?: string | null | undefined;
  state?: DeliveryState | null | undefined;
}>;


export type GetAccountsAccountChannelsIdDeliveriesResult = { channelSubscription: { deliveries: { nodes: Array<{ messageId: string, notificationId: string | null, revision: number, state: DeliveryState, attempts: number, createdAt: string, attemptedAt: string | null, endedAt: string | null, status: number | null, fault: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type PatchAccountsAccountChannelsIdVariables = Exact<{
  input: UpdateChannelInput;
}>;


export type PatchAccountsAccountChannelsIdResult = { updateChannel: { channel: { id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> } } };

export type PostAccountsAccountChannelsIdSecretVariables = Exact<{
  input: ChannelInput;
}>;


export type PostAccountsAccountChannelsIdSecretResult = { rotateChannelSecret: { secret: string, channel: { id: string, kind: ChannelKind, state: ChannelState, address: string | null, types: Array<NotificationType>, leastImprovement: string | null, createdAt: string, confirmedAt: string | null, networks: Array<{ name: string }> } } };

export type PostAccountsAccountChannelsIdTestVariables = Exact<{
  input: ChannelInput;
}>;


export type PostAccountsAccountChannelsIdTestResult = { testChannel: { messageId: string } };

export type PostAccountsAccountChannelsIdReplayVariables = Exact<{
  input: ReplayChannelInput;
}>;


export type PostAccountsAccountChannelsIdReplayResult = { replayChannel: { deliveries: number } };

export type DeleteAccountsAccountChannelsIdVariables = Exact<{
  input: ChannelInput;
}>;


export type DeleteAccountsAccountChannelsIdResult = { unsubscribeChannel: { id: string } };

export type PostSessionsChallengesVariables = Exact<{ [key: string]: never; }>;


export type PostSessionsChallengesResult = { createSignInChallenge: { nonce: string, domain: string, uri: string, expiresAt: string } };

export type PostSessionsVariables = Exact<{
  input: SignInInput;
}>;


export type PostSessionsResult = { signIn: { token: string, expiresAt: string, account: { address: string } } };

export type DeleteSessionsVariables = Exact<{ [key: string]: never; }>;


export type DeleteSessionsResult = { signOut: { sessions: number } };

export type DeleteAccountsAccountSessionsVariables = Exact<{
  input: SignOutEverywhereInput;
}>;


export type DeleteAccountsAccountSessionsResult = { signOutEverywhere: { sessions: number } };

export type GetNetworkTokensTokenUsdPriceVariables = Exact<{
  network: string;
  addresses: Array<string>;
}>;


export type GetNetworkTokensTokenUsdPriceResult = { tokens: Array<{ usdPrice: { price: string, age: number, maxAge: number, isStale: boolean } | null }> };

export type GetNetworkTokensTokenTopHoldersVariables = Exact<{
  network: string;
  addresses: Array<string>;
}>;


export type GetNetworkTokensTokenTopHoldersResult = { tokens: Array<{ holders: { age: number, maxAge: number, isStale: boolean, nodes: Array<{ address: string, balance: string }> } | null }> };

export type GetNetworkTokensTokenDetailsVariables = Exact<{
  network: string;
  addresses: Array<string>;
}>;


export type GetNetworkTokensTokenDetailsResult = { tokens: Array<{ address: string, symbol: string | null, name: string | null, decimals: number | null }> };

export type GetNetworkMarketsPairSlippageToleranceVariables = Exact<{
  network: string;
  base: string;
  quote: string;
}>;


export type GetNetworkMarketsPairSlippageToleranceResult = { market: { slippage: { bps: number } | null } };

export type GetNetworkMarketsPairVolatilityDetailsVariables = Exact<{
  network: string;
  base: string;
  quote: string;
}>;


export type GetNetworkMarketsPairVolatilityDetailsResult = { market: { base: { address: string, usdPrice: { price: string } | null, priceHistory: { deviation: string | null, points: Array<{ at: string, price: string, volume: string | null }> } | null }, quote: { address: string, usdPrice: { price: string } | null, priceHistory: { deviation: string | null, points: Array<{ at: string, price: string, volume: string | null }> } | null } } };

export type GetNetworkAccountsAccountBalancesVariables = Exact<{
  network: string;
  account: string;
  tokens: Array<string>;
  first: number;
}>;


export type GetNetworkAccountsAccountBalancesResult = { account: { balances: { nodes: Array<{ state: ValueState, balance: string | null, allowance: string | null, token: { address: string, symbol: string | null, name: string | null, decimals: number | null } }> } } };

export type GetNetworkAddressAccountBalancesVariables = Exact<{
  network: string;
  account: string;
  tokens?: Array<string> | null | undefined;
  first: number;
}>;


export type GetNetworkAddressAccountBalancesResult = { account: { balances: { nodes: Array<{ state: ValueState, balance: string | null, token: { address: string } }> } } };

export type PostNetworkYieldPoolsVariables = Exact<{
  network: string;
  addresses?: Array<string> | null | undefined;
}>;


export type PostNetworkYieldPoolsResult = { network: { chainId: number, pools: { nodes: Array<{ address: string, project: string, apr: string | null, feeBps: number, valueUsd: string | null, volumeUsd: string | null }> } | null } };

export type GetNetworkYieldPoolsAverageAprVariables = Exact<{
  network: string;
}>;


export type GetNetworkYieldPoolsAverageAprResult = { network: { poolProject: string, pools: { averageApr: string | null, age: number, maxAge: number, isStale: boolean } | null } };

export type PostNetworkSimulationSimulateBundleVariables = Exact<{
  input: SimulateBundleInput;
}>;


export type PostNetworkSimulationSimulateBundleResult = { simulateBundle: { block: number, transactions: Array<{ succeeds: boolean, error: string | null, gasUsed: number, hasAllLogs: boolean, hasAllBalanceChanges: boolean, logs: Array<{ address: string, topics: Array<string>, data: string, event: { name: string, arguments: Array<{ name: string, type: string, value: string }> } | null }>, balanceChanges: Array<{ account: string, change: string, token: { address: string } }>, storageChanges: Array<{ account: string, slot: string, before: string, after: string }> | null }> } };

export type PostAffiliateWalletVariables = Exact<{
  input: RegisterAffiliateInput;
}>;


export type PostAffiliateWalletResult = { registerAffiliate: { affiliate: { code: string, createdAt: string } } };

export type GetAffiliateWalletVariables = Exact<{
  wallet: string;
}>;


export type GetAffiliateWalletResult = { affiliate: { code: string, createdAt: string, rewardAmount: string, triggerVolume: string, timeCapDays: number, volumeCap: string, revenueSplitAffiliatePct: string, revenueSplitTraderPct: string, revenueSplitDaoPct: string } | null };

export type GetRefCodesCodeVariables = Exact<{
  code: string;
}>;


export type GetRefCodesCodeResult = { referralCode: { code: string, traderRewardAmount: string, triggerVolume: string, timeCapDays: number, volumeCap: string } | null };

export type PutRefCodesCodeVariables = Exact<{
  input: SetAffiliateEnabledInput;
}>;


export type PutRefCodesCodeResult = { setAffiliateEnabled: { affiliate: { code: string, enabled: boolean } } };

export type GetAffiliateAffiliateStatsAddressVariables = Exact<{
  address: string;
}>;


export type GetAffiliateAffiliateStatsAddressResult = { affiliateStatistics: { wallet: string, code: string, totalVolume: string, triggerVolume: string, totalEarned: string, paidOut: string, nextPayout: string, leftToNextReward: string, activeTraders: number, totalTraders: number, computedAt: string } | null };

export type GetAffiliateTraderStatsAddressVariables = Exact<{
  address: string;
}>;


export type GetAffiliateTraderStatsAddressResult = { traderStatistics: { account: string, boundCode: string, linkedSince: string, rewardsEnd: string, eligibleVolume: string, leftToNextReward: string, triggerVolume: string, totalEarned: string, paidOut: string, nextPayout: string, computedAt: string } | null };

export type GetAffiliateTraderActivityAddressVariables = Exact<{
  address: string;
}>;


export type GetAffiliateTraderActivityAddressResult = { traderActivity: { computedAt: string, nodes: Array<{ chainId: number, time: string, code: string, boundCode: string | null, usdValue: string | null, eligibleVolume: string, eligibility: Eligibility, isBoundToCode: boolean, isEligible: boolean, trade: { txHash: string, orderUid: string, owner: string, sellAmount: string, buyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } } }> } };

/** The result and variables of each document, by its text. */
export interface Documents {
  "query ($network: NetworkName!, $uid: OrderUid!) {\n      order(uid: $uid, network: $network) {\n        diagnosis { ...reason further { ...reason } }\n      }\n    }\n\n    fragment reason on Diagnosed {\n      code summary since retryable advice\n      evidence {\n        __typename\n        ... on AmountsEvidence { token { address } needed available missing }\n        ... on TokenEvidence { token { address } }\n        ... on PoolEvidence { pool }\n        ... on PriceEvidence {\n          limit { decimal sellAmount buyAmount } best { decimal sellAmount buyAmount } foundAt foundAtBlock foundBy foundInAuction\n          gapPercent gapSeenAt dayMovementPercent secondsNeeded\n        }\n        ... on FeeEvidence { token { address } fee left leastAmount }\n        ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal }\n        ... on BlocksEvidence { number at head }\n        ... on TransactionEvidence { txHash block }\n        ... on OrderEvidence { uid }\n        ... on ProgrammaticOrderEvidence { owner hash status removedBlock }\n        ... on RevertEvidence { reason }\n        ... on HookEvidence { phase index target outcome gasLimit gasUsed }\n        ... on ValidityEvidence { from until offeredUntil }\n        ... on CancellationEvidence { by detail }\n        ... on RefusalEvidence { code field message }\n      }\n    }": { result: GetApiV1OrdersUidDiagnosisResult; variables: GetApiV1OrdersUidDiagnosisVariables }
  "query ($input: ExplainOrderInput!) {\n      explainOrder(input: $input) { ...reason further { ...reason } }\n    }\n    \n    fragment reason on Diagnosed {\n      code summary since retryable advice\n      evidence {\n        __typename\n        ... on AmountsEvidence { token { address } needed available missing }\n        ... on TokenEvidence { token { address } }\n        ... on PoolEvidence { pool }\n        ... on PriceEvidence {\n          limit { decimal sellAmount buyAmount } best { decimal sellAmount buyAmount } foundAt foundAtBlock foundBy foundInAuction\n          gapPercent gapSeenAt dayMovementPercent secondsNeeded\n        }\n        ... on FeeEvidence { token { address } fee left leastAmount }\n        ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal }\n        ... on BlocksEvidence { number at head }\n        ... on TransactionEvidence { txHash block }\n        ... on OrderEvidence { uid }\n        ... on ProgrammaticOrderEvidence { owner hash status removedBlock }\n        ... on RevertEvidence { reason }\n        ... on HookEvidence { phase index target outcome gasLimit gasUsed }\n        ... on ValidityEvidence { from until offeredUntil }\n        ... on CancellationEvidence { by detail }\n        ... on RefusalEvidence { code field message }\n      }\n    }": { result: PostApiV1OrdersDiagnosisResult; variables: PostApiV1OrdersDiagnosisVariables }
  "query ($network: NetworkName!, $uid: OrderUid!, $blockNumber: SafeInt) {\n      network(name: $network) { chainId }\n      order(uid: $uid, network: $network) {\n        simulation(blockNumber: $blockNumber) { error block from to input gas stateOverrides }\n      }\n    }": { result: GetApiV1DebugSimulationUidResult; variables: GetApiV1DebugSimulationUidVariables }
  "query ($network: NetworkName!, $input: SimulateOrderInput!) {\n      network(name: $network) { chainId }\n      simulateOrder(input: $input) { error block from to input gas stateOverrides }\n    }": { result: PostApiV1DebugSimulationResult; variables: PostApiV1DebugSimulationVariables }
  "query ($network: NetworkName!, $filter: BookFilter, $after: String, $first: Int!) {\n      bookEvents(network: $network, filter: $filter, after: $after, first: $first) {\n        cursor nodes { cursor isRemoved eventId event { label reason detail source txHash timestamp } order { uid owner receiver sellToken { address } buyToken { address } sellAmount buyAmount validTo kind class partiallyFillable creationDate status executedSellAmount executedBuyAmount appCode referrer } trade { blockNumber logIndex txHash sellAmount sellAmountBeforeFees buyAmount auctionId executedProtocolFees { amount token { address } } } } pageInfo { hasNextPage }\n      }\n    }": { result: GetApiV1FeedResult; variables: GetApiV1FeedVariables }
  "subscription ($network: NetworkName!, $filter: BookFilter, $after: String) {\n        bookEvents(network: $network, filter: $filter, after: $after) { cursor isRemoved eventId event { label reason detail source txHash timestamp } order { uid owner receiver sellToken { address } buyToken { address } sellAmount buyAmount validTo kind class partiallyFillable creationDate status executedSellAmount executedBuyAmount appCode referrer } trade { blockNumber logIndex txHash sellAmount sellAmountBeforeFees buyAmount auctionId executedProtocolFees { amount token { address } } } }\n      }": { result: GetApiV1FeedStreamResult; variables: GetApiV1FeedStreamVariables }
  "mutation ($input: QuoteInput!) { quote(input: $input) { \n  quote {\n    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash\n    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme\n  }\n  from expiration id: quoteId verified protocolFeeBps slippage { bps }\n } }": { result: PostApiV1QuoteResult; variables: PostApiV1QuoteVariables }
  "subscription ($input: QuoteInput!) { quotes(input: $input) { \n  quote {\n    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash\n    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme\n  }\n  from expiration id: quoteId verified protocolFeeBps slippage { bps }\n } }": { result: PostApiV1QuoteStreamResult; variables: PostApiV1QuoteStreamVariables }
  "mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }": { result: PostApiV1OrdersResult; variables: PostApiV1OrdersVariables }
  "mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid pendingSettlements { auctionId txHash } } } }": { result: DeleteApiV1OrdersResult; variables: DeleteApiV1OrdersVariables }
  "mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { order { uid pendingSettlements { auctionId txHash } } } }": { result: DeleteApiV1OrdersUidResult; variables: DeleteApiV1OrdersUidVariables }
  "query ($hash: Bytes32!) { appData(hash: $hash) { fullAppData: document } }": { result: GetApiV1AppDataHashResult; variables: GetApiV1AppDataHashVariables }
  "mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { hash created } }": { result: PutApiV1AppDataHashResult; variables: PutApiV1AppDataHashVariables }
  "query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { nativePrice } }": { result: GetApiV1TokenTokenNativePriceResult; variables: GetApiV1TokenTokenNativePriceVariables }
  "query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { firstTradeBlock nativePrice: lastAuctionPrice } }": { result: GetApiV1TokenTokenMetadataResult; variables: GetApiV1TokenTokenMetadataVariables }
  "query ($network: NetworkName!, $user: Address!) {\n      account(address: $user) { totalSurplus(network: $network) }\n    }": { result: GetApiV1UsersUserTotalSurplusResult; variables: GetApiV1UsersUserTotalSurplusVariables }
  "query ($network: NetworkName!) { network(name: $network) { ready } }": { result: GetApiV1ReadyResult; variables: GetApiV1ReadyVariables }
  "{ version }": { result: GetApiV1VersionResult; variables: GetApiV1VersionVariables }
  "{ version commit }": { result: GetAboutResult; variables: GetAboutVariables }
  "query ($network: NetworkName!) {\n      network(name: $network) {\n        name chainId\n        contracts {\n          settlement vaultRelayer wrappedNative hooksTrampoline ethFlows balanceGuard poolFactory\n          signing { name version chainId verifyingContract separator types }\n        }\n      }\n    }": { result: GetNetworkInfoContractsResult; variables: GetNetworkInfoContractsVariables }
  "query ($account: Address!) { channelSubscriptions(account: $account) { id kind state address types networks { name } leastImprovement createdAt confirmedAt } }": { result: GetAccountsAccountChannelsResult; variables: GetAccountsAccountChannelsVariables }
  "mutation ($input: SubscribeChannelInput!) {\n      subscribeChannel(input: $input) { secret confirmationLink channel { id kind state address types networks { name } leastImprovement createdAt confirmedAt } }\n    }": { result: PostAccountsAccountChannelsResult; variables: PostAccountsAccountChannelsVariables }
  "mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { id kind state address types networks { name } leastImprovement createdAt confirmedAt } } }": { result: PostAccountsAccountChannelsConfirmationResult; variables: PostAccountsAccountChannelsConfirmationVariables }
  "query ($account: Address!, $id: ID!) { channelSubscription(account: $account, id: $id) { id kind state address types networks { name } leastImprovement createdAt confirmedAt } }": { result: GetAccountsAccountChannelsIdResult; variables: GetAccountsAccountChannelsIdVariables }
  "query ($account: Address!, $id: ID!, $limit: Int!, $after: String, $state: DeliveryState) {\n      channelSubscription(account: $account, id: $id) {\n        deliveries(first: $limit, after: $after, state: $state) {\n          nodes { messageId notificationId revision state attempts createdAt attemptedAt endedAt status fault }\n          pageInfo { hasNextPage endCursor }\n        }\n      }\n    }": { result: GetAccountsAccountChannelsIdDeliveriesResult; variables: GetAccountsAccountChannelsIdDeliveriesVariables }
  "mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { id kind state address types networks { name } leastImprovement createdAt confirmedAt } } }": { result: PatchAccountsAccountChannelsIdResult; variables: PatchAccountsAccountChannelsIdVariables }
  "mutation ($input: ChannelInput!) { rotateChannelSecret(input: $input) { secret channel { id kind state address types networks { name } leastImprovement createdAt confirmedAt } } }": { result: PostAccountsAccountChannelsIdSecretResult; variables: PostAccountsAccountChannelsIdSecretVariables }
  "mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }": { result: PostAccountsAccountChannelsIdTestResult; variables: PostAccountsAccountChannelsIdTestVariables }
  "mutation ($input: ReplayChannelInput!) { replayChannel(input: $input) { deliveries } }": { result: PostAccountsAccountChannelsIdReplayResult; variables: PostAccountsAccountChannelsIdReplayVariables }
  "mutation ($input: ChannelInput!) { unsubscribeChannel(input: $input) { id } }": { result: DeleteAccountsAccountChannelsIdResult; variables: DeleteAccountsAccountChannelsIdVariables }
  "mutation { createSignInChallenge { nonce domain uri expiresAt } }": { result: PostSessionsChallengesResult; variables: PostSessionsChallengesVariables }
  "mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt account { address } } }": { result: PostSessionsResult; variables: PostSessionsVariables }
  "mutation { signOut { sessions } }": { result: DeleteSessionsResult; variables: DeleteSessionsVariables }
  "mutation ($input: SignOutEverywhereInput!) { signOutEverywhere(input: $input) { sessions } }": { result: DeleteAccountsAccountSessionsResult; variables: DeleteAccountsAccountSessionsVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { usdPrice { price age maxAge isStale } } }": { result: GetNetworkTokensTokenUsdPriceResult; variables: GetNetworkTokensTokenUsdPriceVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { holders(first: 100) { age maxAge isStale nodes { address balance } } } }": { result: GetNetworkTokensTokenTopHoldersResult; variables: GetNetworkTokensTokenTopHoldersVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { address symbol name decimals } }": { result: GetNetworkTokensTokenDetailsResult; variables: GetNetworkTokensTokenDetailsVariables }
  "query ($network: NetworkName!, $base: TokenAddress!, $quote: TokenAddress!) {\n      market(network: $network, base: $base, quote: $quote) { slippage { bps } }\n    }": { result: GetNetworkMarketsPairSlippageToleranceResult; variables: GetNetworkMarketsPairSlippageToleranceVariables }
  "query ($network: NetworkName!, $base: TokenAddress!, $quote: TokenAddress!) {\n      market(network: $network, base: $base, quote: $quote) {\n        base { address usdPrice { price } priceHistory { deviation points { at price volume } } }\n        quote { address usdPrice { price } priceHistory { deviation points { at price volume } } }\n      }\n    }": { result: GetNetworkMarketsPairVolatilityDetailsResult; variables: GetNetworkMarketsPairVolatilityDetailsVariables }
  "query ($network: NetworkName!, $account: Address!, $tokens: [TokenAddress!]!, $first: Int!) {\n      account(address: $account) {\n        balances(network: $network, tokens: $tokens, first: $first) {\n          nodes { token { address symbol name decimals } state balance allowance }\n        }\n      }\n    }": { result: GetNetworkAccountsAccountBalancesResult; variables: GetNetworkAccountsAccountBalancesVariables }
  "query ($network: NetworkName!, $account: Address!, $tokens: [TokenAddress!], $first: Int!) {\n      account(address: $account) {\n        balances(network: $network, tokens: $tokens, held: true, first: $first) {\n          nodes { token { address } state balance }\n        }\n      }\n    }": { result: GetNetworkAddressAccountBalancesResult; variables: GetNetworkAddressAccountBalancesVariables }
  "query ($network: NetworkName!, $addresses: [Address!]) {\n      network(name: $network) { chainId pools(first: 500, addresses: $addresses) {\n        nodes { address project apr feeBps valueUsd volumeUsd }\n      } }\n    }": { result: PostNetworkYieldPoolsResult; variables: PostNetworkYieldPoolsVariables }
  "query ($network: NetworkName!) {\n      network(name: $network) { poolProject pools(first: 1) { averageApr age maxAge isStale } }\n    }": { result: GetNetworkYieldPoolsAverageAprResult; variables: GetNetworkYieldPoolsAverageAprVariables }
  "query ($input: SimulateBundleInput!) {\n    simulateBundle(input: $input) {\n      block\n      transactions {\n        succeeds error gasUsed logs { address topics data event { name arguments { name type value } } } hasAllLogs hasAllBalanceChanges\n        balanceChanges { account token { address } change } storageChanges { account slot before after }\n      }\n    }\n  }": { result: PostNetworkSimulationSimulateBundleResult; variables: PostNetworkSimulationSimulateBundleVariables }
  "mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { code createdAt } } }": { result: PostAffiliateWalletResult; variables: PostAffiliateWalletVariables }
  "query ($wallet: Address!) { affiliate(wallet: $wallet) { code createdAt rewardAmount triggerVolume timeCapDays volumeCap revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct } }": { result: GetAffiliateWalletResult; variables: GetAffiliateWalletVariables }
  "query ($code: String!) { referralCode(code: $code) { code traderRewardAmount triggerVolume timeCapDays volumeCap } }": { result: GetRefCodesCodeResult; variables: GetRefCodesCodeVariables }
  "mutation ($input: SetAffiliateEnabledInput!) {\n      setAffiliateEnabled(input: $input) { affiliate { code enabled } }\n    }": { result: PutRefCodesCodeResult; variables: PutRefCodesCodeVariables }
  "query ($address: Address!) {\n      affiliateStatistics(wallet: $address) {\n        wallet code totalVolume triggerVolume totalEarned paidOut nextPayout leftToNextReward\n        activeTraders totalTraders computedAt\n      }\n    }": { result: GetAffiliateAffiliateStatsAddressResult; variables: GetAffiliateAffiliateStatsAddressVariables }
  "query ($address: Address!) {\n      traderStatistics(account: $address) {\n        account boundCode linkedSince rewardsEnd eligibleVolume leftToNextReward triggerVolume\n        totalEarned paidOut nextPayout computedAt\n      }\n    }": { result: GetAffiliateTraderStatsAddressResult; variables: GetAffiliateTraderStatsAddressVariables }
  "query ($address: Address!) {\n      traderActivity(account: $address, first: 50) {\n        computedAt\n        nodes {\n          chainId time code boundCode usdValue eligibleVolume eligibility isBoundToCode isEligible\n          trade { txHash orderUid owner sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount }\n        }\n      }\n    }": { result: GetAffiliateTraderActivityAddressResult; variables: GetAffiliateTraderActivityAddressVariables }
}
