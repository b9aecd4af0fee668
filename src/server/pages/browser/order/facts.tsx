import { amountOf, exact, readable } from '../view/amounts.ts'
import { ChainLink, PageLink, TokenLink } from '../view/links.tsx'
import { filledPercent } from '../view/orders.ts'
import { FactList, Section } from '../view/section.tsx'
import { fromNow, Time } from '../view/times.tsx'
import { isLive, type Order } from './words.ts'

const signedBy = {
  EIP712: 'the key of the account',
  ETHSIGN: 'the key of the account, as a message',
  EIP1271: 'a contract wallet',
  PRESIGN: 'a transaction on chain',
} as const

const longestDocument = 4_000

export function Facts({ order }: { order: Order }) {
  const { network, sellToken, buyToken, validTo, validFrom } = order
  const expiry = new Date(validTo * 1_000)
  return (
    <Section id="facts" title="The order">
      <FactList
        facts={[
          ['Sells', <TokenAmount key="s" {...{ amount: order.sellAmount, token: sellToken, order }} />],
          ['Buys', <TokenAmount key="b" {...{ amount: order.buyAmount, token: buyToken, order }} />],
          [
            'Filled',
            `${filledPercent(order.executedFraction)}${order.partiallyFillable ? ', in parts if need be' : '; whole or not at all'}`,
          ],
          ['Fees taken', order.executedFee === '0' ? '' : feeWords(order)],
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

/** The fee in all. What of it is the service's is known by trade, and not told where trades are left out. */
function feeWords({ executedFee, executedFeeToken, trades }: Order): string {
  const all = amountOf(executedFee, executedFeeToken)
  if (trades.pageInfo.hasNextPage) return `${all}, for the network and the service`
  const ofService = new Map<string, { amount: bigint; token: Order['sellToken'] }>()
  for (const { amount, token } of trades.nodes.flatMap(({ executedProtocolFees }) => executedProtocolFees)) {
    const known = ofService.get(token.address)
    ofService.set(token.address, { token, amount: BigInt(amount) + (known?.amount ?? 0n) })
  }
  const parts = [...ofService.values()].filter(({ amount }) => amount > 0n)
  if (parts.length === 0) return `${all}, all of it for the network`
  return `${all}, of it ${parts.map(({ amount, token }) => amountOf(String(amount), token)).join(' and ')} for the service`
}

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
