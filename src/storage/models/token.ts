import { Prisma } from '../generated/client.ts'
import { address, amount, boolean, hexText, safeInt, string, uint32 } from '../query/codec.ts'
import { derived, type Field, type Model, orNull, type Relation } from '../query/model.ts'
import { nodeId } from '../query/node-id.ts'

/** A field that reads the stored token. */
const fromTokenStore = <Value>(field: Field<Value>): Field<Value> => ({ ...field, isLookedUp: true })

/** A token by the SQL of its chain id and its address. */
export function tokenOf(chainId: string, token: string): Model {
  const firstTradeOf = (side: 'sell' | 'buy') =>
    `(SELECT min(tt.block_number) FROM trades tt WHERE tt.chain_id = ${chainId} AND tt.${side}_token = ${token})`
  return {
    name: 'Token',
    description: 'An ERC-20 token.',
    fields: {
      id: nodeId('Token', chainId, hexText(token)),
      address: derived(address, token, 'Its contract.'),
      chainId: derived(safeInt, chainId, 'The chain of its contract.'),
      symbol: fromTokenStore(
        orNull(derived(string, 'tk.symbol', 'Such as WETH; null if the contract has none.')),
      ),
      name: fromTokenStore(
        orNull(derived(string, 'tk.name', 'Its long name; null if the contract has none.')),
      ),
      decimals: fromTokenStore(
        orNull(
          derived(
            uint32,
            'tk.decimals',
            'Digits behind the point of one token; null if the contract has none.',
          ),
        ),
      ),
      firstTradeBlock: orNull(
        derived(
          safeInt,
          `least(${firstTradeOf('sell')}, ${firstTradeOf('buy')})`,
          'The block of its first trade; null before that.',
        ),
      ),
      lastAuctionPrice: orNull(
        derived(
          amount,
          `(SELECT tp.price FROM price_changes tp WHERE tp.price IS NOT NULL AND tp.series_id =
              (SELECT ts.id FROM price_series ts WHERE ts.chain_id = ${chainId} AND ts.token = ${token})
            ORDER BY tp.auction_id DESC LIMIT 1)`,
          'Native atoms for 10^18 atoms in the newest auction that had a price for it.',
        ),
      ),
    },
    identity: {
      chainId: derived(safeInt, chainId, ''),
      address: derived(address, token, ''),
      isStored: fromTokenStore(derived(boolean, 'tk.address IS NOT NULL', '')),
    },
    lookup: `tokens tk WHERE tk.chain_id = ${chainId} AND tk.address = ${token} LIMIT 1`,
  }
}

/** Tokens that one page scans for a search. */
const tokenScanLimit = 10_000

const listedToken = tokenOf('tok.chain_id', 'tok.address')

/** The stored tokens of a network. No index supports a search: what matches is anyone's choice. */
export const tokensOfNetwork: Relation = {
  kind: 'page',
  model: () => listedToken,
  rows: ({ chainId, search }: { chainId: number; search: string | null }) => ({
    ranges: [Prisma.sql`tokens tok WHERE tok.chain_id = ${chainId}`],
    ...(search !== null && {
      scan: {
        limit: tokenScanLimit,
        condition: Prisma.sql`(strpos(lower(tok.symbol), lower(${search})) > 0 OR strpos(lower(tok.name), lower(${search})) > 0)`,
      },
    }),
  }),
  key: {
    letter: 'k',
    parts: [
      { sql: 'tok.rank', type: 'number' },
      { sql: 'tok.address', type: 'bytes' },
    ],
    order: 'DESC',
  },
  description: `The tokens of the network that the service has read, those with a price in the newest auction first, each group by the number of its newest trades: anyone can make a token with the symbol of another, and trades of it, but as long as it has no price it comes behind those that have one. Ranks change every half minute: a token that moves between two pages may be missing or repeated. A page looks at the next ${tokenScanLimit} tokens for a search: it may hold fewer than first, also none, while hasNextPage says to go on.`,
}

/** The token whose address a row has in a column. */
export function tokenIn(chainId: string, token: string, description: string): Relation {
  const model = tokenOf(chainId, token)
  return { kind: 'same', model: () => model, description }
}
