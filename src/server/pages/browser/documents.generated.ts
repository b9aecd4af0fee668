// Made from the documents of the pages by `npm run codegen`.
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

export type ChannelInput = {
  account: string;
  id: string | number;
};

export type ChannelKind =
  | 'EMAIL'
  | 'PUSH'
  | 'TELEGRAM'
  | 'WEBHOOK';

export type ChannelState =
  | 'ACTIVE'
  | 'ENDED'
  | 'PENDING';

export type ConfirmChannelInput = {
  account?: string | null | undefined;
  token: string;
};

export type DeliveryState =
  | 'DEAD'
  | 'DELIVERED'
  | 'DROPPED'
  | 'WAITING';

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

export type OrderClass =
  | 'LIMIT'
  | 'LIQUIDITY'
  | 'MARKET';

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

export type OrderFilter = {
  appCode?: string | null | undefined;
  class?: OrderClass | null | undefined;
  createdFrom?: string | null | undefined;
  createdUntil?: string | null | undefined;
  kind?: OrderKind | null | undefined;
  pair?: TokenPairInput | null | undefined;
  statuses?: Array<OrderStatus> | null | undefined;
};

export type OrderKind =
  | 'BUY'
  | 'SELL';

export type OrderStatus =
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FULFILLED'
  | 'OPEN'
  | 'PRESIGNATURE_PENDING';

export type PriceInterval =
  | 'FIVE_MINUTES'
  | 'ONE_DAY';

export type ProgrammaticOrderStatus =
  | 'ACTIVE'
  | 'CANCELLED'
  | 'ENDED'
  | 'EXPIRED'
  | 'FILLED'
  | 'INVALID'
  | 'PARTLY_FILLED'
  | 'SCHEDULED';

export type ProgrammaticOrderType =
  | 'BALANCER_COW_SWAP_FEE_BURNER'
  | 'CIRCLES_BACKING_ORDER'
  | 'COW_AMM_CONSTANT_PRODUCT'
  | 'CURVE_COW_SWAP_BURNER'
  | 'ERC4626COW_SWAP_FEE_BURNER'
  | 'GOOD_AFTER_TIME'
  | 'PERPETUAL_SWAP'
  | 'STOP_LOSS'
  | 'SWAP_ORDER_HANDLER'
  | 'TRADE_ABOVE_THRESHOLD'
  | 'TWAP'
  | 'UNKNOWN';

export type ProgrammaticPartStatus =
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FILLED'
  | 'NOT_POSTED'
  | 'OPEN'
  | 'SCHEDULED';

export type PushKeysInput = {
  auth: string;
  p256dh: string;
};

export type SellTokenSource =
  | 'ERC20'
  | 'EXTERNAL'
  | 'INTERNAL';

export type SettlementOutcome =
  | 'FAILED'
  | 'SUCCESS'
  | 'TIMEOUT';

export type SignInInput = {
  message: string;
  signature: string;
};

export type SigningScheme =
  | 'EIP712'
  | 'EIP1271'
  | 'ETHSIGN'
  | 'PRESIGN';

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

export type UnknownHookReason =
  | 'NOT_CALLED'
  | 'NOT_TRACED'
  | 'NOT_YET_READ'
  | 'TRACE_TOO_LARGE';

export type ValueState =
  | 'ABSENT'
  | 'KNOWN'
  | 'UNAVAILABLE';

export type OrdersVariables = Exact<{
  account: string;
  after?: string | null | undefined;
}>;


export type OrdersResult = { account: { orders: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ uid: string, status: OrderStatus, kind: OrderKind, creationDate: string, sellAmount: string, buyAmount: string, executedFraction: string, executedSellAmount: string, executedBuyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, programmaticOrder: { type: ProgrammaticOrderType } | null }> } } };

export type UnsignedOrdersVariables = Exact<{
  account: string;
}>;


export type UnsignedOrdersResult = { account: { orders: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ uid: string, status: OrderStatus, kind: OrderKind, creationDate: string, sellAmount: string, buyAmount: string, executedFraction: string, executedSellAmount: string, executedBuyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, programmaticOrder: { type: ProgrammaticOrderType } | null }> } } };

export type ProgrammaticOfAccountVariables = Exact<{
  account: string;
}>;


export type ProgrammaticOfAccountResult = { account: { programmaticOrders: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ id: string, status: ProgrammaticOrderStatus, creationDate: string, owner: string, resolvedOwner: string, partCount: number | null, filledParts: number, type: ProgrammaticOrderType, network: { name: string }, input:
          | { __typename: 'CirclesBackingInput' }
          | { __typename: 'FeeBurnerInput' }
          | { __typename: 'GoodAfterTimeInput', sellAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
          | { __typename: 'PerpetualSwapInput' }
          | { __typename: 'StopLossInput', sellAmount: string, buyAmount: string, isSellOrder: boolean, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
          | { __typename: 'SwapOrderInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
          | { __typename: 'TradeAboveThresholdInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
          | { __typename: 'TwapInput', partSellAmount: string, minPartLimit: string, n: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
         | null }> } }, programmaticOrders: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ id: string, status: ProgrammaticOrderStatus, creationDate: string, owner: string, resolvedOwner: string, partCount: number | null, filledParts: number, type: ProgrammaticOrderType, network: { name: string }, input:
        | { __typename: 'CirclesBackingInput' }
        | { __typename: 'FeeBurnerInput' }
        | { __typename: 'GoodAfterTimeInput', sellAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'PerpetualSwapInput' }
        | { __typename: 'StopLossInput', sellAmount: string, buyAmount: string, isSellOrder: boolean, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'SwapOrderInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TradeAboveThresholdInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TwapInput', partSellAmount: string, minPartLimit: string, n: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
       | null }> } };

export type OpenOrdersVariables = Exact<{
  account: string;
  network: string;
}>;


export type OpenOrdersResult = { account: { orders: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ kind: OrderKind, sellAmount: string, buyAmount: string, feeAmount: string, executedSellAmountBeforeFees: string, executedBuyAmount: string, executedFeeAmount: string, onchainUser: string | null, sellToken: { address: string } }> } } };

export type BalancesVariables = Exact<{
  account: string;
  network: string;
  tokens?: Array<string> | null | undefined;
}>;


export type BalancesResult = { coin: { address: string, symbol: string | null, decimals: number | null } | null, account: { balances: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ balance: string | null, allowance: string | null, token: { address: string, symbol: string | null, decimals: number | null } }> } } };

export type SurplusVariables = Exact<{
  account: string;
  network: string;
}>;


export type SurplusResult = { account: { totalSurplus: string, isTotalSurplusComplete: boolean } };

export type BalanceValuesVariables = Exact<{
  account: string;
  network: string;
  tokens: Array<string>;
}>;


export type BalanceValuesResult = { account: { balances: { nodes: Array<{ usdValue: string | null, token: { address: string } }> } } };

export type OrderReasonsVariables = Exact<{
  uids: Array<string>;
}>;


export type OrderReasonsResult = { ordersByUids: Array<{ uid: string, diagnosis: { code: DiagnosisCode, summary: string, further: Array<{ code: DiagnosisCode, summary: string }> } }> };

export type ContractsVariables = Exact<{ [key: string]: never; }>;


export type ContractsResult = { networks: Array<{ name: string, vaultRelayer: string, settlementContract: string }> };

export type FeedVariables = Exact<{
  account: string;
  before?: string | null | undefined;
}>;


export type FeedResult = { notifications: { cursor: string, pageInfo: { hasPreviousPage: boolean, startCursor: string | null }, nodes: Array<
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
    > } };

export type FollowVariables = Exact<{
  account: string;
  after?: string | null | undefined;
}>;


export type FollowResult = { notifications: { node:
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
      | { notificationId: string, type: NotificationType, message: string, timestamp: string, isReverted: boolean, order: { uid: string } | null, programmaticOrder: { id: string } | null }
     } };

export type ServiceVariables = Exact<{ [key: string]: never; }>;


export type ServiceResult = { enabledChannelKinds: Array<ChannelKind>, pushPublicKey: string | null, networks: Array<{ chainId: number }> };

export type ChallengeVariables = Exact<{ [key: string]: never; }>;


export type ChallengeResult = { createSignInChallenge: { nonce: string, domain: string, uri: string } };

export type SignInVariables = Exact<{
  input: SignInInput;
}>;


export type SignInResult = { signIn: { token: string, expiresAt: string } };

export type SignOutVariables = Exact<{ [key: string]: never; }>;


export type SignOutResult = { signOut: { sessions: number } };

export type ChannelsVariables = Exact<{
  account: string;
}>;


export type ChannelsResult = { channelSubscriptions: Array<{ id: string, kind: ChannelKind, state: ChannelState, address: string | null, deliveries: { nodes: Array<{ messageId: string, state: DeliveryState, attempts: number, fault: string | null }> } }> };

export type SubscribeVariables = Exact<{
  input: SubscribeChannelInput;
}>;


export type SubscribeResult = { subscribeChannel: { secret: string | null, confirmationLink: string | null, channel: { id: string, state: ChannelState } } };

export type TestVariables = Exact<{
  input: ChannelInput;
}>;


export type TestResult = { testChannel: { messageId: string } };

export type UnsubscribeVariables = Exact<{
  input: ChannelInput;
}>;


export type UnsubscribeResult = { unsubscribeChannel: { id: string } };

export type ConfirmVariables = Exact<{
  input: ConfirmChannelInput;
}>;


export type ConfirmResult = { confirmChannel: { channel: { id: string } } };

export type AuctionVariables = Exact<{
  id: number;
  network: string;
}>;


export type AuctionResult = { coin: { address: string, symbol: string | null, decimals: number | null } | null, auction: { auctionId: number, block: number, deadline: number, createdAt: string, isFinished: boolean, orderCount: number, hasAllOrderUids: boolean, hasAllSettlements: boolean, network: { name: string, isTest: boolean, explorerUrl: string | null } | null, orders: { nodes: Array<{ uid: string, kind: OrderKind, status: OrderStatus, sellAmount: string, buyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }> }, nativePrices: Array<{ price: string, token: { address: string, symbol: string | null, decimals: number | null } }>, solutions: Array<{ solutionUid: number, ranking: number, solver: string, isWinner: boolean, filteredOut: boolean, score: string, referenceScore: string | null, txHash: string | null, orders: Array<{ orderUid: string, executedSell: string, executedBuy: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, order: { kind: OrderKind, sellAmount: string, buyAmount: string } | null }> }>, settlementAttempts: Array<{ solutionUid: number, solver: string, startTimestamp: string, endTimestamp: string | null, startBlock: number, endBlock: number | null, outcome: SettlementOutcome | null, detail: string | null, txHash: string | null }>, settlements: Array<{ solutionUid: number | null, blockNumber: number, txHash: string, gasCost: string | null, trades: Array<{ orderUid: string, sellAmount: string, buyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }> }> } | null };

export type FollowAuctionsVariables = Exact<{
  network: string;
}>;


export type FollowAuctionsResult = { auctions: { auction: { auctionId: number } } };

export type ListedAuctionsVariables = Exact<{
  network: string;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ListedAuctionsResult = { auctions: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, network: { name: string } | null }> } };

export type HomeVariables = Exact<{ [key: string]: never; }>;


export type HomeResult = { version: string, networks: Array<{ name: string, isTest: boolean, chainId: number, ready: boolean, explorerUrl: string | null, vaultRelayer: string, settlementContract: string }> };

export type PulseVariables = Exact<{
  network: string;
}>;


export type PulseResult = { meta: { block: { number: number, timestamp: string | null } | null, lag: { blocks: number | null, seconds: number | null } | null }, latestAuction: { auctionId: number, block: number } | null };

export type NewestVariables = Exact<{
  first?: number | null | undefined;
}>;


export type NewestResult = { programmaticOrders: { nodes: Array<{ id: string, status: ProgrammaticOrderStatus, creationDate: string, owner: string, resolvedOwner: string, partCount: number | null, filledParts: number, type: ProgrammaticOrderType, network: { name: string }, input:
        | { __typename: 'CirclesBackingInput' }
        | { __typename: 'FeeBurnerInput' }
        | { __typename: 'GoodAfterTimeInput', sellAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'PerpetualSwapInput' }
        | { __typename: 'StopLossInput', sellAmount: string, buyAmount: string, isSellOrder: boolean, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'SwapOrderInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TradeAboveThresholdInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TwapInput', partSellAmount: string, minPartLimit: string, n: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
       | null }> }, orders: { nodes: Array<{ uid: string, status: OrderStatus, kind: OrderKind, creationDate: string, sellAmount: string, buyAmount: string, executedFraction: string, executedSellAmount: string, executedBuyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, programmaticOrder: { type: ProgrammaticOrderType } | null, network: { name: string } }> }, trades: { nodes: Array<{ orderUid: string, blockNumber: number, logIndex: number, timestamp: string | null, auctionId: number | null, sellAmount: string, buyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, order: { network: { name: string } } | null }> } };

export type NewestOfNetworkVariables = Exact<{
  network: string;
  first?: number | null | undefined;
}>;


export type NewestOfNetworkResult = { coin: { symbol: string | null, decimals: number | null } | null, auctions: { nodes: Array<{ auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, network: { name: string } | null }> }, network: { name: string, tokens: { nodes: Array<{ address: string, symbol: string | null, name: string | null, decimals: number | null, lastAuctionPrice: string | null }> } } };

export type TransactionVariables = Exact<{
  hash: string;
  network: string;
}>;


export type TransactionResult = { settlementsOfTransaction: Array<{ auctionId: number | null }>, transactionOrders: Array<{ uid: string, sellToken: { symbol: string | null }, buyToken: { symbol: string | null } }>, programmaticOrders: { nodes: Array<{ id: string, hash: string, owner: string }> } };

export type ProgrammaticOfHashVariables = Exact<{
  hash: string;
  owner?: string | null | undefined;
}>;


export type ProgrammaticOfHashResult = { programmaticOrders: { nodes: Array<{ id: string, hash: string, owner: string }> } };

export type IsTokenVariables = Exact<{
  address: string;
  network: string;
}>;


export type IsTokenResult = { token: { address: string } | null };

export type TokensVariables = Exact<{
  search: string;
}>;


export type TokensResult = { networks: Array<{ name: string, tokens: { nodes: Array<{ address: string, symbol: string | null, name: string | null, lastAuctionPrice: string | null }> } }> };

export type OrderVariables = Exact<{
  uid: string;
}>;


export type OrderResult = { order: { uid: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, owner: string, receiver: string | null, effectiveReceiver: string, onchainUser: string | null, signingScheme: SigningScheme, appDataHash: string, fullAppData: string | null, creationDate: string, validFrom: number | null, validTo: number, sellAmount: string, buyAmount: string, feeAmount: string, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, executedFraction: string, executedSellAmount: string, executedSellAmountBeforeFees: string, executedBuyAmount: string, executedFeeAmount: string, executedFee: string, executedFeeToken: { address: string, symbol: string | null, decimals: number | null }, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, limitPrice: { numerator: string, denominator: string } | null, quote: { sellAmount: string, buyAmount: string, feeAmount: string } | null, network: { name: string, isTest: boolean, chainId: number, explorerUrl: string | null, settlementContract: string, vaultRelayer: string }, programmaticOrder: { id: string, type: ProgrammaticOrderType, partCount: number | null, startsAt: number | null, input:
        | { t: string }
        | Record<PropertyKey, never>
       | null } | null, pendingSettlements: Array<{ auctionId: number, deadlineBlock: number, txHash: string | null }>, events: { pageInfo: { hasPreviousPage: boolean }, nodes: Array<{ label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, timestamp: string, source: CancellationSource | null, txHash: string | null, replacedBy: { uid: string } | null }> }, trades: { isComplete: boolean, pageInfo: { hasNextPage: boolean }, nodes: Array<{ blockNumber: number, logIndex: number, timestamp: string | null, txHash: string, auctionId: number | null, sellAmount: string, sellAmountBeforeFees: string, buyAmount: string, executedProtocolFees: Array<{ amount: string, token: { address: string, symbol: string | null, decimals: number | null } }>, execution: { executedFee: string, networkFee: string | null } | null, nativePrices: Array<{ price: string, token: { address: string } }> }> }, hooks: Array<{ phase: HookPhase, target: string, gasLimit: string, calls: Array<{ outcome: HookOutcome | null, unknownReason: UnknownHookReason | null, reason: string | null, gasUsed: string | null, txHash: string }> }>, debugReport: { auctions: { isComplete: boolean, pageInfo: { hasPreviousPage: boolean }, nodes: Array<{ auctionId: number, block: number, proposedSolutions: Array<{ solutionUid: number, ranking: number, solver: string, isWinner: boolean, filteredOut: boolean, score: string, executedSell: string, executedBuy: string }>, settlementAttempts: Array<{ solutionUid: number, startTimestamp: string, startBlock: number, deadlineBlock: number, endTimestamp: string | null, endBlock: number | null, outcome: SettlementOutcome | null, detail: string | null, txHash: string | null, replacedBlock: number | null }> }> } } } | null };

export type OrderPricesVariables = Exact<{
  uid: string;
}>;


export type OrderPricesResult = { order: { marketPrices: { nodes: Array<{ at: string, price: { numerator: string, denominator: string } | null }> } } | null };

export type OrderValuesVariables = Exact<{
  uid: string;
}>;


export type OrderValuesResult = { order: { sellToken: { usdPrice: { price: string, asOf: string, source: string } | null }, buyToken: { usdPrice: { price: string, asOf: string, source: string } | null } } | null };

export type OrderDiagnosisVariables = Exact<{
  uid: string;
}>;


export type OrderDiagnosisResult = { order: { diagnosis: { code: DiagnosisCode, summary: string, advice: string, since: string | null, evidence: Array<
        | { __typename: 'AmountsEvidence' }
        | { __typename: 'BlocksEvidence' }
        | { __typename: 'CancellationEvidence' }
        | { __typename: 'CompetitionEvidence' }
        | { __typename: 'FeeEvidence' }
        | { __typename: 'HookEvidence' }
        | { __typename: 'OrderEvidence' }
        | { __typename: 'PoolEvidence' }
        | { __typename: 'PriceEvidence', gapPercent: string | null, gapSeenAt: string | null }
        | { __typename: 'ProgrammaticOrderEvidence' }
        | { __typename: 'RefusalEvidence' }
        | { __typename: 'RevertEvidence' }
        | { __typename: 'TokenEvidence' }
        | { __typename: 'TransactionEvidence' }
        | { __typename: 'ValidityEvidence', until: string, offeredUntil: string }
      >, further: Array<{ code: DiagnosisCode, summary: string, advice: string, evidence: Array<
          | { __typename: 'AmountsEvidence' }
          | { __typename: 'BlocksEvidence' }
          | { __typename: 'CancellationEvidence' }
          | { __typename: 'CompetitionEvidence' }
          | { __typename: 'FeeEvidence' }
          | { __typename: 'HookEvidence' }
          | { __typename: 'OrderEvidence' }
          | { __typename: 'PoolEvidence' }
          | { __typename: 'PriceEvidence', gapPercent: string | null, gapSeenAt: string | null }
          | { __typename: 'ProgrammaticOrderEvidence' }
          | { __typename: 'RefusalEvidence' }
          | { __typename: 'RevertEvidence' }
          | { __typename: 'TokenEvidence' }
          | { __typename: 'TransactionEvidence' }
          | { __typename: 'ValidityEvidence', until: string, offeredUntil: string }
        > }> } } | null };

export type CancelOrderVariables = Exact<{
  input: CancelOrdersInput;
}>;


export type CancelOrderResult = { cancelOrders: { orders: Array<{ invalidated: boolean, pendingSettlements: Array<{ txHash: string | null }> }> } };

export type FollowOrderVariables = Exact<{
  uid: string;
  after?: string | null | undefined;
}>;


export type FollowOrderResult = { orderEvents: { eventId: string | null, isRemoved: boolean, event: { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, timestamp: string, source: CancellationSource | null, txHash: string | null, replacedBy: { uid: string } | null } | null } };

export type ListedOrdersVariables = Exact<{
  network?: string | null | undefined;
  owner?: string | null | undefined;
  filter?: OrderFilter | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ListedOrdersResult = { orders: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ uid: string, status: OrderStatus, kind: OrderKind, creationDate: string, sellAmount: string, buyAmount: string, executedFraction: string, executedSellAmount: string, executedBuyAmount: string, owner: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, programmaticOrder: { type: ProgrammaticOrderType } | null, network: { name: string } }> } };

export type ProgrammaticOrderVariables = Exact<{
  id: string | number;
}>;


export type ProgrammaticOrderResult = { programmaticOrder: { id: string, hash: string, owner: string, resolvedOwner: string, handler: string, status: ProgrammaticOrderStatus, statusReason: string | null, creationDate: string, removedAt: string | null, partCount: number | null, startsAt: number | null, endsAt: number | null, filledParts: number, executedSellAmount: string, executedBuyAmount: string, decodeError: string | null, type: ProgrammaticOrderType, diagnosis: { text: string }, network: { name: string, isTest: boolean, explorerUrl: string | null }, creations: { nodes: Array<{ txHash: string }> }, input:
      | { __typename: 'CirclesBackingInput' }
      | { __typename: 'FeeBurnerInput' }
      | { __typename: 'GoodAfterTimeInput', sellAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
      | { __typename: 'PerpetualSwapInput' }
      | { __typename: 'StopLossInput', sellAmount: string, buyAmount: string, isSellOrder: boolean, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
      | { __typename: 'SwapOrderInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
      | { __typename: 'TradeAboveThresholdInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
      | { __typename: 'TwapInput', partSellAmount: string, minPartLimit: string, n: string, t: string, span: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
     | null, nextPart: { index: number, uid: string, validFrom: number, validTo: number, sellAmount: string, buyAmount: string, status: ProgrammaticPartStatus, order: { uid: string, status: OrderStatus, executedFraction: string, executedSellAmount: string, executedBuyAmount: string } | null } | null, orders: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ uid: string, status: OrderStatus, kind: OrderKind, creationDate: string, sellAmount: string, buyAmount: string, executedFraction: string, executedSellAmount: string, executedBuyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, programmaticOrder: { type: ProgrammaticOrderType } | null }> } } | null };

export type ProgrammaticPartsVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type ProgrammaticPartsResult = { programmaticOrder: { parts: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ index: number, uid: string, validFrom: number, validTo: number, sellAmount: string, buyAmount: string, status: ProgrammaticPartStatus, order: { uid: string, status: OrderStatus, executedFraction: string, executedSellAmount: string, executedBuyAmount: string } | null }> } | null } | null };

export type ListedProgrammaticOrdersVariables = Exact<{
  network?: string | null | undefined;
  owner?: string | null | undefined;
  account?: string | null | undefined;
  type?: ProgrammaticOrderType | null | undefined;
  status?: Array<ProgrammaticOrderStatus> | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ListedProgrammaticOrdersResult = { programmaticOrders: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ id: string, status: ProgrammaticOrderStatus, creationDate: string, owner: string, resolvedOwner: string, partCount: number | null, filledParts: number, type: ProgrammaticOrderType, network: { name: string }, input:
        | { __typename: 'CirclesBackingInput' }
        | { __typename: 'FeeBurnerInput' }
        | { __typename: 'GoodAfterTimeInput', sellAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'PerpetualSwapInput' }
        | { __typename: 'StopLossInput', sellAmount: string, buyAmount: string, isSellOrder: boolean, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'SwapOrderInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TradeAboveThresholdInput', sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
        | { __typename: 'TwapInput', partSellAmount: string, minPartLimit: string, n: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null } }
       | null }> } };

export type TokenNetworksVariables = Exact<{ [key: string]: never; }>;


export type TokenNetworksResult = { networks: Array<{ name: string, isTest: boolean, explorerUrl: string | null, vaultRelayer: string, settlementContract: string, wrappedNative: { address: string, symbol: string | null } }> };

export type TokenVariables = Exact<{
  address: string;
  network: string;
}>;


export type TokenResult = { coin: { address: string, symbol: string | null, decimals: number | null } | null, token: { address: string, symbol: string | null, name: string | null, decimals: number | null, firstTradeBlock: number | null, lastAuctionPrice: string | null } | null, traded: { tokens: { nodes: Array<{ address: string, symbol: string | null }> } } };

export type TokenHistoryVariables = Exact<{
  address: string;
  network: string;
  interval: PriceInterval;
}>;


export type TokenHistoryResult = { token: { priceHistory: { source: string, points: Array<{ at: string, price: string }> } | null } | null };

export type TokenHoldersVariables = Exact<{
  address: string;
  network: string;
}>;


export type TokenHoldersResult = { token: { holders: { source: string, nodes: Array<{ address: string, balance: string }> } | null } | null };

export type PoolsAtVariables = Exact<{
  addresses: Array<string>;
  network: string;
}>;


export type PoolsAtResult = { network: { pools: { nodes: Array<{ address: string, token0: { address: string, symbol: string | null }, token1: { address: string, symbol: string | null } }> } | null } };

export type FollowPricesVariables = Exact<{
  tokens: Array<string>;
  network: string;
}>;


export type FollowPricesResult = { tokenPrices: { isAvailable: boolean, prices: Array<{ nativePrice: string | null, nativePriceState: ValueState, usdPriceState: ValueState, usdPrice: { price: string, source: string } | null }> } };

export type ListedTokensVariables = Exact<{
  network: string;
  search?: string | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ListedTokensResult = { coin: { symbol: string | null, decimals: number | null } | null, network: { name: string, tokens: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ address: string, symbol: string | null, name: string | null, decimals: number | null, lastAuctionPrice: string | null }> } } };

export type ListedTradesVariables = Exact<{
  network?: string | null | undefined;
  owner?: string | null | undefined;
  orderUid?: string | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type ListedTradesResult = { trades: { pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<{ orderUid: string, owner: string, blockNumber: number, logIndex: number, timestamp: string | null, txHash: string, auctionId: number | null, sellAmount: string, buyAmount: string, sellToken: { address: string, symbol: string | null, decimals: number | null }, buyToken: { address: string, symbol: string | null, decimals: number | null }, order: { network: { name: string, explorerUrl: string | null } } | null }> } };

export type NetworkNamesVariables = Exact<{ [key: string]: never; }>;


export type NetworkNamesResult = { networks: Array<{ name: string }> };

export type UsdPricesVariables = Exact<{
  addresses: Array<string>;
  network: string;
}>;


export type UsdPricesResult = { tokens: Array<{ address: string, usdPrice: { price: string } | null }> };

/** The result and variables of each document, by its text. */
export interface Documents {
  "query ($account: Address!, $after: String) { account(address: $account) { orders(first: 5, after: $after) { pageInfo { hasNextPage endCursor } nodes { uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } programmaticOrder { type } } } } }": { result: OrdersResult; variables: OrdersVariables }
  "query ($account: Address!) { account(address: $account) { orders(first: 5, status: PRESIGNATURE_PENDING) { pageInfo { hasNextPage } nodes { uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } programmaticOrder { type } } } } }": { result: UnsignedOrdersResult; variables: UnsignedOrdersVariables }
  "query ($account: Address!) {\n    account(address: $account) { programmaticOrders(first: 5) { pageInfo { hasNextPage } nodes { id status creationDate owner resolvedOwner partCount filledParts network { name } type input { __typename\n  ... on TwapInput { sellToken { address symbol decimals } buyToken { address symbol decimals } partSellAmount minPartLimit n }\n  ... on StopLossInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount isSellOrder }\n  ... on GoodAfterTimeInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount }\n  ... on TradeAboveThresholdInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n  ... on SwapOrderInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n} } } }\n    programmaticOrders(owner: $account, first: 5) { pageInfo { hasNextPage } nodes { id status creationDate owner resolvedOwner partCount filledParts network { name } type input { __typename\n  ... on TwapInput { sellToken { address symbol decimals } buyToken { address symbol decimals } partSellAmount minPartLimit n }\n  ... on StopLossInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount isSellOrder }\n  ... on GoodAfterTimeInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount }\n  ... on TradeAboveThresholdInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n  ... on SwapOrderInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n} } }\n  }": { result: ProgrammaticOfAccountResult; variables: ProgrammaticOfAccountVariables }
  "query ($account: Address!, $network: NetworkName!) { account(address: $account) { orders(first: 50, network: $network, filter: { statuses: [OPEN, PRESIGNATURE_PENDING] }) { pageInfo { hasNextPage } nodes { kind sellAmount buyAmount feeAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount onchainUser sellToken { address } } } } }": { result: OpenOrdersResult; variables: OpenOrdersVariables }
  "query ($account: Address!, $network: NetworkName!, $tokens: [TokenAddress!]) { coin: token(address: \"-\", network: $network) { address symbol decimals } account(address: $account) { balances(network: $network, tokens: $tokens, held: true, first: 20) { pageInfo { hasNextPage } nodes { balance allowance token { address symbol decimals } } } } }": { result: BalancesResult; variables: BalancesVariables }
  "query ($account: Address!, $network: NetworkName!) { account(address: $account) { totalSurplus(network: $network) isTotalSurplusComplete(network: $network) } }": { result: SurplusResult; variables: SurplusVariables }
  "query ($account: Address!, $network: NetworkName!, $tokens: [TokenAddress!]!) { account(address: $account) { balances(network: $network, tokens: $tokens, first: 20) { nodes { usdValue token { address } } } } }": { result: BalanceValuesResult; variables: BalanceValuesVariables }
  "query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid diagnosis { code summary further { code summary } } } }": { result: OrderReasonsResult; variables: OrderReasonsVariables }
  "query { networks { name vaultRelayer settlementContract } }": { result: ContractsResult; variables: ContractsVariables }
  "query ($account: Address!, $before: String) { notifications(account: $account, last: 50, before: $before) { cursor pageInfo { hasPreviousPage startCursor } nodes { notificationId type message timestamp isReverted order { uid } programmaticOrder { id } } } }": { result: FeedResult; variables: FeedVariables }
  "subscription ($account: Address!, $after: String) { notifications(account: $account, after: $after) { node { notificationId type message timestamp isReverted order { uid } programmaticOrder { id } } } }": { result: FollowResult; variables: FollowVariables }
  "query { enabledChannelKinds pushPublicKey networks { chainId } }": { result: ServiceResult; variables: ServiceVariables }
  "mutation { createSignInChallenge { nonce domain uri } }": { result: ChallengeResult; variables: ChallengeVariables }
  "mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt } }": { result: SignInResult; variables: SignInVariables }
  "mutation { signOut { sessions } }": { result: SignOutResult; variables: SignOutVariables }
  "query ($account: Address!) { channelSubscriptions(account: $account) { id kind state address deliveries(first: 1) { nodes { messageId state attempts fault } } } }": { result: ChannelsResult; variables: ChannelsVariables }
  "mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret confirmationLink channel { id state } } }": { result: SubscribeResult; variables: SubscribeVariables }
  "mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }": { result: TestResult; variables: TestVariables }
  "mutation ($input: ChannelInput!) { unsubscribeChannel(input: $input) { id } }": { result: UnsubscribeResult; variables: UnsubscribeVariables }
  "mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { id } } }": { result: ConfirmResult; variables: ConfirmVariables }
  "query ($id: SafeInt!, $network: NetworkName!) {\n    coin: token(address: \"-\", network: $network) { address symbol decimals }\n    auction(id: $id, network: $network) {\n      auctionId block deadline createdAt isFinished orderCount hasAllOrderUids hasAllSettlements\n      network { name isTest explorerUrl }\n      orders(first: 50) { nodes { uid kind status sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } } }\n      nativePrices { price token { address symbol decimals } }\n      solutions {\n        solutionUid ranking solver isWinner filteredOut score referenceScore txHash\n        orders { orderUid executedSell executedBuy sellToken { address symbol decimals } buyToken { address symbol decimals } order { kind sellAmount buyAmount } }\n      }\n      settlementAttempts { solutionUid solver startTimestamp endTimestamp startBlock endBlock outcome detail txHash }\n      settlements { solutionUid blockNumber txHash gasCost trades { orderUid sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } } }\n    }\n  }": { result: AuctionResult; variables: AuctionVariables }
  "subscription ($network: NetworkName!) { auctions(network: $network) { auction { auctionId } } }": { result: FollowAuctionsResult; variables: FollowAuctionsVariables }
  "query ($network: NetworkName!, $first: Int, $last: Int, $after: String, $before: String) { auctions(network: $network, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { auctionId block deadline orderUids transactionHashes network { name } } } }": { result: ListedAuctionsResult; variables: ListedAuctionsVariables }
  "query { version networks { name isTest chainId ready explorerUrl vaultRelayer settlementContract } }": { result: HomeResult; variables: HomeVariables }
  "query ($network: NetworkName!) { meta(network: $network) { block { number timestamp } lag { blocks seconds } } latestAuction(network: $network) { auctionId block } }": { result: PulseResult; variables: PulseVariables }
  "query ($first: Int) { programmaticOrders(first: $first) { nodes { id status creationDate owner resolvedOwner partCount filledParts network { name } type input { __typename\n  ... on TwapInput { sellToken { address symbol decimals } buyToken { address symbol decimals } partSellAmount minPartLimit n }\n  ... on StopLossInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount isSellOrder }\n  ... on GoodAfterTimeInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount }\n  ... on TradeAboveThresholdInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n  ... on SwapOrderInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n} } } orders(first: $first) { nodes { uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } programmaticOrder { type } network { name } } } trades(first: $first) { nodes { orderUid blockNumber logIndex timestamp auctionId sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } order { network { name } } } } }": { result: NewestResult; variables: NewestVariables }
  "query ($network: NetworkName!, $first: Int) { coin: token(address: \"-\", network: $network) { symbol decimals } auctions(network: $network, first: $first) { nodes { auctionId block deadline orderUids transactionHashes network { name } } } network(name: $network) { name tokens(first: $first) { nodes { address symbol name decimals lastAuctionPrice } } } }": { result: NewestOfNetworkResult; variables: NewestOfNetworkVariables }
  "query ($hash: Bytes32!, $network: NetworkName!) { settlementsOfTransaction(hash: $hash, network: $network) { auctionId } transactionOrders(hash: $hash, network: $network) { uid sellToken { symbol } buyToken { symbol } } programmaticOrders(txHash: $hash, network: $network, first: 20) { nodes { id hash owner } } }": { result: TransactionResult; variables: TransactionVariables }
  "query ($hash: Hex!, $owner: Address) { programmaticOrders(hash: $hash, owner: $owner, first: 50) { nodes { id hash owner } } }": { result: ProgrammaticOfHashResult; variables: ProgrammaticOfHashVariables }
  "query ($address: TokenAddress!, $network: NetworkName!) { token(address: $address, network: $network) { address } }": { result: IsTokenResult; variables: IsTokenVariables }
  "query ($search: String!) { networks { name tokens(search: $search, first: 20) { nodes { address symbol name lastAuctionPrice } } } }": { result: TokensResult; variables: TokensVariables }
  "query ($uid: OrderUid!) {\n    order(uid: $uid) {\n      uid status kind class partiallyFillable owner receiver effectiveReceiver onchainUser signingScheme appDataHash fullAppData\n      creationDate validFrom validTo sellAmount buyAmount feeAmount sellTokenBalance buyTokenBalance\n      executedFraction executedSellAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount executedFee executedFeeToken { address symbol decimals }\n      sellToken { address symbol decimals } buyToken { address symbol decimals } limitPrice { numerator denominator } quote { sellAmount buyAmount feeAmount }\n      network { name isTest chainId explorerUrl settlementContract vaultRelayer }\n      programmaticOrder { id type partCount startsAt input { ... on TwapInput { t } } }\n      pendingSettlements { auctionId deadlineBlock txHash }\n      events(last: 100) { pageInfo { hasPreviousPage } nodes { label reason detail timestamp source txHash replacedBy { uid } } }\n      trades(first: 20) { isComplete pageInfo { hasNextPage } nodes {\n        blockNumber logIndex timestamp txHash auctionId sellAmount sellAmountBeforeFees buyAmount executedProtocolFees { amount token { address symbol decimals } }\n        execution { executedFee networkFee } nativePrices { price token { address } }\n      } }\n      hooks { phase target gasLimit calls { outcome unknownReason reason gasUsed txHash } }\n      debugReport { auctions(last: 10) { isComplete pageInfo { hasPreviousPage } nodes { auctionId block proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy } settlementAttempts { solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome detail txHash replacedBlock } } } }\n    }\n  }": { result: OrderResult; variables: OrderVariables }
  "query ($uid: OrderUid!) { order(uid: $uid) { marketPrices(first: 500) { nodes { at price { numerator denominator } } } } }": { result: OrderPricesResult; variables: OrderPricesVariables }
  "query ($uid: OrderUid!) { order(uid: $uid) { sellToken { usdPrice { price asOf source } } buyToken { usdPrice { price asOf source } } } }": { result: OrderValuesResult; variables: OrderValuesVariables }
  "query ($uid: OrderUid!) { order(uid: $uid) { diagnosis { code summary advice evidence { __typename ... on PriceEvidence { gapPercent gapSeenAt } ... on ValidityEvidence { until offeredUntil } } since further { code summary advice evidence { __typename ... on PriceEvidence { gapPercent gapSeenAt } ... on ValidityEvidence { until offeredUntil } } } } } }": { result: OrderDiagnosisResult; variables: OrderDiagnosisVariables }
  "mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { invalidated pendingSettlements { txHash } } } }": { result: CancelOrderResult; variables: CancelOrderVariables }
  "subscription ($uid: OrderUid!, $after: String) { orderEvents(uid: $uid, after: $after) { eventId isRemoved event { label reason detail timestamp source txHash replacedBy { uid } } } }": { result: FollowOrderResult; variables: FollowOrderVariables }
  "query ($network: NetworkName, $owner: Address, $filter: OrderFilter, $first: Int, $last: Int, $after: String, $before: String) { orders(network: $network, owner: $owner, filter: $filter, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } programmaticOrder { type } owner network { name } } } }": { result: ListedOrdersResult; variables: ListedOrdersVariables }
  "query ($id: ID!) {\n    programmaticOrder(id: $id) {\n      id hash owner resolvedOwner handler status statusReason creationDate removedAt\n      partCount startsAt endsAt filledParts executedSellAmount executedBuyAmount decodeError\n      diagnosis { text }\n      network { name isTest explorerUrl }\n      creations(first: 1) { nodes { txHash } }\n      type input { __typename\n  ... on TwapInput { sellToken { address symbol decimals } buyToken { address symbol decimals } partSellAmount minPartLimit n }\n  ... on StopLossInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount isSellOrder }\n  ... on GoodAfterTimeInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount }\n  ... on TradeAboveThresholdInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n  ... on SwapOrderInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n}\n      input { ... on TwapInput { t span } }\n      nextPart {\n  index uid validFrom validTo sellAmount buyAmount status\n  order { uid status executedFraction executedSellAmount executedBuyAmount }\n}\n      orders(first: 20) { pageInfo { hasNextPage } nodes { uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } programmaticOrder { type } } }\n    }\n  }": { result: ProgrammaticOrderResult; variables: ProgrammaticOrderVariables }
  "query ($id: ID!, $first: Int!, $after: String) {\n    programmaticOrder(id: $id) { parts(first: $first, after: $after) { pageInfo { endCursor hasNextPage } nodes {\n  index uid validFrom validTo sellAmount buyAmount status\n  order { uid status executedFraction executedSellAmount executedBuyAmount }\n} } }\n  }": { result: ProgrammaticPartsResult; variables: ProgrammaticPartsVariables }
  "query ($network: NetworkName, $owner: Address, $account: Address, $type: ProgrammaticOrderType, $status: [ProgrammaticOrderStatus!], $first: Int, $last: Int, $after: String, $before: String) { programmaticOrders(network: $network, owner: $owner, resolvedOwner: $account, type: $type, status: $status, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { id status creationDate owner resolvedOwner partCount filledParts network { name } type input { __typename\n  ... on TwapInput { sellToken { address symbol decimals } buyToken { address symbol decimals } partSellAmount minPartLimit n }\n  ... on StopLossInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount isSellOrder }\n  ... on GoodAfterTimeInput { sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount }\n  ... on TradeAboveThresholdInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n  ... on SwapOrderInput { sellToken { address symbol decimals } buyToken { address symbol decimals } }\n} } } }": { result: ListedProgrammaticOrdersResult; variables: ListedProgrammaticOrdersVariables }
  "query { networks { name isTest explorerUrl vaultRelayer settlementContract wrappedNative { address symbol } } }": { result: TokenNetworksResult; variables: TokenNetworksVariables }
  "query ($address: TokenAddress!, $network: NetworkName!) { coin: token(address: \"-\", network: $network) { address symbol decimals } token(address: $address, network: $network) { address symbol name decimals firstTradeBlock lastAuctionPrice } traded: network(name: $network) { tokens(first: 4) { nodes { address symbol } } } }": { result: TokenResult; variables: TokenVariables }
  "query ($address: TokenAddress!, $network: NetworkName!, $interval: PriceInterval!) { token(address: $address, network: $network) { priceHistory(interval: $interval) { source points { at price } } } }": { result: TokenHistoryResult; variables: TokenHistoryVariables }
  "query ($address: TokenAddress!, $network: NetworkName!) { token(address: $address, network: $network) { holders(first: 10) { source nodes { address balance } } } }": { result: TokenHoldersResult; variables: TokenHoldersVariables }
  "query ($addresses: [Address!]!, $network: NetworkName!) { network(name: $network) { pools(addresses: $addresses, first: 10) { nodes { address token0 { address symbol } token1 { address symbol } } } } }": { result: PoolsAtResult; variables: PoolsAtVariables }
  "subscription ($tokens: [TokenAddress!]!, $network: NetworkName!) { tokenPrices(tokens: $tokens, network: $network) { isAvailable prices { nativePrice nativePriceState usdPrice { price source } usdPriceState } } }": { result: FollowPricesResult; variables: FollowPricesVariables }
  "query ($network: NetworkName!, $search: String, $first: Int, $last: Int, $after: String, $before: String) { coin: token(address: \"-\", network: $network) { symbol decimals } network(name: $network) { name tokens(search: $search, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { address symbol name decimals lastAuctionPrice } } } }": { result: ListedTokensResult; variables: ListedTokensVariables }
  "query ($network: NetworkName, $owner: Address, $orderUid: OrderUid, $first: Int, $last: Int, $after: String, $before: String) { trades(network: $network, owner: $owner, orderUid: $orderUid, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { orderUid owner blockNumber logIndex timestamp txHash auctionId sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } order { network { name explorerUrl } } } } }": { result: ListedTradesResult; variables: ListedTradesVariables }
  "query { networks { name } }": { result: NetworkNamesResult; variables: NetworkNamesVariables }
  "query ($addresses: [Address!]!, $network: NetworkName!) { tokens(addresses: $addresses, network: $network) { address usdPrice { price } } }": { result: UsdPricesResult; variables: UsdPricesVariables }
}
