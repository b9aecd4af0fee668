import { amountOf, exact, readable } from '../view/amounts.ts'
import { networkText } from '../view/contracts.ts'
import { AuctionLink, ChainLink, CopyButton, PageLink, ProgrammaticLink, TokenLink } from '../view/links.tsx'
import { filledPercent, isLive } from '../view/orders.ts'
import { programmaticKind } from '../view/programmatic.ts'
import { DetailList, Section } from '../view/section.tsx'
import { fromNow, Time } from '../view/times.tsx'
import { type Order, outcomeWords } from './order.ts'
import { DollarNote, PriceSources, type UsdPrices } from './values.tsx'

const signedBy = {
  EIP712: 'the key of the account',
  ETHSIGN: 'the key of the account, as a message',
  EIP1271: 'a contract wallet',
  PRESIGN: 'a transaction on chain',
} as const

const maxDocument = 4_000

export function OrderDetails({ order, prices }: { order: Order; prices: UsdPrices }) {
  const { network, sellToken, buyToken, validTo, validFrom } = order
  const expiry = new Date(validTo * 1_000)
  return (
    <Section id="facts" title="The order">
      <DetailList
        facts={[
          [
            'Sells',
            <TokenAmount key="s" {...{ amount: order.sellAmount, token: sellToken, order, prices }} />,
          ],
          ['Buys', <TokenAmount key="b" {...{ amount: order.buyAmount, token: buyToken, order, prices }} />],
          [
            'Filled',
            `${filledPercent(order.executedFraction)}${order.partiallyFillable ? '; can be filled in parts' : '; filled whole or not at all'}`,
          ],
          ['Placed', <Time key="p" at={order.creationDate} />],
          ['Not before', validFrom !== null && <Time key="f" at={new Date(validFrom * 1_000)} />],
          [
            'Valid until',
            <span key="e">
              <Time at={expiry} />
              {isLive(order) && <span class="note"> ({fromNow(expiry)})</span>}
            </span>,
          ],
          [
            'Account',
            <span key="o">
              <PageLink kind="account" id={order.owner} />
              <CopyButton text={order.owner} name="address of the account" />
            </span>,
          ],
          [
            'Receiver',
            order.effectiveReceiver !== order.owner && (
              <span key="r">
                <ChainLink explorer={network.explorerUrl} kind="address" id={order.effectiveReceiver} />
                <CopyButton text={order.effectiveReceiver} name="address of the receiver" />
              </span>
            ),
          ],
          [
            'Part of',
            order.programmaticOrder && (
              <ProgrammaticLink
                key="g"
                id={order.programmaticOrder.id}
                text={programmaticKind(order.programmaticOrder.type)}
              />
            ),
          ],
          ['Signed by', signedBy[order.signingScheme]],
          ['Network', networkText(network)],
        ]}
      />
      <PriceSources {...{ order, prices }} />
      {order.fullAppData !== null && (
        <details>
          <summary>Data that the application added</summary>
          <pre>{order.fullAppData.slice(0, maxDocument)}</pre>
        </details>
      )}
    </Section>
  )
}

function TokenAmount({
  amount,
  token,
  order,
  prices,
}: {
  amount: string
  token: Order['sellToken']
  order: Order
  prices: UsdPrices
}) {
  return (
    <>
      {readable(exact(amount, token.decimals))} {token.decimals == null && 'atoms of '}
      <TokenLink token={token} network={order.network.name} />{' '}
      <DollarNote {...{ atoms: amount, token, prices }} />
      <p class="note">
        <ChainLink explorer={order.network.explorerUrl} kind="token" id={token.address} />
        <CopyButton
          text={token.address}
          name={`address of the ${token === order.sellToken ? 'sell' : 'buy'} token`}
        />
      </p>
    </>
  )
}

/** Link to a transaction with a button that copies its hash. */
export function TransactionLink({ order, txHash }: { order: Order; txHash: string }) {
  return (
    <>
      <ChainLink explorer={order.network.explorerUrl} kind="tx" id={txHash} />
      <CopyButton text={txHash} name="transaction hash" />
    </>
  )
}

function noTrades(order: Order): string {
  if (!order.trades.isComplete) return 'Not known yet: its trades are still being read.'
  return isLive(order) ? 'None yet. Tokens stay in the account until a trade.' : 'None: nothing was sold.'
}

/** Trades on chain, and pending settlements. */
export function Trades({ order }: { order: Order }) {
  const { trades, pendingSettlements, network } = order
  return (
    <Section id="trades" title="Trades on chain">
      {pendingSettlements.map(({ auctionId, deadlineBlock, txHash }) => (
        <div class="group" key={auctionId}>
          <h3>On its way</h3>
          <DetailList
            facts={[
              ['Won in', <AuctionLink key="a" id={auctionId} network={network.name} />],
              ['Last block', deadlineBlock],
              ['Transaction', txHash && <TransactionLink key="t" {...{ order, txHash }} />],
            ]}
          />
        </div>
      ))}
      {trades.nodes.map(({ txHash, logIndex, blockNumber, timestamp, auctionId, sellAmount, buyAmount }) => (
        <div class="group" key={`${txHash} ${logIndex}`}>
          <h3>
            {amountOf(sellAmount, order.sellToken)} for {amountOf(buyAmount, order.buyToken)}
          </h3>
          <DetailList
            facts={[
              ['Transaction', <TransactionLink key="t" {...{ order, txHash }} />],
              ['Block', blockNumber],
              ['Time', timestamp !== null && <Time key="m" at={timestamp} />],
              ['Won in', auctionId !== null && <AuctionLink key="a" id={auctionId} network={network.name} />],
            ]}
          />
        </div>
      ))}
      {trades.pageInfo.hasNextPage && <p class="note">Earlier trades are left out.</p>}
      {trades.nodes.length === 0 && pendingSettlements.length === 0 && <p class="empty">{noTrades(order)}</p>}
    </Section>
  )
}

const gas = new Intl.NumberFormat('en')

/** The order’s hooks, and their outcomes in settlements, newest first. */
export function Hooks({ order }: { order: Order }) {
  const { hooks, network } = order
  if (hooks.length === 0) return null
  return (
    <Section id="hooks" title="Hooks">
      <p class="note">
        Calls that the order makes before or after its trade. A failed hook does not stop the trade.
      </p>
      {hooks.map(({ phase, target, gasLimit, calls }, index) => (
        <div class="group" key={index}>
          <h3>{phase === 'PRE' ? 'Before the trade' : 'After the trade'}</h3>
          <DetailList
            facts={[
              [
                'Contract',
                <span key="c">
                  <ChainLink explorer={network.explorerUrl} kind="address" id={target} />
                  <CopyButton text={target} name="address of the contract" />
                </span>,
              ],
              ['Gas limit', gas.format(BigInt(gasLimit))],
              ['Result', calls.length === 0 && notCalled(order, phase)],
            ]}
          />
          {calls.slice(0, maxCalls).map((call) => (
            <DetailList
              key={call.txHash}
              facts={[
                ['Result', outcomeWords(call)],
                ['Gas used', call.gasUsed !== null && gas.format(BigInt(call.gasUsed))],
                ['Transaction', <TransactionLink key="t" {...{ order, txHash: call.txHash }} />],
              ]}
            />
          ))}
        </div>
      ))}
    </Section>
  )
}

const maxCalls = 5

function notCalled(order: Order, phase: Order['hooks'][number]['phase']): string {
  if (order.trades.nodes.length > 0)
    return phase === 'PRE' ? 'Runs with the first trade only' : 'Not known yet'
  return isLive(order) ? 'Not called yet: it runs with the trade' : 'Not called: there was no trade'
}
