import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { AuctionResult } from '../documents.generated.ts'
import { nameInPath } from '../root.ts'
import { subscribe } from '../subscription.ts'
import { amountOf, short, type TokenLike } from '../view/amounts.ts'
import { documents as viewDocuments } from '../view/documents.ts'
import { Header } from '../view/header.tsx'
import { ChainLink, PageLink, TokenLink } from '../view/links.tsx'
import { orderTitle } from '../view/orders.ts'
import { usePolled } from '../view/polled.ts'
import { surplusOf } from '../view/prices.ts'
import { DetailList, Fault, LiveState, Loading, Section } from '../view/section.tsx'
import { documents } from './documents.ts'

/** An auction with the coin of its network, in which scores are. */
type Auction = NonNullable<AuctionResult['auction']> & { coin: TokenLike }
type Solution = Auction['solutions'][number]
export type Attempt = Auction['settlementAttempts'][number]

function fateOf({ isWinner, filteredOut }: Solution, attempt: Attempt | undefined): string {
  if (filteredOut) return 'Left out: unfair to an order'
  if (!isWinner) return 'Lost'
  switch (attempt?.outcome) {
    case 'SUCCESS':
      return 'Won, and traded'
    case 'FAILED':
      return 'Won, but its transaction failed'
    case 'TIMEOUT':
      return 'Won, but came too late'
    default:
      return attempt ? 'Won, on its way' : 'Won'
  }
}

function AuctionDetails({ auction }: { auction: Auction }) {
  const { network, coin, block, deadline, nativePrices } = auction
  return (
    <Section id="facts" title="The auction">
      <DetailList
        facts={[
          ['Network', network?.name],
          ['Built on block', block],
          ['Last block for a settlement', deadline],
        ]}
      />
      <h3>Prices that it counted with</h3>
      <DetailList
        facts={nativePrices.map(({ token, price }) => [
          <TokenLink key={token.address} token={token} network={network?.name ?? ''} />,
          // For 10^18 atoms; that of a whole token needs its decimals.
          token.decimals === null
            ? ''
            : amountOf((BigInt(price) * 10n ** BigInt(token.decimals)) / 10n ** 18n, coin),
        ])}
      />
    </Section>
  )
}

function AuctionOrders({ auction }: { auction: Auction }) {
  const { nodes, pageInfo } = auction.orders
  return (
    <Section id="orders" title="Orders that could be traded">
      <ul class="plain-list">
        {nodes.map((order) => (
          <li key={order.uid}>
            <PageLink kind="order" id={order.uid} text={orderTitle(order)} />
          </li>
        ))}
      </ul>
      {nodes.length === 0 && <p class="empty">None of them is stored any more.</p>}
      {pageInfo.hasNextPage && <p class="note">More orders are left out.</p>}
    </Section>
  )
}

function Settlements({ auction }: { auction: Auction }) {
  const explorer = auction.network?.explorerUrl
  return (
    <Section id="settlements" title="On chain">
      {auction.settlements.length === 0 && <p class="empty">No settlement of it is on chain.</p>}
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
    <Section id="solutions" title="Solutions, the best first">
      <p class="note">
        A solution fills one or more orders. Its score is what it leaves the traders beyond their limits, and
        the protocol, all in the native coin. Solutions that win are sent to the chain.
      </p>
      {auction.solutions.length === 0 && <p class="empty">None can be shown.</p>}
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
            'Without it, others would have reached',
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
            )}
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
        return auction && { ...auction, coin: coin ?? { address: '', symbol: 'coins', decimals: 18 } }
      }),
  )
  return answers.find((auction) => auction !== null) ?? null
}

function AuctionPage() {
  const auction = usePolled(readAuction)
  const { value, fault, again } = auction
  const [isLive, setIsLive] = useState(false)
  const network = value?.network?.name
  useEffect(() => {
    if (network === undefined) return
    return subscribe(
      documents.followAuctions,
      { network },
      {
        onResult: ({ auctions }) => auctions.auction.auctionId === id && again(),
        onLive: setIsLive,
        onGap: again,
      },
    )
  }, [network, again])
  const retry = useCallback(() => again(), [again])
  return (
    <>
      <Header>
        <div class="section-head">
          <h1>Auction {id}</h1>
          {value && <LiveState isLive={isLive} />}
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
    <main>
      <Section id="unknown" title="Nothing can be shown of this auction">
        <p>It may be one of these:</p>
        <ul>
          <li>It is still running: some services show a competition when its last block has passed.</li>
          <li>No solver made a valid offer in it: such auctions are not stored.</li>
          <li>There is no auction with this number, or it was removed by its age.</li>
        </ul>
        <div class="buttons">
          <button type="button" onClick={onRetry}>
            Look again
          </button>
        </div>
      </Section>
    </main>
  )
}

document.title = `Auction ${id} · Tradegraph`
render(<AuctionPage />, document.body)
