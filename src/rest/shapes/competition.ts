export const competitionFields = `
  id: auctionId block deadline transactionHashes orderUids nativePrices { token price }
  solutions {
    solver score ranking isWinner filteredOut txHash referenceScore
    orders { orderUid executedSell executedBuy sellToken { address } buyToken { address } }
  }
`

interface SolutionResult {
  solver: string
  score: string
  ranking: number
  isWinner: boolean
  filteredOut: boolean
  txHash: string | null
  referenceScore: string | null
  orders: {
    orderUid: string
    executedSell: string
    executedBuy: string
    sellToken: { address: string }
    buyToken: { address: string }
  }[]
}

export interface CompetitionResult {
  id: number
  block: number
  deadline: number
  transactionHashes: string[]
  orderUids: string[]
  nativePrices: { token: string; price: string }[]
  solutions: SolutionResult[]
}

/** Every key is always there. Solutions worst first, the best last; clearing prices are not kept. */
export function writeCompetition(auction: CompetitionResult) {
  const winners = auction.solutions.filter(({ isWinner }) => isWinner)
  return {
    auctionId: auction.id,
    auctionStartBlock: auction.block,
    auctionDeadlineBlock: auction.deadline,
    transactionHashes: auction.transactionHashes,
    referenceScores: Object.fromEntries(
      winners.flatMap(({ solver, referenceScore }) =>
        referenceScore === null ? [] : [[solver, referenceScore]],
      ),
    ),
    auction: {
      orders: auction.orderUids,
      prices: Object.fromEntries(auction.nativePrices.map(({ token, price }) => [token, price])),
    },
    solutions: auction.solutions.map(writeSolution).reverse(),
  }
}

function writeSolution({
  solver,
  score,
  ranking,
  orders,
  isWinner,
  filteredOut,
  txHash,
  referenceScore,
}: SolutionResult) {
  return {
    solverAddress: solver,
    score,
    ranking,
    clearingPrices: {},
    orders: orders.map(({ orderUid, executedSell, executedBuy, sellToken, buyToken }) => ({
      id: orderUid,
      sellAmount: executedSell,
      buyAmount: executedBuy,
      sellToken: sellToken.address,
      buyToken: buyToken.address,
    })),
    isWinner,
    filteredOut,
    txHash,
    referenceScore,
  }
}

/** The first version, as a view of the second: solvers have no names here but their addresses. */
export function projectCompetitionV1({
  auctionId,
  transactionHashes,
  auctionStartBlock,
  auction,
  solutions,
}: ReturnType<typeof writeCompetition>) {
  return {
    auctionId,
    transactionHashes,
    auctionStartBlock,
    competitionSimulationBlock: auctionStartBlock,
    auction,
    solutions: solutions.map(
      ({ solverAddress, score, ranking, clearingPrices, orders, isWinner, filteredOut }) => ({
        solver: solverAddress,
        solverAddress,
        score,
        ranking,
        clearingPrices,
        orders: orders.map(({ id, sellAmount, buyAmount }) => ({ id, sellAmount, buyAmount })),
        isWinner,
        filteredOut,
      }),
    ),
  }
}
