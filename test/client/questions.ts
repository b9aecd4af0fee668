import type { AnyDocument } from '../../src/client/package.ts'
import type { World } from '../setup/world.ts'
import type { ClientPackage } from './killed-stream.ts'

type DocumentName = Extract<keyof ClientPackage, `${string}Document`>

/** Documents that need a signature or a session: test/client/trading.test.ts sends them. */
type Signed =
  | 'PlaceOrderDocument'
  | 'CancelOrdersDocument'
  | 'SignInDocument'
  | 'MarkNotificationsReadDocument'

/** Variables of each document: one that has none here does not compile. */
export function questionsOf(
  { market }: World,
  uid: string,
): Record<Exclude<DocumentName, Signed>, Record<string, unknown>> {
  const { WETH, USDC } = market.tokens
  const account = market.accounts[0]?.address ?? ''
  const [base, quote] = [WETH.address, USDC.address]
  const input = { from: account, sellToken: base, buyToken: quote, amount: { sellBeforeFee: 10n ** 17n } }
  const order = {
    sellToken: base,
    buyToken: quote,
    sellAmount: 10n ** 17n,
    buyAmount: 1n,
    feeAmount: 0n,
    kind: 'SELL',
    partiallyFillable: false,
    appData: '{}',
    from: account,
    signingScheme: 'EIP712',
    validTo: Math.floor(Date.now() / 1_000) + 600,
  }
  return {
    // Before the document is read.
    UploadAppDataDocument: { input: { document: '{}' } },
    AccountNotificationsDocument: { account },
    AccountOrderEventsDocument: { account },
    AccountOrdersDocument: { account, filter: { statuses: ['FULFILLED'], createdFrom: new Date(0) } },
    AccountTradesDocument: { account },
    AppDataDocument: { hash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d' },
    AuctionDocument: { id: 1 },
    AuctionResultsDocument: {},
    BalanceUpdatesDocument: { account, tokens: [base] },
    BalancesDocument: { account, tokens: [base, quote] },
    CreateSignInChallengeDocument: {},
    ExplainOrderDocument: { input: order },
    LatestAuctionDocument: {},
    MarketDocument: { base, quote },
    NetworksDocument: {},
    NotificationsDocument: { account },
    OrderDiagnosisDocument: { uid },
    OrderDocument: { uid },
    OrderHistoryDocument: { uid },
    OrderProgressDocument: { uid },
    OrdersByUidsDocument: { uids: [uid] },
    PriceUpdatesDocument: { tokens: [base] },
    QuoteDocument: { input },
    QuoteUpdatesDocument: { input },
    StatusDocument: {},
    TokensDocument: { addresses: [base, quote] },
  }
}

/** Asks a question, and returns the first result: of a feed, its first entry. */
export async function ask(
  { createClient, subscribe, ...documents }: ClientPackage,
  url: string,
  name: keyof ReturnType<typeof questionsOf>,
  variables: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const client = createClient({ url, scalars: 'native' })
  const document = documents[name] as AnyDocument<Record<string, unknown>, Record<string, unknown>>
  const [{ operation }] = documents[name].definitions as [{ operation: string }]
  if (operation === 'query') return client.query(document, variables)
  if (operation === 'mutation') return client.mutate(document, variables)
  const options = /Notifications|Auction|OrderEvents|OrderProgress/.test(name) ? { after: 'earliest' } : {}
  for await (const result of subscribe(client, document, variables, options)) return result
  throw new Error(`${name} has ended`)
}
