import { amountOf } from '../view/amounts.ts'
import { ChainLink, PageLink } from '../view/links.tsx'
import { isLive } from '../view/orders.ts'
import { FactList, Section } from '../view/section.tsx'
import { type Order, outcomeWords } from './words.ts'

/** What was traded on chain, and what is on its way. */
export function Trades({ order }: { order: Order }) {
  const { trades, pendingSettlements, network, surplus } = order
  return (
    <Section id="trades" title="Trades on chain">
      {pendingSettlements.map(({ auctionId, deadlineBlock, txHash }) => (
        <div class="group" key={auctionId}>
          <h3>On its way</h3>
          <FactList
            facts={[
              ['Won in', <PageLink key="a" kind="auction" id={auctionId} />],
              ['At the latest in block', deadlineBlock],
              [
                'Transaction',
                txHash && <ChainLink key="t" explorer={network.explorerUrl} kind="tx" id={txHash} />,
              ],
            ]}
          />
        </div>
      ))}
      {trades.nodes.map(({ txHash, logIndex, blockNumber, auctionId, sellAmount, buyAmount }) => (
        <div class="group" key={`${txHash} ${logIndex}`}>
          <h3>
            {amountOf(sellAmount, order.sellToken)} for {amountOf(buyAmount, order.buyToken)}
          </h3>
          <FactList
            facts={[
              ['Transaction', <ChainLink key="t" explorer={network.explorerUrl} kind="tx" id={txHash} />],
              ['Block', blockNumber],
              ['Won in', auctionId !== null && <PageLink key="a" kind="auction" id={auctionId} />],
            ]}
          />
        </div>
      ))}
      <Hooks order={order} />
      {trades.pageInfo.hasNextPage && <p class="note">Earlier trades are left out.</p>}
      {trades.nodes.length === 0 && pendingSettlements.length === 0 && (
        <p class="empty">
          {isLive(order) ? 'None yet. Tokens stay in the account until a trade.' : 'None: nothing was sold.'}
        </p>
      )}
      {trades.nodes.length > 0 && (
        <p>
          Better than the limit by <strong>{amountOf(surplus.amount, surplus.token)}</strong> in all, after
          all fees.
        </p>
      )}
      {trades.nodes.length > 0 && (
        <p class="note">
          The solver paid the gas of the transaction. The fee of the network, which is out of the trade, pays
          it back.
        </p>
      )}
    </Section>
  )
}

/** What became of the calls of the order’s own, once there was a trade. */
function Hooks({ order: { hooks, network } }: { order: Order }) {
  return hooks.flatMap(({ phase, target, calls }, index) =>
    calls.slice(0, 1).map(({ txHash, ...call }) => (
      <div class="group" key={`${index} ${txHash}`}>
        <h3>{phase === 'PRE' ? 'Own call before the trade' : 'Own call after the trade'}</h3>
        <FactList
          facts={[
            ['Outcome', outcomeWords(call)],
            ['Contract', <ChainLink key="c" explorer={network.explorerUrl} kind="address" id={target} />],
            ['Transaction', <ChainLink key="t" explorer={network.explorerUrl} kind="tx" id={txHash} />],
          ]}
        />
      </div>
    )),
  )
}
