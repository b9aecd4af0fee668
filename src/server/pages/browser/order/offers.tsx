import { amountOf, readable, short } from '../view/amounts.ts'
import { AuctionLink } from '../view/links.tsx'
import { isLive } from '../view/orders.ts'
import { surplusOf } from '../view/prices.ts'
import { Section, WideTable } from '../view/section.tsx'
import type { Order } from './order.ts'

type Report = Order['debugReport']['auctions']['nodes'][number]
type Offer = Report['proposedSolutions'][number]

/** Offers of solvers for the order, by auction, best first. */
export function Offers({ order }: { order: Order }) {
  const { nodes, pageInfo, isComplete } = order.debugReport.auctions
  const auctions = nodes.filter(({ proposedSolutions }) => proposedSolutions.length > 0).toReversed()
  return (
    <Section id="offers" title="Offers of solvers">
      <p class="note">
        Every few seconds solvers compete in an auction. A solver offers to fill one or more orders. The
        offers with the largest total surplus over the limits win.
      </p>
      {auctions.length === 0 && <p class="empty">{noneWords(order, nodes.length > 0, isComplete)}</p>}
      {auctions.map((auction) => (
        <AuctionOffers key={auction.auctionId} auction={auction} order={order} />
      ))}
      {pageInfo.hasPreviousPage && auctions.length > 0 && <p class="note">Earlier auctions are left out.</p>}
    </Section>
  )
}

/** Text without offers: none was made, or one is hidden, as far as that may be known. */
function noneWords(order: Order, wasInAuctions: boolean, areAll: boolean): string {
  if (order.pendingSettlements.length > 0)
    return 'An offer of a solver for the order has won. It is shown when its auction is over.'
  const unknown = areAll ? '' : ' There may be more auctions, which this service does not know.'
  const none = wasInAuctions
    ? `No solver made an offer for the order in the last stored auctions that are over.${unknown}`
    : `No offer for the order is stored of auctions that are over.${unknown}`
  return isLive(order) ? `${none} Offers of an auction that is not over yet may be hidden until it is.` : none
}

function AuctionOffers({ auction, order }: { auction: Report; order: Order }) {
  const { auctionId, proposedSolutions, settlementAttempts } = auction
  const fixed = order.kind === 'SELL'
  const token = fixed ? order.buyToken : order.sellToken
  const ranked = proposedSolutions.toSorted((a, b) => a.ranking - b.ranking)
  return (
    <div class="group">
      <h3>
        <AuctionLink id={auctionId} network={order.network.name} />
      </h3>
      <WideTable label={`Offers in auction ${auctionId}`}>
        <thead>
          <tr>
            <th scope="col">Rank</th>
            <th scope="col">Result</th>
            <th scope="col">{fixed ? 'You get' : 'You pay'}</th>
            <th scope="col">{fixed ? 'More than your limit' : 'Less than your limit'}</th>
            <th scope="col">Solver</th>
          </tr>
        </thead>
        <tbody>
          {ranked.map((offer) => {
            const attempt = settlementAttempts.find(({ solutionUid }) => solutionUid === offer.solutionUid)
            return (
              <tr key={offer.solutionUid}>
                <td>{offer.ranking}</td>
                <td>{fateOf(offer, attempt)}</td>
                <td>{amountOf(fixed ? offer.executedBuy : offer.executedSell, token)}</td>
                <td title={`${readable(offer.score)} wei of score for all orders of the offer`}>
                  {amountOf(surplusOf(offer, order), token)}
                </td>
                <td>
                  <code title={offer.solver}>{short(offer.solver)}</code>
                </td>
              </tr>
            )
          })}
        </tbody>
      </WideTable>
    </div>
  )
}

function fateOf(
  { isWinner, filteredOut }: Offer,
  attempt: Report['settlementAttempts'][number] | undefined,
): string {
  if (filteredOut) return 'Left out: unfair to another order'
  if (!isWinner) return 'Lost to a better offer'
  switch (attempt?.outcome) {
    case 'SUCCESS':
      return 'Won, and traded'
    case 'FAILED':
    case 'TIMEOUT':
      if (attempt.replacedBlock !== null) return 'Won, but the chain took it back'
      return attempt.outcome === 'FAILED' ? 'Won, but the transaction failed' : 'Won, but came too late'
    default:
      return attempt ? 'Won, on its way' : 'Won'
  }
}
