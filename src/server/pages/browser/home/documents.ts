/** Documents of the first page. */
export const documents = {
  home: 'query { version networks { name chainId ready explorerUrl vaultRelayer settlementContract } }',
  pulse:
    'query ($network: NetworkName!) { meta(network: $network) { block { number timestamp } lag { blocks seconds } } latestAuction(network: $network) { auctionId block } }',
  transaction:
    'query ($hash: Bytes32!, $network: NetworkName!) { settlementsOfTransaction(hash: $hash, network: $network) { auctionId } transactionOrders(hash: $hash, network: $network) { uid sellToken { symbol } buyToken { symbol } } }',
  isToken:
    'query ($address: TokenAddress!, $network: NetworkName!) { token(address: $address, network: $network) { address } }',
} as const
