import { encodeSettle } from '../../chain/settlement/call.ts'
import type { SettlementCall } from '../../chain/settlement/sequence.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import type { Solution } from '../../domain/auction/solution.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Order } from '../../domain/order/order.ts'
import { bookingsOf } from '../../domain/settlement/booking.ts'
import { balanceGuard, touchedBy } from '../../solvers/engine/guards.ts'
import { uniformPrices } from '../check-proposal.ts'
import type { AuctionServices } from '../services.ts'
import { encodeSolution } from '../settlement-calldata.ts'

/** Contracts that a settlement calls and pays out, at most: a balance of each is read. */
const maxContracts = 64
/** Of a settlement that only transfers to the settlement contract itself. */
const guardGas = 500_000n

/**
 * Why a revealed settlement is not safe, if so: it reverts, or the settlement contract has less of a token after it than before and what
 * has to stay of its fees. The service cannot add anything to a settlement that it does not send: in the same simulation, further settlements
 * after it transfer what there has to be to the contract itself.
 */
export async function submissionFault(
  auction: Auction,
  solution: Solution,
  services: Pick<AuctionServices, 'network' | 'sequence' | 'buffers'>,
): Promise<string | undefined> {
  const { network, sequence, buffers } = services
  const tokens = touchedBy(solution.proposal, auction, network.wrappedNative)
  if (tokens.length > maxContracts) return `the settlement calls more than ${maxContracts} contracts`
  try {
    const held = await buffers(tokens)
    const prices = (order: Order) => uniformPrices(solution.proposal, order, network.wrappedNative)
    const bookings = bookingsOf(solution, auction, network.wrappedNative, prices)
    const least = new Map(bookings.map((booking) => [booking.token, booking.least]))
    const guarded = tokens
      .map((token, index) => ({ token, amount: (held[index] ?? 0n) + (least.get(token) ?? 0n) }))
      .filter(({ amount }) => amount > 0n)
    const [settled, ...guards] = await sequence.simulate([
      encodeSolution(auction, solution, network),
      ...guarded.map(({ token, amount }) => guardCall(token, amount, auction.id, solution.solver, network)),
    ])
    if (!settled || 'revert' in settled) return settled?.revert ?? 'it is not simulated'
    const missing = guarded.find((_, index) => !guards[index] || 'revert' in guards[index])
    return missing && `the settlement contract would have less of ${missing.token} than before and its fees`
  } catch (fault) {
    if (fault instanceof Outage) return 'it cannot be simulated: the node does not answer'
    throw fault
  }
}

function guardCall(
  token: Address,
  amount: bigint,
  auctionId: bigint,
  sender: Address,
  { settlement }: AuctionServices['network'],
): SettlementCall {
  const calldata = encodeSettle({
    ...{ tokens: [], clearingPrices: [], trades: [], auctionId },
    interactions: [[], [balanceGuard(token, amount, settlement)], []],
  })
  return { sender, calldata, gas: guardGas }
}
