import { chains, type KnownChain } from '../src/domain/network/chains.ts'
import { cell, generated, page, table } from './markdown.ts'

/** Returns docs/reference/chains.md: the known chains, and the token data sources that support each. */
export function chainsPage(): string {
  const all = [...chains]
  const yes = (known: string | undefined) => (known === undefined ? 'no' : `yes, as \`${known}\``)
  return page(
    '# Chains',
    generated,
    'A deployment serves the networks of its `NETWORKS_FILE`. A network can be on any chain: the program has no list of allowed chains. This page lists the chains for which it knows names, the native coin, a dollar token and providers of token data.',
    '## Names and coins',
    'A client may use any of these names, or the chain id, in a path and in a `network` argument. Letter case does not matter, and `-` counts as `_`. The name in the network file counts first.',
    table(
      ['chain id', 'names', 'native coin', 'dollar token (`usdReference`)'],
      all.map(([chainId, { names, coin, usdReference }]) => [
        String(chainId),
        names.map((name) => `\`${name}\``).join(', '),
        cell(`${coin.symbol} (${coin.name})`),
        usdReference ? `\`${usdReference}\`` : 'none: set it in the network file',
      ]),
    ),
    '## Facts of chains',
    'A row of the network file may leave out `name`, and on these chains `wrappedNative`, `firstBlock`, `blockTimeMs` and `finalityBlocks`. `firstBlock` is that of the settlement contract of `PROFILE`: a row with another `settlement` names its own.',
    table(
      [
        'chain id',
        'name',
        '`wrappedNative`',
        '`firstBlock`',
        '`blockTimeMs`',
        '`finalityBlocks`',
        '`conditionalOrders.firstBlock`',
      ],
      all.flatMap(([chainId, { names, facts, conditionalOrdersFrom }]) =>
        facts
          ? [
              [
                String(chainId),
                `\`${names[0]}\``,
                `\`${facts.wrappedNative}\``,
                ...[facts.firstBlock, facts.blockTimeMs, facts.finalityBlocks].map(String),
                String(conditionalOrdersFrom ?? 'that of the network'),
              ],
            ]
          : [],
      ),
    ),
    '## USD prices (`USD_PRICE_SOURCES`)',
    'The source kinds `orderbook` and `chainlink` do not depend on this table. `orderbook` works on every network with a `usdReference`. `chainlink` works on every network for the tokens that its `feeds` name. `coingecko` works where the table says yes, also with another `url`.',
    table(['chain id', 'name', '`coingecko`', '`orderbook` without a setting'], all.map(priceRow(yes))),
    '## Holders (`HOLDER_SOURCES`)',
    'The source kind `transfers` works on every network for the tokens in `holderTokens`. `moralis` works where the table says yes, also with another `url`. `ethplorer` works where the table says yes, and on any other network with a `url` and a `network` of its own.',
    table(
      ['chain id', 'name', '`moralis`', '`ethplorer`'],
      all.map(([chainId, { names, moralis, ethplorer }]) => [
        String(chainId),
        `\`${names[0]}\``,
        yes(moralis),
        ethplorer === undefined ? 'with `url` only' : `yes, at \`${ethplorer}\``,
      ]),
    ),
    '## What works where',
    'Everything works without a provider, from the node of the network and what the service itself has recorded; a source in italics is that. The others add to it where their settings name them. Metadata of tokens, balances, slippage, simulation and pools never need one; pools need a `poolFactory` of Uniswap V2.',
    table(
      ['chain id', 'name', 'prices', 'series of prices', 'holders', 'pools'],
      all.map(([chainId, facts]) => [String(chainId), `\`${facts.names[0]}\``, ...sourcesOf(facts)]),
    ),
    'A `coingecko` source requests up to 30 tokens in a call with a key, and for one without (`addressesPerCall`). `transfers` reads the lists of several tokens in one statement. `moralis` and `ethplorer` have one token in a call, `chainlink` one feed in an entry of a batch.',
    '## What was tried against a real provider or chain',
    'The tests run against the local chain and against simulated providers. No test contacts a provider or a public node.',
  )
}

/** Returns the sources of prices, series, holders and pools. */
function sourcesOf({ coingecko, moralis, ethplorer, usdReference }: KnownChain): string[] {
  const list = (...sources: (string | false | undefined)[]) => sources.filter(Boolean).join(', ')
  const orderBook = usdReference ? '*orderbook*' : '*orderbook* with `usdReference`'
  return [
    list(coingecko && 'coingecko', '*chainlink*', orderBook),
    list(coingecko && 'coingecko', '*own auctions and market*'),
    list(moralis && 'moralis', ethplorer && 'ethplorer', '*transfers*'),
    '*logs*',
  ]
}

function priceRow(yes: (known: string | undefined) => string) {
  return ([chainId, { names, coingecko, usdReference }]: [number, KnownChain]): string[] => [
    String(chainId),
    `\`${names[0]}\``,
    yes(coingecko),
    usdReference ? 'yes' : 'no: needs `usdReference`',
  ]
}
