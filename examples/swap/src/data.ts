import { useState } from 'react'
import * as api from 'tradegraph-client'
import { pause, type Task, useTask } from './tasks.ts'
import type { Session } from './wallet.ts'

export type Order = api.Native<api.AccountOrdersResult>['account']['orders']['nodes'][number]
type Notification = api.Native<api.NotificationsResult>['account']['notificationHistory']['nodes'][number]
export type Balance = api.Native<api.BalancesResult>['account']['balances']['nodes'][number]

/** Options of a stream behind the newest place: a later list lacks nothing that the stream leaves out. */
async function streamOptions({ client, account }: Session, ...[signal, report]: Parameters<Task>) {
  const document: api.AnyDocument<{ notifications: { cursor: string } }, { account: string }> =
    'query ($account: Address!) { notifications(account: $account, last: 1) { cursor } }'
  const { cursor: after } = (await client.query(document, { account }, { signal })).notifications
  return { after, signal, onConnect: () => report(), onDisconnect: report }
}

/** The account’s orders on its network: the newest ones at first, then each one that changes. */
export function useOrders(session: Session) {
  const { client, account, network } = session
  const [orders, setOrders] = useState<readonly Order[]>([])
  const problem = useTask([session], async (signal, report) => {
    const options = await streamOptions(session, signal, report)
    const terms = { account, network: network.name, first: 50 }
    const listed = await client.query(api.AccountOrdersDocument, terms, { signal })
    setOrders(listed.account.orders.nodes)
    const stream = api.subscribe(client, api.AccountOrderEventsDocument, { account }, options)
    for await (const { orderEvents } of stream) {
      const { order } = orderEvents
      if (order.network.chainId !== network.chainId) continue
      const isNewer = (a: Order, b: Order) => b.creationDate.getTime() - a.creationDate.getTime()
      setOrders((known) => [order, ...known.filter(({ uid }) => uid !== order.uid)].sort(isNewer))
    }
  })
  return { orders, problem }
}

/** The account’s notifications, newest first. */
export function useNotifications(session: Session) {
  const { client, account } = session
  const [notifications, setNotifications] = useState<readonly Notification[]>([])
  const problem = useTask([session], async (signal, report) => {
    const options = await streamOptions(session, signal, report)
    const listed = await client.query(api.NotificationsDocument, { account }, { signal })
    setNotifications(listed.account.notificationHistory.nodes)
    const stream = api.subscribe(client, api.AccountNotificationsDocument, { account }, options)
    for await (const { notifications } of stream) {
      const isOther = (one: Notification) => one.notificationId !== notifications.node.notificationId
      setNotifications((known) => [notifications.node, ...known.filter(isOther)])
    }
  })
  return { notifications, problem }
}

/** The tokens that the account holds, and further ones by address, with balance and allowance. */
export function useBalances({ client, account, network }: Session, further: readonly string[]) {
  const [balances, setBalances] = useState<ReadonlyMap<string, Balance>>(new Map())
  const problem = useTask([client, account, network, further.join()], async (signal) => {
    const terms = { account, network: network.name }
    const held = await client.query(api.BalancesDocument, terms, { signal })
    const addresses = held.account.balances.nodes.map(({ token }) => token.address)
    const tokens = [...new Set([...addresses, ...further].map((one) => one.toLowerCase()))]
    const stream = api.subscribe(client, api.BalanceUpdatesDocument, { ...terms, tokens }, { signal })
    for await (const { balances } of stream)
      setBalances((old) => new Map([...old, ...balances.balances.map((one) => [keyOf(one), one] as const)]))
  })
  return { balances, problem }
}

export const keyOf = ({ token }: Pick<Balance, 'token'>) => token.address.toLowerCase()

/** Terms of every order of this page: its app data, and the longest time that it is valid, in seconds. */
export const [appData, validFor] = [JSON.stringify({ appCode: 'tradegraph swap example' }), 1_800]

/** The quote of a sale: a new one when its terms change, and every 30 seconds. */
export function useQuote(session: Session, sell?: Balance, buy?: Balance, amount?: bigint) {
  const { client, account, network } = session
  const [state, setState] = useState<{ terms: string; quote: api.Native<api.QuoteResult>['quote'] }>()
  const terms = sell && buy && amount !== undefined ? `${keyOf(sell)} ${keyOf(buy)} ${amount}` : ''
  const problem = useTask([client, account, network, terms], async (signal, report) => {
    if (!sell || !buy || amount === undefined) return
    const tokens = { sellToken: sell.token.address, buyToken: buy.token.address }
    const sale = { ...tokens, amount: { sellBeforeFee: amount }, appData, validity: { validFor } }
    const input = { from: account, network: network.name, ...sale }
    // Typing ends the task: the service gets no request for what stands for less than this.
    for (let wait = 400; ; ) {
      await pause(wait, signal)
      try {
        const { quote } = await client.mutate(api.QuoteDocument, { input, slippageBps: 50 }, { signal })
        setState({ terms, quote })
        report()
        wait = 30_000
      } catch (fault) {
        if (!(fault instanceof api.TradegraphError) || !fault.retryable) throw fault
        report(fault)
        wait = Math.max(5, fault.retryAfter ?? 0) * 1_000
      }
    }
  })
  // A quote of other terms is neither shown nor signed.
  return { quote: state?.terms === terms && !problem ? state.quote : undefined, problem }
}
