import { render } from 'preact'
import { queryService } from '../ask.ts'
import type { ProgrammaticOrderType } from '../documents.generated.ts'
import { networkColumn, programmaticColumns, resolvedColumn } from '../view/columns.tsx'
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
import { programmaticKind, programmaticStates } from '../view/programmatic.ts'
import { documents } from './documents.ts'

const types: readonly ProgrammaticOrderType[] = [
  ...(['TWAP', 'STOP_LOSS', 'GOOD_AFTER_TIME', 'TRADE_ABOVE_THRESHOLD', 'PERPETUAL_SWAP'] as const),
  'UNKNOWN',
]
const statuses = Object.entries(programmaticStates).map(([status, [text]]) => [status, text] as const)

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: statuses },
  {
    name: 'type',
    label: 'Kind',
    options: types.map((type) => [type, type === 'UNKNOWN' ? 'Unknown' : programmaticKind(type)]),
  },
  { name: 'account', label: 'Account, with its proxies', form: addressForm },
  { name: 'owner', label: 'Wallet or proxy', form: addressForm },
]

async function readProgrammaticOrders() {
  const status = optionOf(
    'status',
    statuses.map(([status]) => status as keyof typeof programmaticStates),
  )
  const [network, account, owner] = ['network', 'account', 'owner'].map(choiceOf)
  const filter = { ...(status && { status: [status] }), type: optionOf('type', types) }
  const variables = { network, account, owner, ...filter, ...pageArguments() }
  return (await queryService(documents.listedProgrammaticOrders, variables)).programmaticOrders
}

const bothGiven = 'Enter an account or a wallet, not both.'

function ProgrammaticOrdersPage() {
  const networks = useNetworks()
  return (
    <ListPage
      title="Programmatic orders"
      filters={[networkFilter(networks), ...filters]}
      check={(choices) => (choices.has('account') && choices.has('owner') ? bothGiven : undefined)}
      list={usePolled(readProgrammaticOrders)}
      columns={[...programmaticColumns, resolvedColumn, networkColumn]}
      keyOf={({ id }) => id}
    >
      <p class="note">
        A contract wallet authorises an order once, and a contract makes its parts later: a TWAP, a stop loss
        and others.
      </p>
    </ListPage>
  )
}

document.title = 'Programmatic orders · Tradegraph'
render(<ProgrammaticOrdersPage />, document.body)
