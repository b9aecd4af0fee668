import { render } from 'preact'
import { queryService } from '../ask.ts'
import { accountColumn, networkColumn, tradeColumns, transactionColumns } from '../view/columns.tsx'
import { addressForm, choiceOf, type Filter, ListPage, networkFilter, pageArguments } from '../view/list.tsx'
import { useNetworks } from '../view/networks.ts'
import { usePolled } from '../view/polled.ts'
import { documents } from './documents.ts'

const filters: readonly Filter[] = [
  { name: 'owner', label: 'Account', form: addressForm },
  {
    name: 'order',
    label: 'Order id',
    form: {
      pattern: '\\s*0x[0-9a-fA-F]{112}\\s*',
      title: '0x and 112 digits from 0 to 9 and a to f',
      placeholder: '0x…',
    },
  },
]

const bothGiven = 'Enter an account or an order, not both.'

async function readTrades() {
  const [network, owner, orderUid] = ['network', 'owner', 'order'].map(choiceOf)
  const { trades } = await queryService(documents.listedTrades, {
    network,
    owner,
    orderUid,
    ...pageArguments(),
  })
  return {
    ...trades,
    nodes: trades.nodes.map((trade) => ({ ...trade, network: trade.order?.network ?? null })),
  }
}

function TradesPage() {
  const networks = useNetworks()
  return (
    <ListPage
      title="Trades"
      filters={[networkFilter(networks), ...filters]}
      check={(choices) => (choices.has('owner') && choices.has('order') ? bothGiven : undefined)}
      list={usePolled(readTrades)}
      columns={[...tradeColumns, accountColumn, networkColumn, ...transactionColumns]}
      keyOf={({ txHash, logIndex }) => `${txHash} ${logIndex}`}
    />
  )
}

document.title = 'Trades · Tradegraph'
render(<TradesPage />, document.body)
