// Made from the documents of the tools for agents by `npm run codegen`.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type BuyTokenDestination =
  | 'ERC20'
  | 'INTERNAL';

export type CancelOrdersInput = {
  network?: string | null | undefined;
  orderUids: Array<string>;
  signature: string;
  signingScheme: SigningScheme;
};

export type CancellationSource =
  | 'API'
  | 'CHAIN'
  | 'POLICY'
  | 'REPLACEMENT';

export type DiagnosisCode =
  | 'ACCOUNT_DENIED'
  | 'ALLOWANCE_MISSING'
  | 'AUCTIONS_HALTED'
  | 'BALANCE_HELD'
  | 'BALANCE_MISSING'
  | 'CANCELLED'
  | 'CHAIN_BEHIND'
  | 'COSTS_MORE_THAN_IT_BRINGS'
  | 'DECIDED_ELSEWHERE'
  | 'EXPIRED'
  | 'EXPIRES_TOO_SOON'
  | 'FAILED_GAS_SPENT'
  | 'FILLED'
  | 'FILTERED_FOR_FAIRNESS'
  | 'HOOKS_FAIL'
  | 'HOOK_GAS_TIGHT'
  | 'LOST_COMPETITION'
  | 'MARKET_UNKNOWN'
  | 'NEVER_TRADABLE'
  | 'NODE_AWAY'
  | 'NOT_ACCEPTED'
  | 'NOT_PROPOSED'
  | 'NOT_READ_YET'
  | 'NOT_YET_VALID'
  | 'NO_LIQUIDITY'
  | 'NO_NATIVE_PRICE'
  | 'OUT_OF_PLACES'
  | 'PARTLY_FILLED'
  | 'PLACEABLE'
  | 'POST_HOOK_FAILED'
  | 'PRESIGNATURE_MISSING'
  | 'PRICE_IMPACT'
  | 'PRICE_OUT_OF_REACH'
  | 'PRICE_UNKNOWN'
  | 'PRICE_UNVERIFIED'
  | 'SETTLEMENT_FAILED'
  | 'SETTLEMENT_PAUSED'
  | 'SETTLEMENT_REVERTS'
  | 'SETTLEMENT_STUCK'
  | 'SETTLEMENT_TIMED_OUT'
  | 'SETTLING'
  | 'SIGNATURE_INVALID'
  | 'SOLUTION_REFUSED'
  | 'TOKEN_DENIED'
  | 'TOKEN_MISBEHAVES'
  | 'TOO_SMALL'
  | 'TRADES_FAIL'
  | 'WAITING_FOR_AUCTION';

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
  | 'OUT_OF_GAS'
  | 'REVERTED'
  | 'SUCCEEDED';

export type HookPhase =
  | 'POST'
  | 'PRE';

export type NotificationType =
  | 'INSUFFICIENT_BALANCE'
  | 'ORDER_CANCELLED'
  | 'ORDER_EXPIRED'
  | 'ORDER_FILLED'
  | 'ORDER_PARTIALLY_FILLED'
  | 'PART_FAILED'
  | 'PART_FILLED'
  | 'POST_HOOK_FAILED'
  | 'PRICE_IMPROVEMENT'
  | 'PROGRAMMATIC_CANCELLED'
  | 'PROGRAMMATIC_FINISHED';

export type OrderEventLabel =
  | 'CANCELLED'
  | 'CONSIDERED'
  | 'CREATED'
  | 'EXECUTING'
  | 'EXPIRED'
  | 'FILTERED'
  | 'HOOK_FAILED'
  | 'INVALID'
  | 'READY'
  | 'REFUNDED'
  | 'TRADED';

export type OrderEventReason =
  | 'BANNED_USER'
  | 'DUST_ORDER'
  | 'INSUFFICIENT_BALANCE'
  | 'INVALID_SIGNATURE'
  | 'IN_FLIGHT'
  | 'MISSING_NATIVE_PRICE'
  | 'POLICY'
  | 'UNSUPPORTED_TOKEN';

export type OrderKind =
  | 'BUY'
  | 'SELL';

export type OrderStatus =
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FULFILLED'
  | 'OPEN'
  | 'PRESIGNATURE_PENDING';

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
  | 'FAST'
  | 'OPTIMAL'
  | 'VERIFIED';

export type ProgrammaticOrderStatus =
  | 'ACTIVE'
  | 'CANCELLED'
  | 'ENDED'
  | 'EXPIRED'
  | 'FILLED'
  | 'INVALID'
  | 'PARTLY_FILLED'
  | 'SCHEDULED';

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

export type SellTokenSource =
  | 'ERC20'
  | 'EXTERNAL'
  | 'INTERNAL';

export type SigningScheme =
  | 'EIP712'
  | 'EIP1271'
  | 'ETHSIGN'
  | 'PRESIGN';

export type SlippageMode =
  | 'AUTO';

export type NetworksVariables = Exact<{ [key: string]: never; }>;


export type NetworksResult = { networks: Array<{ chainId: number, settlementContract: string, vaultRelayer: string, ready: boolean, network: string, wrappedNative: { address: string, decimals: number | null, symbol: string | null, name: string | null } }> };

export type PairsVariables = Exact<{
  network?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type PairsResult = { network: { pools: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ valueUsd: string | null, pool: string, token0: { address: string, decimals: number | null, symbol: string | null, name: string | null }, token1: { address: string, decimals: number | null, symbol: string | null, name: string | null } }> } | null } };

export type TokensVariables = Exact<{
  addresses: Array<string>;
  network?: string | null | undefined;
}>;


export type TokensResult = { tokens: Array<{ address: string, decimals: number | null, symbol: string | null, name: string | null, nativePrice: string | null, usdPrice: { price: string } | null }> };

export type MarketVariables = Exact<{
  sellToken: string;
  buyToken: string;
  network?: string | null | undefined;
}>;


export type MarketResult = { market: { base: { address: string, decimals: number | null, symbol: string | null, name: string | null }, quote: { address: string, decimals: number | null, symbol: string | null, name: string | null }, network: { id: string }, spot: { price: string } | null, slippage: { bps: number } | null, depth: { levels: Array<{ bps: number, sellAmount: string, buyAmount: string }> } | null } };

export type QuoteVariables = Exact<{
  input: QuoteInput;
  slippageBps?: number | null | undefined;
}>;


export type QuoteResult = { quote: { quoteId: number | null, verified: boolean, expiration: string, from: string, protocolFeeBps: string | null, priceImpact: { share: string, usd: string | null, isNotable: boolean, needsAcceptance: boolean } | null, quote: { sellAmount: string, buyAmount: string, feeAmount: string, appData: string, sellToken: { address: string, decimals: number | null, symbol: string | null, name: string | null }, buyToken: { address: string, decimals: number | null, symbol: string | null, name: string | null } }, order: { sellToken: string, buyToken: string, receiver: string | null, sellAmount: string, buyAmount: string, validTo: number, appData: string, feeAmount: string, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, uid: string, typedData: unknown }, warnings: Array<{ code: DiagnosisCode, retryable: boolean, since: string | null, summary: string, evidence: Array<
        | { needed: string, available: string, missing: string, kind: 'AmountsEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { number: number, at: string | null, head: number | null, kind: 'BlocksEvidence' }
        | { by: CancellationSource, detail: string | null, kind: 'CancellationEvidence' }
        | { auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null, kind: 'CompetitionEvidence' }
        | { fee: string, left: string, leastAmount: string | null, kind: 'FeeEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null, kind: 'HookEvidence' }
        | { uid: string, kind: 'OrderEvidence' }
        | { pool: string, kind: 'PoolEvidence' }
        | { foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, kind: 'PriceEvidence', limit: { sellAmount: string, buyAmount: string }, best: { sellAmount: string, buyAmount: string } | null }
        | { owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null, kind: 'ProgrammaticOrderEvidence' }
        | { code: string, field: string | null, message: string, kind: 'RefusalEvidence' }
        | { revert: string, kind: 'RevertEvidence' }
        | { kind: 'TokenEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { txHash: string, block: number | null, kind: 'TransactionEvidence' }
        | { from: string | null, until: string, offeredUntil: string, kind: 'ValidityEvidence' }
      > }> } };

export type ExplainOrderBeforeSigningVariables = Exact<{
  input: ExplainOrderInput;
  network?: string | null | undefined;
  sellToken: string;
  buyToken: string;
  differ: boolean;
  hash: string;
}>;


export type ExplainOrderBeforeSigningResult = { explainOrder: { code: DiagnosisCode, retryable: boolean, since: string | null, summary: string, evidence: Array<
      | { needed: string, available: string, missing: string, kind: 'AmountsEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
      | { number: number, at: string | null, head: number | null, kind: 'BlocksEvidence' }
      | { by: CancellationSource, detail: string | null, kind: 'CancellationEvidence' }
      | { auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null, kind: 'CompetitionEvidence' }
      | { fee: string, left: string, leastAmount: string | null, kind: 'FeeEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
      | { phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null, kind: 'HookEvidence' }
      | { uid: string, kind: 'OrderEvidence' }
      | { pool: string, kind: 'PoolEvidence' }
      | { foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, kind: 'PriceEvidence', limit: { sellAmount: string, buyAmount: string }, best: { sellAmount: string, buyAmount: string } | null }
      | { owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null, kind: 'ProgrammaticOrderEvidence' }
      | { code: string, field: string | null, message: string, kind: 'RefusalEvidence' }
      | { revert: string, kind: 'RevertEvidence' }
      | { kind: 'TokenEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
      | { txHash: string, block: number | null, kind: 'TransactionEvidence' }
      | { from: string | null, until: string, offeredUntil: string, kind: 'ValidityEvidence' }
    >, further: Array<{ code: DiagnosisCode, retryable: boolean, since: string | null, summary: string, evidence: Array<
        | { needed: string, available: string, missing: string, kind: 'AmountsEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { number: number, at: string | null, head: number | null, kind: 'BlocksEvidence' }
        | { by: CancellationSource, detail: string | null, kind: 'CancellationEvidence' }
        | { auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null, kind: 'CompetitionEvidence' }
        | { fee: string, left: string, leastAmount: string | null, kind: 'FeeEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null, kind: 'HookEvidence' }
        | { uid: string, kind: 'OrderEvidence' }
        | { pool: string, kind: 'PoolEvidence' }
        | { foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, kind: 'PriceEvidence', limit: { sellAmount: string, buyAmount: string }, best: { sellAmount: string, buyAmount: string } | null }
        | { owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null, kind: 'ProgrammaticOrderEvidence' }
        | { code: string, field: string | null, message: string, kind: 'RefusalEvidence' }
        | { revert: string, kind: 'RevertEvidence' }
        | { kind: 'TokenEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { txHash: string, block: number | null, kind: 'TransactionEvidence' }
        | { from: string | null, until: string, offeredUntil: string, kind: 'ValidityEvidence' }
      > }> }, market?: { base: { address: string, decimals: number | null, symbol: string | null, name: string | null }, quote: { address: string, decimals: number | null, symbol: string | null, name: string | null }, spot: { price: string } | null, network: { chainId: number, settlementContract: string, id: string } }, appData: { document: string } | null };

export type SubmitOrderVariables = Exact<{
  input: PlaceOrderInput;
}>;


export type SubmitOrderResult = { placeOrder: { order: { status: OrderStatus, orderUid: string } } };

export type OrderVariables = Exact<{
  orderUids: Array<string>;
}>;


export type OrderResult = { orders: Array<{ status: OrderStatus, kind: OrderKind, owner: string, receiver: string | null, sellAmount: string, buyAmount: string, executedSellAmount: string, executedBuyAmount: string, validTo: number, partiallyFillable: boolean, creationDate: string, appDataHash: string, fullAppData: string | null, orderUid: string, sellToken: { address: string, decimals: number | null, symbol: string | null, name: string | null }, buyToken: { address: string, decimals: number | null, symbol: string | null, name: string | null }, network: { chainId: number, settlementContract: string, id: string }, trades: { nodes: Array<{ txHash: string, blockNumber: number, sellAmount: string, buyAmount: string }> }, events: { nodes: Array<{ label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, timestamp: string, txHash: string | null }> }, pendingSettlements: Array<{ auctionId: number, txHash: string | null }> }> };

export type WhyNotFilledVariables = Exact<{
  orderUids: Array<string>;
}>;


export type WhyNotFilledResult = { orders: Array<{ status: OrderStatus, orderUid: string, diagnosis: { code: DiagnosisCode, retryable: boolean, since: string | null, summary: string, evidence: Array<
        | { needed: string, available: string, missing: string, kind: 'AmountsEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { number: number, at: string | null, head: number | null, kind: 'BlocksEvidence' }
        | { by: CancellationSource, detail: string | null, kind: 'CancellationEvidence' }
        | { auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null, kind: 'CompetitionEvidence' }
        | { fee: string, left: string, leastAmount: string | null, kind: 'FeeEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null, kind: 'HookEvidence' }
        | { uid: string, kind: 'OrderEvidence' }
        | { pool: string, kind: 'PoolEvidence' }
        | { foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, kind: 'PriceEvidence', limit: { sellAmount: string, buyAmount: string }, best: { sellAmount: string, buyAmount: string } | null }
        | { owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null, kind: 'ProgrammaticOrderEvidence' }
        | { code: string, field: string | null, message: string, kind: 'RefusalEvidence' }
        | { revert: string, kind: 'RevertEvidence' }
        | { kind: 'TokenEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
        | { txHash: string, block: number | null, kind: 'TransactionEvidence' }
        | { from: string | null, until: string, offeredUntil: string, kind: 'ValidityEvidence' }
      >, further: Array<{ code: DiagnosisCode, retryable: boolean, since: string | null, summary: string, evidence: Array<
          | { needed: string, available: string, missing: string, kind: 'AmountsEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
          | { number: number, at: string | null, head: number | null, kind: 'BlocksEvidence' }
          | { by: CancellationSource, detail: string | null, kind: 'CancellationEvidence' }
          | { auctionId: number, solver: string, score: string | null, winningScore: string | null, scoreGap: string | null, refusal: string | null, kind: 'CompetitionEvidence' }
          | { fee: string, left: string, leastAmount: string | null, kind: 'FeeEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
          | { phase: HookPhase, index: number, target: string, outcome: HookOutcome, gasLimit: string | null, gasUsed: string | null, kind: 'HookEvidence' }
          | { uid: string, kind: 'OrderEvidence' }
          | { pool: string, kind: 'PoolEvidence' }
          | { foundAt: string | null, foundAtBlock: number | null, foundBy: string | null, gapPercent: string | null, gapSeenAt: string | null, dayMovementPercent: string | null, secondsNeeded: number | null, kind: 'PriceEvidence', limit: { sellAmount: string, buyAmount: string }, best: { sellAmount: string, buyAmount: string } | null }
          | { owner: string, hash: string, status: ProgrammaticOrderStatus | null, removedBlock: number | null, kind: 'ProgrammaticOrderEvidence' }
          | { code: string, field: string | null, message: string, kind: 'RefusalEvidence' }
          | { revert: string, kind: 'RevertEvidence' }
          | { kind: 'TokenEvidence', token: { address: string, decimals: number | null, symbol: string | null } }
          | { txHash: string, block: number | null, kind: 'TransactionEvidence' }
          | { from: string | null, until: string, offeredUntil: string, kind: 'ValidityEvidence' }
        > }> } }> };

export type CancelOrderVariables = Exact<{
  input: CancelOrdersInput;
}>;


export type CancelOrderResult = { cancelOrders: { orders: Array<{ status: OrderStatus, orderUid: string, pendingSettlements: Array<{ auctionId: number }> }> } };

export type AccountOrdersVariables = Exact<{
  account: string;
  network?: string | null | undefined;
  status?: OrderStatus | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AccountOrdersResult = { account: { orders: { nodes: Array<{ status: OrderStatus, kind: OrderKind, owner: string, receiver: string | null, sellAmount: string, buyAmount: string, executedSellAmount: string, executedBuyAmount: string, validTo: number, partiallyFillable: boolean, creationDate: string, orderUid: string, sellToken: { address: string, decimals: number | null, symbol: string | null, name: string | null }, buyToken: { address: string, decimals: number | null, symbol: string | null, name: string | null }, network: { chainId: number, settlementContract: string, id: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } };

export type AccountNotificationsVariables = Exact<{
  account: string;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AccountNotificationsResult = { notifications: { cursor: string, nodes: Array<
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
      | { notificationId: string, type: NotificationType, orderUid: string, timestamp: string, isReverted: boolean, message: string }
    > } };

/** The result and variables of each document, by its text. */
export interface Documents {
  "{ networks { network: name chainId settlementContract vaultRelayer ready wrappedNative { address decimals symbol name } } }": { result: NetworksResult; variables: NetworksVariables }
  "query ($network: NetworkName, $first: Int!, $after: String) {\n    network(name: $network) {\n      pools(first: $first, after: $after) {\n        pageInfo { endCursor hasNextPage }\n        nodes { pool: address valueUsd token0 { address decimals symbol name } token1 { address decimals symbol name } }\n      }\n    }\n  }": { result: PairsResult; variables: PairsVariables }
  "query ($addresses: [Address!]!, $network: NetworkName) {\n    tokens(addresses: $addresses, network: $network) { address decimals symbol name nativePrice usdPrice { price } }\n  }": { result: TokensResult; variables: TokensVariables }
  "query ($sellToken: TokenAddress!, $buyToken: TokenAddress!, $network: NetworkName) {\n    market(base: $sellToken, quote: $buyToken, network: $network) {\n      base { address decimals symbol name } quote { address decimals symbol name }\n      network { id: name } spot { price } slippage { bps } depth { levels { bps sellAmount buyAmount } }\n    }\n  }": { result: MarketResult; variables: MarketVariables }
  "mutation ($input: QuoteInput!, $slippageBps: BasisPoints) {\n    quote(input: $input) {\n      quoteId verified expiration from protocolFeeBps priceImpact { share usd isNotable needsAcceptance }\n      quote { sellAmount buyAmount feeAmount appData sellToken { address decimals symbol name } buyToken { address decimals symbol name } }\n      order(slippageBps: $slippageBps) {\n        sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount\n        kind partiallyFillable sellTokenBalance buyTokenBalance uid typedData\n      }\n      warnings { code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } } }\n    }\n  }": { result: QuoteResult; variables: QuoteVariables }
  "query ($input: ExplainOrderInput!, $network: NetworkName, $sellToken: TokenAddress!, $buyToken: TokenAddress!, $differ: Boolean!, $hash: Bytes32!) {\n    explainOrder(input: $input) { code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } } further { code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } } } }\n    market(base: $sellToken, quote: $buyToken, network: $network) @include(if: $differ) {\n      base { address decimals symbol name } quote { address decimals symbol name } spot { price } network { id: name chainId settlementContract }\n    }\n    appData(hash: $hash) { document }\n  }": { result: ExplainOrderBeforeSigningResult; variables: ExplainOrderBeforeSigningVariables }
  "mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { orderUid: uid status } } }": { result: SubmitOrderResult; variables: SubmitOrderVariables }
  "query ($orderUids: [OrderUid!]!) {\n    orders: ordersByUids(uids: $orderUids) {\n      orderUid: uid status kind owner receiver sellAmount buyAmount executedSellAmount executedBuyAmount validTo partiallyFillable creationDate sellToken { address decimals symbol name } buyToken { address decimals symbol name } network { id: name chainId settlementContract } appDataHash fullAppData\n      trades(first: 20) { nodes { txHash blockNumber sellAmount buyAmount } }\n      events(last: 20) { nodes { label reason detail timestamp txHash } }\n      pendingSettlements { auctionId txHash }\n    }\n  }": { result: OrderResult; variables: OrderVariables }
  "query ($orderUids: [OrderUid!]!) {\n    orders: ordersByUids(uids: $orderUids) { orderUid: uid status diagnosis { code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } } further { code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } } } } }\n  }": { result: WhyNotFilledResult; variables: WhyNotFilledVariables }
  "mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { orderUid: uid status pendingSettlements { auctionId } } } }": { result: CancelOrderResult; variables: CancelOrderVariables }
  "query ($account: Address!, $network: NetworkName, $status: OrderStatus, $first: Int, $after: String) {\n    account(address: $account) {\n      orders(network: $network, status: $status, first: $first, after: $after) {\n        nodes { orderUid: uid status kind owner receiver sellAmount buyAmount executedSellAmount executedBuyAmount validTo partiallyFillable creationDate sellToken { address decimals symbol name } buyToken { address decimals symbol name } network { id: name chainId settlementContract } } pageInfo { endCursor hasNextPage }\n      }\n    }\n  }": { result: AccountOrdersResult; variables: AccountOrdersVariables }
  "query ($account: Address!, $first: Int, $last: Int, $after: String) {\n    notifications(account: $account, first: $first, last: $last, after: $after) {\n      cursor nodes { notificationId type orderUid timestamp isReverted message }\n    }\n  }": { result: AccountNotificationsResult; variables: AccountNotificationsVariables }
}
