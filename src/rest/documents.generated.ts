// Made from the documents of the REST rows by `npm run codegen`.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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

export type Eligibility =
  | 'before_binding'
  | 'eligible'
  | 'not_bound'
  | 'no_dollar_value'
  | 'other_code'
  | 'time_cap_reached'
  | 'volume_cap_reached';

export type OrderKind =
  | 'buy'
  | 'sell';

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

export type SellTokenSource =
  | 'erc20'
  | 'external'
  | 'internal';

export type SetAffiliateEnabledInput = {
  code: string;
  enabled: boolean;
};

export type SigningScheme =
  | 'eip712'
  | 'eip1271'
  | 'ethsign'
  | 'presign';

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

export type UploadAppDataInput = {
  document: string;
  hash?: string | null | undefined;
};

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

export type PostApiV1QuoteVariables = Exact<{
  input: QuoteInput;
}>;


export type PostApiV1QuoteResult = { quote: { from: string, expiration: string, verified: boolean, protocolFeeBps: string | null, id: number | null, quote: { receiver: string | null, sellAmount: string, buyAmount: string, feeAmount: string, validTo: number, appData: string, appDataHash: string, gasAmount: string, gasPrice: string, sellTokenPrice: string, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, signingScheme: SigningScheme, sellToken: { address: string }, buyToken: { address: string } } } };

export type PostApiV1QuoteStreamVariables = Exact<{
  input: QuoteInput;
}>;


export type PostApiV1QuoteStreamResult = { quotes: { from: string, expiration: string, verified: boolean, protocolFeeBps: string | null, id: number | null, quote: { receiver: string | null, sellAmount: string, buyAmount: string, feeAmount: string, validTo: number, appData: string, appDataHash: string, gasAmount: string, gasPrice: string, sellTokenPrice: string, kind: OrderKind, partiallyFillable: boolean, sellTokenBalance: SellTokenSource, buyTokenBalance: BuyTokenDestination, signingScheme: SigningScheme, sellToken: { address: string }, buyToken: { address: string } } } };

export type PostApiV1OrdersVariables = Exact<{
  input: PlaceOrderInput;
}>;


export type PostApiV1OrdersResult = { placeOrder: { order: { uid: string } } };

export type DeleteApiV1OrdersVariables = Exact<{
  input: CancelOrdersInput;
}>;


export type DeleteApiV1OrdersResult = { cancelOrders: { orders: Array<{ uid: string, pendingSettlements: Array<{ txHash: string }> }> } };

export type DeleteApiV1OrdersUidVariables = Exact<{
  input: CancelOrderInput;
}>;


export type DeleteApiV1OrdersUidResult = { cancelOrder: { order: { uid: string, pendingSettlements: Array<{ txHash: string }> } } };

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

/** What a document gives and takes, by its text. */
export interface Documents {
  "query ($network: NetworkName!, $uid: OrderUid!, $blockNumber: SafeInt) {\n      network(name: $network) { chainId }\n      order(uid: $uid, network: $network) {\n        simulation(blockNumber: $blockNumber) { error block from to input gas stateOverrides }\n      }\n    }": { result: GetApiV1DebugSimulationUidResult; variables: GetApiV1DebugSimulationUidVariables }
  "query ($network: NetworkName!, $input: SimulateOrderInput!) {\n      network(name: $network) { chainId }\n      simulateOrder(input: $input) { error block from to input gas stateOverrides }\n    }": { result: PostApiV1DebugSimulationResult; variables: PostApiV1DebugSimulationVariables }
  "mutation ($input: QuoteInput!) { quote(input: $input) { \n  quote {\n    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash\n    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme\n  }\n  from expiration id: quoteId verified protocolFeeBps\n } }": { result: PostApiV1QuoteResult; variables: PostApiV1QuoteVariables }
  "subscription ($input: QuoteInput!) { quotes(input: $input) { \n  quote {\n    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash\n    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme\n  }\n  from expiration id: quoteId verified protocolFeeBps\n } }": { result: PostApiV1QuoteStreamResult; variables: PostApiV1QuoteStreamVariables }
  "mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }": { result: PostApiV1OrdersResult; variables: PostApiV1OrdersVariables }
  "mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid pendingSettlements { txHash } } } }": { result: DeleteApiV1OrdersResult; variables: DeleteApiV1OrdersVariables }
  "mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { order { uid pendingSettlements { txHash } } } }": { result: DeleteApiV1OrdersUidResult; variables: DeleteApiV1OrdersUidVariables }
  "query ($hash: Bytes32!) { appData(hash: $hash) { fullAppData: document } }": { result: GetApiV1AppDataHashResult; variables: GetApiV1AppDataHashVariables }
  "mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { hash created } }": { result: PutApiV1AppDataHashResult; variables: PutApiV1AppDataHashVariables }
  "query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { nativePrice } }": { result: GetApiV1TokenTokenNativePriceResult; variables: GetApiV1TokenTokenNativePriceVariables }
  "query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { firstTradeBlock nativePrice: lastAuctionPrice } }": { result: GetApiV1TokenTokenMetadataResult; variables: GetApiV1TokenTokenMetadataVariables }
  "query ($network: NetworkName!, $user: Address!) {\n      account(address: $user) { totalSurplus(network: $network) }\n    }": { result: GetApiV1UsersUserTotalSurplusResult; variables: GetApiV1UsersUserTotalSurplusVariables }
  "query ($network: NetworkName!) { network(name: $network) { ready } }": { result: GetApiV1ReadyResult; variables: GetApiV1ReadyVariables }
  "{ version }": { result: GetApiV1VersionResult; variables: GetApiV1VersionVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { usdPrice { price age maxAge isStale } } }": { result: GetNetworkTokensTokenUsdPriceResult; variables: GetNetworkTokensTokenUsdPriceVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { holders(first: 100) { age maxAge isStale nodes { address balance } } } }": { result: GetNetworkTokensTokenTopHoldersResult; variables: GetNetworkTokensTokenTopHoldersVariables }
  "query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { address symbol name decimals } }": { result: GetNetworkTokensTokenDetailsResult; variables: GetNetworkTokensTokenDetailsVariables }
  "mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { code createdAt } } }": { result: PostAffiliateWalletResult; variables: PostAffiliateWalletVariables }
  "query ($wallet: Address!) {\n      affiliate(wallet: $wallet) {\n        code createdAt rewardAmount triggerVolume timeCapDays volumeCap\n        revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct\n      }\n    }": { result: GetAffiliateWalletResult; variables: GetAffiliateWalletVariables }
  "query ($code: String!) { referralCode(code: $code) { code traderRewardAmount triggerVolume timeCapDays volumeCap } }": { result: GetRefCodesCodeResult; variables: GetRefCodesCodeVariables }
  "mutation ($input: SetAffiliateEnabledInput!) {\n      setAffiliateEnabled(input: $input) { affiliate { code enabled } }\n    }": { result: PutRefCodesCodeResult; variables: PutRefCodesCodeVariables }
  "query ($address: Address!) { affiliateStatistics(wallet: $address) { wallet code totalVolume triggerVolume totalEarned paidOut nextPayout leftToNextReward\n  activeTraders totalTraders computedAt } }": { result: GetAffiliateAffiliateStatsAddressResult; variables: GetAffiliateAffiliateStatsAddressVariables }
  "query ($address: Address!) { traderStatistics(account: $address) { account boundCode linkedSince rewardsEnd eligibleVolume leftToNextReward triggerVolume\n  totalEarned paidOut nextPayout computedAt } }": { result: GetAffiliateTraderStatsAddressResult; variables: GetAffiliateTraderStatsAddressVariables }
  "query ($address: Address!) { traderActivity(account: $address, first: 50) { computedAt nodes {\n  chainId time code boundCode usdValue eligibleVolume eligibility isBoundToCode isEligible\n  trade { txHash orderUid owner sellToken { address symbol decimals } buyToken { address symbol decimals } sellAmount buyAmount }\n} } }": { result: GetAffiliateTraderActivityAddressResult; variables: GetAffiliateTraderActivityAddressVariables }
}
