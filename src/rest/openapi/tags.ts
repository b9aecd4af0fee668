/** Groups of operations, in the order in which they are shown. */
export const tags = {
  Quotes: 'What an order would trade for.',
  Orders: 'Signed orders: placed, read, cancelled.',
  Trades: 'What was traded on chain.',
  'App data': 'Documents that orders carry by their hash.',
  Competitions: 'What solvers proposed, and who won.',
  Market: 'Native prices and surplus, as the auctions see them.',
  Networks: 'Whether and in which version a network is served.',
  Accounts: 'What an account is told.',
  'Token data': 'USD prices, holders and metadata of tokens.',
  Affiliates: 'Affiliate codes, each bound to a wallet for good.',
  Statistics: 'What affiliates and their traders have done.',
} as const

export type Tag = keyof typeof tags
