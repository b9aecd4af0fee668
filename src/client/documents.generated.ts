// Made from documents.graphql by `npm run codegen`.
import { documentOf, type TypedDocument } from './document.ts'
import type { DateTime, Uint256 } from './scalars.ts'

/** The scalars of the schema. */
export type ScalarName =
  | 'Address'
  | 'AppDataDocument'
  | 'BasisPoints'
  | 'Bytes32'
  | 'DateTime'
  | 'Decimal'
  | 'Hex'
  | 'JSON'
  | 'Milliseconds'
  | 'NetworkName'
  | 'OrderUid'
  | 'SafeInt'
  | 'TokenAddress'
  | 'Uint256'
  | 'Uint32'

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
  buyAmount: Uint256;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  feeAmount: Uint256;
  from?: string | null | undefined;
  fullBalanceCheck?: boolean | null | undefined;
  kind: OrderKind;
  network?: string | null | undefined;
  partiallyFillable: boolean;
  quoteId?: number | null | undefined;
  receiver?: string | null | undefined;
  sellAmount: Uint256;
  sellToken: string;
  sellTokenBalance?: SellTokenSource | null | undefined;
  signature?: string | null | undefined;
  signingScheme: SigningScheme;
  validTo: number;
};

export type MarkNotificationsReadInput = {
  account: string;
  notificationIds?: Array<string> | null | undefined;
  upTo?: string | null | undefined;
};

export type NotificationFilter = {
  from?: DateTime | null | undefined;
  orderUid?: string | null | undefined;
  types?: Array<NotificationType> | null | undefined;
  unread?: boolean | null | undefined;
  until?: DateTime | null | undefined;
};

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
  createdFrom?: DateTime | null | undefined;
  createdUntil?: DateTime | null | undefined;
  kind?: OrderKind | null | undefined;
  pair?: TokenPairInput | null | undefined;
  statuses?: Array<OrderStatus> | null | undefined;
};

export type OrderKind =
  | 'BUY'
  | 'SELL';

export type OrderStage =
  | 'ACTIVE'
  | 'CANCELLED'
  | 'EXECUTING'
  | 'EXPIRED'
  | 'INVALIDATED'
  | 'OPEN'
  | 'REFUNDED'
  | 'REPLACED'
  | 'SCHEDULED'
  | 'SOLVED'
  | 'TRADED';

export type OrderStandingReason =
  | 'AUCTION_FULL'
  | 'BANNED_USER'
  | 'DOCUMENT_REFUSED'
  | 'DUST_ORDER'
  | 'FAILED_GAS_SPENT'
  | 'FEE_EXCEEDS_VALUE'
  | 'INSUFFICIENT_BALANCE'
  | 'INVALID_SIGNATURE'
  | 'IN_FLIGHT'
  | 'MISSING_NATIVE_PRICE'
  | 'SETTLEMENT_FAILED'
  | 'UNSUPPORTED_TOKEN';

export type OrderStatus =
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FULFILLED'
  | 'OPEN'
  | 'PRESIGNATURE_PENDING';

export type PlaceOrderInput = {
  appData: string;
  appDataHash?: string | null | undefined;
  buyAmount: Uint256;
  buyToken: string;
  buyTokenBalance?: BuyTokenDestination | null | undefined;
  feeAmount: Uint256;
  from?: string | null | undefined;
  fullBalanceCheck?: boolean | null | undefined;
  kind: OrderKind;
  network?: string | null | undefined;
  partiallyFillable: boolean;
  quoteId?: number | null | undefined;
  receiver?: string | null | undefined;
  sellAmount: Uint256;
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

export type QuoteAmountInput =
  {   buyAfterFee: Uint256; sellAfterFee?: never; sellBeforeFee?: never; }
  |  { buyAfterFee?: never;   sellAfterFee: Uint256; sellBeforeFee?: never; }
  |  { buyAfterFee?: never; sellAfterFee?: never;   sellBeforeFee: Uint256; };

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

export type SlippageMode =
  | 'AUTO';

export type TokenPairInput = {
  buyToken: string;
  sellToken: string;
};

export type UploadAppDataInput = {
  document: string;
  hash?: string | null | undefined;
  network?: string | null | undefined;
};

export type ValueState =
  | 'ABSENT'
  | 'KNOWN'
  | 'UNAVAILABLE';

export type TokenParts = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type OrderParts_Order_sellToken_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type OrderParts_Order_buyToken_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type OrderParts_Order_network_Network = { name: string, chainId: number, settlementContract: string };

export type OrderParts = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type TradeParts_Trade_sellToken_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type TradeParts_Trade_buyToken_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type TradeParts = { orderUid: string, owner: string, sellAmount: Uint256, sellAmountBeforeFees: Uint256, buyAmount: Uint256, blockNumber: number, logIndex: number, txHash: string, auctionId: number | null, sellToken: TradeParts_Trade_sellToken_Token, buyToken: TradeParts_Trade_buyToken_Token };

export type EventParts = { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, times: number, timestamp: DateTime, txHash: string | null };

export type ReasonParts = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null };

type NotificationParts_InsufficientBalanceNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_OrderCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_OrderExpiredNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_OrderFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_OrderPartiallyFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_PartFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_PartFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_PostHookFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_PriceImprovementNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_ProgrammaticCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

type NotificationParts_ProgrammaticFinishedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type NotificationParts =
  | NotificationParts_InsufficientBalanceNotification
  | NotificationParts_OrderCancelledNotification
  | NotificationParts_OrderExpiredNotification
  | NotificationParts_OrderFilledNotification
  | NotificationParts_OrderPartiallyFilledNotification
  | NotificationParts_PartFailedNotification
  | NotificationParts_PartFilledNotification
  | NotificationParts_PostHookFailedNotification
  | NotificationParts_PriceImprovementNotification
  | NotificationParts_ProgrammaticCancelledNotification
  | NotificationParts_ProgrammaticFinishedNotification
;

export type QuoteParts_QuoteResponse_quote_QuotedOrder = { appData: string, sellAmount: Uint256, buyAmount: Uint256, feeAmount: Uint256, gasAmount: Uint256, gasPrice: Uint256, sellTokenPrice: string, signingScheme: SigningScheme };

export type QuoteParts_QuoteResponse_order_OrderToSign = { uid: string, sellToken: string, buyToken: string, receiver: string | null, sellAmount: Uint256, buyAmount: Uint256, validTo: number, appData: string, feeAmount: Uint256, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, typedData: unknown };

export type QuoteParts_QuoteResponse_priceImpact_PriceImpact = { share: string, usd: string | null, isNotable: boolean, needsAcceptance: boolean };

export type QuoteParts_QuoteResponse_route_QuoteRoute = { priceImpact: string };

export type QuoteParts_QuoteResponse_slippage_QuoteSlippage = { bps: number, measuredBps: number | null };

export type QuoteParts_QuoteResponse_warnings_DiagnosisReason = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null };

export type QuoteParts = { quoteId: number | null, from: string, expiration: DateTime, verified: boolean, protocolFeeBps: string | null, quote: QuoteParts_QuoteResponse_quote_QuotedOrder, order: QuoteParts_QuoteResponse_order_OrderToSign, priceImpact: QuoteParts_QuoteResponse_priceImpact_PriceImpact | null, route: QuoteParts_QuoteResponse_route_QuoteRoute | null, slippage: QuoteParts_QuoteResponse_slippage_QuoteSlippage | null, warnings: Array<QuoteParts_QuoteResponse_warnings_DiagnosisReason> };

export type BalanceParts_TokenBalance_token_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type BalanceParts = { state: ValueState, balance: Uint256 | null, allowance: Uint256 | null, token: BalanceParts_TokenBalance_token_Token };

export type AuctionParts_Auction_nativePrices_NativePrice_token_Token = { address: string };

export type AuctionParts_Auction_nativePrices_NativePrice = { price: Uint256, token: AuctionParts_Auction_nativePrices_NativePrice_token_Token };

export type AuctionParts_Auction_solutions_Solution = { solutionUid: number, solver: string, ranking: number, score: Uint256, isWinner: boolean, filteredOut: boolean, txHash: string | null };

export type AuctionParts_Auction_settlementAttempts_SettlementAttempt = { solver: string, outcome: SettlementOutcome | null, detail: string | null, startBlock: number, endBlock: number | null, txHash: string | null };

export type AuctionParts = { auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, nativePrices: Array<AuctionParts_Auction_nativePrices_NativePrice>, solutions: Array<AuctionParts_Auction_solutions_Solution>, settlementAttempts: Array<AuctionParts_Auction_settlementAttempts_SettlementAttempt> };

export type Order_order_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type Order_Query = { order: Order_order_Order | null };


export type OrderVariables = Exact<{
  uid: string;
}>;


export type OrderResult = Order_Query;

export type OrdersByUids_ordersByUids_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type OrdersByUids_Query = { ordersByUids: Array<OrdersByUids_ordersByUids_Order> };


export type OrdersByUidsVariables = Exact<{
  uids: Array<string>;
}>;


export type OrdersByUidsResult = OrdersByUids_Query;

export type AccountOrders_account_Account_orders_OrderConnection_nodes_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type AccountOrders_account_Account_orders_OrderConnection_pageInfo_PageInfo = { hasNextPage: boolean, endCursor: string | null };

export type AccountOrders_account_Account_orders_OrderConnection = { nodes: Array<AccountOrders_account_Account_orders_OrderConnection_nodes_Order>, pageInfo: AccountOrders_account_Account_orders_OrderConnection_pageInfo_PageInfo };

export type AccountOrders_account_Account = { orders: AccountOrders_account_Account_orders_OrderConnection };

export type AccountOrders_Query = { account: AccountOrders_account_Account };


export type AccountOrdersVariables = Exact<{
  account: string;
  network?: string | null | undefined;
  filter?: OrderFilter | null | undefined;
  first?: number;
  after?: string | null | undefined;
}>;


export type AccountOrdersResult = AccountOrders_Query;

export type AccountTrades_account_Account_trades_TradeConnection_nodes_Trade = { orderUid: string, owner: string, sellAmount: Uint256, sellAmountBeforeFees: Uint256, buyAmount: Uint256, blockNumber: number, logIndex: number, txHash: string, auctionId: number | null, sellToken: TradeParts_Trade_sellToken_Token, buyToken: TradeParts_Trade_buyToken_Token };

export type AccountTrades_account_Account_trades_TradeConnection_pageInfo_PageInfo = { hasNextPage: boolean, endCursor: string | null };

export type AccountTrades_account_Account_trades_TradeConnection = { nodes: Array<AccountTrades_account_Account_trades_TradeConnection_nodes_Trade>, pageInfo: AccountTrades_account_Account_trades_TradeConnection_pageInfo_PageInfo };

export type AccountTrades_account_Account = { trades: AccountTrades_account_Account_trades_TradeConnection };

export type AccountTrades_Query = { account: AccountTrades_account_Account };


export type AccountTradesVariables = Exact<{
  account: string;
  network?: string | null | undefined;
  first?: number;
  after?: string | null | undefined;
}>;


export type AccountTradesResult = AccountTrades_Query;

export type OrderHistory_order_Order_events_OrderEventConnection_nodes_OrderEvent = { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, times: number, timestamp: DateTime, txHash: string | null };

export type OrderHistory_order_Order_events_OrderEventConnection = { nodes: Array<OrderHistory_order_Order_events_OrderEventConnection_nodes_OrderEvent> };

export type OrderHistory_order_Order_trades_TradeConnection_nodes_Trade = { orderUid: string, owner: string, sellAmount: Uint256, sellAmountBeforeFees: Uint256, buyAmount: Uint256, blockNumber: number, logIndex: number, txHash: string, auctionId: number | null, sellToken: TradeParts_Trade_sellToken_Token, buyToken: TradeParts_Trade_buyToken_Token };

export type OrderHistory_order_Order_trades_TradeConnection = { nodes: Array<OrderHistory_order_Order_trades_TradeConnection_nodes_Trade> };

export type OrderHistory_order_Order = { uid: string, status: OrderStatus, events: OrderHistory_order_Order_events_OrderEventConnection, trades: OrderHistory_order_Order_trades_TradeConnection };

export type OrderHistory_Query = { order: OrderHistory_order_Order | null };


export type OrderHistoryVariables = Exact<{
  uid: string;
  first?: number;
}>;


export type OrderHistoryResult = OrderHistory_Query;

export type OrderDiagnosis_order_Order_diagnosis_OrderDiagnosis_further_DiagnosisReason = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null };

export type OrderDiagnosis_order_Order_diagnosis_OrderDiagnosis = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null, further: Array<OrderDiagnosis_order_Order_diagnosis_OrderDiagnosis_further_DiagnosisReason> };

export type OrderDiagnosis_order_Order_progress_OrderProgress = { stage: OrderStage };

export type OrderDiagnosis_order_Order_standing_OrderStanding_bestPrice_FoundPrice_price_Price = { decimal: string };

export type OrderDiagnosis_order_Order_standing_OrderStanding_bestPrice_FoundPrice = { gap: string | null, price: OrderDiagnosis_order_Order_standing_OrderStanding_bestPrice_FoundPrice_price_Price | null };

export type OrderDiagnosis_order_Order_standing_OrderStanding = { isInAuctions: boolean, reason: OrderStandingReason | null, since: DateTime, marketGap: string | null, missing: Uint256 | null, feeShare: string | null, bestPrice: OrderDiagnosis_order_Order_standing_OrderStanding_bestPrice_FoundPrice | null };

export type OrderDiagnosis_order_Order = { uid: string, status: OrderStatus, diagnosis: OrderDiagnosis_order_Order_diagnosis_OrderDiagnosis, progress: OrderDiagnosis_order_Order_progress_OrderProgress | null, standing: OrderDiagnosis_order_Order_standing_OrderStanding | null };

export type OrderDiagnosis_Query = { order: OrderDiagnosis_order_Order | null };


export type OrderDiagnosisVariables = Exact<{
  uid: string;
}>;


export type OrderDiagnosisResult = OrderDiagnosis_Query;

export type ExplainOrder_explainOrder_OrderDiagnosis_further_DiagnosisReason = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null };

export type ExplainOrder_explainOrder_OrderDiagnosis = { code: DiagnosisCode, summary: string, advice: string, retryable: boolean, since: DateTime | null, further: Array<ExplainOrder_explainOrder_OrderDiagnosis_further_DiagnosisReason> };

export type ExplainOrder_Query = { explainOrder: ExplainOrder_explainOrder_OrderDiagnosis };


export type ExplainOrderVariables = Exact<{
  input: ExplainOrderInput;
}>;


export type ExplainOrderResult = ExplainOrder_Query;

export type Quote_quote_QuoteResponse = { quoteId: number | null, from: string, expiration: DateTime, verified: boolean, protocolFeeBps: string | null, quote: QuoteParts_QuoteResponse_quote_QuotedOrder, order: QuoteParts_QuoteResponse_order_OrderToSign, priceImpact: QuoteParts_QuoteResponse_priceImpact_PriceImpact | null, route: QuoteParts_QuoteResponse_route_QuoteRoute | null, slippage: QuoteParts_QuoteResponse_slippage_QuoteSlippage | null, warnings: Array<QuoteParts_QuoteResponse_warnings_DiagnosisReason> };

export type Quote_Mutation = { quote: Quote_quote_QuoteResponse };


export type QuoteVariables = Exact<{
  input: QuoteInput;
  slippageBps?: number | null | undefined;
}>;


export type QuoteResult = Quote_Mutation;

export type PlaceOrder_placeOrder_PlaceOrderPayload_order_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type PlaceOrder_placeOrder_PlaceOrderPayload = { order: PlaceOrder_placeOrder_PlaceOrderPayload_order_Order };

export type PlaceOrder_Mutation = { placeOrder: PlaceOrder_placeOrder_PlaceOrderPayload };


export type PlaceOrderVariables = Exact<{
  input: PlaceOrderInput;
}>;


export type PlaceOrderResult = PlaceOrder_Mutation;

export type CancelOrders_cancelOrders_CancelOrdersPayload_orders_Order_pendingSettlements_PendingSettlement = { txHash: string | null, deadlineBlock: number };

export type CancelOrders_cancelOrders_CancelOrdersPayload_orders_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, pendingSettlements: Array<CancelOrders_cancelOrders_CancelOrdersPayload_orders_Order_pendingSettlements_PendingSettlement>, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type CancelOrders_cancelOrders_CancelOrdersPayload = { orders: Array<CancelOrders_cancelOrders_CancelOrdersPayload_orders_Order> };

export type CancelOrders_Mutation = { cancelOrders: CancelOrders_cancelOrders_CancelOrdersPayload };


export type CancelOrdersVariables = Exact<{
  input: CancelOrdersInput;
}>;


export type CancelOrdersResult = CancelOrders_Mutation;

export type UploadAppData_uploadAppData_UploadAppDataPayload = { hash: string, created: boolean };

export type UploadAppData_Mutation = { uploadAppData: UploadAppData_uploadAppData_UploadAppDataPayload };


export type UploadAppDataVariables = Exact<{
  input: UploadAppDataInput;
}>;


export type UploadAppDataResult = UploadAppData_Mutation;

export type AppData_appData_AppData = { hash: string, document: string };

export type AppData_Query = { appData: AppData_appData_AppData | null };


export type AppDataVariables = Exact<{
  hash: string;
}>;


export type AppDataResult = AppData_Query;

export type Balances_account_Account_balances_TokenBalanceConnection_nodes_TokenBalance = { state: ValueState, balance: Uint256 | null, allowance: Uint256 | null, token: BalanceParts_TokenBalance_token_Token };

export type Balances_account_Account_balances_TokenBalanceConnection_pageInfo_PageInfo = { hasNextPage: boolean, endCursor: string | null };

export type Balances_account_Account_balances_TokenBalanceConnection = { block: number | null, nodes: Array<Balances_account_Account_balances_TokenBalanceConnection_nodes_TokenBalance>, pageInfo: Balances_account_Account_balances_TokenBalanceConnection_pageInfo_PageInfo };

export type Balances_account_Account = { balances: Balances_account_Account_balances_TokenBalanceConnection };

export type Balances_Query = { account: Balances_account_Account };


export type BalancesVariables = Exact<{
  account: string;
  network?: string | null | undefined;
  tokens?: Array<string> | null | undefined;
  first?: number;
  after?: string | null | undefined;
}>;


export type BalancesResult = Balances_Query;

export type Tokens_tokens_Token_usdPrice_UsdPrice = { price: string, source: string, asOf: DateTime, isStale: boolean };

export type Tokens_tokens_Token = { nativePrice: string | null, address: string, symbol: string | null, name: string | null, decimals: number | null, usdPrice: Tokens_tokens_Token_usdPrice_UsdPrice | null };

export type Tokens_Query = { tokens: Array<Tokens_tokens_Token> };


export type TokensVariables = Exact<{
  addresses: Array<string>;
  network?: string | null | undefined;
}>;


export type TokensResult = Tokens_Query;

export type Market_market_Market_base_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type Market_market_Market_quote_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type Market_market_Market_spot_MarketSpot = { price: string };

export type Market_market_Market_slippage_MarketSlippage = { bps: number, volatility: string };

export type Market_market_Market = { base: Market_market_Market_base_Token, quote: Market_market_Market_quote_Token, spot: Market_market_Market_spot_MarketSpot | null, slippage: Market_market_Market_slippage_MarketSlippage | null };

export type Market_Query = { market: Market_market_Market };


export type MarketVariables = Exact<{
  base: string;
  quote: string;
  network?: string | null | undefined;
}>;


export type MarketResult = Market_Query;

export type Auction_auction_Auction = { auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, nativePrices: Array<AuctionParts_Auction_nativePrices_NativePrice>, solutions: Array<AuctionParts_Auction_solutions_Solution>, settlementAttempts: Array<AuctionParts_Auction_settlementAttempts_SettlementAttempt> };

export type Auction_Query = { auction: Auction_auction_Auction | null };


export type AuctionVariables = Exact<{
  id: number;
  network?: string | null | undefined;
}>;


export type AuctionResult = Auction_Query;

export type LatestAuction_latestAuction_Auction = { auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, nativePrices: Array<AuctionParts_Auction_nativePrices_NativePrice>, solutions: Array<AuctionParts_Auction_solutions_Solution>, settlementAttempts: Array<AuctionParts_Auction_settlementAttempts_SettlementAttempt> };

export type LatestAuction_Query = { latestAuction: LatestAuction_latestAuction_Auction | null };


export type LatestAuctionVariables = Exact<{
  network?: string | null | undefined;
}>;


export type LatestAuctionResult = LatestAuction_Query;

export type Networks_networks_Network_wrappedNative_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type Networks_networks_Network = { name: string, chainId: number, settlementContract: string, vaultRelayer: string, explorerUrl: string | null, ready: boolean, wrappedNative: Networks_networks_Network_wrappedNative_Token };

export type Networks_Query = { networks: Array<Networks_networks_Network> };


export type NetworksVariables = Exact<{ [key: string]: never; }>;


export type NetworksResult = Networks_Query;

export type Status_meta_Meta_block_IndexedBlock = { number: number, hash: string, timestamp: DateTime | null };

export type Status_meta_Meta_lag_Lag = { blocks: number | null, seconds: number | null };

export type Status_meta_Meta = { version: string, head: number | null, block: Status_meta_Meta_block_IndexedBlock | null, lag: Status_meta_Meta_lag_Lag | null };

export type Status_Query = { meta: Status_meta_Meta };


export type StatusVariables = Exact<{
  network?: string | null | undefined;
}>;


export type StatusResult = Status_Query;

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_InsufficientBalanceNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderExpiredNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderPartiallyFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PartFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PartFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PostHookFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PriceImprovementNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_ProgrammaticCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_ProgrammaticFinishedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes =
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_InsufficientBalanceNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderCancelledNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderExpiredNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderFilledNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_OrderPartiallyFilledNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PartFailedNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PartFilledNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PostHookFailedNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_PriceImprovementNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_ProgrammaticCancelledNotification
  | Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes_ProgrammaticFinishedNotification
;

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection_pageInfo_PageInfo = { hasNextPage: boolean, endCursor: string | null };

export type Notifications_account_Account_notificationHistory_NotificationHistoryConnection = { nodes: Array<Notifications_account_Account_notificationHistory_NotificationHistoryConnection_nodes>, pageInfo: Notifications_account_Account_notificationHistory_NotificationHistoryConnection_pageInfo_PageInfo };

export type Notifications_account_Account = { unreadNotifications: number, notificationHistory: Notifications_account_Account_notificationHistory_NotificationHistoryConnection };

export type Notifications_Query = { account: Notifications_account_Account };


export type NotificationsVariables = Exact<{
  account: string;
  filter?: NotificationFilter | null | undefined;
  first?: number;
  after?: string | null | undefined;
}>;


export type NotificationsResult = Notifications_Query;

export type MarkNotificationsRead_markNotificationsRead_MarkNotificationsReadPayload_account_Account = { unreadNotifications: number };

export type MarkNotificationsRead_markNotificationsRead_MarkNotificationsReadPayload = { marked: number, hasMore: boolean, account: MarkNotificationsRead_markNotificationsRead_MarkNotificationsReadPayload_account_Account };

export type MarkNotificationsRead_Mutation = { markNotificationsRead: MarkNotificationsRead_markNotificationsRead_MarkNotificationsReadPayload };


export type MarkNotificationsReadVariables = Exact<{
  input: MarkNotificationsReadInput;
}>;


export type MarkNotificationsReadResult = MarkNotificationsRead_Mutation;

export type CreateSignInChallenge_createSignInChallenge_SignInChallengePayload = { nonce: string, domain: string, uri: string, expiresAt: DateTime };

export type CreateSignInChallenge_Mutation = { createSignInChallenge: CreateSignInChallenge_createSignInChallenge_SignInChallengePayload };


export type CreateSignInChallengeVariables = Exact<{ [key: string]: never; }>;


export type CreateSignInChallengeResult = CreateSignInChallenge_Mutation;

export type SignIn_signIn_SignInPayload_account_Account = { address: string };

export type SignIn_signIn_SignInPayload = { token: string, expiresAt: DateTime, account: SignIn_signIn_SignInPayload_account_Account };

export type SignIn_Mutation = { signIn: SignIn_signIn_SignInPayload };


export type SignInVariables = Exact<{
  input: SignInInput;
}>;


export type SignInResult = SignIn_Mutation;

export type OrderProgress_orderEvents_OrderEventEntry_event_OrderEvent = { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, times: number, timestamp: DateTime, txHash: string | null };

export type OrderProgress_orderEvents_OrderEventEntry_order_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type OrderProgress_orderEvents_OrderEventEntry = { cursor: string, eventId: string | null, isRemoved: boolean, event: OrderProgress_orderEvents_OrderEventEntry_event_OrderEvent | null, order: OrderProgress_orderEvents_OrderEventEntry_order_Order };

export type OrderProgress_Subscription = { orderEvents: OrderProgress_orderEvents_OrderEventEntry };


export type OrderProgressVariables = Exact<{
  uid: string;
  after?: string | null | undefined;
}>;


export type OrderProgressResult = OrderProgress_Subscription;

export type AccountOrderEvents_orderEvents_OrderEventEntry_event_OrderEvent = { label: OrderEventLabel, reason: OrderEventReason | null, detail: string | null, source: CancellationSource | null, times: number, timestamp: DateTime, txHash: string | null };

export type AccountOrderEvents_orderEvents_OrderEventEntry_order_Order = { uid: string, owner: string, receiver: string | null, effectiveReceiver: string, status: OrderStatus, kind: OrderKind, class: OrderClass, partiallyFillable: boolean, sellAmount: Uint256, buyAmount: Uint256, executedSellAmount: Uint256, executedBuyAmount: Uint256, executedFee: Uint256, executedFraction: string, validTo: number, creationDate: DateTime, appDataHash: string, quoteId: number | null, signingScheme: SigningScheme, invalidated: boolean, sellToken: OrderParts_Order_sellToken_Token, buyToken: OrderParts_Order_buyToken_Token, network: OrderParts_Order_network_Network };

export type AccountOrderEvents_orderEvents_OrderEventEntry = { cursor: string, eventId: string | null, isRemoved: boolean, event: AccountOrderEvents_orderEvents_OrderEventEntry_event_OrderEvent | null, order: AccountOrderEvents_orderEvents_OrderEventEntry_order_Order };

export type AccountOrderEvents_Subscription = { orderEvents: AccountOrderEvents_orderEvents_OrderEventEntry };


export type AccountOrderEventsVariables = Exact<{
  account: string;
  after?: string | null | undefined;
}>;


export type AccountOrderEventsResult = AccountOrderEvents_Subscription;

export type AccountNotifications_notifications_NotificationEdge_node_InsufficientBalanceNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_OrderCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_OrderExpiredNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_OrderFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_OrderPartiallyFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_PartFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_PartFilledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_PostHookFailedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_PriceImprovementNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_ProgrammaticCancelledNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node_ProgrammaticFinishedNotification = { notificationId: string, type: NotificationType, message: string, orderUid: string, timestamp: DateTime, readAt: DateTime | null, isReverted: boolean, metadata: unknown };

export type AccountNotifications_notifications_NotificationEdge_node =
  | AccountNotifications_notifications_NotificationEdge_node_InsufficientBalanceNotification
  | AccountNotifications_notifications_NotificationEdge_node_OrderCancelledNotification
  | AccountNotifications_notifications_NotificationEdge_node_OrderExpiredNotification
  | AccountNotifications_notifications_NotificationEdge_node_OrderFilledNotification
  | AccountNotifications_notifications_NotificationEdge_node_OrderPartiallyFilledNotification
  | AccountNotifications_notifications_NotificationEdge_node_PartFailedNotification
  | AccountNotifications_notifications_NotificationEdge_node_PartFilledNotification
  | AccountNotifications_notifications_NotificationEdge_node_PostHookFailedNotification
  | AccountNotifications_notifications_NotificationEdge_node_PriceImprovementNotification
  | AccountNotifications_notifications_NotificationEdge_node_ProgrammaticCancelledNotification
  | AccountNotifications_notifications_NotificationEdge_node_ProgrammaticFinishedNotification
;

export type AccountNotifications_notifications_NotificationEdge = { cursor: string, node: AccountNotifications_notifications_NotificationEdge_node };

export type AccountNotifications_Subscription = { notifications: AccountNotifications_notifications_NotificationEdge };


export type AccountNotificationsVariables = Exact<{
  account: string;
  after?: string | null | undefined;
}>;


export type AccountNotificationsResult = AccountNotifications_Subscription;

export type AuctionResults_auctions_AuctionEntry_auction_Auction = { auctionId: number, block: number, deadline: number, orderUids: Array<string>, transactionHashes: Array<string>, nativePrices: Array<AuctionParts_Auction_nativePrices_NativePrice>, solutions: Array<AuctionParts_Auction_solutions_Solution>, settlementAttempts: Array<AuctionParts_Auction_settlementAttempts_SettlementAttempt> };

export type AuctionResults_auctions_AuctionEntry_settlementAttempt_SettlementAttempt = { solver: string, outcome: SettlementOutcome | null, detail: string | null, startBlock: number, endBlock: number | null, txHash: string | null };

export type AuctionResults_auctions_AuctionEntry = { cursor: string, auction: AuctionResults_auctions_AuctionEntry_auction_Auction, settlementAttempt: AuctionResults_auctions_AuctionEntry_settlementAttempt_SettlementAttempt | null };

export type AuctionResults_Subscription = { auctions: AuctionResults_auctions_AuctionEntry };


export type AuctionResultsVariables = Exact<{
  network?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type AuctionResultsResult = AuctionResults_Subscription;

export type BalanceUpdates_balances_BalancesUpdate_balances_TokenBalance = { state: ValueState, balance: Uint256 | null, allowance: Uint256 | null, token: BalanceParts_TokenBalance_token_Token };

export type BalanceUpdates_balances_BalancesUpdate = { block: number | null, isComplete: boolean, isAvailable: boolean, balances: Array<BalanceUpdates_balances_BalancesUpdate_balances_TokenBalance> };

export type BalanceUpdates_Subscription = { balances: BalanceUpdates_balances_BalancesUpdate };


export type BalanceUpdatesVariables = Exact<{
  account: string;
  tokens: Array<string>;
  network?: string | null | undefined;
}>;


export type BalanceUpdatesResult = BalanceUpdates_Subscription;

export type PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices_token_Token = { address: string, symbol: string | null, name: string | null, decimals: number | null };

export type PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices_usdPrice_UsdPrice = { price: string, source: string };

export type PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices = { nativePrice: string | null, nativePriceState: ValueState, usdPriceState: ValueState, token: PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices_token_Token, usdPrice: PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices_usdPrice_UsdPrice | null };

export type PriceUpdates_tokenPrices_PricesUpdate = { block: number | null, isComplete: boolean, isAvailable: boolean, prices: Array<PriceUpdates_tokenPrices_PricesUpdate_prices_TokenPrices> };

export type PriceUpdates_Subscription = { tokenPrices: PriceUpdates_tokenPrices_PricesUpdate };


export type PriceUpdatesVariables = Exact<{
  tokens: Array<string>;
  network?: string | null | undefined;
}>;


export type PriceUpdatesResult = PriceUpdates_Subscription;

export type QuoteUpdates_quotes_QuoteResponse = { quoteId: number | null, from: string, expiration: DateTime, verified: boolean, protocolFeeBps: string | null, quote: QuoteParts_QuoteResponse_quote_QuotedOrder, order: QuoteParts_QuoteResponse_order_OrderToSign, priceImpact: QuoteParts_QuoteResponse_priceImpact_PriceImpact | null, route: QuoteParts_QuoteResponse_route_QuoteRoute | null, slippage: QuoteParts_QuoteResponse_slippage_QuoteSlippage | null, warnings: Array<QuoteParts_QuoteResponse_warnings_DiagnosisReason> };

export type QuoteUpdates_Subscription = { quotes: QuoteUpdates_quotes_QuoteResponse };


export type QuoteUpdatesVariables = Exact<{
  input: QuoteInput;
  slippageBps?: number | null | undefined;
}>;


export type QuoteUpdatesResult = QuoteUpdates_Subscription;

const TokenParts = {"text":"fragment TokenParts on Token{address symbol name decimals}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TokenParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Token"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"decimals"}}]}}}
const OrderParts = {"text":"fragment OrderParts on Order{uid owner receiver effectiveReceiver status kind class partiallyFillable sellToken{...TokenParts}buyToken{...TokenParts}sellAmount buyAmount executedSellAmount executedBuyAmount executedFee executedFraction validTo creationDate appDataHash quoteId signingScheme invalidated network{name chainId settlementContract}}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"OrderParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Order"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uid"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"receiver"}},{"kind":"Field","name":{"kind":"Name","value":"effectiveReceiver"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"class"}},{"kind":"Field","name":{"kind":"Name","value":"partiallyFillable"}},{"kind":"Field","name":{"kind":"Name","value":"sellToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buyToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sellAmount"}},{"kind":"Field","name":{"kind":"Name","value":"buyAmount"}},{"kind":"Field","name":{"kind":"Name","value":"executedSellAmount"}},{"kind":"Field","name":{"kind":"Name","value":"executedBuyAmount"}},{"kind":"Field","name":{"kind":"Name","value":"executedFee"}},{"kind":"Field","name":{"kind":"Name","value":"executedFraction"}},{"kind":"Field","name":{"kind":"Name","value":"validTo"}},{"kind":"Field","name":{"kind":"Name","value":"creationDate"}},{"kind":"Field","name":{"kind":"Name","value":"appDataHash"}},{"kind":"Field","name":{"kind":"Name","value":"quoteId"}},{"kind":"Field","name":{"kind":"Name","value":"signingScheme"}},{"kind":"Field","name":{"kind":"Name","value":"invalidated"}},{"kind":"Field","name":{"kind":"Name","value":"network"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"settlementContract"}}]}}]}}}
const TradeParts = {"text":"fragment TradeParts on Trade{orderUid owner sellToken{...TokenParts}buyToken{...TokenParts}sellAmount sellAmountBeforeFees buyAmount blockNumber logIndex txHash auctionId}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TradeParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Trade"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"orderUid"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"sellToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"buyToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sellAmount"}},{"kind":"Field","name":{"kind":"Name","value":"sellAmountBeforeFees"}},{"kind":"Field","name":{"kind":"Name","value":"buyAmount"}},{"kind":"Field","name":{"kind":"Name","value":"blockNumber"}},{"kind":"Field","name":{"kind":"Name","value":"logIndex"}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}},{"kind":"Field","name":{"kind":"Name","value":"auctionId"}}]}}}
const EventParts = {"text":"fragment EventParts on OrderEvent{label reason detail source times timestamp txHash}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"OrderEvent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}},{"kind":"Field","name":{"kind":"Name","value":"source"}},{"kind":"Field","name":{"kind":"Name","value":"times"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}}]}}}
const ReasonParts = {"text":"fragment ReasonParts on DiagnosisReason{code summary advice retryable since}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ReasonParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DiagnosisReason"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"advice"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"since"}}]}}}
const NotificationParts = {"text":"fragment NotificationParts on Notification{notificationId type message orderUid timestamp readAt isReverted metadata}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notificationId"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"orderUid"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"readAt"}},{"kind":"Field","name":{"kind":"Name","value":"isReverted"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}}]}}}
const QuoteParts = {"text":"fragment QuoteParts on QuoteResponse{quoteId from expiration verified protocolFeeBps quote{appData sellAmount buyAmount feeAmount gasAmount gasPrice sellTokenPrice signingScheme}order(slippageBps:$slippageBps){uid sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount kind partiallyFillable sellTokenBalance buyTokenBalance typedData}priceImpact{share usd isNotable needsAcceptance}route{priceImpact}slippage{bps measuredBps}warnings{...ReasonParts}}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"QuoteParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"QuoteResponse"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quoteId"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"expiration"}},{"kind":"Field","name":{"kind":"Name","value":"verified"}},{"kind":"Field","name":{"kind":"Name","value":"protocolFeeBps"}},{"kind":"Field","name":{"kind":"Name","value":"quote"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appData"}},{"kind":"Field","name":{"kind":"Name","value":"sellAmount"}},{"kind":"Field","name":{"kind":"Name","value":"buyAmount"}},{"kind":"Field","name":{"kind":"Name","value":"feeAmount"}},{"kind":"Field","name":{"kind":"Name","value":"gasAmount"}},{"kind":"Field","name":{"kind":"Name","value":"gasPrice"}},{"kind":"Field","name":{"kind":"Name","value":"sellTokenPrice"}},{"kind":"Field","name":{"kind":"Name","value":"signingScheme"}}]}},{"kind":"Field","name":{"kind":"Name","value":"order"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"slippageBps"},"value":{"kind":"Variable","name":{"kind":"Name","value":"slippageBps"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uid"}},{"kind":"Field","name":{"kind":"Name","value":"sellToken"}},{"kind":"Field","name":{"kind":"Name","value":"buyToken"}},{"kind":"Field","name":{"kind":"Name","value":"receiver"}},{"kind":"Field","name":{"kind":"Name","value":"sellAmount"}},{"kind":"Field","name":{"kind":"Name","value":"buyAmount"}},{"kind":"Field","name":{"kind":"Name","value":"validTo"}},{"kind":"Field","name":{"kind":"Name","value":"appData"}},{"kind":"Field","name":{"kind":"Name","value":"feeAmount"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"partiallyFillable"}},{"kind":"Field","name":{"kind":"Name","value":"sellTokenBalance"}},{"kind":"Field","name":{"kind":"Name","value":"buyTokenBalance"}},{"kind":"Field","name":{"kind":"Name","value":"typedData"}}]}},{"kind":"Field","name":{"kind":"Name","value":"priceImpact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"share"}},{"kind":"Field","name":{"kind":"Name","value":"usd"}},{"kind":"Field","name":{"kind":"Name","value":"isNotable"}},{"kind":"Field","name":{"kind":"Name","value":"needsAcceptance"}}]}},{"kind":"Field","name":{"kind":"Name","value":"route"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceImpact"}}]}},{"kind":"Field","name":{"kind":"Name","value":"slippage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"bps"}},{"kind":"Field","name":{"kind":"Name","value":"measuredBps"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ReasonParts"}}]}}]}}}
const BalanceParts = {"text":"fragment BalanceParts on TokenBalance{token{...TokenParts}state balance allowance}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BalanceParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TokenBalance"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"balance"}},{"kind":"Field","name":{"kind":"Name","value":"allowance"}}]}}}
const AuctionParts = {"text":"fragment AuctionParts on Auction{auctionId block deadline orderUids transactionHashes nativePrices{price token{address}}solutions{solutionUid solver ranking score isWinner filteredOut txHash}settlementAttempts{solver outcome detail startBlock endBlock txHash}}","definition":{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AuctionParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Auction"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"auctionId"}},{"kind":"Field","name":{"kind":"Name","value":"block"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"orderUids"}},{"kind":"Field","name":{"kind":"Name","value":"transactionHashes"}},{"kind":"Field","name":{"kind":"Name","value":"nativePrices"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"token"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"solutions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"solutionUid"}},{"kind":"Field","name":{"kind":"Name","value":"solver"}},{"kind":"Field","name":{"kind":"Name","value":"ranking"}},{"kind":"Field","name":{"kind":"Name","value":"score"}},{"kind":"Field","name":{"kind":"Name","value":"isWinner"}},{"kind":"Field","name":{"kind":"Name","value":"filteredOut"}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}}]}},{"kind":"Field","name":{"kind":"Name","value":"settlementAttempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"solver"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}},{"kind":"Field","name":{"kind":"Name","value":"startBlock"}},{"kind":"Field","name":{"kind":"Name","value":"endBlock"}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}}]}}]}}}

/** One order: its tokens, amounts, progress and status. Null if it is not known. */
export const OrderDocument: TypedDocument<OrderResult, OrderVariables> = /* @__PURE__ */ documentOf({"text":"query Order($uid:OrderUid!){order(uid:$uid){...OrderParts}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Order"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"uid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderUid"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"order"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"uid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"uid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}}]}}}, [OrderParts, TokenParts], {"order":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}})

/** Several orders by their UIDs, at most 128. Unknown ones are left out. */
export const OrdersByUidsDocument: TypedDocument<OrdersByUidsResult, OrdersByUidsVariables> = /* @__PURE__ */ documentOf({"text":"query OrdersByUids($uids:[OrderUid!]!){ordersByUids(uids:$uids){...OrderParts}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OrdersByUids"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"uids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderUid"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ordersByUids"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"uids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"uids"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}}]}}}, [OrderParts, TokenParts], {"ordersByUids":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}})

/** Orders of an account, newest first. Pass `pageInfo.endCursor` as `after` for the next page. */
export const AccountOrdersDocument: TypedDocument<AccountOrdersResult, AccountOrdersVariables> = /* @__PURE__ */ documentOf({"text":"query AccountOrders($account:Address!$network:NetworkName$filter:OrderFilter$first:Int!=20$after:String){account(address:$account){orders(network:$network filter:$filter first:$first after:$after){nodes{...OrderParts}pageInfo{hasNextPage endCursor}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AccountOrders"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},"defaultValue":{"kind":"IntValue","value":"20"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"orders"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}}, [OrderParts, TokenParts], {"account":{"orders":{"nodes":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}}}})

/** Trades of an account, newest first. */
export const AccountTradesDocument: TypedDocument<AccountTradesResult, AccountTradesVariables> = /* @__PURE__ */ documentOf({"text":"query AccountTrades($account:Address!$network:NetworkName$first:Int!=20$after:String){account(address:$account){trades(network:$network first:$first after:$after){nodes{...TradeParts}pageInfo{hasNextPage endCursor}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AccountTrades"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},"defaultValue":{"kind":"IntValue","value":"20"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"trades"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TradeParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}}, [TradeParts, TokenParts], {"account":{"trades":{"nodes":{"sellAmount":"Uint256","sellAmountBeforeFees":"Uint256","buyAmount":"Uint256"}}}})

/** The history of one order: its events, oldest first, and its trades, newest first. */
export const OrderHistoryDocument: TypedDocument<OrderHistoryResult, OrderHistoryVariables> = /* @__PURE__ */ documentOf({"text":"query OrderHistory($uid:OrderUid!$first:Int!=100){order(uid:$uid){uid status events(first:$first){nodes{...EventParts}}trades(first:$first){nodes{...TradeParts}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OrderHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"uid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderUid"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},"defaultValue":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"order"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"uid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"uid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uid"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventParts"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"trades"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TradeParts"}}]}}]}}]}}]}}}, [EventParts, TradeParts, TokenParts], {"order":{"events":{"nodes":{"timestamp":"DateTime"}},"trades":{"nodes":{"sellAmount":"Uint256","sellAmountBeforeFees":"Uint256","buyAmount":"Uint256"}}}})

/** The reason why an order is not filled, or its end, and the advised action. */
export const OrderDiagnosisDocument: TypedDocument<OrderDiagnosisResult, OrderDiagnosisVariables> = /* @__PURE__ */ documentOf({"text":"query OrderDiagnosis($uid:OrderUid!){order(uid:$uid){uid status diagnosis{code summary advice retryable since further{...ReasonParts}}progress{stage}standing{isInAuctions reason since marketGap missing feeShare bestPrice{price{decimal}gap}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OrderDiagnosis"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"uid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderUid"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"order"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"uid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"uid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uid"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"diagnosis"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"advice"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"further"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ReasonParts"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"standing"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isInAuctions"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"marketGap"}},{"kind":"Field","name":{"kind":"Name","value":"missing"}},{"kind":"Field","name":{"kind":"Name","value":"feeShare"}},{"kind":"Field","name":{"kind":"Name","value":"bestPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gap"}}]}}]}}]}}]}}}, [ReasonParts], {"order":{"diagnosis":{"since":"DateTime","further":{"since":"DateTime"}},"standing":{"since":"DateTime","missing":"Uint256"}}})

/** The reasons that would keep an order from being placed or filled, before it is signed. */
export const ExplainOrderDocument: TypedDocument<ExplainOrderResult, ExplainOrderVariables> = /* @__PURE__ */ documentOf({"text":"query ExplainOrder($input:ExplainOrderInput!){explainOrder(input:$input){code summary advice retryable since further{...ReasonParts}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ExplainOrder"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ExplainOrderInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"explainOrder"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"advice"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"further"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ReasonParts"}}]}}]}}]}}}, [ReasonParts], {"explainOrder":{"since":"DateTime","further":{"since":"DateTime"}}})

/** A quote with the exact order to sign. `slippageBps` is 50 if it is left out. */
export const QuoteDocument: TypedDocument<QuoteResult, QuoteVariables> = /* @__PURE__ */ documentOf({"text":"mutation Quote($input:QuoteInput!$slippageBps:BasisPoints){quote(input:$input){...QuoteParts}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Quote"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QuoteInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"slippageBps"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"BasisPoints"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quote"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"QuoteParts"}}]}}]}}}, [QuoteParts, ReasonParts], {"quote":{"expiration":"DateTime","quote":{"sellAmount":"Uint256","buyAmount":"Uint256","feeAmount":"Uint256","gasAmount":"Uint256","gasPrice":"Uint256"},"order":{"sellAmount":"Uint256","buyAmount":"Uint256","feeAmount":"Uint256"},"warnings":{"since":"DateTime"}}})

/** Places a signed order. `placeOrder` signs and sends it. */
export const PlaceOrderDocument: TypedDocument<PlaceOrderResult, PlaceOrderVariables> = /* @__PURE__ */ documentOf({"text":"mutation PlaceOrder($input:PlaceOrderInput!){placeOrder(input:$input){order{...OrderParts}}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PlaceOrder"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PlaceOrderInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"placeOrder"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"order"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}}]}}]}}}, [OrderParts, TokenParts], {"placeOrder":{"order":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}}})

/** Cancels all orders of a list, or none. `cancelOrders` signs and sends it. */
export const CancelOrdersDocument: TypedDocument<CancelOrdersResult, CancelOrdersVariables> = /* @__PURE__ */ documentOf({"text":"mutation CancelOrders($input:CancelOrdersInput!){cancelOrders(input:$input){orders{...OrderParts pendingSettlements{txHash deadlineBlock}}}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelOrders"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CancelOrdersInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelOrders"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"orders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}},{"kind":"Field","name":{"kind":"Name","value":"pendingSettlements"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"txHash"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineBlock"}}]}}]}}]}}]}}}, [OrderParts, TokenParts], {"cancelOrders":{"orders":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}}})

/** Stores an app data document, so that orders can name it by its hash. */
export const UploadAppDataDocument: TypedDocument<UploadAppDataResult, UploadAppDataVariables> = /* @__PURE__ */ documentOf({"text":"mutation UploadAppData($input:UploadAppDataInput!){uploadAppData(input:$input){hash created}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UploadAppData"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UploadAppDataInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uploadAppData"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"created"}}]}}]}}}, [], {})

/** The app data document of a hash. Null if it is not known. */
export const AppDataDocument: TypedDocument<AppDataResult, AppDataVariables> = /* @__PURE__ */ documentOf({"text":"query AppData($hash:Bytes32!){appData(hash:$hash){hash document}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AppData"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hash"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Bytes32"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appData"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"hash"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hash"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"document"}}]}}]}}}, [], {})

/** Balances of an account and allowances for the vault relayer: of the named tokens, or of all it holds. */
export const BalancesDocument: TypedDocument<BalancesResult, BalancesVariables> = /* @__PURE__ */ documentOf({"text":"query Balances($account:Address!$network:NetworkName$tokens:[TokenAddress!]$first:Int!=100$after:String){account(address:$account){balances(network:$network tokens:$tokens first:$first after:$after){block nodes{...BalanceParts}pageInfo{hasNextPage endCursor}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Balances"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenAddress"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"balances"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}},{"kind":"Argument","name":{"kind":"Name","value":"tokens"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BalanceParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}}, [BalanceParts, TokenParts], {"account":{"balances":{"nodes":{"balance":"Uint256","allowance":"Uint256"}}}})

/** Tokens by address with their prices, at most 128. */
export const TokensDocument: TypedDocument<TokensResult, TokensVariables> = /* @__PURE__ */ documentOf({"text":"query Tokens($addresses:[Address!]!$network:NetworkName){tokens(addresses:$addresses network:$network){...TokenParts nativePrice usdPrice{price source asOf isStale}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Tokens"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tokens"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"addresses"},"value":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}}},{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}},{"kind":"Field","name":{"kind":"Name","value":"nativePrice"}},{"kind":"Field","name":{"kind":"Name","value":"usdPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"source"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}},{"kind":"Field","name":{"kind":"Name","value":"isStale"}}]}}]}}]}}}, [TokenParts], {"tokens":{"usdPrice":{"asOf":"DateTime"}}})

/** The market of two tokens: the price now, and how much it moves while an order waits. */
export const MarketDocument: TypedDocument<MarketResult, MarketVariables> = /* @__PURE__ */ documentOf({"text":"query Market($base:TokenAddress!$quote:TokenAddress!$network:NetworkName){market(base:$base quote:$quote network:$network){base{...TokenParts}quote{...TokenParts}spot{price}slippage{bps volatility}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Market"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"base"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenAddress"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"quote"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenAddress"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"market"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"base"},"value":{"kind":"Variable","name":{"kind":"Name","value":"base"}}},{"kind":"Argument","name":{"kind":"Name","value":"quote"},"value":{"kind":"Variable","name":{"kind":"Name","value":"quote"}}},{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"base"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"quote"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"spot"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"}}]}},{"kind":"Field","name":{"kind":"Name","value":"slippage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"bps"}},{"kind":"Field","name":{"kind":"Name","value":"volatility"}}]}}]}}]}}}, [TokenParts], {})

/** One auction with its solutions and settlements. Null if it is not known, or hidden until its deadline. */
export const AuctionDocument: TypedDocument<AuctionResult, AuctionVariables> = /* @__PURE__ */ documentOf({"text":"query Auction($id:SafeInt!$network:NetworkName){auction(id:$id network:$network){...AuctionParts}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Auction"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"auction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"AuctionParts"}}]}}]}}}, [AuctionParts], {"auction":{"nativePrices":{"price":"Uint256"},"solutions":{"score":"Uint256"}}})

/** The newest auction. */
export const LatestAuctionDocument: TypedDocument<LatestAuctionResult, LatestAuctionVariables> = /* @__PURE__ */ documentOf({"text":"query LatestAuction($network:NetworkName){latestAuction(network:$network){...AuctionParts}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LatestAuction"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"latestAuction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"AuctionParts"}}]}}]}}}, [AuctionParts], {"latestAuction":{"nativePrices":{"price":"Uint256"},"solutions":{"score":"Uint256"}}})

/** All networks with their contracts: what orders are signed for, and what sell tokens are approved to. */
export const NetworksDocument: TypedDocument<NetworksResult, NetworksVariables> = /* @__PURE__ */ documentOf({"text":"query Networks{networks{name chainId settlementContract vaultRelayer wrappedNative{...TokenParts}explorerUrl ready}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Networks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"networks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"settlementContract"}},{"kind":"Field","name":{"kind":"Name","value":"vaultRelayer"}},{"kind":"Field","name":{"kind":"Name","value":"wrappedNative"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explorerUrl"}},{"kind":"Field","name":{"kind":"Name","value":"ready"}}]}}]}}}, [TokenParts], {})

/** The newest indexed block of a network, and the lag behind the chain. */
export const StatusDocument: TypedDocument<StatusResult, StatusVariables> = /* @__PURE__ */ documentOf({"text":"query Status($network:NetworkName){meta(network:$network){version head block{number hash timestamp}lag{blocks seconds}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Status"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"head"}},{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lag"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"blocks"}},{"kind":"Field","name":{"kind":"Name","value":"seconds"}}]}}]}}]}}}, [], {"meta":{"block":{"timestamp":"DateTime"}}})

/** Notifications of an account, newest first, and the number of unread ones. */
export const NotificationsDocument: TypedDocument<NotificationsResult, NotificationsVariables> = /* @__PURE__ */ documentOf({"text":"query Notifications($account:Address!$filter:NotificationFilter$first:Int!=20$after:String){account(address:$account){unreadNotifications notificationHistory(filter:$filter first:$first after:$after){nodes{...NotificationParts}pageInfo{hasNextPage endCursor}}}}","definition":{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Notifications"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NotificationFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},"defaultValue":{"kind":"IntValue","value":"20"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unreadNotifications"}},{"kind":"Field","name":{"kind":"Name","value":"notificationHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}}, [NotificationParts], {"account":{"notificationHistory":{"nodes":{"timestamp":"DateTime","readAt":"DateTime"}}}})

/** Marks notifications as read. Needs a session of the account: send its token as `Authorization: Bearer`. */
export const MarkNotificationsReadDocument: TypedDocument<MarkNotificationsReadResult, MarkNotificationsReadVariables> = /* @__PURE__ */ documentOf({"text":"mutation MarkNotificationsRead($input:MarkNotificationsReadInput!){markNotificationsRead(input:$input){marked hasMore account{unreadNotifications}}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"MarkNotificationsRead"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"MarkNotificationsReadInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"markNotificationsRead"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"marked"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"unreadNotifications"}}]}}]}}]}}}, [], {})

/** A nonce, domain and URI for the message that proves an account (EIP-4361). */
export const CreateSignInChallengeDocument: TypedDocument<CreateSignInChallengeResult, CreateSignInChallengeVariables> = /* @__PURE__ */ documentOf({"text":"mutation CreateSignInChallenge{createSignInChallenge{nonce domain uri expiresAt}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateSignInChallenge"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createSignInChallenge"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nonce"}},{"kind":"Field","name":{"kind":"Name","value":"domain"}},{"kind":"Field","name":{"kind":"Name","value":"uri"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}}]}}]}}}, [], {"createSignInChallenge":{"expiresAt":"DateTime"}})

/** Opens a session for the account that signed the message. */
export const SignInDocument: TypedDocument<SignInResult, SignInVariables> = /* @__PURE__ */ documentOf({"text":"mutation SignIn($input:SignInInput!){signIn(input:$input){token expiresAt account{address}}}","definition":{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SignInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}}}, [], {"signIn":{"expiresAt":"DateTime"}})

/** One order now, and then each of its events. */
export const OrderProgressDocument: TypedDocument<OrderProgressResult, OrderProgressVariables> = /* @__PURE__ */ documentOf({"text":"subscription OrderProgress($uid:OrderUid!$after:String){orderEvents(uid:$uid after:$after snapshot:true){cursor eventId isRemoved event{...EventParts}order{...OrderParts}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"OrderProgress"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"uid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderUid"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"orderEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"uid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"uid"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"snapshot"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"eventId"}},{"kind":"Field","name":{"kind":"Name","value":"isRemoved"}},{"kind":"Field","name":{"kind":"Name","value":"event"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"order"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}}]}}]}}}, [EventParts, OrderParts, TokenParts], {"orderEvents":{"event":{"timestamp":"DateTime"},"order":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}}})

/** Open orders of an account now, and then each event of its orders. */
export const AccountOrderEventsDocument: TypedDocument<AccountOrderEventsResult, AccountOrderEventsVariables> = /* @__PURE__ */ documentOf({"text":"subscription AccountOrderEvents($account:Address!$after:String){orderEvents(owner:$account after:$after snapshot:true){cursor eventId isRemoved event{...EventParts}order{...OrderParts}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"AccountOrderEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"orderEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"owner"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"snapshot"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"eventId"}},{"kind":"Field","name":{"kind":"Name","value":"isRemoved"}},{"kind":"Field","name":{"kind":"Name","value":"event"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"order"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"OrderParts"}}]}}]}}]}}}, [EventParts, OrderParts, TokenParts], {"orderEvents":{"event":{"timestamp":"DateTime"},"order":{"sellAmount":"Uint256","buyAmount":"Uint256","executedSellAmount":"Uint256","executedBuyAmount":"Uint256","executedFee":"Uint256","creationDate":"DateTime"}}})

/** Notifications of an account as they are written. */
export const AccountNotificationsDocument: TypedDocument<AccountNotificationsResult, AccountNotificationsVariables> = /* @__PURE__ */ documentOf({"text":"subscription AccountNotifications($account:Address!$after:String){notifications(account:$account after:$after){cursor node{...NotificationParts}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"AccountNotifications"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"account"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationParts"}}]}}]}}]}}}, [NotificationParts], {"notifications":{"node":{"timestamp":"DateTime","readAt":"DateTime"}}})

/** Auctions of a network, and the outcomes of their settlements. */
export const AuctionResultsDocument: TypedDocument<AuctionResultsResult, AuctionResultsVariables> = /* @__PURE__ */ documentOf({"text":"subscription AuctionResults($network:NetworkName$after:String){auctions(network:$network after:$after){cursor auction{...AuctionParts}settlementAttempt{solver outcome detail startBlock endBlock txHash}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"AuctionResults"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"auctions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"auction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"AuctionParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"settlementAttempt"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"solver"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}},{"kind":"Field","name":{"kind":"Name","value":"startBlock"}},{"kind":"Field","name":{"kind":"Name","value":"endBlock"}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}}]}}]}}]}}}, [AuctionParts], {"auctions":{"auction":{"nativePrices":{"price":"Uint256"},"solutions":{"score":"Uint256"}}}})

/** Balances and allowances: all of them first, then those that change, with each block. */
export const BalanceUpdatesDocument: TypedDocument<BalanceUpdatesResult, BalanceUpdatesVariables> = /* @__PURE__ */ documentOf({"text":"subscription BalanceUpdates($account:Address!$tokens:[TokenAddress!]!$network:NetworkName){balances(account:$account tokens:$tokens network:$network){block isComplete isAvailable balances{...BalanceParts}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"BalanceUpdates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"account"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenAddress"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"balances"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"account"},"value":{"kind":"Variable","name":{"kind":"Name","value":"account"}}},{"kind":"Argument","name":{"kind":"Name","value":"tokens"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}}},{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"}},{"kind":"Field","name":{"kind":"Name","value":"isComplete"}},{"kind":"Field","name":{"kind":"Name","value":"isAvailable"}},{"kind":"Field","name":{"kind":"Name","value":"balances"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BalanceParts"}}]}}]}}]}}}, [BalanceParts, TokenParts], {"balances":{"balances":{"balance":"Uint256","allowance":"Uint256"}}})

/** Prices of tokens: all of them first, then those that change, with each block. */
export const PriceUpdatesDocument: TypedDocument<PriceUpdatesResult, PriceUpdatesVariables> = /* @__PURE__ */ documentOf({"text":"subscription PriceUpdates($tokens:[TokenAddress!]!$network:NetworkName){tokenPrices(tokens:$tokens network:$network){block isComplete isAvailable prices{token{...TokenParts}nativePrice nativePriceState usdPrice{price source}usdPriceState}}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"PriceUpdates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenAddress"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"network"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"NetworkName"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tokenPrices"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"tokens"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tokens"}}},{"kind":"Argument","name":{"kind":"Name","value":"network"},"value":{"kind":"Variable","name":{"kind":"Name","value":"network"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"}},{"kind":"Field","name":{"kind":"Name","value":"isComplete"}},{"kind":"Field","name":{"kind":"Name","value":"isAvailable"}},{"kind":"Field","name":{"kind":"Name","value":"prices"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TokenParts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nativePrice"}},{"kind":"Field","name":{"kind":"Name","value":"nativePriceState"}},{"kind":"Field","name":{"kind":"Name","value":"usdPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"source"}}]}},{"kind":"Field","name":{"kind":"Name","value":"usdPriceState"}}]}}]}}]}}}, [TokenParts], {})

/** Quotes for one order as they come in, each better than the one before. */
export const QuoteUpdatesDocument: TypedDocument<QuoteUpdatesResult, QuoteUpdatesVariables> = /* @__PURE__ */ documentOf({"text":"subscription QuoteUpdates($input:QuoteInput!$slippageBps:BasisPoints){quotes(input:$input){...QuoteParts}}","definition":{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"QuoteUpdates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"QuoteInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"slippageBps"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"BasisPoints"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quotes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"QuoteParts"}}]}}]}}}, [QuoteParts, ReasonParts], {"quotes":{"expiration":"DateTime","quote":{"sellAmount":"Uint256","buyAmount":"Uint256","feeAmount":"Uint256","gasAmount":"Uint256","gasPrice":"Uint256"},"order":{"sellAmount":"Uint256","buyAmount":"Uint256","feeAmount":"Uint256"},"warnings":{"since":"DateTime"}}})
