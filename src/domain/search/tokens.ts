/** A token that a text may name. Whoever made it chose its symbol and its name. */
export interface FoundToken {
  address: string
  symbol: string | null
  name: string | null
  network: string
  /** True if an auction had a price for it: the newest price may be old. */
  hasPrice: boolean
}

/** The document by which a service finds tokens. */
export const tokensDocument =
  'query ($search: String!) { networks { name tokens(search: $search, first: 20) { nodes { address symbol name lastAuctionPrice } } } }'

interface NetworkTokens {
  name: string
  tokens: {
    nodes: readonly {
      address: string
      symbol: string | null
      name: string | null
      lastAuctionPrice: string | null
    }[]
  }
}

/** Runs the document. */
type Read = (search: string) => Promise<readonly NetworkTokens[]>

/** Finds the tokens of one name, or of the two of a pair: a group for each, all empty if nothing is found. */
export async function tokensNamed(names: readonly string[], read: Read): Promise<FoundToken[][]> {
  const find = async (name: string) => ranked(await read(name), name)
  const groups = await Promise.all(names.map(find))
  const [words = []] = names.map((name) => name.split(' '))
  if (names.length > 1 || words.length !== 2 || groups[0]?.length !== 0) return groups
  // “weth usdc” is a pair, where no token has that name.
  const pair = await Promise.all(words.map(find))
  return pair.every((group) => group.length > 0) ? pair : groups
}

const maxTokens = 8

const isExactly = ({ symbol, name }: FoundToken, wanted: string) =>
  [symbol, name].some((text) => text?.toLowerCase() === wanted.toLowerCase())

/** Finds the tokens that have a word of another meaning as their symbol or name. */
export async function tokensOfWord(word: string, read: Read): Promise<FoundToken[]> {
  const [tokens = []] = await tokensNamed([word], read)
  return tokens.filter((token) => isExactly(token, word))
}

/** Tokens with exactly this symbol or name come first, and those with a price before others. */
function ranked(networks: readonly NetworkTokens[], search: string): FoundToken[] {
  const wanted = search.toLowerCase()
  const all = networks.flatMap(({ name: network, tokens }) =>
    tokens.nodes.map(
      ({ address, symbol, name, lastAuctionPrice }): FoundToken => ({
        address,
        symbol,
        name,
        network,
        hasPrice: lastAuctionPrice !== null,
      }),
    ),
  )
  // A part of a symbol, or the begin of a word of the name.
  const isNear = ({ symbol, name }: FoundToken) =>
    symbol?.toLowerCase().includes(wanted) || ` ${name?.toLowerCase() ?? ''}`.includes(` ${wanted}`)
  const rank = (token: FoundToken) => (isExactly(token, search) ? 2 : 0) + (token.hasPrice ? 1 : 0)
  return all
    .filter((token) => isExactly(token, search) || isNear(token))
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(0, maxTokens)
}
