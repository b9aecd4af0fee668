/** Groups of operations, in the order in which they are shown. */
export const tags = {
  Quotes: 'What an order would trade for.',
  Orders: 'Signed orders: placed, read, cancelled.',
  Trades: 'What was traded on chain.',
  'App data': 'Documents that orders carry by their hash.',
  Competitions: 'Solutions that solvers proposed, and the winners.',
  Market: 'Native prices and surplus, as the auctions see them; how much prices move.',
  Networks: 'Whether and in which version a network is served.',
  Accounts: 'Notifications of an account.',
  Channels: 'Where an account wants its notifications sent.',
  Sessions: 'Proof of an account, by a signed message (EIP-4361).',
  'Token data': 'USD prices, holders and metadata of tokens.',
  Pools: 'Value, volume and yield of pools.',
  Simulations: 'What would become of transactions.',
  Affiliates: 'Affiliate codes, each bound to a wallet for good.',
  Statistics: 'What affiliates and their traders have done.',
} as const

export type Tag = keyof typeof tags
