import type { Competition, LiveOrder, Trade, World } from './world.ts'

const gasPrice = '1469234651'

/** Answers a call of the order book of a scripted network. @returns undefined for what it does not have */
export function askOrderBook(
  world: World,
  [what = '', subject = '', more]: string[],
  query: URLSearchParams,
  body: string,
): unknown {
  world.calls.push(Date.now())
  if (what === 'version') return 'bench'
  if (what === 'orders' && subject === 'by_uids')
    return (JSON.parse(body) as string[]).flatMap((uid) => {
      const order = world.orders.get(uid)
      return order ? [{ order: textOf(order) }] : []
    })
  if (what === 'orders') {
    const order = world.orders.get(subject)
    return order && textOf(order)
  }
  if (what === 'account' && more === 'orders') {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 10)]
    const found = [...world.orders.values()].filter(({ body }) => body.owner === subject.toLowerCase())
    return found
      .toReversed()
      .slice(offset, offset + limit)
      .map(textOf)
  }
  if (what === 'trades') {
    const trade = world.orders.get(query.get('orderUid') ?? '')?.trade
    return trade && trade.block <= world.head ? [tradeText(trade)] : []
  }
  if (what === 'solver_competition') {
    const competition = subject === 'latest' ? world.latest() : world.competitions.get(Number(subject))
    return competition && competition.deadlineBlock <= world.head
      ? competitionText(world, competition)
      : undefined
  }
  if (what === 'token') return { price: 0.001 }
  return undefined
}

function textOf({ body, data, status, trade }: LiveOrder): object {
  const fee = trade ? String(data.sellAmount / 1_000n) : '0'
  return {
    ...body,
    status,
    executedFee: fee,
    executedSellAmount: String(trade?.sell ?? 0n),
    executedSellAmountBeforeFees: String(trade?.sell ?? 0n),
    executedBuyAmount: String(trade?.buy ?? 0n),
    invalidated: status === 'cancelled',
    quote: {
      gasAmount: '355981',
      gasPrice,
      sellTokenPrice: '501011728.05327892303466796875',
      sellAmount: String(data.sellAmount),
      buyAmount: String(data.buyAmount),
      feeAmount: '1043927',
      solver: '0x01246d541e732d7f15d164331711edff217e4665',
      verified: true,
      metadata: null,
    },
  }
}

function tradeText({ order: { body, data }, sell, buy, block, logIndex, txHash }: Trade): object {
  return {
    blockNumber: block,
    logIndex,
    orderUid: body.uid,
    owner: body.owner,
    txHash,
    sellToken: data.sellToken,
    buyToken: data.buyToken,
    sellAmount: String(sell),
    buyAmount: String(buy),
    sellAmountBeforeFees: String(sell),
    executedProtocolFees: [
      { policy: { volume: { factor: 0.0002 } }, amount: String(buy / 5_000n), token: data.buyToken },
    ],
  }
}

function competitionText(
  world: World,
  { number, startBlock, deadlineBlock, uids, solutions }: Competition,
): object {
  const prices = Object.fromEntries(
    world.tokens.map(({ address, dollars }) => [
      address,
      BigInt(Math.ceil((dollars / 3_000) * 1e18)).toString(),
    ]),
  )
  return {
    auctionId: number,
    auctionStartBlock: startBlock,
    auctionDeadlineBlock: deadlineBlock,
    transactionHashes: solutions.flatMap(({ txHash }) => txHash ?? []),
    referenceScores: Object.fromEntries(solutions.map(({ solver }) => [solver, '1000000'])),
    auction: { orders: uids, prices },
    solutions: solutions.map(({ solver, trades, txHash }, index) => ({
      solverAddress: solver,
      score: String(10n ** 15n - BigInt(index)),
      ranking: index + 1,
      txHash,
      isWinner: txHash !== null,
      filteredOut: false,
      referenceScore: '1000000',
      clearingPrices: Object.fromEntries(
        trades.flatMap(({ order: { data }, sell, buy }) => [
          [data.sellToken, String(buy)],
          [data.buyToken, String(sell)],
        ]),
      ),
      orders: trades.map(({ order: { body, data }, sell, buy }) => ({
        id: body.uid,
        sellAmount: String(sell),
        buyAmount: String(buy),
        sellToken: data.sellToken,
        buyToken: data.buyToken,
      })),
    })),
  }
}
