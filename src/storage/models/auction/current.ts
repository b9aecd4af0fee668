import { Prisma } from '../../generated/client.ts'
import { address, amount, rowKey, safeInt } from '../../query/codec.ts'
import { column, derived, type Model } from '../../query/model.ts'
import { modelNamed } from '../../query/registry.ts'
import { nativePrices } from './auction.ts'
import { feePolicy } from './fee-policy.ts'

const filled = column(amount, 'e.filled', 'Filled atoms of the fixed side when the auction was built.')

/** The policies of entry `e`, as `p`. */
const policies = `(SELECT (l.policy->>'kind') AS kind, (l.policy->>'factor')::int AS factor, (l.policy->>'maxVolumeFactor')::int AS max_volume_factor, l.position
  FROM jsonb_array_elements(e.policies) WITH ORDINALITY AS l(policy, position)) p ORDER BY p.position`

/** Order `o` as entry `e` of the current auction. */
export const currentAuctionOrder: Model = {
  name: 'CurrentAuctionOrder',
  description: 'An order as solvers are given it.',
  fields: { filled },
  relations: {
    order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
    feePolicies: {
      kind: 'many',
      model: () => feePolicy,
      rows: policies,
      only: 'e.policies IS NOT NULL',
      items: 2,
      description: 'What the protocol may take, in the order it is applied.',
    },
  },
}

/** The orders `o` of the current auction `ca`, with their entries. */
export const currentOrders =
  'unnest(ca.order_ids, ca.filled, ca.policies) AS e(order_id, filled, policies) JOIN orders o ON o.id = e.order_id'

/** Prices `np` of the current auction. */
export const currentPrices = 'unnest(ca.tokens, ca.prices) AS np(token, price)'

/** Current auction `ca`. Not an `Auction`: it has no solutions, and is not kept. `a` is the name of its row in prices. */
export const currentAuction: Model = {
  name: 'CurrentAuction',
  description:
    'What solvers are given at the moment. Each auction replaces it, whether there are solutions or not.',
  fields: {
    auctionId: column(rowKey, 'ca.auction_id', 'Its number; an Auction has it once there are solutions.'),
    block: column(safeInt, 'ca.block', 'The block it was built on.'),
  },
  relations: {
    nativePrices: nativePrices(
      `(SELECT ca.chain_id) AS a(chain_id) CROSS JOIN LATERAL ${currentPrices} ORDER BY np.token`,
      'Prices that solutions are scored with.',
    ),
    orders: {
      kind: 'page',
      model: () => currentAuctionOrder,
      rows: `${currentOrders} WHERE true`,
      key: { letter: 'e', parts: [{ sql: 'e.order_id', type: 'number' }], order: 'ASC' },
      description: 'The orders that can be traded, oldest first.',
    },
  },
  lists: {
    surplusCapturingJitOrderOwners: {
      kind: 'values',
      field: derived(address, 'jo.owner', ''),
      rows: 'unnest(ca.jit_order_owners) AS jo(owner) ORDER BY jo.owner',
      description: 'Owners whose orders solvers may bring along, and whose surplus counts.',
    },
  },
}

export const currentAuctionOf = (chainId: number): Prisma.Sql =>
  Prisma.sql`current_auctions ca WHERE ca.chain_id = ${chainId}`
