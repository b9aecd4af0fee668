import { listedOrder } from '../view/orders.ts'
import { listedProgrammatic } from '../view/programmatic.ts'

const notification =
  '{ notificationId type message timestamp isReverted order { uid } programmaticOrder { id } }'
const channel = 'id kind state address deliveries(first: 1) { nodes { messageId state attempts fault } }'

/** Documents of an account's page, and of the service worker. */
export const documents = {
  orders: `query ($account: Address!, $after: String) { account(address: $account) { orders(first: 5, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${listedOrder} } } } }`,
  unsignedOrders: `query ($account: Address!) { account(address: $account) { orders(first: 5, status: PRESIGNATURE_PENDING) { pageInfo { hasNextPage } nodes { ${listedOrder} } } } }`,
  programmaticOfAccount: `query ($account: Address!) {
    account(address: $account) { programmaticOrders(first: 5) { pageInfo { hasNextPage } nodes { ${listedProgrammatic} } } }
    programmaticOrders(owner: $account, first: 5) { pageInfo { hasNextPage } nodes { ${listedProgrammatic} } }
  }`,
  openOrders:
    'query ($account: Address!, $network: NetworkName!) { account(address: $account) { orders(first: 50, network: $network, filter: { statuses: [OPEN, PRESIGNATURE_PENDING] }) { pageInfo { hasNextPage } nodes { kind sellAmount buyAmount feeAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount onchainUser sellToken { address } } } } }',
  balances:
    'query ($account: Address!, $network: NetworkName!, $tokens: [TokenAddress!]) { coin: token(address: "-", network: $network) { address symbol decimals } account(address: $account) { balances(network: $network, tokens: $tokens, held: true, first: 20) { pageInfo { hasNextPage } nodes { balance allowance token { address symbol decimals } } } } }',
  // Apart: an order book that the network follows may be away.
  surplus:
    'query ($account: Address!, $network: NetworkName!) { account(address: $account) { totalSurplus(network: $network) isTotalSurplusComplete(network: $network) } }',
  // Apart: the sources of prices may be away.
  balanceValues:
    'query ($account: Address!, $network: NetworkName!, $tokens: [TokenAddress!]!) { account(address: $account) { balances(network: $network, tokens: $tokens, first: 20) { nodes { usdValue token { address } } } } }',
  orderReasons:
    'query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid diagnosis { code summary further { code summary } } } }',
  contracts: 'query { networks { name vaultRelayer settlementContract } }',
  feed: `query ($account: Address!, $before: String) { notifications(account: $account, last: 50, before: $before) { cursor pageInfo { hasPreviousPage startCursor } nodes ${notification} } }`,
  follow: `subscription ($account: Address!, $after: String) { notifications(account: $account, after: $after) { node ${notification} } }`,
  service: 'query { enabledChannelKinds pushPublicKey networks { chainId } }',
  challenge: 'mutation { createSignInChallenge { nonce domain uri } }',
  signIn: 'mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt } }',
  signOut: 'mutation { signOut { sessions } }',
  channels: `query ($account: Address!) { channelSubscriptions(account: $account) { ${channel} } }`,
  subscribe:
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret confirmationLink channel { id state } } }',
  test: 'mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }',
  unsubscribe: 'mutation ($input: ChannelInput!) { unsubscribeChannel(input: $input) { id } }',
  confirm: 'mutation ($input: ConfirmChannelInput!) { confirmChannel(input: $input) { channel { id } } }',
} as const
