/** Documents of a token's page. Data of different sources is requested apart: one of them may be away. */
export const documents = {
  tokenNetworks:
    'query { networks { name isTest explorerUrl vaultRelayer settlementContract wrappedNative { address symbol } } }',
  token:
    'query ($address: TokenAddress!, $network: NetworkName!) { coin: token(address: "-", network: $network) { address symbol decimals } token(address: $address, network: $network) { address symbol name decimals firstTradeBlock lastAuctionPrice } traded: network(name: $network) { tokens(first: 4) { nodes { address symbol } } } }',
  tokenHistory:
    'query ($address: TokenAddress!, $network: NetworkName!, $interval: PriceInterval!) { token(address: $address, network: $network) { priceHistory(interval: $interval) { source points { at price } } } }',
  tokenHolders:
    'query ($address: TokenAddress!, $network: NetworkName!) { token(address: $address, network: $network) { holders(first: 10) { source nodes { address balance } } } }',
  poolsAt:
    'query ($addresses: [Address!]!, $network: NetworkName!) { network(name: $network) { pools(addresses: $addresses, first: 10) { nodes { address token0 { address symbol } token1 { address symbol } } } } }',
  followPrices:
    'subscription ($tokens: [TokenAddress!]!, $network: NetworkName!) { tokenPrices(tokens: $tokens, network: $network) { isAvailable prices { nativePrice nativePriceState usdPrice { price source } usdPriceState } } }',
} as const
