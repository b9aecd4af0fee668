import { amountOf } from '../view/amounts.ts'
import { ChainLink, PageLink } from '../view/links.tsx'
import { FactList, Section } from '../view/section.tsx'
import type { Auction } from './auction.ts'

export function Settlements({ auction }: { auction: Auction }) {
  const explorer = auction.network?.explorerUrl
  return (
    <Section id="settlements" title="On chain">
      {auction.settlements.length === 0 && <p class="empty">No settlement of it is on chain.</p>}
      {auction.settlements.map(({ txHash, blockNumber, trades }) => (
        <div class="group" key={txHash}>
          <FactList
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
