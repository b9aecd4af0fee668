import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import { follow } from '../follow.ts'
import { nameInPath } from '../root.ts'
import { useAsked } from '../view/asked.ts'
import { Header } from '../view/header.tsx'
import { Fault, LiveState, Loading, Section } from '../view/section.tsx'
import type { Auction } from './auction.ts'
import { documents } from './documents.ts'
import { AuctionFacts } from './facts.tsx'
import { AuctionOrders } from './orders.tsx'
import { Settlements } from './settlements.tsx'
import { Solutions } from './solutions.tsx'

const id = Number(nameInPath())

/** Numbers of auctions are unique across networks, so that an address needs no network. */
async function readAuction(): Promise<Auction | null> {
  const { networks } = await ask(documents.networkNames, {})
  const answers = await Promise.all(
    networks.map(async ({ name }) => {
      const { auction, coin } = await ask(documents.auction, { id, network: name })
      return auction && { ...auction, coin: coin ?? { address: '', symbol: 'coins', decimals: 18 } }
    }),
  )
  return answers.find((auction) => auction !== null) ?? null
}

function AuctionPage() {
  const auction = useAsked(readAuction)
  const { value, fault, again } = auction
  const [isLive, setIsLive] = useState(false)
  const network = value?.network?.name
  useEffect(() => {
    if (network === undefined) return
    return follow(
      documents.followAuctions,
      { network },
      {
        onResult: ({ auctions }) => auctions.auction.auctionId === id && again(),
        onLive: setIsLive,
        onGap: again,
      },
    )
  }, [network, again])
  const retry = useCallback(() => again(), [again])
  return (
    <>
      <Header>
        <div class="section-head">
          <h1>Auction {id}</h1>
          {value && <LiveState isLive={isLive} />}
        </div>
        {fault !== undefined && <Fault text={fault} />}
      </Header>
      {value === undefined && fault === undefined && <Loading />}
      {value === null && <Unknown onRetry={retry} />}
      {value && (
        <main>
          <div class="column">
            <Solutions auction={value} />
            <AuctionOrders auction={value} />
          </div>
          <div class="column">
            <AuctionFacts auction={value} />
            <Settlements auction={value} />
          </div>
        </main>
      )}
    </>
  )
}

function Unknown({ onRetry }: { onRetry(): void }) {
  return (
    <main>
      <Section id="unknown" title="Nothing can be shown of this auction">
        <p>It may be one of these:</p>
        <ul>
          <li>It is still running: some services show a competition when its last block has passed.</li>
          <li>No solver made a valid offer in it: such auctions are not stored.</li>
          <li>There is no auction with this number, or it was removed by its age.</li>
        </ul>
        <div class="buttons">
          <button type="button" onClick={onRetry}>
            Look again
          </button>
        </div>
      </Section>
    </main>
  )
}

document.title = `Auction ${id} · Tradegraph`
render(<AuctionPage />, document.body)
