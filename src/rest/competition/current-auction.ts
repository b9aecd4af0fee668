import { derivedOnce } from '../../domain/derived.ts'
import { currentAuctionId } from '../../storage/auction/current-auction.ts'
import { currentAuctionBody } from '../../storage/bodies/current-auction.ts'
import { oneBody, readBody } from '../../storage/bodies/read.ts'
import { type Db, sharedDb } from '../../storage/database/database.ts'
import { currentAuctionOf } from '../../storage/models/auction/auction.ts'
import { currentAuction } from '../openapi/body-schemas.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import type { StoredReading, StoredRoute } from '../routing/endpoint.ts'

const auctionBody = oneBody(currentAuctionBody, ['ca.auction_id::text'])

interface Kept {
  auctionId: bigint
  body: Buffer
}

/** The newest body of each network, by chain id, and the one that is being read. */
interface Bodies {
  kept: Map<number, Kept>
  reading: Map<number, Promise<Kept | undefined>>
}

const bodiesOf = derivedOnce((_db: Db): Bodies => ({ kept: new Map(), reading: new Map() }))

/**
 * The current auction. Auctions replace it in the database, maybe in another process. Its text is written
 * once for each auction, for all requests.
 */
export const currentAuctionRoutes: StoredRoute[] = [
  {
    on: 'GET /api/v1/auction',
    missing: 'no auction is held here at the moment',
    access: { to: 'currentAuction' },
    statuses: { FeatureDisabled: 403 },
    isKept: true,
    // A cache must revalidate with the same permission.
    headers: { 'Cache-Control': 'private, no-cache' },
    read: async (_request, reading) => {
      const auctionId = await currentAuctionId(reading.db, reading.network.chainId)
      const kept = auctionId === undefined ? undefined : await bodyFor(auctionId, reading)
      return kept ? { body: kept.body } : null
    },
  },
]

async function bodyFor(auctionId: bigint, given: StoredReading): Promise<Kept | undefined> {
  const reading = { ...given, db: sharedDb(given.db) }
  const { chainId } = reading.network
  const bodies = bodiesOf(reading.db)
  const kept = bodies.kept.get(chainId)
  if (kept?.auctionId === auctionId) return kept
  const pending =
    bodies.reading.get(chainId) ??
    readCurrent(reading).finally(() => {
      bodies.reading.delete(chainId)
    })
  bodies.reading.set(chainId, pending)
  const read = await pending
  if (read) bodies.kept.set(chainId, read)
  return read
}

async function readCurrent({ db, network, ambient }: StoredReading): Promise<Kept | undefined> {
  const row = await readBody(db, auctionBody, currentAuctionOf(network.chainId), ambient)
  return row && { body: Buffer.from(row[0]), auctionId: BigInt(row[1] ?? 0) }
}

const sampleCurrentAuction = {
  id: 10,
  block: 100,
  orders: [
    {
      uid: '0x77fe722b95c945e5622ee572f53d0437b4d59cf2dfe86d997f1d878fee3f4849f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b1',
      sellAmount: '1000000000000000000',
      buyAmount: '2900000000',
      validTo: 1_800_001_201,
      kind: 'sell',
      receiver: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      owner: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      sellToken: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
      buyToken: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
      protocolFees: [
        {
          priceImprovement: {
            factor: 0.5,
            maxVolumeFactor: 0.01,
            quote: { fee: '0', sellAmount: '0', buyAmount: '0' },
          },
        },
      ],
      created: 1_799_999_000,
      partiallyFillable: false,
      executed: '0',
      preInteractions: [],
      postInteractions: [],
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      class: 'limit',
      appData: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
      signingScheme: 'eip712',
      signature: `0x${'00'.repeat(65)}`,
      quote: {
        sellAmount: '1000000000000000000',
        buyAmount: '0',
        fee: '0',
        solver: '0x0000000000000000000000000000000000000000',
      },
    },
  ],
  prices: {
    '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': '1000000000000000000',
    '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb': '333333333333333333333333333',
    '0xcccccccccccccccccccccccccccccccccccccccc': '166666666666666',
  },
  surplusCapturingJitOrderOwners: [],
}

export const currentAuctionOperations: Operations = {
  'GET /api/v1/auction': {
    id: 'currentAuction',
    summary: 'The auction that solvers get now',
    description:
      'Orders and prices of the newest auction, whether there are solutions or not. The setting `CURRENT_AUCTION_ACCESS` decides who may read it: by default the operator, whose key is sent as `Authorization: Bearer …` or `X-API-Key`. Send `If-None-Match`: each auction has thousands of orders, and 304 costs nothing. `protocolFees` are the rules, without amounts; `executed` counts atoms of the fixed side; partly filled orders have their signed amounts.',
    answers: {
      200: {
        description: 'Its orders and prices.',
        schema: currentAuction,
        headers: ['Cache-Control', 'ETag'],
      },
    },
    codes: ['FeatureDisabled', 'Unauthorized'],
    examples: {
      current: {
        summary: 'One order',
        headers: { authorization: `Bearer ${sample.key}` },
        answer: sampleCurrentAuction,
      },
      stranger: {
        summary: 'Without the operator’s key',
        refused: ['Unauthorized', 'send the operator’s key as Authorization: Bearer … or X-API-Key'],
      },
    },
  },
}
