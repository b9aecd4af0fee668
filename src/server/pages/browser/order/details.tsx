import { amountOf, exact, readable } from '../view/amounts.ts'
import { AuctionLink, ChainLink, PageLink, TokenLink } from '../view/links.tsx'
import { filledPercent, isLive } from '../view/orders.ts'
import { DetailList, Section } from '../view/section.tsx'
import { fromNow, Time } from '../view/times.tsx'
import { type Order, outcomeWords } from './order.ts'

const signedBy = {
  EIP712: 'the key of the account',
  ETHSIGN: 'the key of the account, as a message',
  EIP1271: 'a contract wallet',
  PRESIGN: 'a transaction on chain',
} as const

const longestDocument = 4_000

export function OrderDetails({ order }: { order: Order }) {
  const { network, sellToken, buyToken, validTo, validFrom } = order
  const expiry = new Date(validTo * 1_000)
  return (
    <Section id="facts" title="The order">
      <DetailList
        facts={[
          ['Sells', <TokenAmount key="s" {...{ amount: order.sellAmount, token: sellToken, order }} />],
          ['Buys', <TokenAmount key="b" {...{ amount: order.buyAmount, token: buyToken, order }} />],
          [
            'Filled',
            `${filledPercent(order.executedFraction)}${order.partiallyFillable ? ', in parts if need be' : '; whole or not at all'}`,
          ],
          ...feeFacts(order),
          ['Placed', <Time key="p" at={order.creationDate} />],
          ['Not before', validFrom !== null && <Time key="f" at={new Date(validFrom * 1_000)} />],
          [
            'Valid until',
            <span key="e">
              <Time at={expiry} />
              {isLive(order) && <span class="note"> ({fromNow(expiry)})</span>}
            </span>,
          ],
          ['Account', <PageLink key="o" kind="account" id={order.owner} />],
          [
            'Receiver',
            order.effectiveReceiver !== order.owner && (
              <ChainLink key="r" explorer={network.explorerUrl} kind="address" id={order.effectiveReceiver} />
            ),
          ],
          ['Signed by', signedBy[order.signingScheme]],
          ['Network', network.name],
        ]}
      />
      {order.fullAppData !== null && (
        <details>
          <summary>What the application wrote into the order</summary>
          <pre>{order.fullAppData.slice(0, longestDocument)}</pre>
        </details>
      )}
    </Section>
  )
}

/** The total fee, and its recipients if all trades show them. */
function feeFacts(order: Order): [name: string, value: string][] {
  const { executedFee, executedFeeToken, trades, debugReport, fullAppData } = order
  if (executedFee === '0') return []
  const all: [string, string] = ['Fees taken', amountOf(executedFee, executedFeeToken)]
  if (trades.pageInfo.hasNextPage) return [all]
  const parts: [string, string][] = []
  const ofNetwork = trades.nodes.map(
    ({ auctionId }) =>
      debugReport.auctions.nodes.find((auction) => auction.auctionId === auctionId)?.executions[0]
        ?.networkFee,
  )
  if (ofNetwork.every((fee) => fee != null))
    parts.push(['for the network', amountOf(sum(ofNetwork), executedFeeToken)])
  const charged = trades.nodes.flatMap(({ executedProtocolFees }) => executedProtocolFees)
  // All are taken in the token whose side is not fixed.
  const token = charged[0]?.token
  const whose = fullAppData?.includes('"partnerFee"')
    ? 'for the service and the application'
    : 'for the service'
  if (token) parts.push([whose, amountOf(sum(charged.map(({ amount }) => amount)), token)])
  return [all, ...parts.map(([name, value]): [string, string] => [`Of it ${name}`, value])]
}

const sum = (amounts: readonly string[]) => amounts.reduce((all, amount) => all + BigInt(amount), 0n)

function TokenAmount({ amount, token, order }: { amount: string; token: Order['sellToken']; order: Order }) {
  return (
    <>
      {readable(exact(amount, token.decimals))} {token.decimals == null && 'atoms of '}
      <TokenLink token={token} network={order.network.name} />
      <p class="note">
        <ChainLink explorer={order.network.explorerUrl} kind="token" id={token.address} />
      </p>
    </>
  )
}

/** Trades on chain, and pending settlements. */
export function Trades({ order }: { order: Order }) {
  const { trades, pendingSettlements, network, surplus } = order
  return (
    <Section id="trades" title="Trades on chain">
      {pendingSettlements.map(({ auctionId, deadlineBlock, txHash }) => (
        <div class="group" key={auctionId}>
          <h3>On its way</h3>
          <DetailList
            facts={[
              ['Won in', <AuctionLink key="a" id={auctionId} network={network.name} />],
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
          <DetailList
            facts={[
              ['Transaction', <ChainLink key="t" explorer={network.explorerUrl} kind="tx" id={txHash} />],
              ['Block', blockNumber],
              ['Won in', auctionId !== null && <AuctionLink key="a" id={auctionId} network={network.name} />],
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

/** Outcomes of the order’s own calls, once there was a trade. */
function Hooks({ order: { hooks, network } }: { order: Order }) {
  return hooks.flatMap(({ phase, target, calls }, index) =>
    calls.slice(0, 1).map(({ txHash, ...call }) => (
      <div class="group" key={`${index} ${txHash}`}>
        <h3>{phase === 'PRE' ? 'Own call before the trade' : 'Own call after the trade'}</h3>
        <DetailList
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
