import { programmaticDocument } from '../../../../domain/search/programmatic.ts'
import { tokensDocument } from '../../../../domain/search/tokens.ts'
import { listedOrder } from '../view/orders.ts'
import { listedProgrammatic } from '../view/programmatic.ts'

/** Documents of the first page. */
export const documents = {
  home: 'query { version networks { name isTest chainId ready explorerUrl vaultRelayer settlementContract } }',
  pulse:
    'query ($network: NetworkName!) { meta(network: $network) { block { number timestamp } lag { blocks seconds } } latestAuction(network: $network) { auctionId block } }',
  newest: `query ($first: Int) { programmaticOrders(first: $first) { nodes { ${listedProgrammatic} } } orders(first: $first) { nodes { ${listedOrder} network { name } } } trades(first: $first) { nodes { orderUid blockNumber logIndex timestamp auctionId sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } order { network { name } } } } }`,
  newestOfNetwork:
    'query ($network: NetworkName!, $first: Int) { coin: token(address: "-", network: $network) { symbol decimals } auctions(network: $network, first: $first) { nodes { auctionId block deadline orderUids transactionHashes network { name } } } network(name: $network) { name tokens(first: $first) { nodes { address symbol name decimals lastAuctionPrice } } } }',
  transaction:
    'query ($hash: Bytes32!, $network: NetworkName!) { settlementsOfTransaction(hash: $hash, network: $network) { auctionId } transactionOrders(hash: $hash, network: $network) { uid sellToken { symbol } buyToken { symbol } } programmaticOrders(txHash: $hash, network: $network, first: 20) { nodes { id hash owner } } }',
  programmaticOfHash: programmaticDocument,
  isToken:
    'query ($address: TokenAddress!, $network: NetworkName!) { token(address: $address, network: $network) { address } }',
  tokens: tokensDocument,
} as const
