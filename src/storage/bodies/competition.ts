import { orderTexts } from '../../domain/order/order.ts'
import { auction, pricedToken } from '../models/auction/auction.ts'
import { inSolution, solution, traded } from '../models/auction/solution.ts'
import { address, asText, orderUid } from '../query/codec.ts'
import { aliasField, derived } from '../query/model.ts'
import {
  type Body,
  fieldsOf,
  listOf,
  type MapMember,
  type Member,
  modelOf,
  textOf,
  valuesOf,
} from './body.ts'

const { price } = fieldsOf(modelOf(auction, 'nativePrices'), 'price')

/** Prices `np` as a map by token. */
export const nativePricesBody = (rows: string): MapMember => ({
  map: { key: pricedToken, value: price },
  rows,
  description: 'Native atoms for 10^18 atoms, by token.',
})

const { auctionId, block, deadline } = fieldsOf(auction, 'auctionId', 'block', 'deadline')
const { solver, score, ranking, isWinner, filteredOut, txHash, referenceScore } = fieldsOf(
  solution,
  'solver',
  'score',
  'ranking',
  'isWinner',
  'filteredOut',
  'txHash',
  'referenceScore',
)

const executed: Body = {
  id: derived(orderUid, inSolution('uid'), textOf(modelOf(solution, 'orders'), 'orderUid')),
  sellAmount: traded.executedSell,
  buyAmount: traded.executedBuy,
}
const tradedOrder: Body = {
  ...executed,
  sellToken: derived(address, inSolution('sell_token'), orderTexts.sellToken),
  buyToken: derived(address, inSolution('buy_token'), orderTexts.buyToken),
}

/** No condition for hidden competitions: the auction's row is only read when it may be shown. */
const solutions = (body: Body): Member => ({
  list: body,
  rows: 'solutions s WHERE s.auction_id = a.id ORDER BY s.uid DESC',
  description: 'Worst first, the best last.',
})

const clearingPrices: MapMember = {
  map: { key: derived(asText('Address'), 'cp.key', ''), value: derived(asText('Uint256'), 'cp.value', '') },
  rows: '(SELECT * FROM jsonb_each_text(s.clearing_prices) ORDER BY key) cp',
  description: textOf(solution, 'clearingPrices'),
}

const transactionHashes = valuesOf(auction, 'transactionHashes')
const input: Member = {
  object: {
    orders: valuesOf(auction, 'orderUids'),
    prices: nativePricesBody(
      '(SELECT * FROM auction_prices np WHERE np.auction_id = a.id ORDER BY np.token) np',
    ),
  },
  description: 'The input of the solvers.',
}

/** Solution `s`. */
export const competitionSolution: Body = {
  solverAddress: solver,
  score,
  ranking,
  clearingPrices,
  orders: listOf(solution, 'orders', tradedOrder),
  isWinner,
  filteredOut,
  txHash,
  referenceScore,
}

/** Auction `a`. Every key is always present. */
export const competition: Body = {
  auctionId,
  auctionStartBlock: block,
  auctionDeadlineBlock: deadline,
  transactionHashes,
  referenceScores: {
    map: { key: solver, value: { ...referenceScore, nullable: false } },
    rows: 'solutions s WHERE s.auction_id = a.id AND s.is_winner AND s.reference_score IS NOT NULL',
    description: 'Reference score of each winner, by solver.',
  },
  auction: input,
  solutions: solutions(competitionSolution),
}

export const competitionSolutionV1: Body = {
  solver: aliasField(solver, 'Equal to solverAddress.'),
  solverAddress: solver,
  score,
  ranking,
  clearingPrices,
  orders: listOf(solution, 'orders', executed),
  isWinner,
  filteredOut,
}

/** The first version of the interface. `solver` is the address, since the service has no names of solvers. */
export const competitionV1: Body = {
  auctionId,
  transactionHashes,
  auctionStartBlock: block,
  competitionSimulationBlock: aliasField(block, 'Equal to auctionStartBlock.'),
  auction: input,
  solutions: solutions(competitionSolutionV1),
}
