import { stemOf, stopWords } from '../errors/find-errors.ts'
import { asking } from './order-question.ts'
import { respelt } from './spelling.ts'

/** A common question in words, with a short answer. */
export interface Topic {
  title: string
  text: string
  /** The page of the documentation that has more. */
  page?: string
  /** The page of the service that lists the subject. */
  list?: 'orders' | 'trades' | 'auctions' | 'tokens' | 'programmatic-orders'
  /** True if the contract that takes sell tokens belongs to the answer. */
  approves?: boolean
  /** True if the page of an order or an account has the rest of the answer. */
  asksOrder?: boolean
}

/**
 * @param phrases words that ask for the topic, separated by commas
 * @param others words that may stand next to them
 */
const topic = (phrases: string, others: string, row: Topic) => ({ phrases, others, row })

const orders = 'reference/orders.md'
const quotes = 'reference/quotes.md'
const searchPage = 'how-to/order-page.md'

const rows = [
  topic(
    'slippage, slippage tolerance, price tolerance',
    'max percent default auto set setting best high low increase lower raise reduce adjust',
    {
      title: 'Slippage',
      text: 'Slippage is how much worse than the quoted price you let the trade be. It is part of the limit that you sign: the order is filled at that limit or better, or not at all. You choose it in the wallet or page where you trade; without a choice a quote takes 0.5 %.',
      page: quotes,
    },
  ),
  topic(
    'fee, cost, charge, commission, free, how much does it cost, network fee, protocol fee, partner fee',
    'pay paid high low expensive charged hidden service network gas gets use',
    {
      title: 'Fees',
      text: 'The fees come out of the trade: the network fee pays for its gas, and the service and the application may each take a share. Your limit counts after all fees, so you never get less than you signed for. An order that is placed by a signature and not filled costs nothing.',
      page: orders,
    },
  ),
  topic(
    'gas, gas fee, gas price, gas cost, who pays gas, gasless',
    'pay paid high low expensive free eth coin cost fee price network',
    {
      title: 'Gas',
      text: 'An order that is placed by a signature costs no gas: the solver that settles the trade pays it, and the network fee of the trade covers it. You pay gas yourself to approve a token, to wrap coins, to sell the chain’s own coin, and to sign or cancel on chain, as some smart wallets do.',
      page: orders,
    },
  ),
  topic(
    'how long, how fast, how quickly, how many minutes, when will, duration, speed, how soon, eta',
    'usually order swap trade filled fill slow fast completed settle settled settlement until expire expiry',
    {
      title: 'How long it takes',
      text: 'Programs compete to fill orders in an auction every few seconds. An order that the market can fill is usually filled by one of the next auctions, and its transaction then has to get into a block. An order with a limit that the market does not meet waits until it does, or until the order expires.',
      page: 'explanation/life-of-an-order.md',
      asksOrder: true,
    },
  ),
  topic(
    'cancel, cancellation, undo, stop my order, revert my order, take back',
    'free cost gas fee chain all',
    {
      title: 'Cancelling an order',
      text: 'Cancel it on the page of the order, with the wallet of its account, or where you placed it. For an order that was placed by a signature that is another signature, and costs no gas. An order that was signed or placed on chain, as by a smart wallet or to sell the chain’s own coin, is cancelled by a transaction. If a trade is already on its way to the chain, it may still be filled.',
      page: orders,
      asksOrder: true,
    },
  ),
  topic(
    'approve, approval, allowance, approving, permission, token approval, unlimited approval, revoke, spender, vault relayer, permit',
    'contract limit unlimited infinite safe need why token spending address',
    {
      title: 'Approvals',
      text: 'Before a token can be sold, its account approves the vault relayer for it: the contract that takes the token when an order is filled. It takes tokens only for orders that the account has signed. An approval is a transaction of your own and costs gas. You can lower or revoke it in your wallet; an open order then cannot be filled.',
      page: 'glossary.md',
      approves: true,
    },
  ),
  topic(
    'minimum received, min received, minimum receive, minimum amount received, minimum output, at least, guaranteed amount',
    'amount token less expected',
    {
      title: 'Minimum received',
      text: 'It is the minimum that a sell order takes in return, after all fees. It is signed with the order: a trade gives that much or more, or does not happen.',
      page: quotes,
    },
  ),
  topic(
    'less than expected, received less, got less, wrong amount, different amount',
    'expected quote quoted price amount tokens why',
    {
      title: 'You got less than the quote said',
      text: 'A quote is an estimate. The limit that you signed is what counts: a trade gives that much or more. The page of the order shows the limit, the trade and the fees.',
      asksOrder: true,
    },
  ),
  topic(
    'partially filled, partial fill, partly filled, partially fillable, partial, partially',
    'rest remaining fill filled order',
    {
      title: 'Partly filled orders',
      text: 'An order that allows parts may be filled by several trades. The traded part is final; the rest stays open until it is filled, cancelled or expires. Orders that do not allow parts are filled whole or not at all.',
      page: 'glossary.md',
      asksOrder: true,
    },
  ),
  topic(
    'expired, expiry, expiration, expires, deadline, valid to, valid until, good till',
    'order time limit long why swap',
    {
      title: 'Expiry',
      text: 'Each order has a time, signed with it, after which nothing of it is traded. The filled part stays; the rest was never sold. To trade it, place a new order. An expired order of a token need not be cancelled. One that sold the chain’s own coin has left the rest with a contract: search for “refund”.',
      page: orders,
      asksOrder: true,
    },
  ),
  topic('limit price, limit order, limit orders, limit', 'price order set place create how market far', {
    title: 'Limit price',
    text: 'The limit is the worst price that you accept, signed with the order. Every order here has one. The order is filled at this price or better, after all fees, or it waits until it expires. Until then nothing is sold.',
    page: 'glossary.md',
  }),
  topic('market order, market price', 'place price order', {
    title: 'Market price',
    text: 'Every order has a limit. An order at the market’s price is one whose limit is a little below the quote, by the slippage. The page of an order shows its limit and the market’s price since it was placed.',
    page: 'glossary.md',
    asksOrder: true,
  }),
  topic('surplus, price improvement, better price', 'trade order got', {
    title: 'Surplus',
    text: 'Surplus is what a trade gives you beyond the limit that you signed. Solvers compete for it, and it is yours; the service may take a share of it as a fee.',
    page: 'glossary.md',
  }),
  topic(
    'mev, front run, frontrun, front running, frontrunning, sandwich, sandwiched, sandwich attack',
    'protection protected protect attack bot bots against',
    {
      title: 'MEV and front-running',
      text: 'Your signed limit is enforced by the settlement contract: no trade gives you less, whatever others do. Orders are settled in batches at one price for each token, and solvers compete to give more. An order itself is public, and a settlement may be seen before it is in a block, unless the network is set up with a private endpoint.',
      page: 'explanation/life-of-an-order.md',
    },
  ),
  topic(
    'refund, refunded, money back, get back my eth, paid back, return my coins',
    'order eth coins expired expire when',
    {
      title: 'Refunds',
      text: 'An order to sell a token takes nothing until it is filled, so there is nothing to refund. An order to sell the chain’s own coin, such as ETH, gives the coins to a contract first. The unsold coins come back after the order has expired, where the service pays refunds, or when you cancel the order on chain with the wallet that placed it. A trade that happened is final.',
      page: orders,
      asksOrder: true,
    },
  ),
  topic(
    'wrap, unwrap, wrapping, unwrapping, wrap eth, unwrap weth',
    'eth weth ether native coin into back need why',
    {
      title: 'Wrapped coins',
      text: 'The chain’s own coin, such as ETH, is no token. Its wrapped form, such as WETH, is: one for one, exchanged by a contract of its own, without an order. A signed order sells the wrapped form; it can buy the coin itself.',
      page: orders,
    },
  ),
  topic(
    'native coin, native token, native currency, sell eth, sell native, swap eth, chain coin, eth flow, ethflow',
    'ether coin currency directly can',
    {
      title: 'The chain’s own coin',
      text: 'An order can buy the chain’s own coin, such as ETH. A signed order cannot sell it: wrap it first, or place the order on chain, where the network has a contract for that. That contract holds the coins until the order is filled, cancelled or refunded.',
      page: orders,
    },
  ),
  topic(
    'where are my token, where is my token, where are my coin, where is my money, where are my fund, where did my money go, lost token, missing token, tokens not arrived, did not receive, not received, not showing',
    'bought wallet yet swap balance gone',
    {
      title: 'Where your tokens are',
      text: 'Until an order is filled, its sell tokens stay in your account. When it is filled, its buy tokens go to the receiver in the same transaction: your account, unless the order names another. The page of the order shows its trades. If a wallet does not show a token, add the token’s address to it. Coins of an order that sells the chain’s own coin are held by a contract until then.',
      asksOrder: true,
    },
  ),
  topic(
    'safe, scam, secure, trustworthy, legit, is it safe, custody, custodial, audit, audited, steal, stolen, hacked, hack, trust, private key, seed phrase, recovery phrase',
    'use site page service contract money approve funds forgot',
    {
      title: 'Is it safe?',
      text: 'The service does not hold your tokens. They leave your account only for an order that you signed, and never below its limit: the settlement contract enforces that. An approved vault relayer takes tokens for such orders only. Check what the wallet shows before you sign, and compare the addresses of tokens: anyone can give a token any name. No one needs your private key or recovery phrase.',
      page: 'glossary.md',
    },
  ),
  topic(
    'how to swap, how do i swap, how can i swap, how to trade, how do i trade, how to buy, how do i buy, how to sell, how do i sell, how does it work, how does this work, what is this, place an order, start trading',
    'here new order token',
    {
      title: 'How trading works',
      text: 'You sign an order in a wallet, or on a page that uses this service: what you sell, the minimum that you take for it, and until when. Solvers then compete to fill it in an auction every few seconds. It is filled at its limit or better, or not at all. This page explains orders; it places none.',
      page: 'explanation/life-of-an-order.md',
    },
  ),
  topic(
    'minimum order size, minimum order, minimum amount, smallest order, smallest amount, minimum trade, order too small, amount too small, order to small, amount to small',
    'size small value buy sell',
    {
      title: 'Smallest amount',
      text: 'No fixed minimum is set. The tokens that an order sells must be worth more than the fee of the network for its trade, which depends on the price of gas. The page of an order says if it is too small.',
      page: orders,
      asksOrder: true,
    },
  ),
  topic('solver, solvers', 'fill list names run own new', {
    title: 'Solvers',
    text: 'Solvers are programs that look for the best trade for all open orders at once, in every auction. The one whose solution is worth the most settles it on chain. The page of an order lists the offers for it. To run one, ask the operator of the service to add it.',
    page: 'how-to/write-a-solver.md',
  }),
  topic('auctions, auction', 'batch list latest recent number work', {
    title: 'Auctions',
    text: 'An auction takes place every few seconds: it offers all orders that can be filled to the solvers, and the best solutions win. Each network numbers its own. To see one, search for its number, such as #97.',
    page: 'glossary.md',
    list: 'auctions',
  }),
  topic(
    'open order, filled order, all order, recent order, newest order, latest order, list of order, order list, order book, order history',
    'show see where status usdc weth',
    {
      title: 'Lists of orders',
      text: 'The list of orders has the newest first, with filters by status, account and pair. The orders of one account are on its page too: search for its address.',
      list: 'orders',
    },
  ),
  topic(
    'recent trade, newest trade, latest trade, all trade, list of trade, trade list, trade history',
    'show see where',
    {
      title: 'Lists of trades',
      text: 'The list of trades has the newest first, of all accounts or of one. The page of an order has its own trades.',
      list: 'trades',
    },
  ),
  topic(
    'which token, what token, all token, token list, list of token, supported token, available token',
    'can trade swap buy sell show here support',
    {
      title: 'Tokens',
      text: 'The list of tokens has those that the service has read, with their prices, the most traded first. Any token can be traded to which a market leads: a quote shows whether one does.',
      list: 'tokens',
    },
  ),
  topic('price impact', 'high large', {
    title: 'Price impact',
    text: 'A large trade moves the market: the more is sold at once, the worse the price. Trade less at once, or sign a limit and let the order wait.',
    page: quotes,
  }),
  topic(
    'smart wallet, smart account, multisig, gnosis safe, safe wallet, presign, presignature, pre signature, waiting for signature, waits for a signature, contract wallet, eip1271',
    'sign signed order use with safe pending stuck',
    {
      title: 'Smart wallets',
      text: 'A smart wallet, such as a Safe, signs by its contract, or by a transaction that its owners confirm and execute: until then its order waits and cannot be filled. A signature that its contract does not accept is refused (InvalidEip1271Signature).',
      page: orders,
      asksOrder: true,
    },
  ),
  topic(
    'programmatic order, programmatic, twap, dca, dollar cost averaging, time weighted average price, stop loss, stoploss, take profit, conditional order, conditional orders, recurring order, scheduled order, composable cow, composablecow, good after time, trade above threshold',
    'order part parts sell buy set place create list show all my safe wallet cancel how',
    {
      title: 'Programmatic orders',
      text: 'A contract wallet, such as a Safe, authorises a programmatic order once, and a contract makes its parts later: a TWAP sells in equal parts over time, a stop loss sells once a price has fallen. Each part is an order with a limit of its own. The page of a programmatic order has its parts, and why the next one is not placed; the page of the account lists its programmatic orders. Its owner ends it by a transaction (remove).',
      page: 'how-to/programmatic-orders.md',
      list: 'programmatic-orders',
    },
  ),
  topic(
    'notification, notify, notifications, alert, alerts, email, e mail, telegram, webhook, push, unsubscribe',
    'get set order filled stop message',
    {
      title: 'Notifications',
      text: 'The page of your account lists what happened to its orders. Sign in there to have it sent to you as well, in the ways that this service has switched on. Each message has a way to end it.',
      page: 'how-to/account-page.md',
    },
  ),
  topic('hook, pre hook, post hook, hooks', 'fail gas', {
    title: 'Hooks',
    text: 'A hook is a call that an order has run before its first fill, or after each fill. A hook that fails does not undo the trade; the page of the order says how each one went.',
    page: 'glossary.md',
  }),
  topic(
    'supported network, which network, what network, supported chain, which chain, what chain, networks, all chains, testnet, test network, bridge, cross chain, other chain',
    'supported support available list swap order token cheapest',
    {
      title: 'Networks',
      text: 'The first page lists the networks of this service, each with its state, and marks test networks, where tokens have no value. An order is for one network only: choose that one in the wallet. Tokens are not moved between networks here.',
    },
  ),
  topic('support, contact, help, customer service, complaint', 'team human chat live email phone', {
    title: 'Help',
    text: 'Search for your order, your account or the text of an error: the page says what is wrong and what to do. A fault of the wallet is for its makers, one of the service for the operator. No one who helps you needs your private key or recovery phrase.',
    page: searchPage,
    asksOrder: true,
  }),
  topic(
    'api, graphql, documentation, docs, rest api, sdk, developer, developers, api key, subscription, subscriptions, stream, streams, websocket, endpoint',
    'use url reference live events query',
    {
      title: 'Interfaces for programs',
      text: 'The service has GraphQL at /graphql, with subscriptions for changes, and REST, described at /docs. The documentation begins with an overview.',
      page: 'README.md',
    },
  ),
  topic(
    'connect wallet, connect my wallet, connect a wallet, wallet connect, walletconnect, metamask, log in, login, sign in, sign up, connect',
    'wallet button account register page',
    {
      title: 'Connecting a wallet',
      text: 'To look at orders no wallet is needed: search for your account. Orders are placed in a wallet or on a page that uses this service. To have notifications sent to you, sign in on the page of your account.',
      page: 'how-to/account-page.md',
    },
  ),
  topic(
    'change my order, change an order, change order, edit order, edit my order, modify order, modify my order, update order, amend',
    'price limit amount replace existing open',
    {
      title: 'Changing an order',
      text: 'A placed order cannot be changed: its signature covers all of it. Place a new order that replaces it, where the wallet or the page offers that, or cancel it and place another.',
      page: orders,
      asksOrder: true,
    },
  ),
  topic('deposit, withdraw, withdrawal', 'funds tokens coins eth', {
    title: 'Deposits and withdrawals',
    text: 'There is nothing to deposit or to withdraw: tokens stay in your account until an order is filled, and the bought tokens go to its receiver. Coins of an order that sells the chain’s own coin are held by a contract until then: search for “refund”.',
  }),
  topic(
    'score, reference score, winner, winners, winning, ranking, best solution',
    'selected chosen select solution solver solvers auction computed calculated best',
    {
      title: 'Scores and winners',
      text: 'The score of a solution is the surplus of its orders over their limits plus the protocol’s fees, in the native coin. The service computes it, and selects the winners of an auction by it. The page of an auction shows all scores.',
      page: 'glossary.md',
    },
  ),
  topic(
    'rate limit, rate limits, request limit, throttling, throttled',
    'requests api reads minute second many',
    {
      title: 'Limits of requests',
      text: 'The service limits the requests of each client. A request above a limit is refused with the status 429, and Retry-After says when to try again.',
      page: 'reference/limits.md',
    },
  ),
  topic('app data, appdata', 'hash document json order field', {
    title: 'App data',
    text: 'App data is a JSON document that an order names by its hash: the application, hooks, a partner fee, a referrer, the order that it replaces. The service stores it with the order.',
    page: orders,
  }),
  topic('affiliate, affiliates, referral, referrals, referral code, referrer', 'code work link reward earn', {
    title: 'Referral codes',
    text: 'An account can register a referral code, where the service has affiliates switched on. Trades of orders that name the code in their app data count for it.',
    page: 'reference/affiliates.md',
  }),
  topic('settlement contract, contract address, contract addresses', 'vault relayer which what', {
    title: 'Contracts',
    text: 'The settlement contract of a network executes the trades, and orders are signed for it. The vault relayer takes the sell tokens: accounts approve them to it. GraphQL lists the addresses of both in “networks”.',
    page: 'glossary.md',
    approves: true,
  }),
  topic(
    'service down, is it down, site down, service status, status page, uptime, outage, maintenance',
    'service site now offline',
    {
      title: 'State of the service',
      text: 'The first page shows the state of each network: whether it is ready, its newest block, and how far the service is behind the chain. Programs read it at /health/ready.',
      page: 'operations.md',
    },
  ),
  topic(
    'receiver, recipient, another address, different address, other wallet',
    'send trade set bought tokens',
    {
      title: 'Receiver',
      text: 'The bought tokens go to the account that placed the order, or to the receiver that was signed with it. The receiver cannot be changed afterwards: cancel the order and place another.',
      page: 'glossary.md',
    },
  ),
] as const

/** Words of any question. They count for no topic. */
const asked = new Set(
  [
    ...asking,
    ...'about mean means meaning explain tell need want should am know use using much many any one first my place placed make made change pay every always'.split(
      ' ',
    ),
  ].map(stemOf),
)

const wordsIn = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []

let spelt: { words: string[]; stems: Set<string> } | undefined

/** The words and the stems of all topics and of questions about orders. */
function spellings() {
  const words = [...rows.flatMap(({ phrases, others }) => wordsIn(`${phrases} ${others}`)), ...asking]
  spelt ??= { words: [...new Set(words)], stems: new Set([...words.map(stemOf), ...asked, ...stopWords]) }
  return spelt
}

/** A text with its misspelt words corrected; undefined if none is. @param others further known words */
export function correctedText(text: string, others: readonly string[]): string | undefined {
  const { words, stems } = spellings()
  const known = new Set([...words, ...others])
  return respelt(text, [...known], (word) => known.has(word) || stems.has(stemOf(word)))
}

const stemsOf = (text: string) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stemOf)

/** Phrases and other words of each topic by their stems. */
let index: { row: Topic; phrases: string[][]; words: Set<string> }[] | undefined

function indexed() {
  index ??= rows.map(({ phrases, others, row }) => ({
    row,
    phrases: phrases.split(', ').map(stemsOf),
    words: new Set([...stemsOf(phrases), ...stemsOf(others)]),
  }))
  return index
}

interface FoundTopics {
  topics: Topic[]
  /** True if the text has other words too, so that it may ask something else. */
  isGuess: boolean
}

const [maxTopics, maxWords] = [3, 30]
/** The maximum share of the words of a text that its topics do not have. */
const maxShare = 0.5

/** Finds the topics that a question is about. Texts with many other words are about none. */
export function topicsIn(text: string): FoundTopics {
  const none = { topics: [], isGuess: true }
  const stems = stemsOf(text)
  if (stems.length > maxWords) return none
  const titled = rows.find(({ row }) => row.title.toLowerCase() === text.toLowerCase())
  if (titled) return { topics: [titled.row], isGuess: false }
  const hits = indexed().flatMap((entry) => {
    const ends = entry.phrases.flatMap((phrase) => {
      const at = stems.findIndex((_, at) => phrase.every((stem, index) => stems[at + index] === stem))
      return at < 0 ? [] : [{ from: at, to: at + phrase.length }]
    })
    const [longest] = ends.toSorted((one, other) => other.to - other.from - (one.to - one.from))
    return longest ? [{ ...entry, ...longest }] : []
  })
  // “gas fee” is about gas, not about fees in general.
  const isWithin = (one: (typeof hits)[number]) =>
    hits.some(({ from, to }) => from <= one.from && to >= one.to && to - from > one.to - one.from)
  const found = hits.filter((hit) => !isWithin(hit))
  if (found.length === 0) return none
  const isPlain = (stem: string) => stem.length === 1 || stopWords.has(stem) || asked.has(stem)
  const isIn = (at: number) => found.some(({ from, to }) => at >= from && at < to)
  const said = stems.filter((stem, at) => isIn(at) || !isPlain(stem))
  const others = stems.filter(
    (stem, at) => !isIn(at) && !isPlain(stem) && !found.some(({ words }) => words.has(stem)),
  )
  if (others.length > 1 && others.length > said.length * maxShare) return none
  return { topics: found.slice(0, maxTopics).map(({ row }) => row), isGuess: others.length > 0 }
}
