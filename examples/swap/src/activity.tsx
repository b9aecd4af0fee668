import { cancelOrders } from 'tradegraph-client'
import { amountText } from './amounts.ts'
import { type Order, useNotifications } from './data.ts'
import { useAction } from './tasks.ts'
import type { Session } from './wallet.ts'

export function Orders({ session, orders }: { session: Session; orders: readonly Order[] }) {
  return (
    <section aria-label="Orders">
      <h2>Orders</h2>
      {orders.length === 0 && <p>None yet.</p>}
      <ul>
        {orders.map((order) => (
          <OrderEntry key={order.uid} order={order} session={session} />
        ))}
      </ul>
    </section>
  )
}

function OrderEntry({ order, session }: { order: Order; session: Session }) {
  const { busy, problem, run } = useAction()
  const { uid, status, sellToken, buyToken, kind } = order
  const [sold, bought] = [amountText(order.sellAmount, sellToken), amountText(order.buyAmount, buyToken)]
  const cancel = () =>
    cancelOrders(session.client, [uid], { signer: session.provider, from: session.account })
  return (
    <li>
      <strong>{status.replace('_', ' ')}</strong>{' '}
      {kind === 'SELL' ? `sell ${sold} for ${bought} or more` : `buy ${bought} for ${sold} or less`}
      {order.executedBuyAmount > 0n && `: received ${amountText(order.executedBuyAmount, buyToken)}`}
      <time dateTime={order.creationDate.toISOString()}>{order.creationDate.toLocaleString()}</time>
      {status === 'OPEN' && <a href={`${session.url}/orders/${uid}`}>Why is it not filled?</a>}
      {status === 'OPEN' && (
        <button type="button" disabled={busy !== undefined} onClick={() => run('cancel', cancel)}>
          Cancel
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </li>
  )
}

export function Notifications({ session }: { session: Session }) {
  const { notifications, problem } = useNotifications(session)
  return (
    <section aria-label="Notifications">
      <h2>Notifications</h2>
      {problem && <p role="alert">{problem}</p>}
      <ul aria-live="polite">
        {notifications.map(({ notificationId, message, timestamp }) => (
          <li key={notificationId}>
            {message} <time dateTime={timestamp.toISOString()}>{timestamp.toLocaleString()}</time>
          </li>
        ))}
      </ul>
    </section>
  )
}
