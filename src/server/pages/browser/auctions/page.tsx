import { render } from 'preact'
import { queryService } from '../ask.ts'
import type { ListedAuctionsResult } from '../documents.generated.ts'
import { auctionColumns, networkColumn } from '../view/columns.tsx'
import { ListPage, networkFilter, pageArguments } from '../view/list.tsx'
import { readNetwork, useNetworks } from '../view/networks.ts'
import { usePolled } from '../view/polled.ts'
import type { Column } from '../view/table.tsx'
import { documents } from './documents.ts'

const readAuctions = async () =>
  (await queryService(documents.listedAuctions, { network: await readNetwork(), ...pageArguments() }))
    .auctions

const blockColumn: Column<ListedAuctionsResult['auctions']['nodes'][number]> = {
  label: 'Block',
  cell: ({ block }) => block,
}

function AuctionsPage() {
  const networks = useNetworks()
  return (
    <ListPage
      title="Auctions"
      filters={[networkFilter(networks, true)]}
      list={usePolled(readAuctions)}
      columns={[...auctionColumns, blockColumn, networkColumn]}
      keyOf={({ auctionId }) => String(auctionId)}
    >
      <p class="note">
        An auction offers open orders to all solvers at once, every few seconds. The best solutions are
        settled on chain. The list has the auctions for which a solver had a valid solution.
      </p>
    </ListPage>
  )
}

document.title = 'Auctions · Tradegraph'
render(<AuctionsPage />, document.body)
