import { type ChainFacts, chains } from '../src/domain/network/chains.ts'
import { cell, generated, page, table } from './markdown.ts'

/** docs/reference/chains.md: the table of known chains, and which source of token data knows which. */
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
    '## What was tried against a real provider or chain',
    'The tests run against the local chain and against simulated providers. No test contacts a provider or a public node.',
  )
}

function priceRow(yes: (known: string | undefined) => string) {
  return ([chainId, { names, coingecko, usdReference }]: [number, ChainFacts]): string[] => [
    String(chainId),
    `\`${names[0]}\``,
    yes(coingecko),
    usdReference ? 'yes' : 'no: needs `usdReference`',
  ]
}
