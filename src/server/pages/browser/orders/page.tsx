import { render } from 'preact'
import { queryService, Refused } from '../ask.ts'
import { accountColumn, networkColumn, orderColumns } from '../view/columns.tsx'
import {
  addressForm,
  choiceOf,
  type Filter,
  ListPage,
  networkFilter,
  optionOf,
  pageArguments,
} from '../view/list.tsx'
import { useNetworks } from '../view/networks.ts'
import { usePolled } from '../view/polled.ts'
import { documents } from './documents.ts'

const statuses = {
  OPEN: 'Open',
  PRESIGNATURE_PENDING: 'Waits for a signature on chain',
  FULFILLED: 'Filled',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
} as const

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: Object.entries(statuses) },
  {
    name: 'kind',
    label: 'Kind',
    options: [
      ['SELL', 'Sell a fixed amount'],
      ['BUY', 'Buy a fixed amount'],
    ],
  },
  { name: 'owner', label: 'Account', form: addressForm },
  { name: 'sell', label: 'Token to sell', form: addressForm },
  { name: 'buy', label: 'Token to buy', form: addressForm },
  { name: 'from', label: 'Placed from', isDay: true },
  { name: 'until', label: 'Placed before', isDay: true },
]

const halfPair = 'Enter both tokens of the pair.'
const isHalf = (sell: unknown, buy: unknown) => !sell !== !buy

/** Beginning of a day in the time of the browser. */
function dayOf(name: string): string | undefined {
  const at = new Date(`${choiceOf(name)}T00:00`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

async function readOrders() {
  const [sellToken, buyToken] = ['sell', 'buy'].map(choiceOf)
  if (isHalf(sellToken, buyToken)) throw new Refused(halfPair, 'InvalidParameter')
  const status = optionOf('status', Object.keys(statuses) as (keyof typeof statuses)[])
  const filter = {
    ...(status && { statuses: [status] }),
    ...(sellToken && buyToken && { pair: { sellToken, buyToken } }),
    kind: optionOf('kind', ['SELL', 'BUY']),
    createdFrom: dayOf('from'),
    createdUntil: dayOf('until'),
  }
  const [network, owner] = ['network', 'owner'].map(choiceOf)
  const variables = { network, owner, filter, ...pageArguments() }
  return (await queryService(documents.listedOrders, variables)).orders
}

function OrdersPage() {
  const networks = useNetworks()
  return (
    <ListPage
      title="Orders"
      filters={[networkFilter(networks), ...filters]}
      check={(choices) => (isHalf(choices.get('sell'), choices.get('buy')) ? halfPair : undefined)}
      list={usePolled(readOrders)}
      columns={[...orderColumns, accountColumn, networkColumn]}
      keyOf={({ uid }) => uid}
    />
  )
}

document.title = 'Orders · Tradegraph'
render(<OrdersPage />, document.body)
