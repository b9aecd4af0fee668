import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { AuctionResult } from '../documents.generated.ts'
import { nameInPath } from '../root.ts'
import { subscribe } from '../subscription.ts'
import { amountOf, coinPriceDown, short, type TokenLike, unnamedCoin } from '../view/amounts.ts'
import { networkText } from '../view/contracts.ts'
import { documents as viewDocuments } from '../view/documents.ts'
import { Header } from '../view/header.tsx'
import { ChainLink, PageLink, TokenLink } from '../view/links.tsx'
import { termsTitle } from '../view/orders.ts'
import { usePolled } from '../view/polled.ts'
import { surplusOf } from '../view/prices.ts'
import { DetailList, Fault, LiveState, Loading, Missing, Section } from '../view/section.tsx'
import { fromNow, Time } from '../view/times.tsx'
import { documents } from './documents.ts'

/** An auction with the coin of its network, in which scores are. */
type Auction = NonNullable<AuctionResult['auction']> & { coin: TokenLike }
type Solution = Auction['solutions'][number]
type Attempt = Auction['settlementAttempts'][number]

/** State of an auction, in words. It is under way while a winner may still be settled. */
function stateOf({ isFinished, solutions, settlements, hasAllSettlements }: Auction) {
  const winners = solutions.filter(({ isWinner }) => isWinner)
  const open = winners.filter(({ txHash }) => txHash === null).length
  if (settlements.length > 0 && open === 0) return { text: 'Settled', tone: 'good', isUnderWay: false }
  if (!isFinished)
    return {
      text: winners.length > 0 ? 'Waiting for the chain' : 'Running',
      tone: 'quiet',
      isUnderWay: true,
    }
  if (!hasAllSettlements) return { text: 'Settlement not known', tone: 'quiet', isUnderWay: false }
  if (settlements.length > 0) return { text: 'Partly settled', tone: 'good', isUnderWay: false }
  return { text: 'Not settled', tone: 'bad', isUnderWay: false }
}

/** Shows whether settlements of the auction traded an order. @param solution limits them to its settlement */
function TradeState({ auction, uid, solution }: { auction: Auction; uid: string; solution?: Solution }) {
  const settlement = auction.settlements.find(
    ({ solutionUid, trades }) =>
      (!solution || solutionUid === solution.solutionUid) && trades.some(({ orderUid }) => orderUid === uid),
  )
  if (settlement) return <span class="note good">Traded in block {settlement.blockNumber}</span>
  const mayBeTraded = stateOf(auction).isUnderWay && (solution?.isWinner ?? true)
  if (!mayBeTraded && !auction.hasAllSettlements) return <span class="note">Not known whether traded</span>
  return <span class="note">{mayBeTraded ? 'Not traded yet' : 'Not traded'}</span>
}

function fateOf({ isWinner, filteredOut, txHash }: Solution, attempt: Attempt | undefined): string {
  if (filteredOut) return 'Left out as unfair to an order'
  if (!isWinner) return 'Lost'
  if (txHash !== null) return 'Won and settled'
  switch (attempt?.outcome) {
    case 'FAILED':
      return 'Won, but its transaction failed'
    case 'TIMEOUT':
      return 'Won, but missed the deadline'
    default:
      return attempt ? 'Won, waiting for the chain' : 'Won'
  }
}

function AuctionDetails({ auction }: { auction: Auction }) {
  const { network, coin, block, deadline, createdAt, nativePrices } = auction
  // For 10^18 atoms; that of a whole token needs its decimals.
  const prices = nativePrices.flatMap(({ token, price }) =>
    token.decimals === null
      ? []
      : ([
          [
            <TokenLink key={token.address} token={token} network={network?.name ?? ''} />,
            coinPriceDown(price, token.decimals, coin),
          ],
        ] as const),
  )
  return (
    <Section id="facts" title="The auction">
      <DetailList
        facts={[
          ['Network', network && networkText(network)],
          [
            'Time',
            <span key="t">
              <Time at={createdAt} /> <span class="note">({fromNow(new Date(createdAt))})</span>
            </span>,
          ],
          ['Built on block', block],
          ['Last block to settle', deadline],
        ]}
      />
      <p class="note">
        Solvers compute with the state of the chain after the block on which the auction is built. A winning
        solution has to be on chain in the last block to settle, or earlier. Orders that are not traded by
        then stay open for later auctions.
      </p>
      {prices.length > 0 && <h3>Prices used for scores</h3>}
      <DetailList facts={prices} />
    </Section>
  )
}

function AuctionOrders({ auction }: { auction: Auction }) {
  const { nodes } = auction.orders
  const omitted = auction.orderCount - nodes.length
  return (
    <Section id="orders" title="Orders that could be traded">
      <ul class="plain-list">
        {nodes.map((order) => (
          <li key={order.uid}>
            <PageLink kind="order" id={order.uid} text={termsTitle(order)} />{' '}
            <TradeState auction={auction} uid={order.uid} />
          </li>
        ))}
      </ul>
      {nodes.length === 0 && (
        <p class="empty">
          {auction.hasAllOrderUids
            ? 'These orders are no longer stored.'
            : 'These orders are not stored here.'}
        </p>
      )}
      {nodes.length > 0 && omitted > 0 && <p class="note">{omitted} more not shown.</p>}
    </Section>
  )
}

function noSettlement(auction: Auction): string {
  if (stateOf(auction).isUnderWay) return 'No settlement yet.'
  return auction.hasAllSettlements
    ? 'No settlement.'
    : 'Not known: the chain was not read from the block of the auction on.'
}

function Settlements({ auction }: { auction: Auction }) {
  const explorer = auction.network?.explorerUrl
  return (
    <Section id="settlements" title="On chain">
      {auction.settlements.length === 0 && <p class="empty">{noSettlement(auction)}</p>}
      {auction.settlements.map(({ txHash, blockNumber, trades }) => (
        <div class="group" key={txHash}>
          <DetailList
            facts={[
              ['Transaction', <ChainLink key="t" explorer={explorer} kind="tx" id={txHash} />],
              ['Block', blockNumber],
            ]}
          />
          <ul class="plain-list">
            {trades.map((trade) => (
              <li key={trade.orderUid}>
                <PageLink kind="order" id={trade.orderUid} />: {amountOf(trade.sellAmount, trade.sellToken)}{' '}
                for {amountOf(trade.buyAmount, trade.buyToken)}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}

/** Solutions of solvers, best first. */
function Solutions({ auction }: { auction: Auction }) {
  return (
    <Section id="solutions" title="Solutions, best first">
      <p class="note">
        A solution fills one or more orders. Its score is the surplus of the traders over their limits plus
        the protocol’s fees, in the native coin: the higher, the better. The service computes it, and selects
        the winners by it. The best score without a solver is the total that the others reach on their own.
        Winning solutions are sent to the chain.
      </p>
      {auction.solutions.length === 0 && (
        <p class="empty">
          {stateOf(auction).isUnderWay
            ? 'Solutions are shown after the last block to settle.'
            : 'No solutions to show.'}
        </p>
      )}
      {auction.solutions.map((solution) => (
        <SolutionGroup key={solution.solutionUid} solution={solution} auction={auction} />
      ))}
    </Section>
  )
}

function SolutionGroup({ solution, auction }: { solution: Solution; auction: Auction }) {
  const attempt = auction.settlementAttempts.find(({ solutionUid }) => solutionUid === solution.solutionUid)
  const fate = fateOf(solution, attempt)
  const { coin } = auction
  const explorer = auction.network?.explorerUrl
  return (
    <div class="group">
      <div class="section-head">
        <h3>
          {solution.ranking}. <code title={solution.solver}>{short(solution.solver)}</code>
        </h3>
        <span
          class={`badge ${solution.isWinner ? (attempt?.outcome === 'FAILED' ? 'bad' : 'good') : 'quiet'}`}
        >
          {fate}
        </span>
      </div>
      <DetailList
        facts={[
          ['Score', amountOf(solution.score, coin)],
          [
            'Best score without this solver',
            solution.referenceScore !== null && amountOf(solution.referenceScore, coin),
          ],
          [
            'Transaction',
            solution.txHash && <ChainLink key="t" explorer={explorer} kind="tx" id={solution.txHash} />,
          ],
          ['Why it failed', attempt?.detail && <code class="hash">{attempt.detail.slice(0, 500)}</code>],
        ]}
      />
      <ul class="plain-list">
        {solution.orders.map((traded) => (
          <li key={traded.orderUid}>
            <PageLink kind="order" id={traded.orderUid} />: {amountOf(traded.executedSell, traded.sellToken)}{' '}
            for {amountOf(traded.executedBuy, traded.buyToken)}
            {traded.order && (
              <span class="note">
                {' '}
                (
                {amountOf(
                  surplusOf(traded, traded.order),
                  traded.order.kind === 'SELL' ? traded.buyToken : traded.sellToken,
                )}{' '}
                better than its limit)
              </span>
            )}{' '}
            <TradeState auction={auction} uid={traded.orderUid} solution={solution} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const id = Number(nameInPath())

const wanted = new URLSearchParams(location.search).get('network')

/** The auction of the network in the page's address; without one, of the first network that has it. */
async function readAuction(): Promise<Auction | null> {
  const { networks } = await queryService(viewDocuments.networkNames, {})
  const answers = await Promise.all(
    networks
      .filter(({ name }) => wanted === null || name === wanted)
      .map(async ({ name }) => {
        const { auction, coin } = await queryService(documents.auction, { id, network: name })
        return auction && { ...auction, coin: coin ?? unnamedCoin }
      }),
  )
  return answers.find((auction) => auction !== null) ?? null
}

/** Interval of reads until the end: no event comes when the last block passes. */
const refreshMs = 10_000

function AuctionPage() {
  const [everyMs, setEveryMs] = useState(refreshMs)
  const { value, fault, again } = usePolled(readAuction, everyMs)
  const [isLive, setIsLive] = useState(false)
  const network = value?.network?.name
  const state = value && stateOf(value)
  const isOver = state?.isUnderWay === false
  useEffect(() => setEveryMs(isOver ? 0 : refreshMs), [isOver])
  useEffect(() => {
    if (network === undefined || isOver) return
    return subscribe(
      documents.followAuctions,
      { network },
      {
        onResult: ({ auctions }) => auctions.auction.auctionId === id && again(),
        onLive: setIsLive,
        onGap: again,
      },
    )
  }, [network, isOver, again])
  const retry = useCallback(() => again(), [again])
  return (
    <>
      <Header>
        <div class="section-head">
          <h1>Auction {id}</h1>
          {state && <span class={`badge ${state.tone}`}>{state.text}</span>}
          {state?.isUnderWay && <LiveState isLive={isLive} />}
        </div>
        {fault !== undefined && <Fault text={fault} />}
      </Header>
      {value === undefined && fault === undefined && <Loading />}
      {value === null && <Unknown onRetry={retry} />}
      {value && (
        <main>
          <div class="column">
            <Solutions auction={value} />
            <AuctionOrders auction={value} />
          </div>
          <div class="column">
            <AuctionDetails auction={value} />
            <Settlements auction={value} />
          </div>
        </main>
      )}
    </>
  )
}

function Unknown({ onRetry }: { onRetry(): void }) {
  return (
    <Missing title="This auction is not available" onRetry={onRetry}>
      <p>Possible reasons:</p>
      <ul>
        <li>It is still running. Some services show an auction only after its last block to settle.</li>
        <li>No solver made a valid offer. Such auctions are not stored.</li>
        <li>There is no auction with this number, or it was removed because of its age.</li>
      </ul>
    </Missing>
  )
}

document.title = `Auction ${id} · Tradegraph`
render(<AuctionPage />, document.body)
