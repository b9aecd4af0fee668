import { render } from 'preact'
import { queryService } from '../ask.ts'
import { type PricedToken, tokenColumns } from '../view/columns.tsx'
import { choiceOf, type Filter, ListPage, networkFilter, pageArguments } from '../view/list.tsx'
import { readNetwork, useNetworks } from '../view/networks.ts'
import { usePolled } from '../view/polled.ts'
import type { Column } from '../view/table.tsx'
import { usePrices } from '../view/token-prices.ts'
import { documents } from './documents.ts'

const filters: readonly Filter[] = [
  { name: 'search', label: 'Symbol or name', form: { placeholder: 'Such as USD' } },
]

const readTokens = async () =>
  queryService(documents.listedTokens, {
    network: await readNetwork(),
    search: choiceOf('search'),
    ...pageArguments(),
  })

const columns: readonly Column<PricedToken & { name?: string | null }>[] = [
  ...tokenColumns,
  { label: 'Name', cell: ({ name }) => name && <bdi>{name.slice(0, 100)}</bdi> },
  { label: 'Contract', isPlain: true, cell: ({ address }) => <code class="hash">{address}</code> },
  { label: 'Network', isPlain: true, cell: ({ network }) => network },
]

function TokensPage() {
  const networks = useNetworks()
  const { value, ...reading } = usePolled(readTokens)
  const nodes = usePrices(value)
  return (
    <ListPage
      title="Tokens"
      order="Most traded first"
      filters={[networkFilter(networks, true), ...filters]}
      list={{ ...reading, value: value && nodes && { pageInfo: value.network.tokens.pageInfo, nodes } }}
      columns={columns}
      keyOf={({ address }) => address}
    >
      <p class="note">Anyone can create a token with any name. Check the address of the contract.</p>
    </ListPage>
  )
}

document.title = 'Tokens · Tradegraph'
render(<TokensPage />, document.body)
