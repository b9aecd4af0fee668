import { amountOf, short } from '../view/amounts.ts'
import { ChainLink, PageLink } from '../view/links.tsx'
import { surplusOf } from '../view/prices.ts'
import { FactList, Section } from '../view/section.tsx'
import { type Auction, fateOf, type Solution } from './auction.ts'

/** What solvers proposed, the best first. */
export function Solutions({ auction }: { auction: Auction }) {
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
      <FactList
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
